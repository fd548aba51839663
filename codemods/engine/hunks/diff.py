"""Unified diffs of edits: to be read, and to be applied by a program."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.patterns.edits.edit import Edit, apply, replacements

_Opcode: TypeAlias = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
_CONTEXT = 3
_LINE_FEED = re.compile("\n")
_NO_NEWLINE = "\\ No newline at end of file"


def hunk_lines(path: str, text: str, edits: Sequence[Edit], context: int = _CONTEXT) -> list[str]:
    """The diff of some edits alone, as Bowler's hunks are: two header lines, then ``@@`` parts.
    Lines are those of Python and of editors, so a lone carriage return ends one, too."""
    return [f"--- {path}", f"+++ {path}", *_parts(text, edits, LINE_END, context)]


def file_diff(path: str, text: str, edits: Sequence[Edit]) -> list[str]:
    """The diff of all edits of a file, for ``git apply`` and ``patch``, to which only a line feed
    ends a line."""
    return [f"--- a/{path}", f"+++ b/{path}", *_parts(text, edits, _LINE_FEED)]


@dataclass(frozen=True)
class Region:
    """Whole lines of the original, by their offsets, and the lines that take their place."""

    start: int
    end: int
    text: str


def changed_lines(text: str, edits: Sequence[Edit]) -> list[Region]:
    """The lines that edits change, in order, without those around them."""
    lines = split_lines(text, LINE_END)
    starts = _starts(lines)
    found: list[Region] = []
    for first, last, new in _rewritten(text, edits, lines, starts, LINE_END, 0):
        matcher = difflib.SequenceMatcher(None, lines[first:last], new, autojunk=False)
        for tag, a1, a2, b1, b2 in matcher.get_opcodes():
            if tag != "equal":
                region = Region(starts[first + a1], starts[first + a2], "".join(new[b1:b2]))
                found.append(region)
    return found


def _parts(
    text: str, edits: Sequence[Edit], ends: re.Pattern[str], context: int = _CONTEXT
) -> list[str]:
    lines = split_lines(text, ends)
    starts = _starts(lines)
    found: list[str] = []
    shift = 0
    for first, last, new in _rewritten(text, edits, lines, starts, ends, context):
        for part in _differences(lines[first:last], new, first, first + shift, context):
            found.extend(_shown(part, ends))
        shift += len(new) - (last - first)
    return found


def _rewritten(
    text: str,
    edits: Sequence[Edit],
    lines: list[str],
    starts: list[int],
    ends: re.Pattern[str],
    context: int,
) -> Iterator[tuple[int, int, list[str]]]:
    """Ranges of lines that hold all edits, each with the lines that take its place."""
    edits = [Edit(start, end, new) for start, end, new in replacements(text, edits)]
    for first, last in _windows(edits, starts, len(lines), context):
        begin, end = starts[first], starts[last]
        inside = [e for e in edits if begin <= e.start and e.end <= end and not (
            e.start == e.end == end and end != len(text))]  # fmt: skip
        moved = [edit.moved(-begin) for edit in inside]
        yield first, last, split_lines(apply(text[begin:end], moved), ends)


def _windows(
    edits: Sequence[Edit], starts: list[int], count: int, context: int
) -> list[tuple[int, int]]:
    """Ranges of lines, context included, that hold all edits; neighbours joined."""
    windows: list[tuple[int, int]] = []
    for edit in sorted(edits, key=lambda e: e.start):
        first = _line(starts, edit.start, count)
        last = _line(starts, edit.end, count) + 1
        first, last = max(0, first - context), min(count, last + context)
        if windows and first <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(last, windows[-1][1]))
        else:
            windows.append((first, last))
    return windows


def _differences(
    old: list[str], new: list[str], old_line: int, new_line: int, context: int
) -> Iterable[list[str]]:
    for group in Differences(old, new, context).get_grouped_opcodes(context):
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        part = [f"@@ -{_range(old_line + i1, i2 - i1)} +{_range(new_line + j1, j2 - j1)} @@"]
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                part.extend(" " + line for line in old[a1:a2])
                continue
            part.extend("-" + line for line in old[a1:a2])
            part.extend("+" + line for line in new[b1:b2])
        yield part


class Differences(difflib.SequenceMatcher[str]):
    """How two lists of lines differ, with the lines around at both ends as they are: where one more
    of many that are alike is added, difflib may add it behind the others, and no line would follow
    that says where the part ends; git takes such a part for the end of the file."""

    def __init__(self, old: list[str], new: list[str], context: int) -> None:
        super().__init__(None, old, new, autojunk=False)
        self._old, self._new, self._context = old, new, context

    def get_opcodes(self) -> list[_Opcode]:
        old, new = self._old, self._new
        most = min(len(old), len(new))
        first = _common(old, new, min(self._context, most))
        last = _common(old[::-1], new[::-1], min(self._context, most - first))
        inner = difflib.SequenceMatcher(
            None, old[first : len(old) - last], new[first : len(new) - last], autojunk=False
        )
        found: list[_Opcode] = [("equal", 0, first, 0, first)]
        for tag, a1, a2, b1, b2 in inner.get_opcodes():
            found.append((tag, first + a1, first + a2, first + b1, first + b2))
        found.append(("equal", len(old) - last, len(old), len(new) - last, len(new)))
        return list(_joined(found))


def _joined(opcodes: list[_Opcode]) -> Iterator[_Opcode]:
    """Those that are not empty, with neighbours of one kind as one."""
    told = (code for code in opcodes if code[1] < code[2] or code[3] < code[4])
    for tag, group in itertools.groupby(told, key=lambda code: code[0]):
        codes = list(group)
        yield tag, codes[0][1], codes[-1][2], codes[0][3], codes[-1][4]


def _common(one: list[str], other: list[str], most: int) -> int:
    pairs = zip(one[:most], other[:most], strict=True)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), most)


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


def split_lines(text: str, ends: re.Pattern[str] = LINE_END) -> list[str]:
    """The lines of a text, with what ends them."""
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
