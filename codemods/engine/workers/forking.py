"""forking: what every process that is forked here needs: signals, its parent's end, a channel."""

from __future__ import annotations

import errno
import io
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable
from multiprocessing import util
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Any
from weakref import WeakSet

from ..console.signals import blocked, leave_to_parent

# Elsewhere a process would have to import all of this again before it can begin.
CAN_FORK = "fork" in multiprocessing.get_all_start_methods()

# What a child ends with that had not even enough to tell of it.
NO_MEMORY = errno.ENOMEM


def started(name: str, work: Callable[[], None]) -> ForkProcess:
    """A child process that does ``work``, has signals as a child should, and ends with this one. To
    be called while no other thread has locks that it needs."""

    def begin() -> None:
        leave_to_parent()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked() - {signal.SIGINT})
        try:
            threading.Thread(target=_end_with_parent, daemon=True).start()
        except RuntimeError:  # there is no memory for one, which the parent says
            raise SystemExit(1) from None
        try:
            work()
        except MemoryError:  # multiprocessing would tell of it by a traceback
            os._exit(NO_MEMORY)

    process = multiprocessing.get_context("fork").Process(target=begin, name=name)
    # Ctrl-C is for the parent; the child goes with it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked())
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _end_with_this(process)
    return process


def how_it_ended(process: ForkProcess) -> str:
    """How a process came to its end, to be read after "was ended"."""
    process.join()
    return how_ended(process.exitcode or 0)


def how_ended(code: int) -> str:
    """The same, by its exit code, which is negative for a signal."""
    if -code == getattr(signal, "SIGXCPU", None):
        return "as it took too much of the processor's time"
    if code == NO_MEMORY:
        return "as it had not enough memory"
    return f"by signal {-code}" if code < 0 else f"with {code}"


def _end_with_this(process: ForkProcess) -> None:
    """What may have children of its own cannot be a "daemon", and would be waited for at the end of
    this process."""
    if os.getpid() not in _children:  # after a fork others' are still noted
        _children.clear()
        _children[os.getpid()] = WeakSet()
        util.Finalize(None, _end_children, exitpriority=10)
    _children[os.getpid()].add(process)


def _end_children() -> None:
    for process in _children.get(os.getpid(), ()):
        process.kill()


_children: dict[int, WeakSet[ForkProcess]] = {}


def _end_with_parent() -> None:
    """However the parent ends: a child that goes on would keep the parent's lock of the tree."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


class Channel:
    """A connection over which objects go as copies, but ``shared`` ones, which do not change, as
    themselves: after a fork they have in both processes the address that they had before."""

    def __init__(self, connection: Connection, shared: Iterable[object] = ()) -> None:
        self.connection = connection
        self._shared = {id(each): each for each in shared}

    def send(self, item: object) -> None:
        buffer = io.BytesIO()
        _Writer(buffer, self._shared).dump(item)
        self.connection.send_bytes(buffer.getbuffer())

    def receive(self) -> Any:
        """Raises EOFError or OSError where nothing comes any more."""
        return _Reader(io.BytesIO(self.connection.recv_bytes()), self._shared).load()


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, shared: dict[int, object]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._shared = shared

    def persistent_id(self, obj: object) -> int | None:
        return id(obj) if id(obj) in self._shared else None


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, shared: dict[int, object]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, pid: Any) -> object:
        return self._shared[pid]
