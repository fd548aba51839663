"""Forked: items that a process of its own makes, so that a person's keys do not wait for them."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from ..console.signals import blocked, leave_to_parent

_T = TypeVar("_T")
_Tell = Callable[[Any], None]

# Elsewhere a process would have to import all of this again before it can begin.
CAN_FORK = "fork" in multiprocessing.get_all_start_methods()


class Forked(Generic[_T]):
    """Iterates over the items that ``make`` gives in a child process. To be made while no other
    thread runs.

    What ``make`` tells its argument, ``told``, if there is one, gets here. ``shared`` are objects
    that items refer to and that do not change: they arrive as the same objects, everything else as
    copies. Iterating raises what ``make`` or its iterator raised, and ChildProcessError if the
    child was killed.
    """

    def __init__(
        self,
        make: Callable[[_Tell | None], Iterator[_T]],
        told: _Tell | None = None,
        shared: Iterable[object] = (),
    ) -> None:
        self._told = told
        self._parent = os.getpid()
        self._shared = {id(each): each for each in shared}
        context = multiprocessing.get_context("fork")
        self._receiving, sending = context.Pipe(duplex=False)
        self._process = context.Process(
            target=self._work, args=(make, sending), name="scan", daemon=True
        )
        # Ctrl-C is for the review; the child goes with it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked())
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sending.close()

    def __iter__(self) -> Iterator[_T]:
        while True:
            try:
                data = self._receiving.recv_bytes()
            except (EOFError, OSError):
                how = f"the process that reads them was ended{self._how()}"
                raise ChildProcessError(how) from None
            kind, item = _Reader(io.BytesIO(data), self._shared).load()
            if kind == _ITEM:
                yield item
            elif kind == _TOLD:
                assert self._told is not None
                self._told(item)
            elif kind == _ERROR:
                error, where = item
                raise error from RuntimeError(where)
            else:
                if self._parent == os.getpid():
                    self._process.join()
                return

    def _how(self) -> str:
        if self._parent != os.getpid():
            return ""  # nobody else can ask
        self._process.join()
        code = self._process.exitcode or 0
        return f" by signal {-code}" if code < 0 else f" with {code}"

    def stop(self) -> None:
        """End the child; nothing more comes."""
        self._process.kill()

    def _work(self, make: Callable[[_Tell | None], Iterator[_T]], sending: Connection) -> None:
        self._receiving.close()
        leave_to_parent()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked() - {signal.SIGINT})
        tell = partial(self._send, sending, _TOLD) if self._told is not None else None
        try:
            threading.Thread(target=_end_with_parent, daemon=True).start()
            for item in make(tell):
                self._send(sending, _ITEM, item)
            self._send(sending, _END, None)
        except BaseException as error:
            where = traceback.format_exc()
            with contextlib.suppress(OSError):  # nobody is there to be told
                try:
                    self._send(sending, _ERROR, (error, where))
                except OSError:
                    raise
                except Exception:  # it cannot be sent itself
                    name = type(error).__name__
                    self._send(sending, _ERROR, (RuntimeError(f"{name}: {error}"), where))

    def _send(self, sending: Connection, kind: str, item: object) -> None:
        buffer = io.BytesIO()
        _Writer(buffer, self._shared).dump((kind, item))
        sending.send_bytes(buffer.getbuffer())


def _end_with_parent() -> None:
    """However the parent ends: a child that goes on would keep the parent's lock of the tree."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


_ITEM, _TOLD, _ERROR, _END = "item", "told", "error", "end"


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, shared: dict[int, object]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._shared = shared

    def persistent_id(self, obj: object) -> int | None:
        # After a fork an object has in both processes the address that it had before.
        return id(obj) if id(obj) in self._shared else None


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, shared: dict[int, object]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, pid: Any) -> object:
        return self._shared[pid]
