"""Scan: plans that are made in the background while a person reviews the first ones."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from .forked import Forked

if TYPE_CHECKING:
    from ..hunks.proposed import Planned

# What is nested deeply in a file is followed by recursion.
_STACK = 64 * 1024 * 1024
# After every system call of an answer the scan has to give up the interpreter again.
_SWITCH = 0.0005


class Scan:
    """Takes the parts of a plan as they are made. ``done``: the last was taken."""

    def __init__(self, parts: Iterable[tuple[Planned, bool]]) -> None:
        self.done = False
        self._parts = parts
        self._stopped = threading.Event()
        self._failed: BaseException | None = None
        self._made: SimpleQueue[tuple[Planned, bool] | BaseException] = SimpleQueue()
        before = threading.stack_size(_STACK)
        # The program may end while it is at work: it writes nothing.
        thread = threading.Thread(target=self._work, name="scan", daemon=True)
        thread.start()
        threading.stack_size(before)

    def take(self, wait: bool) -> list[Planned]:
        """What was made meanwhile, after waiting for at least one part if told so.

        Raises what the scan raised.
        """
        found: list[Planned] = []
        while not self.done and self._failed is None:
            try:
                part = self._made.get(block=wait and not found)
            except Empty:
                break
            if isinstance(part, BaseException):
                self._failed = part
            else:
                planned, self.done = part
                found.append(planned)
        if found and isinstance(self._parts, Forked):
            # What came stays to the end of the review, which unfreezes it; to look through it for
            # garbage takes longer than an answer may. A thread makes garbage in between.
            gc.freeze()
        if self._failed is not None and not found:
            self.done = True
            raise self._failed
        return found

    def stop(self) -> None:
        """Make no more; what was not taken is lost."""
        self._stopped.set()
        self.done = True
        if isinstance(self._parts, Forked):
            self._parts.stop()

    def _work(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH)
        try:
            for part in self._parts:
                self._made.put(part)
                if self._stopped.is_set():
                    return
        except BaseException as error:
            self._made.put(error)
        finally:
            sys.setswitchinterval(before)
