"""Processes: workers that are forked from this process, so that they have what it has."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from typing import Any, TypeVar

from .forking import Channel, how_it_ended, started
from .in_order import Again, Lost, Slot, Tell, Work, in_order

_For = TypeVar("_For")
_TOLD, _DONE, _ERROR = "told", "done", "error"


@dataclass(eq=False)
class _Worker:
    process: ForkProcess
    channel: Channel
    slot: Slot | None = None


class Processes:
    """At most ``number`` of them, started as there is work. ``shared`` are objects that jobs and
    results refer to and that do not change."""

    def __init__(self, work: Work, tell: Tell, number: int, shared: Iterable[object] = ()) -> None:
        self._work, self._tell = work, tell
        self._number = number
        self._shared = list(shared)
        self._workers: list[_Worker] = []

    def each(self, jobs: Iterable[tuple[_For, Any]], again: Again) -> Iterator[tuple[_For, Any]]:
        return in_order(jobs, self._has_room, self._give, partial(self._listen, again))

    def close(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.channel.connection.close()
        self._workers = []

    def _has_room(self) -> bool:
        idle = any(worker.slot is None for worker in self._workers)
        return idle or len(self._workers) < self._number

    def _give(self, slot: Slot) -> None:
        slot.told = []
        while True:
            worker = next((one for one in self._workers if one.slot is None), None)
            worker = worker or self._begun()
            worker.slot = slot
            try:
                worker.channel.send(slot.job)
                return
            except OSError:  # it was ended while it had nothing to do
                self._without(worker)

    def _begun(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        channel = Channel(theirs, self._shared)
        others = [worker.channel for worker in self._workers]
        serve = partial(self._serve, channel, [*others, Channel(ours)])
        worker = _Worker(started("worker", serve), Channel(ours, self._shared))
        theirs.close()
        self._workers.append(worker)
        return worker

    def _without(self, worker: _Worker) -> None:
        worker.channel.connection.close()
        self._workers.remove(worker)

    def _listen(self, again: Again) -> None:
        """Wait until one of the workers says something."""
        busy = {one.channel.connection: one for one in self._workers if one.slot is not None}
        ready = set(wait(list(busy)))
        for worker in [one for connection, one in busy.items() if connection in ready]:
            slot = worker.slot
            assert slot is not None
            try:
                kind, item = worker.channel.receive()
            except (EOFError, OSError):
                lost = Lost(f"was ended {how_it_ended(worker.process)}", tuple(slot.told))
                self._without(worker)
                slot.job = again(slot.job, lost)
                if slot.job is not None:
                    self._give(slot)
                else:
                    slot.done(lost)
                continue
            if kind == _TOLD:
                slot.told.append(item)
                self._tell(item)
            elif kind == _ERROR:
                error, where = item
                raise error from RuntimeError(where)
            else:
                slot.done(item)
                worker.slot = None

    def _serve(self, channel: Channel, others: Iterable[Channel]) -> None:
        for other in others:
            other.connection.close()
        gc.freeze()  # what was there before the fork is no garbage of ours
        with contextlib.suppress(EOFError, OSError):  # nobody asks any more
            while True:
                job = channel.receive()
                self._answer(channel, *self._done(channel, job))

    def _done(self, channel: Channel, job: Any) -> tuple[str, Any]:
        try:
            return _DONE, self._work(job, lambda item: channel.send((_TOLD, item)))
        except BaseException as error:
            return _ERROR, (error, traceback.format_exc())

    def _answer(self, channel: Channel, kind: str, item: Any) -> None:
        try:
            channel.send((kind, item))
        except OSError:
            raise
        except Exception as error:  # it cannot be sent itself
            told, where = item if kind == _ERROR else (error, traceback.format_exc())
            said = RuntimeError(f"{type(told).__name__}: {told}")
            channel.send((_ERROR, (said, where)))
