"""Rounds: least solutions of equations that may refer to each other, as ``x = f(x)``."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_T = TypeVar("_T")


class Rounds:
    """Every key is computed once a round, with the round before for what is still open; rounds
    repeat until nothing changes. All keys of the last round are solved then."""

    def __init__(self) -> None:
        self._solved: dict[Hashable, Any] = {}
        self._round: dict[Hashable, Any] = {}
        self._before: dict[Hashable, Any] = {}
        self._open: set[Hashable] = set()
        self._cyclic = False

    @property
    def depth(self) -> int:
        """How many are being computed for one another."""
        return len(self._open)

    def __contains__(self, key: Hashable) -> bool:
        """Whether there is something for a key that need not be computed now."""
        return key in self._solved or key in self._round

    def forget(self) -> None:
        """Solve all anew."""
        self._solved.clear()

    def solve(
        self, key: Hashable, compute: Callable[[], _T], join: Callable[[_T, _T], _T], least: _T
    ) -> _T:
        """What a key stands for, or what is known of it so far. What was known and what is computed
        are to be joined so that it does not grow for ever, from ``least`` on."""
        found: _T
        if key in self._solved:
            found = self._solved[key]
            return found
        if key in self._round:
            self._cyclic = self._cyclic or key in self._open
            found = self._round[key]
            return found
        outermost = not self._open
        while True:
            if outermost:
                self._before, self._round, self._cyclic = self._round, {}, False
            self._open.add(key)
            before = self._round[key] = self._before.get(key, least)
            try:
                found = self._round[key] = join(before, compute())
            except BaseException:
                if outermost:
                    self._round = {}  # nothing in it is a solution
                raise
            finally:
                self._open.discard(key)
            if not outermost:
                return found
            if not self._cyclic or self._round == self._before:
                break
        self._solved.update(self._round)
        self._round = {}
        return found
