"""guards: conditions that statements are put under, and what neighbours under the same one share.

Whether two statements stand under one ``if`` follows from the edits that are made together: whoever
rejects one of two hunks still gets the right text for the other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pinsetter.analyzer.files.source import LINE_END

if TYPE_CHECKING:
    from .edit import Edit

Span = tuple[int, int]


@dataclass(frozen=True)
class Guard:
    """The condition that a statement, at ``span``, is put under. ``previous``: the statement before
    it in its block. ``block``: the statements of the block of an ``if`` that has no other branch,
    and ``test`` what that asks; empty if it is in no such block."""

    condition: str
    span: Span
    previous: Span | None = None
    block: tuple[Span, ...] = ()
    test: Span = (0, 0)

    def moved(self, by: int) -> Guard:
        def there(span: Span) -> Span:
            return span[0] + by, span[1] + by

        return replace(
            self,
            span=there(self.span),
            previous=there(self.previous) if self.previous is not None else None,
            block=tuple(there(span) for span in self.block),
            test=there(self.test),
        )


@dataclass(frozen=True)
class Shared:
    """What an edit of a guard inserts instead, if the guard is ``joined`` to that of the statement
    before, or ``lifted`` into the test of the ``if`` that it is in."""

    guard: Guard
    joined: str = ""
    lifted: str = ""


def shared(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits of a text, with guards that neighbours have in common made once."""
    if not any(edit.shared is not None for edit in edits):
        return list(edits)
    guards = {
        (edit.shared.guard.condition, edit.shared.guard.span[0]): edit.shared.guard
        for edit in edits
        if edit.shared is not None
    }
    others = sorted((e for e in edits if e.shared is None), key=lambda edit: edit.start)
    starts = [edit.start for edit in others]

    def near(start: int, end: int) -> Iterable[Edit]:
        return others[bisect_left(starts, start) : bisect_right(starts, end)]

    def is_guarded(guard: Guard, span: Span) -> bool:
        return (guard.condition, span[0]) in guards

    def is_lifted(guard: Guard) -> bool:
        if not guard.block or not all(is_guarded(guard, span) for span in guard.block):
            return False
        # Lines that others insert are not to stand under the condition.
        line_end = LINE_END.search(text, guard.block[-1][1])
        around = near(guard.test[0], line_end.end() if line_end else len(text))
        return all(any(_is_in(edit, span) for span in guard.block) for edit in around)

    def is_joined(guard: Guard) -> bool:
        before = guard.previous
        if before is None or not is_guarded(guard, before):
            return False
        between = near(before[1], guard.span[0])
        return all(_is_in(edit, before) or _is_in(edit, guard.span) for edit in between)

    def how(guard: Guard) -> str:
        return "lifted" if is_lifted(guard) else "joined" if is_joined(guard) else "alone"

    hows = {guard: how(guard) for guard in guards.values()}
    found = (_made(e, hows[e.shared.guard]) if e.shared is not None else e for e in edits)
    return [edit for edit in found if edit.text or edit.start < edit.end]


def _is_in(edit: Edit, span: Span) -> bool:
    """Whether an edit changes something in a statement, and no line before or after it."""
    start, end = span
    if edit.start < edit.end:
        return start <= edit.start and edit.end <= end
    if start < edit.start < end:
        return True
    return edit.start in span and edit.encloses


def _made(edit: Edit, how: str) -> Edit:
    if edit.shared is None or how == "alone":
        return replace(edit, shared=None)
    if how == "joined":
        return replace(edit, text=edit.shared.joined, shared=None)
    # What gave the statement a line of its own, and moved its lines, is not needed.
    return replace(edit, text=edit.shared.lifted, indent="", end=edit.start, shared=None)
