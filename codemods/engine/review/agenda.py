"""Agenda: what a review asks, and in which order: the steps, each about one hunk or about several
that are equal, or that stand under one condition."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from ..decide.decisions import Decisions
from ..hunks.hunk import Hunk
from .equal_hunks import change_of
from .joined_hunks import Joints


class Order(Enum):
    """``HUNK``: every hunk for itself, in the order of the plan; ``FILE``: equal hunks of a file
    together; ``RULE``: rule by rule, equal hunks of all files together. Those under one condition
    are one hunk to all of these."""

    HUNK = "hunk"
    FILE = "file"
    RULE = "rule"


@dataclass(eq=False)
class Step:
    """Hunks that are asked about as one, in the order of the plan."""

    hunks: list[Hunk]

    @property
    def first(self) -> Hunk:
        return self.hunks[0]

    @property
    def is_group(self) -> bool:
        return len(self.hunks) > 1

    @property
    def rules(self) -> dict[str, Hunk]:
        """The rules of the hunks, each with its first one."""
        found: dict[str, Hunk] = {}
        for hunk in self.hunks:
            found.setdefault(hunk.rule, hunk)
        return found


class Agenda:
    """The steps of a plan that may grow, and the one that is asked about.

    A step that was answered gets no more hunks: equal ones that come later are a step of their own.
    So are hunks that a person wants to decide one by one (``take_apart``). Each step is about one
    or more units: hunks, or those of a joint.
    """

    def __init__(self, decisions: Decisions, order: Order = Order.HUNK) -> None:
        self.plan = decisions.plan
        self.order = order
        self._decisions = decisions
        self._joints = Joints(decisions.plan)
        self._apart: set[str] = set()
        self._single: set[str] = set()
        self._answered: dict[str, int] = {}
        self._count = 0
        self._keys: dict[Hunk, int | None] = {}
        self._changes: dict[Hashable, int] = {}
        self._steps: list[Step] = []
        self._of: dict[str, int] = {}
        self._units: dict[str, list[Hunk]] = {}
        self._made_from: tuple[object, ...] = ()
        self._at: str | None = None
        self._behind = False

    @property
    def steps(self) -> list[Step]:
        # What was answered tells apart only what comes later.
        made_from = (self.plan.version, self.order, len(self._apart), len(self._single))
        if made_from != self._made_from:
            self._make()
            self._made_from = made_from
        return self._steps

    @property
    def step(self) -> Step | None:
        """The step that is asked about; None behind the last one."""
        steps = self.steps
        if self._behind or not steps:
            return None
        number = self._number
        return steps[number] if number < len(steps) else None

    def step_of(self, hunk: Hunk) -> Step:
        """Raises KeyError for a hunk that is not asked about."""
        steps = self.steps
        return steps[self._of[hunk.id]]

    def move_to(self, step: Step) -> None:
        self._at, self._behind = step.first.id, False

    def move_behind(self) -> None:
        """Behind the last step, where the next that comes will stand."""
        steps = self.steps
        self._at = steps[-1].first.id if steps else None
        self._behind = True

    def after(self) -> Iterator[Step]:
        """The steps behind this one, nearest first."""
        steps = self.steps
        yield from steps[self._number + 1 :]

    def before(self) -> Iterator[Step]:
        """The steps in front of this one, nearest first."""
        steps = self.steps
        yield from reversed(steps if self._behind else steps[: self._number])

    def asked(self, step: Step) -> list[Hunk]:
        """The hunks that an answer to a step is for."""
        return self.undecided(step) or step.hunks

    def undecided(self, step: Step) -> list[Hunk]:
        return [hunk for hunk in step.hunks if self._decisions.verdict(hunk) is None]

    def answered(self, step: Step) -> None:
        """Add no hunk to it any more."""
        if self.order is not Order.HUNK:
            self._count += 1
            for hunk in step.hunks:
                self._answered.setdefault(hunk.id, self._count)

    def ask_again(self, hunks: Iterable[Hunk]) -> None:
        """Put hunks whose answer was undone back to those that they are equal to."""
        for hunk in hunks:
            if self._answered.pop(hunk.id, None) is not None:
                self._made_from = ()

    def take_apart(self, step: Step) -> None:
        """Ask about its hunks one by one; those of a joint together, unless it is one itself."""
        apart = self._single if self.is_joint(step) else self._apart
        apart.update(hunk.id for hunk in step.hunks)

    def unit_of(self, hunk: Hunk) -> list[Hunk]:
        """The hunks under one condition with a hunk, itself among them. Raises KeyError for one
        that is not asked about."""
        self.step_of(hunk)
        return self._units.get(hunk.id, [hunk])

    def is_joint(self, step: Step) -> bool:
        """Whether it is about several hunks, all of them under one condition."""
        return step.is_group and set(step.hunks) <= set(self.unit_of(step.first))

    def label(self, hunk: Hunk) -> str:
        """The number that the hunk is shown with: ``#3``, or ``#3.2`` for a part."""
        slot = self.plan.slot_of(hunk)
        hunks = self.plan.slots[slot]
        part = f".{hunks.index(hunk) + 1}" if len(hunks) > 1 else ""
        return f"#{slot + 1}{part}"

    def numbered(self, number: str) -> Step | None:
        """The step of the hunk with a label; a number without a part means the first part."""
        slot, _, part = number.removeprefix("#").partition(".")
        if not slot.isdecimal() or (part and not part.isdecimal()):
            return None
        index, inside = int(slot) - 1, int(part or 1) - 1
        if not 0 <= index < len(self.plan.slots):
            return None
        hunks = self.plan.slots[index]
        return self.step_of(hunks[inside]) if 0 <= inside < len(hunks) else None

    def search(self, word: str) -> Step | None:
        """The next step, from here around, that has ``word`` in the rule, title, file or code of
        one of its hunks."""
        wanted = word.casefold()

        def has(hunk: Hunk) -> bool:
            words = (hunk.rule, hunk.title, str(hunk.module.path), *(e.text for e in hunk.edits))
            return wanted in "\0".join(words).casefold()

        return self._first(lambda step: any(map(has, step.hunks)))

    @property
    def _number(self) -> int:
        """The index of the step; -1 before the first one."""
        if self._at is None:
            return -1 if self._behind else 0
        return self._of[self._at]

    def _first(self, fits: Callable[[Step], bool]) -> Step | None:
        found = next(filter(fits, self.after()), None)
        if found is not None:
            return found
        # Around: the one nearest to the beginning, which may be this one.
        rest = self.steps[: self._number + 1]
        return next(filter(fits, rest), None)

    def _make(self) -> None:
        units = self._joints.units(self._single)
        self._units = {hunk.id: unit for unit in units if len(unit) > 1 for hunk in unit}
        groups: dict[Hashable, list[list[Hunk]]] = {}
        for unit in units:
            groups.setdefault(self._key(unit), []).append(unit)
        found = [Step(part) for group in groups.values() for part in self._taken_apart(group)]
        if self.order is Order.RULE:
            rules: dict[str, int] = {}
            for step in found:
                rules.setdefault(step.first.rule, len(rules))
            found.sort(key=lambda step: rules[step.first.rule])
        self._steps = found
        self._of = {hunk.id: n for n, step in enumerate(found) for hunk in step.hunks}
        if self._at is not None and self._at not in self._of:
            # It was split, or what split it was taken back.
            base = self._at.partition(".")[0]
            near = (hunk for slot in self.plan.slots for hunk in slot)
            self._at = next((h.id for h in near if h.id.partition(".")[0] == base), None)

    def _taken_apart(self, group: list[list[Hunk]]) -> list[list[Hunk]]:
        """The units of a group that are asked about one by one, and the rest at the place of its
        first."""
        apart = self._apart | self._single
        together: list[Hunk] = []
        parts: list[list[Hunk]] = []
        for unit in group:
            if not apart.isdisjoint(hunk.id for hunk in unit):
                parts.append(unit)
                continue
            if not together:
                parts.append(together)
            together += unit
        together[:] = self.plan.ordered(together)
        return parts

    def _key(self, unit: list[Hunk]) -> Hashable:
        first = unit[0]
        if self.order is Order.HUNK:
            return first.id
        changes = frozenset(map(self._change, unit))
        if None in changes or len(self.plan.slots[self.plan.slot_of(first)]) > 1:
            return first.id
        place = first.module if self.order is Order.FILE else None
        return (changes, place, max(self._answered.get(hunk.id, -1) for hunk in unit))

    def _change(self, hunk: Hunk) -> int | None:
        """A number that equal hunks have in common."""
        if hunk not in self._keys:
            made = change_of(hunk, self.plan)
            number = self._changes.setdefault(made, len(self._changes))
            self._keys[hunk] = None if made is None else number
        return self._keys[hunk]
