"""line_diff: what edits change in a file, or in one in which others are made already, line by line.

Which lines these are is known from the edits; only inside of them is compared. So it takes no
longer for a file in which many lines are alike, and says no line that an edit does not touch.
"""

from __future__ import annotations

import difflib
import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.patterns.edits.edit import Edit, replacements

_Opcode: TypeAlias = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
_Made: TypeAlias = tuple[int, int, str]
# A line, with what ends it, and its number; and a range of lines with whether it differs.
_Line: TypeAlias = tuple[str, int]
_Block: TypeAlias = tuple[int, int, bool]


@dataclass(frozen=True)
class Line:
    """A line of a diff: ``mark`` is ``-``, ``+`` or a blank; ``number`` is that of the file as it
    is on disk, 0 for a line that is not in it. Of ``\\r\\n`` the text has the first character.
    ``ended``: it is not the last one without an end."""

    mark: str
    text: str
    number: int
    ended: bool


@dataclass(frozen=True)
class Part:
    """Neighbouring lines; ``old`` and ``new`` are the numbers of the first one before and after."""

    lines: tuple[Line, ...]
    old: int
    new: int

    @property
    def head(self) -> str:
        """The line that begins the part in a unified diff."""
        old = _range(self.old, sum(line.mark != "+" for line in self.lines))
        new = _range(self.new, sum(line.mark != "-" for line in self.lines))
        return f"@@ -{old} +{new} @@"


@dataclass(frozen=True)
class Region:
    """Whole lines of the original, by their offsets, and the lines that take their place."""

    start: int
    end: int
    text: str


def line_diff(
    text: str,
    edits: Sequence[Edit],
    context: int,
    made: Sequence[Edit] = (),
    ends: re.Pattern[str] = LINE_END,
) -> list[Part]:
    """What ``edits`` change in ``text`` with ``made`` in it; ``ends`` finds what ends a line."""
    whole = _Text(text, ends, replacements(text, made), replacements(text, [*made, *edits]))
    blocks = whole.blocks
    found: list[Part] = []
    moved_old = moved_new = told = 0
    for first, last in _windows(blocks, len(whole.starts) - 1, context):
        moved_old += whole.gained(whole.before, told, first)
        moved_new += whole.gained(whole.after, told, first)
        old: list[_Line] = []
        new: list[_Line] = []
        codes: list[_Opcode] = []
        for begin, end, differs in _apart(blocks, first, last):
            one = list(whole.lines(whole.before, begin, end))
            other = list(whole.lines(whole.after, begin, end)) if differs else one
            codes += _opcodes(one, other, len(old), len(new))
            old += one
            new += other
        for group in _Known(codes).get_grouped_opcodes(context):
            _, inside_old, _, inside_new, _ = group[0]
            at_old = first + moved_old + inside_old + 1
            at_new = first + moved_new + inside_new + 1
            found.append(Part(tuple(_shown(old, new, group, ends)), at_old, at_new))
        moved_old += len(old) - (last - first)
        moved_new += len(new) - (last - first)
        told = last
    return found


def changed_lines(text: str, edits: Sequence[Edit]) -> list[Region]:
    """The lines that edits change, in order, without those around them."""
    whole = _Text(text, LINE_END, (), replacements(text, edits))
    found: list[Region] = []
    for first, last, _ in whole.blocks:
        old, new = (list(whole.lines(made, first, last)) for made in (whole.before, whole.after))
        for tag, a1, a2, b1, b2 in _opcodes(old, new, 0, 0):
            if tag != "equal":
                start, end = whole.starts[first + a1], whole.starts[first + a2]
                found.append(Region(start, end, "".join(line for line, _ in new[b1:b2])))
    return found


class _Text:
    """A text with some replacements, and with others, by its lines."""

    def __init__(
        self, text: str, ends: re.Pattern[str], before: Sequence[_Made], after: Sequence[_Made]
    ) -> None:
        self.text, self.ends, self.before, self.after = text, ends, before, after
        self.starts = [0]
        for line in _split(text, ends):
            self.starts.append(self.starts[-1] + len(line))

    @property
    def blocks(self) -> list[_Block]:
        """Ranges of lines that replacements are in, none of which leaves its own."""
        differing = set(self.before) ^ set(self.after)
        ranges = []
        for made in {*self.before, *self.after}:
            last = min(len(self.starts) - 1, self._line(made[1]) + 1)
            ranges.append((self._line(made[0]), last, made in differing))
        return list(_merged(ranges))

    def lines(self, made: Sequence[_Made], first: int, last: int) -> Iterator[_Line]:
        """A range of lines with the replacements in it made, each with the number of the line that
        its last character comes from, or that it takes the place of; 0 for one that is new."""
        begin, end = self.starts[first], self.starts[last]
        pieces: list[tuple[str, Iterable[int]]] = []
        at = begin
        # What is inserted behind the last line is in no line.
        for start, stop, new in _within(made, begin, end if end < len(self.text) else end + 1):
            pieces.append((self.text[at:start], range(at, start)))
            pieces.append((new, self._sources(self.text[start:stop], start, new)))
            at = stop
        pieces.append((self.text[at:end], range(at, end)))
        sources = [source for _, told in pieces for source in told]
        at = 0
        for line in _split("".join(piece for piece, _ in pieces), self.ends):
            told = [
                source
                for source, character in zip(sources[at : at + len(line)], line, strict=True)
                if source >= 0 and (not character.isspace() or not line.strip())
            ]
            yield line, self._line(told[-1]) + 1 if told else 0
            at += len(line)

    def gained(self, made: Sequence[_Made], first: int, last: int) -> int:
        """How many lines the replacements in a range of lines add."""
        inside = _within(made, self.starts[first], self.starts[last])
        new = sum(len(self.ends.findall(new)) for _, _, new in inside)
        return new - sum(len(self.ends.findall(self.text[a:b])) for a, b, _ in inside)

    def _sources(self, old: str, start: int, new: str) -> Iterator[int]:
        """For each character of what takes the place of ``old``, which begins at ``start``, an
        offset on the same line; -1 where lines were added or went."""
        before, after = _split(old, self.ends), _split(new, self.ends)
        if len(before) != len(after):
            yield from itertools.repeat(-1, len(new))
            return
        for line, other in zip(before, after, strict=True):
            yield from itertools.repeat(start, len(other))
            start += len(line)

    def _line(self, offset: int) -> int:
        """The index of the line that has an offset; of the last one for the end of the text."""
        return max(0, min(bisect_right(self.starts, offset) - 1, len(self.starts) - 2))


class _Known(difflib.SequenceMatcher[str]):
    """Two lists of which it is known how they differ; for ``get_grouped_opcodes``."""

    def __init__(self, opcodes: list[_Opcode]) -> None:
        super().__init__()
        self._opcodes = list(_joined(opcodes))

    def get_opcodes(self) -> list[_Opcode]:
        return self._opcodes


def _joined(opcodes: list[_Opcode]) -> Iterator[_Opcode]:
    """With neighbours of one kind as one."""
    for tag, group in itertools.groupby(opcodes, key=lambda code: code[0]):
        codes = list(group)
        yield tag, codes[0][1], codes[-1][2], codes[0][3], codes[-1][4]


def _opcodes(
    old: Sequence[_Line], new: Sequence[_Line], at_old: int, at_new: int
) -> Iterator[_Opcode]:
    """How the lines of one block differ, by their places among the lines of all."""
    if old is new:
        yield "equal", at_old, at_old + len(old), at_new, at_new + len(new)
        return
    one, other = [line for line, _ in old], [line for line, _ in new]
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        yield tag, at_old + a1, at_old + a2, at_new + b1, at_new + b2


def _shown(
    old: Sequence[_Line],
    new: Sequence[_Line],
    group: Iterable[tuple[str, int, int, int, int]],
    ends: re.Pattern[str],
) -> Iterator[Line]:
    for tag, a1, a2, b1, b2 in group:
        lines = [("-", *line) for line in old[a1:a2]] + [("+", line, 0) for line, _ in new[b1:b2]]
        if tag == "equal":
            lines = [(" ", *line) for line in old[a1:a2]]
        for mark, line, number in lines:
            ended = ends.search(line) is not None
            yield Line(mark, line[:-1] if ended else line, number, ended)


def _windows(blocks: Sequence[_Block], count: int, context: int) -> Iterator[tuple[int, int]]:
    """The blocks that differ with the lines around them, of ``count`` lines."""
    around = (
        (max(0, first - context), min(count, last + context), True)
        for first, last, differs in blocks if differs
    )  # fmt: skip
    same = ((first, last, False) for first, last, _ in blocks)
    for first, last, differs in _merged([*around, *same]):
        if differs:
            yield first, last


def _merged(ranges: Iterable[_Block]) -> Iterator[_Block]:
    """Ranges of lines, those that overlap or touch as one."""
    made: _Block | None = None
    for first, last, differs in sorted(ranges):
        if made is not None and first <= made[1]:
            made = made[0], max(made[1], last), made[2] or differs
            continue
        if made is not None:
            yield made
        made = first, last, differs
    if made is not None:
        yield made


def _apart(blocks: Sequence[_Block], first: int, last: int) -> Iterator[_Block]:
    """The lines of a window: the blocks in it that differ, and what is the same between them."""
    at = first
    for begin, end, differs in blocks[bisect_left(blocks, (first,)) :]:
        if begin >= last > first:
            break
        if differs:
            if at < begin:
                yield at, begin, False
            yield begin, end, True
            at = end
    if at < last:
        yield at, last, False


def _within(made: Sequence[_Made], begin: int, stop: int) -> Sequence[_Made]:
    """The replacements that begin in a range of offsets."""
    return made[bisect_left(made, (begin,)) : bisect_left(made, (stop,))]


def _split(text: str, ends: re.Pattern[str]) -> list[str]:
    starts = [0, *(end.end() for end in ends.finditer(text)), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(starts) if start < end]


def _range(first: int, length: int) -> str:
    number = first if length else first - 1
    return f"{number}" if length == 1 else f"{number},{length}"
