"""Rounds: least solutions of equations that may refer to each other, as ``x = f(x)``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

_T = TypeVar("_T")
_NEVER = object()


class Rounds:
    """A key that leads back to itself, and those on the way, are computed together: each once a
    round, with the round before for what is still open, until nothing changes. What they lead to
    and does not lead back is solved before, and what leads to them only after that."""

    def __init__(self) -> None:
        self.solved: dict[Hashable, Any] = {}
        """What keys stand for, as far as that is settled."""
        self._round: dict[Hashable, Any] = {}
        self._before: dict[Hashable, Any] = {}
        self._begun: list[Hashable] = []
        """The keys of ``_round`` in the order in which they were asked for."""
        self._back: dict[Hashable, int] = {}
        """Where in that order the first is that each of them leads back to, as far as is known."""
        self._open: set[Hashable] = set()
        self._backs: list[int] = []
        """The same for those that are open."""
        self._met: dict[Hashable, Any] = {}
        """What open keys were taken for by what was computed for them."""
        self.depth = 0
        """How many are being computed for one another, but for those that do not count."""

    def __contains__(self, key: Hashable) -> bool:
        """Whether there is something for a key that need not be computed now."""
        return key in self.solved or key in self._round

    def forget(self) -> None:
        """Solve all anew."""
        self.solved.clear()

    def solve(
        self,
        key: Hashable,
        compute: Callable[[], _T],
        join: Callable[[_T, _T], _T],
        least: _T,
        counted: bool = True,
    ) -> _T:
        """What a key stands for, or what is known of it so far. What was known and what is computed
        are to be joined so that it does not grow for ever, from ``least`` on. ``counted``: it adds
        to the depth."""
        found: _T
        if key in self.solved:
            found = self.solved[key]
            return found
        if key in self._round:
            found = self._round[key]
            self._lead_back(self._back[key])
            if key in self._open:
                self._met[key] = found
            return found
        first = back = len(self._begun)
        former: set[Hashable] = set()
        self._begun.append(key)
        self._open.add(key)
        self.depth += counted
        self._backs.append(first)
        try:
            while True:
                self._back[key] = first
                before = self._round[key] = self._before.pop(key, least)
                found = self._round[key] = join(before, compute())
                back = self._back[key] = self._backs[-1]
                if back < first:
                    break  # one of those around goes on with it
                circle = self._begun[first:]
                if self._is_settled(circle):
                    self.solved.update((one, self._round[one]) for one in circle)
                    self._leave(circle, first)
                    break
                former.update(circle)
                self._before.update((one, self._round[one]) for one in circle)
                self._leave(circle, first)
                self._begun.append(key)
        except BaseException:
            self._leave(self._begun[first:], first)  # nothing in it is a solution
            raise
        finally:
            self._open.discard(key)
            self.depth -= counted
            self._backs.pop()
            for one in former:
                self._before.pop(one, None)
        if back < first:
            self._lead_back(back)
        return found

    def _lead_back(self, place: int) -> None:
        """What is being computed leads to a key that began there."""
        self._backs[-1] = min(self._backs[-1], place)

    def _is_settled(self, circle: Sequence[Hashable]) -> bool:
        """Whether what was asked for while it was open is what it was taken for."""
        met = self._met
        return all(met.get(one, _NEVER) in (_NEVER, self._round[one]) for one in circle)

    def _leave(self, circle: Sequence[Hashable], first: int) -> None:
        del self._begun[first:]
        for one in circle:
            self._round.pop(one, None)
            self._back.pop(one, None)
            self._met.pop(one, None)
