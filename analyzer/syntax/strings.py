"""end_of_string: where a string literal ends, f- and t-strings with all that is inside them.

One scanner for every host: the tokenizers of Python 3.12 and later know PEP 701 (any expression in
a replacement field, the same quotes again, comments, newlines) and earlier ones do not, while a
campaign must read the same file alike everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# PEP 750 (t), PEP 701 and 498 (f), PEP 414 and Python 2 (u, ur).
FORMAT_PREFIX = r"(?:[fFtT][rR]?|[rR][fFtT])"
PREFIX = rf"(?:{FORMAT_PREFIX}|[bB][rR]?|[rR][bB]?|[uU][rR]?)"
_ESCAPE = r"\\(?:\r\n|[\s\S])"
# A whole literal, as every Python before 3.12 saw it.
PLAIN = (
    rf'"""[^"\\]*(?:(?:{_ESCAPE}|"(?!""))[^"\\]*)*"""'
    rf"|'''[^'\\]*(?:(?:{_ESCAPE}|'(?!''))[^'\\]*)*'''"
    rf'|"(?!"")[^"\\\r\n]*(?:{_ESCAPE}[^"\\\r\n]*)*"'
    rf"|'(?!'')[^'\\\r\n]*(?:{_ESCAPE}[^'\\\r\n]*)*'"
)
# CPython's own limit is 150 f-strings inside one another.
_MAX_NESTING = 150

_STRING = re.compile(rf"(?P<prefix>{PREFIX}?)(?P<plain>{PLAIN})")
_START = re.compile(rf"(?P<prefix>{PREFIX}?)(?P<quote>\"\"\"|'''|\"|')")
_IN_FIELD = re.compile(
    rf"(?P<string>{PREFIX}?[\"'])|(?P<open>[(\[{{])|(?P<close>[)\]}}])|(?P<mark>:|!(?!=))"
    r"|(?P<skip>#[^\r\n]*|[\w\x80-\U0010ffff]+|!=|[\s\S])"
)


def _literal_part(quote: str, raw: bool, spec: bool) -> re.Pattern[str]:
    """What may stand between replacement fields; a format spec has no doubled braces."""
    newline = "" if len(quote) == 3 else r"\r\n"
    chars = rf"[^{{}}{quote[0]}\\{newline}]"
    # A backslash before a brace stands for itself, and the brace begins a field.
    parts = [chars, r"\\(?:\r\n|[^{}])", r"\\(?=[{}])"]
    if not raw:
        parts.insert(0, r"\\N\{[^{}]*\}")
    if not spec:
        parts += [r"\{\{", r"\}"]
    if len(quote) == 3:
        parts.append(f"{quote[0]}(?!{quote[0] * 2})")
    return re.compile(f"(?:{'|'.join(parts)})*")


_LITERALS = {
    (quote, raw, spec): _literal_part(quote, raw, spec)
    for quote in ('"""', "'''", '"', "'")
    for raw in (False, True)
    for spec in (False, True)
}


def end_of_string(text: str, start: int) -> int | None:
    """The offset after the literal that begins at ``start``; None if it does not end."""
    return _end_of_string(text, start, 0)


def fields(literal: str) -> Iterator[tuple[int, int]]:
    """Where the expressions in an f- or t-string stand, those of nested format specs too."""
    opening = _START.match(literal)
    if opening is not None:
        found: list[tuple[int, int]] = []
        _end_of_format(literal, opening, 0, found)
        yield from found


def _end_of_string(text: str, start: int, nesting: int) -> int | None:
    opening = _START.match(text, start)
    if opening is None or nesting > _MAX_NESTING:
        return None
    if not {"f", "t"} & set(opening["prefix"].lower()):
        plain = _STRING.match(text, start)
        return plain.end() if plain else None
    return _end_of_format(text, opening, nesting, [])


def _end_of_format(
    text: str, opening: re.Match[str], nesting: int, found: list[tuple[int, int]]
) -> int | None:
    quote, raw = opening["quote"], "r" in opening["prefix"].lower()
    literal = _LITERALS[quote, raw, False]
    at: int | None = opening.end()
    while at is not None:
        matched = literal.match(text, at)
        assert matched is not None  # it matches the empty string
        at = matched.end()
        if text.startswith(quote, at):
            return at + len(quote)
        at = _end_of_field(text, at, quote, raw, nesting, found)
    return None


def _end_of_field(
    text: str, at: int, quote: str, raw: bool, nesting: int, found: list[tuple[int, int]]
) -> int | None:
    """The offset after the field whose brace is at ``at``; None if there is none or no end."""
    if not text.startswith("{", at) or nesting > _MAX_NESTING:
        return None
    start = at = at + 1
    depth = 0
    while (part := _IN_FIELD.match(text, at)) is not None:
        kind = part.lastgroup
        if kind == "string":
            end = _end_of_string(text, at, nesting + 1)
            if end is None:
                return None
            at = end
            continue
        if depth == 0 and (kind == "mark" or part[0] == "}"):
            found.append((start, at))
            break
        depth += (kind == "open") - (kind == "close")
        at = part.end()
    else:
        return None
    if part[0] == "!":
        conversion = re.compile(r"!\s*\w+\s*(?=[:}])").match(text, at)
        if conversion is None:
            return None
        at = conversion.end()
    if text.startswith(":", at):
        return _end_of_spec(text, at + 1, quote, raw, nesting, found)
    return at + 1


def _end_of_spec(
    text: str, at: int, quote: str, raw: bool, nesting: int, found: list[tuple[int, int]]
) -> int | None:
    literal = _LITERALS[quote, raw, True]
    while True:
        matched = literal.match(text, at)
        assert matched is not None  # it matches the empty string
        if text.startswith("}", matched.end()):
            return matched.end() + 1
        end = _end_of_field(text, matched.end(), quote, raw, nesting + 1, found)
        if end is None:
            return None
        at = end
