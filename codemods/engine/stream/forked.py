"""Forked: items that a process of its own makes, so that a person's keys do not wait for them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Generic, TypeVar

from ..workers.forking import CAN_FORK as CAN_FORK
from ..workers.forking import NO_MEMORY, Channel, how_it_ended, started

_T = TypeVar("_T")
_Tell = Callable[[Any], None]


class Forked(Generic[_T]):
    """Iterates over the items that ``make`` gives in a child process. To be made while no other
    thread runs.

    What ``make`` tells its argument, ``told``, if there is one, gets here. ``shared`` are objects
    that items refer to and that do not change: they arrive as the same objects, everything else as
    copies. Iterating raises what ``make`` or its iterator raised, MemoryError if the child had not
    enough to say so, and ChildProcessError if it was killed.
    """

    def __init__(
        self,
        make: Callable[[_Tell | None], Iterator[_T]],
        told: _Tell | None = None,
        shared: Iterable[object] = (),
    ) -> None:
        self._told = told
        self._parent = os.getpid()
        shared = list(shared)
        receiving, sending = multiprocessing.Pipe(duplex=False)
        self._channel = Channel(receiving, shared)
        self._process = started("scan", partial(self._work, make, Channel(sending, shared)))
        sending.close()

    def __iter__(self) -> Iterator[_T]:
        while True:
            try:
                kind, item = self._channel.receive()
            except (EOFError, OSError):
                raise self._lost() from None
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

    def _lost(self) -> Exception:
        if self._parent != os.getpid():  # another fork cannot ask how
            return ChildProcessError("the process that reads them was ended")
        how = how_it_ended(self._process)
        if self._process.exitcode == NO_MEMORY:
            return MemoryError(how)
        return ChildProcessError(f"the process that reads them was ended {how}")

    def stop(self) -> None:
        """End the child; nothing more comes."""
        self._process.kill()

    def _work(self, make: Callable[[_Tell | None], Iterator[_T]], channel: Channel) -> None:
        self._channel.connection.close()

        def tell(item: object) -> None:
            channel.send((_TOLD, item))

        try:
            for item in make(tell if self._told is not None else None):
                channel.send((_ITEM, item))
            channel.send((_END, None))
        except BaseException as error:
            where = traceback.format_exc()
            with contextlib.suppress(OSError):  # nobody is there to be told
                try:
                    channel.send((_ERROR, (error, where)))
                except OSError:
                    raise
                except Exception:  # it cannot be sent itself
                    name = type(error).__name__
                    channel.send((_ERROR, (RuntimeError(f"{name}: {error}"), where)))


_ITEM, _TOLD, _ERROR, _END = "item", "told", "error", "end"
