"""Unified diffs of edits: to be read, and to be applied by a program."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pinsetter.analyzer.source import LINE_END
from pinsetter.patterns.edit import Edit, apply

_CONTEXT = 3
_LINE_FEED = re.compile("\n")
_NO_NEWLINE = "\\ No newline at end of file"


def hunk_lines(path: str, text: str, edits: Sequence[Edit]) -> list[str]:
    """The diff of some edits alone, as Bowler's hunks are: two header lines, then ``@@`` parts.
    Lines are those of Python and of editors, so a lone carriage return ends one, too."""
    return [f"--- {path}", f"+++ {path}", *_parts(text, edits, LINE_END)]


def file_diff(path: str, text: str, edits: Sequence[Edit]) -> list[str]:
    """The diff of all edits of a file, for ``git apply`` and ``patch``, to which only a line feed
    ends a line."""
    return [f"--- a/{path}", f"+++ b/{path}", *_parts(text, edits, _LINE_FEED)]


def _parts(text: str, edits: Sequence[Edit], ends: re.Pattern[str]) -> list[str]:
    lines = _split(text, ends)
    starts = _starts(lines)
    found: list[str] = []
    shift = 0
    for first, last in _windows(edits, starts, len(lines)):
        begin, end = starts[first], starts[last]
        inside = [e for e in edits if begin <= e.start and e.end <= end and not (
            e.start == e.end == end and end != len(text))]  # fmt: skip
        moved = [_moved(edit, -begin) for edit in inside]
        old, new = lines[first:last], _split(apply(text[begin:end], moved), ends)
        for part in _differences(old, new, first, first + shift):
            found.extend(_shown(part, ends))
        shift += len(new) - len(old)
    return found


def _windows(edits: Sequence[Edit], starts: list[int], count: int) -> list[tuple[int, int]]:
    """Ranges of lines, context included, that hold all edits; neighbours joined."""
    windows: list[tuple[int, int]] = []
    for edit in sorted(edits, key=lambda e: e.start):
        first = _line(starts, edit.start, count)
        last = _line(starts, edit.end, count) + 1
        first, last = max(0, first - _CONTEXT), min(count, last + _CONTEXT)
        if windows and first <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(last, windows[-1][1]))
        else:
            windows.append((first, last))
    return windows


def _differences(
    old: list[str], new: list[str], old_line: int, new_line: int
) -> Iterable[list[str]]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        part = [f"@@ -{_range(old_line + i1, i2 - i1)} +{_range(new_line + j1, j2 - j1)} @@"]
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                part.extend(" " + line for line in old[a1:a2])
                continue
            part.extend("-" + line for line in old[a1:a2])
            part.extend("+" + line for line in new[b1:b2])
        yield part


def _shown(part: list[str], ends: re.Pattern[str]) -> Iterable[str]:
    """A part without line ends; the carriage return of ``\\r\\n`` is left to who prints it."""
    yield part[0]
    for line in part[1:]:
        ended = ends.search(line)
        yield line[:-1] if ended else line
        if not ended:
            yield _NO_NEWLINE


def _range(start: int, length: int) -> str:
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def _split(text: str, ends: re.Pattern[str]) -> list[str]:
    starts = [0, *(end.end() for end in ends.finditer(text)), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(starts) if start < end]


def _starts(lines: list[str]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _line(starts: list[int], offset: int, count: int) -> int:
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if starts[middle + 1] <= offset:
            low = middle + 1
        else:
            high = middle
    return low


def _moved(edit: Edit, by: int) -> Edit:
    outer = (edit.outer[0] + by, edit.outer[1] + by)
    return replace(edit, start=edit.start + by, end=edit.end + by, outer=outer)
