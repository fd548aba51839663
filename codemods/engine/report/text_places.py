"""Names and places of files in reports: git's quoting, URIs, lines and columns."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from pathlib import Path
from urllib.parse import quote_from_bytes

from pinsetter.analyzer.files.import_path import real_path
from pinsetter.analyzer.files.source import BOM, LINE_END, Source
from pinsetter.analyzer.messages.visible import written_out

from .document import Position, Span

_SURROGATE = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    """Text that every encoding of Unicode can hold: bytes of a file name that are no text are
    shown as ``\\xff``."""
    return _SURROGATE.sub(_shown, text)


def _shown(surrogate: re.Match[str]) -> str:
    return written_out(surrogate.group())


def uri(path: Path, base: Path) -> tuple[str, bool]:
    """A file's URI, percent-encoded from the name's own bytes, and whether it is relative to
    ``base``, which it is for files below."""
    target = real_path(path)
    if target.is_relative_to(base):
        return quote_from_bytes(os.fsencode(target.relative_to(base)), safe="/"), True
    return folder_uri(target).rstrip("/"), False


def folder_uri(folder: Path) -> str:
    """The absolute URI of a folder, with the slash that bases of relative URIs end with."""
    return f"file://{quote_from_bytes(os.fsencode(folder), safe='/').rstrip('/')}/"


class NotebookPlaces:
    """Places in a notebook: whole lines of its JSON, for columns are those of the text."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._starts = [0, *(end.end() for end in LINE_END.finditer(source.text))]

    def span(self, start: int, end: int) -> Span:
        first, last = (bisect_right(self._starts, offset) for offset in (start, end))
        return Span(self._position(first), self._position(last))

    def line(self, number: int) -> Span:
        return Span(self._position(number), self._position(number))

    def _position(self, line: int) -> Position:
        return Position(0, self._source.file_line(line), 1)


class Places:
    """Lines and columns in one text. Lines are those of Python and of editors; a byte-order mark is
    no column."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(end.end() for end in LINE_END.finditer(text))]

    def position(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        column = offset - self._starts[line - 1] + 1
        if line == 1 and offset and self._text.startswith(BOM):
            column -= 1
        return Position(offset, line, column)

    def span(self, start: int, end: int) -> Span:
        return Span(self.position(start), self.position(end))

    def line(self, number: int) -> Span:
        """A line's text, without the blanks around it."""
        start = self._starts[min(number, len(self._starts)) - 1]
        following = self._starts[number] if number < len(self._starts) else len(self._text)
        text = self._text[start:following]
        first = start + len(text) - len(text.lstrip(f" \t\f{BOM}"))
        last = start + len(text.rstrip())
        return self.span(min(first, last), last)
