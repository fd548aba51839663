"""import_text: the imports of a file, found in its raw bytes.

What looks like one and is none, in a string or in a comment, is found, too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

_NAME = rb"[\w\x80-\xff]"
WORD = re.compile(rb"%b+" % _NAME)
_BLANK = rb"(?:[ \t\f]|\\\r?\n?)"
_LISTED = rb"((?:[^\r\n;#(\\]|\\\r?\n?)*)"
_FROM = re.compile(
    rb"\bfrom%b*((?:\.%b*)*)((?:%b|\.)*)%b*\bimport\b%b*(?:\(([^()]*)|%b)"
    % (_BLANK, _BLANK, _NAME, _BLANK, _BLANK, _LISTED)
)
_IMPORT = re.compile(rb"\bimport%b+%b" % (_BLANK, _LISTED))
_CALLED = re.compile(rb"""import(?:_module|__)\s*\(\s*[rbuRBU]*(["']+)(\.*)([^"'\\]+)\1""")


def import_text(data: bytes) -> bytes:
    """The lines of a file that mention imports, and those that belong to them."""
    at = data.find(b"import")
    if at < 0:
        return b""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        at = data.find(b"import")
    parts: list[bytes] = []
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        while start > 1 and data[start - 2 : start - 1] == b"\\":
            start = data.rfind(b"\n", 0, start - 1) + 1
        end = _line_end(data, at)
        if b"(" in data[at:end]:
            end = max(end, data.find(b")", at) + 1)
        while end < len(data) and data[end - 1 : end] == b"\\":
            end = _line_end(data, end + 1)
        parts.append(data[start:end])
        at = data.find(b"import", end)
    return b"\n".join(parts)


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return end if end >= 0 else len(data)


def modules_in(text: bytes) -> Iterator[tuple[int, str]]:
    """The level and dotted name of every module that import statements may load, packages around
    it included."""
    text = re.sub(rb"#[^\r\n]*", b"", text)
    for dots, module, listed, names in _FROM.findall(text):
        level, dotted = dots.count(b"."), os.fsdecode(module).strip(".")
        yield from ((level, name) for name in _around(dotted))
        if level and not dotted:
            yield level, ""
        for word in WORD.findall(listed or names):
            name = os.fsdecode(word)
            yield level, f"{dotted}.{name}" if dotted else name
    for names in _IMPORT.findall(_FROM.sub(b"", text)):
        for name in names.split(b","):
            yield from ((0, one) for one in _around(os.fsdecode(name).split(" as ")[0].strip()))
    for _, dots, module in _CALLED.findall(text):
        yield from ((len(dots), name) for name in _around(os.fsdecode(module)))


def _around(dotted: str) -> Iterator[str]:
    parts = [part.strip("\\ \t\r\n") for part in dotted.split(".")]
    return (".".join(parts[: number + 1]) for number in range(len(parts)) if parts[0])
