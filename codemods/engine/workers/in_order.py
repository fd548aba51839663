"""Workers: what does jobs, several at a time, and gives the results in the order of the jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

_For = TypeVar("_For")
Tell = Callable[[Any], None]
Work = Callable[[Any, Tell], Any]
"""Does a job, and tells meanwhile what it has come to."""


@dataclass(frozen=True)
class Lost:
    """A job whose worker was ended by it. ``how`` is to be read after "the process"; ``told`` is
    what it had told before."""

    how: str
    told: tuple[Any, ...]


class Workers(Protocol):
    """Jobs are asked for no earlier than there is soon somebody to do them."""

    def each(
        self,
        jobs: Iterable[tuple[_For, Any]],
        again: Callable[[Any, Lost], Any],
    ) -> Iterator[tuple[_For, Any]]:
        """What each job is for, and its result; None where there is no job. ``again`` makes of a
        job that was lost the one to do in its place; where that is none, the result is Lost."""

    def close(self) -> None:
        """Do no more, and at once."""


class Here:
    """One job after the other, in this process."""

    def __init__(self, work: Work, tell: Tell) -> None:
        self._work, self._tell = work, tell

    def each(
        self, jobs: Iterable[tuple[_For, Any]], again: Callable[[Any, Lost], Any]
    ) -> Iterator[tuple[_For, Any]]:
        for what, job in jobs:
            yield what, None if job is None else self._work(job, self._tell)

    def close(self) -> None:
        """Nothing goes on when nobody asks."""
