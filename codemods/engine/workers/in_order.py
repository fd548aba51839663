"""Workers: what does jobs, several at a time, and gives the results in the order of the jobs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

_For = TypeVar("_For")
Tell = Callable[[Any], None]
Work = Callable[[Any, Tell], Any]
"""Does a job, and tells meanwhile what it has come to."""
# Of results that wait for an earlier one.
_MOST_WAITING = 64


@dataclass(frozen=True)
class Lost:
    """A job whose worker was ended by it. ``how`` is to be read after "the process"; ``told`` is
    what it had told before."""

    how: str
    told: tuple[Any, ...]


class ClusterError(Exception):
    """Why a cluster cannot be used, its address first."""


Again = Callable[[Any, Lost], Any]
"""Makes of a job that was lost the one to do in its place; where that is none, the result of the
job is Lost."""


class Workers(Protocol):
    """Jobs are asked for no earlier than there is soon somebody to do them."""

    def each(self, jobs: Iterable[tuple[_For, Any]], again: Again) -> Iterator[tuple[_For, Any]]:
        """What each job is for, and its result; None where there is no job."""

    def close(self) -> None:
        """Do no more, and at once."""


class Here:
    """One job after the other, in this process."""

    def __init__(self, work: Work, tell: Tell) -> None:
        self._work, self._tell = work, tell

    def each(self, jobs: Iterable[tuple[_For, Any]], again: Again) -> Iterator[tuple[_For, Any]]:
        for what, job in jobs:
            yield what, None if job is None else self._work(job, self._tell)

    def close(self) -> None:
        """Nothing goes on when nobody asks."""


@dataclass(eq=False)
class Slot:
    """The place of a job in the order of results."""

    what: Any
    job: Any
    ready: bool = False
    result: Any = None
    told: list[Any] = field(default_factory=list)

    def done(self, result: Any) -> None:
        self.ready, self.result = True, result


def in_order(
    jobs: Iterable[tuple[_For, Any]],
    has_room: Callable[[], bool],
    give: Callable[[Slot], None],
    listen: Callable[[], None],
) -> Iterator[tuple[_For, Any]]:
    """The results of jobs in their order. ``give`` has one done, while ``has_room``; ``listen``
    waits until some that were given are, or need not be."""
    left = iter(jobs)
    waiting: deque[Slot] = deque()
    more = True
    while True:
        while more and len(waiting) < _MOST_WAITING and has_room():
            found = next(left, None)
            if found is None:
                more = False
                break
            what, job = found
            waiting.append(slot := Slot(what, job, ready=job is None))
            if job is not None:
                give(slot)
        while waiting and waiting[0].ready:
            slot = waiting.popleft()
            yield slot.what, slot.result
        if waiting and not waiting[0].ready:
            listen()
        elif not more and not waiting:
            return
