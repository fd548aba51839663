"""diff_upon: what edits change in a file in which others are made already, line by line."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.patterns.edits.edit import Edit, replacements

from .diff import Differences, split_lines

_Made = tuple[int, int, str]


@dataclass(frozen=True)
class Line:
    """A line of a diff: ``mark`` is ``-``, ``+`` or a blank; ``number`` is that of the file as it
    is on disk, 0 for a line that is not in it."""

    mark: str
    text: str
    number: int


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


def _range(first: int, length: int) -> str:
    number = first if length else first - 1
    return f"{number}" if length == 1 else f"{number},{length}"


def diff_upon(text: str, made: Sequence[Edit], edits: Sequence[Edit], context: int) -> list[Part]:
    """What ``edits`` change in ``text`` with ``made`` in it."""
    before, after = replacements(text, made), replacements(text, [*made, *edits])
    starts = [0]
    for line in split_lines(text):
        starts.append(starts[-1] + len(line))
    found: list[Part] = []
    moved_old = moved_new = 0
    told = 0
    for first, last in _windows(starts, before, after, context):
        begin, end = starts[first], starts[last]
        moved_old += _gained(text, before, starts[told], begin)
        moved_new += _gained(text, after, starts[told], begin)
        old = list(_lines(text, _inside(before, begin, end, len(text)), begin, end, first + 1))
        new = list(_lines(text, _inside(after, begin, end, len(text)), begin, end, first + 1))
        groups = Differences([o[0] for o in old], [n[0] for n in new], context)
        for group in groups.get_grouped_opcodes(context):
            _, inside_old, _, inside_new, _ = group[0]
            old_line = first + moved_old + inside_old + 1
            new_line = first + moved_new + inside_new + 1
            found.append(Part(tuple(_shown(old, new, group)), old_line, new_line))
        moved_old += len(old) - (last - first)
        moved_new += len(new) - (last - first)
        told = last
    return found


def _shown(
    old: Sequence[tuple[str, int]],
    new: Sequence[tuple[str, int]],
    group: Sequence[tuple[str, int, int, int, int]],
) -> Iterator[Line]:
    for tag, a1, a2, b1, b2 in group:
        if tag == "equal":
            yield from (Line(" ", _bare(line), number) for line, number in old[a1:a2])
            continue
        yield from (Line("-", _bare(line), number) for line, number in old[a1:a2])
        yield from (Line("+", _bare(line), 0) for line, _ in new[b1:b2])


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _windows(
    starts: Sequence[int], before: Sequence[_Made], after: Sequence[_Made], context: int
) -> Iterator[tuple[int, int]]:
    """Ranges of lines around what is not the same before and after; no replacement leaves one."""
    count = len(starts) - 1
    differing = set(before) ^ set(after)
    everything = sorted({*before, *after})
    window: tuple[int, int] | None = None
    for start, end, _ in sorted(differing):
        first, last = _line(starts, start), _line(starts, end) + 1
        first, last = max(0, first - context), min(count, last + context)
        reach = (-1, -1)
        while reach != (first, last):
            reach = first, last
            for one, other, _ in everything:
                if one <= starts[last] and other >= starts[first]:
                    first = min(first, _line(starts, one))
                    last = max(last, min(count, _line(starts, other) + 1))
        if window is not None and first <= window[1]:
            window = (min(window[0], first), max(window[1], last))
        else:
            if window is not None:
                yield window
            window = (first, last)
    if window is not None:
        yield window


def _line(starts: Sequence[int], offset: int) -> int:
    """The index of the line that has an offset; that of the last one for the end of the text."""
    return max(0, min(bisect_right(starts, offset) - 1, len(starts) - 2))


def _inside(made: Sequence[_Made], begin: int, end: int, size: int) -> list[_Made]:
    return [
        (a, b, new)
        for a, b, new in made
        if begin <= a and b <= end and not (a == b == end and end != size)
    ]


def _gained(text: str, made: Sequence[_Made], begin: int, end: int) -> int:
    """How many lines the replacements between two windows add."""
    return sum(
        len(LINE_END.findall(new)) - len(LINE_END.findall(text[a:b]))
        for a, b, new in made
        if begin <= a and b < end
    )


def _lines(
    text: str, made: Sequence[_Made], begin: int, end: int, number: int
) -> Iterator[tuple[str, int]]:
    """The lines of a window with the replacements made, each with the number of the line of the
    file that its last character comes from, or that it takes the place of; 0 for one that is
    new."""
    pieces: list[tuple[str, Iterable[int]]] = []
    at = begin
    for start, stop, new in made:
        pieces += [
            (text[at:start], range(at, start)),
            (new, _sources(text[start:stop], start, new)),
        ]
        at = stop
    pieces.append((text[at:end], range(at, end)))
    whole = "".join(piece for piece, _ in pieces)
    sources = [source for _, told in pieces for source in told]
    numbers = _numbers(text, begin, end, number)
    at = 0
    for line in split_lines(whole):
        told = [
            source
            for source, character in zip(sources[at : at + len(line)], line, strict=True)
            if source >= 0 and (not character.isspace() or not line.strip())
        ]
        yield line, numbers[told[-1] - begin] if told else 0
        at += len(line)


def _sources(old: str, start: int, new: str) -> Iterator[int]:
    """For each character of what takes the place of ``old``, which begins at ``start``, an offset
    on the same line; -1 where lines were added or went."""
    before, after = split_lines(old), split_lines(new)
    if len(before) != len(after):
        yield from itertools.repeat(-1, len(new))
        return
    for line, other in zip(before, after, strict=True):
        yield from itertools.repeat(start, len(other))
        start += len(line)


def _numbers(text: str, begin: int, end: int, number: int) -> list[int]:
    found: list[int] = []
    for line in split_lines(text[begin:end]):
        found += [number] * len(line)
        number += 1
    return found
