"""Unified diffs of edits: to be read, and to be applied by a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .line_diff import Part, line_diff

if TYPE_CHECKING:
    from pinsetter.patterns.edits.edit import Edit

_CONTEXT = 3
_LINE_FEED = re.compile("\n")
_NO_NEWLINE = "\\ No newline at end of file"


def hunk_lines(path: str, text: str, edits: Sequence[Edit], context: int = _CONTEXT) -> list[str]:
    """The diff of some edits alone, as Bowler's hunks are: two header lines, then ``@@`` parts.
    Lines are those of Python and of editors, so a lone carriage return ends one, too."""
    return [f"--- {path}", f"+++ {path}", *unified(line_diff(text, edits, context))]


def file_diff(path: str, text: str, edits: Sequence[Edit]) -> list[str]:
    """The diff of all edits of a file, for ``git apply`` and ``patch``, to which only a line feed
    ends a line."""
    parts = line_diff(text, edits, _CONTEXT, ends=_LINE_FEED)
    return [f"--- a/{path}", f"+++ b/{path}", *unified(parts)]


def unified(parts: Iterable[Part]) -> Iterator[str]:
    """Parts without line ends; the carriage return of ``\\r\\n`` is left to who prints it."""
    for part in parts:
        yield part.head
        for line in part.lines:
            yield f"{line.mark}{line.text}"
            if not line.ended:
                yield _NO_NEWLINE
