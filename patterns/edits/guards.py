"""guards: conditions that statements are put under, and what neighbours under the same one share.

Whether two statements stand under one ``if`` follows from the edits that are made together: whoever
rejects one of two hunks still gets the right text for the other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pinsetter.analyzer.files.source import LINE_END

from .fragment import Span

if TYPE_CHECKING:
    from .edit import Edit


@dataclass(frozen=True)
class Guard:
    """The condition that a statement, at ``span``, is put under. ``join``: neighbours may share it,
    none of them changes it. ``previous``: the statement before it in its block. ``block``: the
    statements of the block of an ``if`` that has no other branch, and ``test`` what that asks;
    empty if it is in no such block. ``readers``: where what it binds is read. Unless all of them
    stand under the condition, too, it is not put there, and gets a value without it instead."""

    condition: str
    span: Span
    join: bool
    previous: Span | None = None
    block: tuple[Span, ...] = ()
    test: Span = (0, 0)
    readers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Shared:
    """What an edit of a guard inserts instead, if the guard is ``joined`` to that of the statement
    before, or ``lifted`` into the test of the ``if`` that it is in. ``apart``: it is made where the
    guard is not, and not where that is."""

    guard: Guard
    apart: bool = False
    joined: str = ""
    lifted: str = ""


def shared(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits of a text, with guards that neighbours have in common, or that a statement would
    get twice, made once."""
    if not any(edit.shared is not None for edit in edits):
        return list(edits)
    edits = _once(edits)
    hows = _Guarded(text, edits).hows
    made = (_made(e, hows[e.shared.guard]) if e.shared is not None else e for e in edits)
    return [edit for edit in made if edit.text or edit.indent or edit.start < edit.end]


def neighbours(text: str, edits: Sequence[Edit]) -> list[tuple[Guard, Guard]]:
    """The guards that stand under one ``if`` when all these edits are made, two by two."""
    found = _Guarded(text, _once(edits))
    return [
        (found.joining[guard.condition, guard.previous], guard)
        for guard in found.guards if guard.previous is not None and found.is_joined(guard)
    ]  # fmt: skip


class _Guarded:
    """The guards of edits, each of another statement, and what the other edits change near them."""

    def __init__(self, text: str, edits: Sequence[Edit]) -> None:
        self.text = text
        self.guards = {edit.shared.guard for edit in edits if edit.shared is not None}
        self.apart = self._apart()
        self.joining = {
            (guard.condition, guard.span): guard
            for guard in self.guards
            if guard.join and guard not in self.apart
        }
        self._others = sorted((e for e in edits if e.shared is None), key=lambda edit: edit.start)
        self._starts = [edit.start for edit in self._others]

    @property
    def hows(self) -> dict[Guard, str]:
        """How each guard is made."""
        return {
            guard: "apart" if guard in self.apart
            else "lifted" if self.is_lifted(guard)
            else "joined" if self.is_joined(guard) else "alone"
            for guard in self.guards
        }  # fmt: skip

    def _apart(self) -> set[Guard]:
        """Those of statements whose values are read where there is no such guard."""
        apart: set[Guard] = set()
        asked = [guard for guard in self.guards if guard.readers]
        while more := {
            guard
            for guard in asked
            if guard not in apart
            and not all(self._is_under(guard.condition, at, apart) for at in guard.readers)
        }:
            apart |= more
        return apart

    def _is_under(self, condition: str, at: int, apart: Collection[Guard]) -> bool:
        return any(
            guard.condition == condition
            and guard.span[0] <= at < guard.span[1]
            and guard not in apart
            for guard in self.guards
        )

    def is_lifted(self, guard: Guard) -> bool:
        together = [span for span in guard.block if span != guard.span]
        if not guard.block or not all((guard.condition, s) in self.joining for s in together):
            return False
        # Lines that others insert are not to stand under the condition.
        line_end = LINE_END.search(self.text, guard.block[-1][1])
        around = self._near(guard.test[0], line_end.end() if line_end else len(self.text))
        return all(any(_is_in(edit, span) for span in guard.block) for edit in around)

    def is_joined(self, guard: Guard) -> bool:
        before = guard.previous
        if guard in self.apart or before is None or (guard.condition, before) not in self.joining:
            return False
        between = self._near(before[1], guard.span[0])
        return all(_is_in(edit, before) or _is_in(edit, guard.span) for edit in between)

    def _near(self, start: int, end: int) -> Iterable[Edit]:
        starts = self._starts
        return self._others[bisect_left(starts, start) : bisect_right(starts, end)]


def _once(edits: Sequence[Edit]) -> list[Edit]:
    """The edits without those of guards that another has already: of the same statement, or of one
    around it."""
    given = {(e.shared.guard, e.rank) for e in edits if e.shared is not None and e.rank}
    ordered = sorted(given, key=lambda one: (one[0].span[0], -one[0].span[1], one[1]))
    around: dict[str, Guard] = {}
    needless: set[tuple[Guard, tuple[int, ...]]] = set()
    for guard, rank in ordered:
        outer = around.get(guard.condition)
        if outer is None or guard.span[1] > outer.span[1]:
            around[guard.condition] = guard
        elif outer.join or outer.span == guard.span:
            needless.add((guard, rank))
    return [e for e in edits if e.shared is None or (e.shared.guard, e.rank) not in needless]


def _is_in(edit: Edit, span: Span) -> bool:
    """Whether an edit changes something in a statement, and no line before or after it."""
    start, end = span
    if edit.start < edit.end:
        return start <= edit.start and edit.end <= end
    if start < edit.start < end:
        return True
    return edit.start in span and edit.encloses


def _made(edit: Edit, how: str) -> Edit:
    if edit.shared is not None and edit.shared.apart != (how == "apart"):
        return replace(edit, text="", indent="", end=edit.start, slots=(), kept=(), shared=None)
    if edit.shared is None or how in ("alone", "apart"):
        return replace(edit, shared=None)
    if how == "joined":
        return replace(edit, text=edit.shared.joined, shared=None)
    # What gave the statement a line of its own, and moved its lines, is not needed.
    return replace(edit, text=edit.shared.lifted, indent="", end=edit.start, shared=None)
