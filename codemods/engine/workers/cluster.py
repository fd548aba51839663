"""Cluster: workers of a Dask cluster, which need nothing of this machine's disk.

On each of them jobs are done by processes of their own (``Server``). What a run works with is a
plugin of the workers, so that one that comes later has it, too. A job whose worker goes away is
given to another by Dask; one that always takes its worker along is lost.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import Lock
from typing import Any, TypeVar
from uuid import uuid4

import distributed

from .in_order import Again, ClusterError, Lost, Slot, Tell, Work, in_order
from .served import DONE, ERROR, LOST, REFUSED, Answer, Server

_For = TypeVar("_For")
SCHEME = "dask://"
_SECONDS = 10
# So that no worker waits for its next job.
_JOBS_OF_A_THREAD = 2


class Cluster:
    """``beginning`` is what the workers are told first (``Beginning``). ``sent`` makes bytes of a
    job, and ``received`` its result of bytes; where they are none, ``here`` does it."""

    def __init__(
        self,
        address: str,
        beginning: bytes,
        sent: Callable[[Any], bytes],
        received: Callable[[Any, bytes], Any],
        here: Work,
        tell: Tell,
    ) -> None:
        """``address`` is HOST:PORT of the scheduler. Raises ClusterError."""
        self._address = address
        self._sent, self._received = sent, received
        self._here, self._tell = here, tell
        self._name = f"pinsetter-{uuid4()}"  # the same run, by two people at once, is two
        self._slots: dict[Any, Slot] = {}
        try:
            self._client = distributed.Client(f"tcp://{address}", timeout=_SECONDS)
        except (OSError, ValueError) as error:
            raise self._error(f"no scheduler answers ({error})") from error
        try:
            with self._reaching("it has no workers"):
                self._client.wait_for_workers(1, timeout=_SECONDS)
            with self._reaching():
                self._client.register_plugin(_Run(self._name, beginning))
        except ClusterError:
            self._client.close()
            raise

    def each(self, jobs: Iterable[tuple[_For, Any]], again: Again) -> Iterator[tuple[_For, Any]]:
        return in_order(jobs, self._has_room, self._give, partial(self._listen, again))

    def close(self) -> None:
        with contextlib.suppress(Exception):  # it went away
            self._client.cancel(list(self._slots))
            self._client.unregister_worker_plugin(self._name)
        self._client.close()

    def _has_room(self) -> bool:
        with self._reaching():
            threads: int = sum(self._client.nthreads().values())
        return len(self._slots) < max(1, threads) * _JOBS_OF_A_THREAD

    def _give(self, slot: Slot) -> None:
        data = self._sent(slot.job)
        self._slots[self._client.submit(_do, self._name, data, pure=False)] = slot

    def _listen(self, again: Again) -> None:
        with self._reaching():
            found = distributed.wait(list(self._slots), return_when="FIRST_COMPLETED")
        for future in found.done:
            slot = self._slots.pop(future)
            self._settle(slot, self._answer_of(future), again)

    def _settle(self, slot: Slot, answer: Answer, again: Again) -> None:
        for item in answer.told:
            self._tell(item)
        if answer.kind == DONE and answer.result:
            slot.done(self._received(slot.job, answer.result))
        elif answer.kind == DONE:
            slot.done(self._here(slot.job, self._tell))
        elif answer.kind == REFUSED:
            raise self._error(f"a worker cannot do this: {answer.result}")
        elif answer.kind == ERROR:
            raise RuntimeError(answer.result)
        else:
            lost = Lost(answer.result, answer.told)
            # Where nothing was told, it may have been the worker, and not one of the files.
            slot.job = again(slot.job, lost) if answer.told else None
            if slot.job is not None:
                self._give(slot)
            else:
                slot.done(lost)

    def _answer_of(self, future: Any) -> Answer:
        try:
            with self._reaching():
                answer: Answer = future.result()
            return answer
        except distributed.KilledWorker:
            return Answer(LOST, "was ended with its worker, again and again", ())

    @contextlib.contextmanager
    def _reaching(self, late: str = "it does not answer") -> Iterator[None]:
        """Raises ClusterError for what goes wrong on the way to others; ``late``: if it takes too
        long."""
        try:
            yield
        except TimeoutError as error:
            raise self._error(late) from error
        except (OSError, distributed.CancelledError) as error:
            raise self._error(f"it went away ({error or type(error).__name__})") from error
        except ImportError as error:
            hint = "install the same Pinsetter on all workers"
            raise self._error(f"a worker says: {error}; {hint}") from error

    def _error(self, what: str) -> ClusterError:
        return ClusterError(f"{SCHEME}{self._address}: {what}")


class _Servers:
    """The processes on one worker for one run, as many as it has jobs at a time."""

    def __init__(self, beginning: bytes) -> None:
        self._beginning = beginning
        self._idle: list[Server] = []
        self._all: list[Server] = []
        self._lock = Lock()

    def do(self, job: bytes) -> Answer:
        with self._lock:
            server = self._idle.pop() if self._idle else None
        if server is None:
            try:
                server = Server(self._beginning)
            except OSError as error:
                return Answer(REFUSED, f"no process can be started ({error})", ())
            with self._lock:
                self._all.append(server)
        answer = server.do(job)
        with self._lock:
            if answer.kind == LOST:
                self._all.remove(server)
            else:
                self._idle.append(server)
        return answer

    def end(self) -> None:
        with self._lock:
            for server in self._all:
                server.end()


_servers: dict[str, _Servers] = {}


class _Run(distributed.WorkerPlugin):  # type: ignore[misc]
    def __init__(self, name: str, beginning: bytes) -> None:
        self.name, self._beginning = name, beginning

    def setup(self, worker: Any) -> None:
        _servers[self.name] = _Servers(self._beginning)

    def teardown(self, worker: Any) -> None:
        _servers.pop(self.name).end()


def _do(name: str, job: bytes) -> Answer:
    return _servers[name].do(job)
