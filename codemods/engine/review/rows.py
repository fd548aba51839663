"""rows: the lines of a hunk's diff as they fit on a screen."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from pinsetter.analyzer.names.module import Module

from ..hunks.line_diff import Part
from .marks import styled

_HEADERS = ("--- ", "+++ ")
# Of a run of lines that is folded, so many are shown at least, and one at its end.
_SHOWN = 3
_FEWEST = 5
_CHANGES = ("+", "-")


@dataclass(frozen=True)
class Row:
    """A line to be shown: its mark, ``-``, ``+``, a blank, or ``…`` for lines that are folded."""

    mark: str
    text: Text

    def height(self, width: int) -> int:
        return max(1, -(-self.text.cell_len // max(1, width)))


_GAP = Row("", Text("⋮", style="dim"))


def rows(parts: Sequence[Part]) -> list[Row]:
    """The lines of the parts with their numbers in the file, a line of dots between two parts."""
    last = max((line.number for part in parts for line in part.lines), default=0)
    size = len(str(last))
    found: list[Row] = []
    for count, part in enumerate(parts):
        if count:
            found.append(_GAP)
        plain = [f"{line.mark}{line.text}" for line in part.lines]
        shown = styled([*_HEADERS, *plain])[2:]
        for line, text in zip(part.lines, shown, strict=True):
            number = str(line.number or "")
            found.append(Row(line.mark, Text.assemble((f"{number:>{size}} ", "dim"), text)))
    return found


def numbered(module: Module, parts: Sequence[Part]) -> list[Part]:
    """The parts as a person finds the lines: in a notebook by their numbers in a cell."""
    notebook = module.source.notebook
    if notebook is None:
        return list(parts)
    return [
        replace(part, lines=tuple(
            replace(
                line,
                text=notebook.shown(line.text),
                number=notebook.place(line.number)[1] if line.number else 0,
            )
            for line in part.lines
        ))
        for part in parts
    ]  # fmt: skip


def fits(parts: Sequence[Part], width: int, height: int) -> bool:
    """Whether all lines of the parts have room; they need not be highlighted to be counted."""
    number = sum(len(part.lines) for part in parts) + len(parts) - 1
    return number <= height and _height(rows(parts), width) <= height


def folded(found: Sequence[Row], width: int, height: int) -> list[Row]:
    """So many of the rows that they fit: lines around go first, those farthest from what changes,
    then the middle of the longest runs of new or old lines. What changes is never left out
    altogether, nor are the lines next to it."""
    room = max(height, _FEWEST)
    kept = list(found)
    for distance in range(max(_distances(found), default=0), 0, -1):
        kept = _near(found, distance)
        if _height(kept, width) <= room:
            return kept
    while (excess := _height(kept, width) - room) > 0:
        runs = [list(group) for _, group in itertools.groupby(kept, lambda row: row.mark)]
        run = max(runs, key=lambda run: len(run) if run[0].mark in _CHANGES else 0)
        if run[0].mark not in _CHANGES or len(run) <= _SHOWN + 2:
            break
        keep = max(_SHOWN, len(run) - excess - 2)
        at = next(number for number, row in enumerate(kept) if row is run[0])
        text = Text(f"   … {len(run) - keep - 1} more lines (f shows all)", style="dim italic")
        kept[at + keep : at + len(run) - 1] = [Row("…", text)]
    return kept


def _distances(found: Sequence[Row]) -> list[int]:
    """How many lines each is away from one that changes; 0 for lines that do."""
    changes = [number for number, row in enumerate(found) if row.mark in _CHANGES]
    if not changes:
        return []
    places = ((bisect_left(changes, n), n) for n in range(len(found)))
    return [min(abs(changes[max(0, min(at + k, len(changes) - 1))] - n) for k in (-1, 0))
            for at, n in places]  # fmt: skip


def _near(found: Sequence[Row], most: int) -> list[Row]:
    """The rows that are not farther than that from what changes, with dots between two that do not
    follow each other."""
    kept: list[Row] = []
    left_out = False
    for row, distance in zip(found, _distances(found), strict=True):
        if distance > most or row.mark == "":
            left_out = bool(kept)
            continue
        if left_out:
            kept.append(_GAP)
            left_out = False
        kept.append(row)
    return kept


def _height(found: Iterable[Row], width: int) -> int:
    return sum(row.height(width) for row in found)
