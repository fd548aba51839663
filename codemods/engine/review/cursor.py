"""Cursor: where the review is among the hunks of a plan that may grow."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..hunks.hunk import Hunk
from ..hunks.plan import Plan


class Cursor:
    """A place among the slots of a plan, and inside the slot if its hunk was split."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.slot = 0
        self.part = 0

    @property
    def hunk(self) -> Hunk | None:
        """The hunk here; None behind the last one."""
        if self.slot >= len(self.plan.slots):
            return None
        hunks = self.plan.slots[self.slot]
        return hunks[min(self.part, len(hunks) - 1)]

    def label(self, hunk: Hunk) -> str:
        """The number that the hunk is shown with: ``3``, or ``3.2`` for a part."""
        slot = self.plan.slot_of(hunk)
        hunks = self.plan.slots[slot]
        part = f".{hunks.index(hunk) + 1}" if len(hunks) > 1 else ""
        return f"{slot + 1}{part}"

    def move_to(self, hunk: Hunk) -> None:
        self.slot = self.plan.slot_of(hunk)
        self.part = self.plan.slots[self.slot].index(hunk)

    def move_behind(self) -> None:
        """Behind the last hunk, where the next that comes will stand."""
        self.slot, self.part = len(self.plan.slots), 0

    def after(self) -> Iterator[Hunk]:
        """The hunks behind this place, nearest first."""
        slots = self.plan.slots
        if self.slot < len(slots):
            yield from slots[self.slot][self.part + 1 :]
        for number in range(self.slot + 1, len(slots)):
            yield from slots[number]

    def before(self) -> Iterator[Hunk]:
        """The hunks in front of this place, nearest first."""
        slots = self.plan.slots
        if self.slot < len(slots):
            yield from reversed(slots[self.slot][: self.part])
        for number in range(min(self.slot, len(slots)) - 1, -1, -1):
            yield from reversed(slots[number])

    def numbered(self, number: str) -> Hunk | None:
        """The hunk with a label; a number without a part means the first part."""
        slot, _, part = number.partition(".")
        if not slot.isdecimal() or (part and not part.isdecimal()):
            return None
        index, inside = int(slot) - 1, int(part or 1) - 1
        if not 0 <= index < len(self.plan.slots):
            return None
        hunks = self.plan.slots[index]
        return hunks[inside] if 0 <= inside < len(hunks) else None

    def search(self, word: str) -> Hunk | None:
        """The next hunk, from here around, that has ``word`` in its rule, title, file or code."""
        wanted = word.casefold()

        def fits(hunk: Hunk) -> bool:
            words = (hunk.rule, hunk.title, str(hunk.module.path), *(e.text for e in hunk.edits))
            return wanted in "\0".join(words).casefold()

        return self._first(fits)

    def _first(self, fits: Callable[[Hunk], bool]) -> Hunk | None:
        found = next(filter(fits, self.after()), None)
        if found is not None:
            return found
        # Around: the one nearest to the beginning, which may be this one.
        rest = (hunk for hunks in self.plan.slots[: self.slot + 1] for hunk in hunks)
        return next(filter(fits, rest), None)
