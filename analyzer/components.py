"""Components: the files of a run in groups that share no program, so that one can be analysed, and
shown, while the others are still waiting.

Imports are found in the raw bytes here. What looks like one and is none (in a string, in a comment)
only joins two groups. What a file computes at run time is not followed, here and elsewhere.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from .layout import Layout

_PACKAGE = "__init__.py"
_NAME = rb"[\w\x80-\xff]"
_WORD = re.compile(rb"%b+" % _NAME)
_BLANK = rb"(?:[ \t\f]|\\\r?\n?)"
_LISTED = rb"((?:[^\r\n;#(\\]|\\\r?\n?)*)"
_FROM = re.compile(
    rb"\bfrom%b*((?:\.%b*)*)((?:%b|\.)*)%b*\bimport\b%b*(?:\(([^()]*)|%b)"
    % (_BLANK, _BLANK, _NAME, _BLANK, _BLANK, _LISTED)
)
_IMPORT = re.compile(rb"\bimport%b+%b" % (_BLANK, _LISTED))
_CALLED = re.compile(rb"""import(?:_module|__)\s*\(\s*[rbuRBU]*(["']+)(\.*)([^"'\\]+)\1""")


class Components:
    """Groups of files that import, or are imported by, nothing of another group.

    ``layout`` says where a module is looked for; ``complete``: all its files are among ``files``,
    so that nothing else can join two of them. Files that cannot be read stand alone; who loads them
    says why.
    """

    def __init__(self, files: Iterable[Path], layout: Layout, complete: bool = False) -> None:
        self._layout = Layout(layout.roots, self._is_file)
        self._complete = complete
        self._files: dict[str, Path] = {}
        """The files by their absolute paths; one that is given twice stands here once, by its own
        name rather than a link's."""
        self._imports: dict[str, bytes] = {}
        """The text of the imports of each file, those outside of ``files`` as they are met."""
        self._loaded: dict[str, frozenset[str]] = {}
        self._known: dict[str, bool] = {}
        self._given: set[str] = set()
        folders: dict[str, str] = {}
        for file in files:
            head, _, name = str(file).rpartition(os.sep)
            head = head or str(file.parent)  # "/" and "." are different
            folder = folders.get(head)
            if folder is None:
                folder = folders[head] = os.path.join(os.path.realpath(head), "")
            path = folder + name
            if not os.path.islink(path):
                self._files[path] = file
            else:
                self._files.setdefault(os.path.realpath(path), file)

    def containing(self, words: Collection[bytes]) -> Iterator[list[Path]]:
        """The groups with a file that has one of ``words`` in it."""
        speaking = [path for path in self._files if self._speaks(path, words)]
        waiting = [] if self._complete else list(self._files)
        for path in waiting:  # grows by what lies outside
            waiting.extend(p for p in self._imported(path) if p not in self._imports)
        return self._groups(speaking)

    def others(self) -> Iterator[list[Path]]:
        """The groups that were not given yet."""
        return self._groups(self._files)

    def _groups(self, starts: Iterable[str]) -> Iterator[list[Path]]:
        for start in starts:
            if start not in self._given:
                group = self._group(start) - self._given
                self._given |= group
                paths = sorted(group & self._order.keys(), key=self._order.__getitem__)
                yield [self._files[path] for path in paths]

    @cached_property
    def _order(self) -> dict[str, int]:
        return {path: number for number, path in enumerate(self._files)}

    def _speaks(self, path: str, words: Collection[bytes]) -> bool:
        data = _read(path)
        self._imports[path] = _import_text(data)
        return any(word in data for word in words)

    def _group(self, start: str) -> set[str]:
        group = {start}
        waiting = [start]
        while waiting:
            path = waiting.pop()
            for other in (*self._imported(path), *self._importing(path)):
                if other not in group:
                    group.add(other)
                    waiting.append(other)
        return group

    def _imported(self, path: str) -> frozenset[str]:
        """The files that the imports of a file load."""
        if path not in self._loaded:
            if path not in self._imports:
                self._imports[path] = _import_text(_read(path))
            folder, targets = os.path.dirname(path), set(_targets(self._imports[path]))
            located = (self._layout.locate(folder, module, level) for level, module in targets)
            found = {self._real(str(file)) for file in located if file is not None}
            self._loaded[path] = frozenset(found - {path})
        return self._loaded[path]

    def _importing(self, path: str) -> Iterator[str]:
        """The files whose imports load a file."""
        folder, name = os.path.split(path)
        if name == _PACKAGE:
            name = os.path.basename(folder)
            # `from . import x` does not say the package's name.
            inside = folder + os.sep
            beside = [other for other in self._files if other.startswith(inside)]
        else:
            name, beside = os.path.splitext(name)[0], []
        for other in {*self._importers[os.fsencode(name)], *beside}:
            if path in self._imported(other):
                yield other

    @cached_property
    def _importers(self) -> defaultdict[bytes, list[str]]:
        """Which files have a word in their imports."""
        found: defaultdict[bytes, list[str]] = defaultdict(list)
        for path, text in self._imports.items():
            for word in set(_WORD.findall(text)):
                found[word].append(path)
        return found

    def _real(self, path: str) -> str:
        return path if path in self._files else os.path.realpath(path)

    def _is_file(self, path: str) -> bool:
        if path in self._files:
            return True
        if path not in self._known:
            self._known[path] = os.path.isfile(path)
        return self._known[path]


def _read(path: str) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            data = os.read(handle, _MOST)
            while part := os.read(handle, _MOST) if len(data) >= _MOST else b"":
                data += part
            return data
        finally:
            os.close(handle)
    except OSError:
        return b""


# Nearly every file is read in one go.
_MOST = 1 << 18


def _import_text(data: bytes) -> bytes:
    """The lines that mention imports, and those that belong to them."""
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


def _targets(text: bytes) -> Iterator[tuple[int, str]]:
    """The level and dotted name of every module that import statements may load, packages around
    it included."""
    text = re.sub(rb"#[^\r\n]*", b"", text)
    for dots, module, listed, names in _FROM.findall(text):
        level, dotted = dots.count(b"."), os.fsdecode(module).strip(".")
        yield from ((level, name) for name in _around(dotted))
        if level and not dotted:
            yield level, ""
        for word in _WORD.findall(listed or names):
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
