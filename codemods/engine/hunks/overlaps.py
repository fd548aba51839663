"""Overlaps: which hunks have edits that reach into one another, without a look at every pair."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .hunk import Hunk

# Characters of an edit that is looked for by where it begins; there are few that are longer.
_SHORT = 1_000


class Overlaps:
    """Hunks of one file, as they are added."""

    def __init__(self) -> None:
        self._hunks: list[Hunk] = []
        self._short: list[tuple[int, int, int]] = []
        self._long: list[tuple[int, int, int]] = []

    def of(self, hunk: Hunk) -> list[Hunk]:
        """The hunks so far with an edit that touches one of this hunk's, in order."""
        found: set[int] = set()
        for edit in hunk.edits:
            first = bisect_left(self._short, (edit.start - _SHORT, 0, 0))
            last = bisect_right(self._short, (edit.end, edit.end + _SHORT, len(self._hunks)))
            near = [*self._short[first:last], *self._long]
            found.update(at for start, end, at in near if start <= edit.end and edit.start <= end)
        return [self._hunks[at] for at in sorted(found)]

    def add(self, hunk: Hunk) -> None:
        for edit in hunk.edits:
            entry = (edit.start, edit.end, len(self._hunks))
            insort(self._short if edit.end - edit.start <= _SHORT else self._long, entry)
        self._hunks.append(hunk)
