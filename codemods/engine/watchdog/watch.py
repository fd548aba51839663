"""watch: what an analysis takes is counted by the file that it looks at, and ends when too much.

A timer asks a few times a second of the processor's which file is looked at. So it does not matter
what it is that does not end, and what else the machine has to do. It works in the main thread of a
process, where the system has such timers; elsewhere nothing is bounded here.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from types import FrameType

from pinsetter.analyzer.files.bounds import MB, Bounds, address_space
from pinsetter.analyzer.names.failing_module import looked_at
from pinsetter.analyzer.names.module import Module

# Seconds of the processor's between two looks.
_TICK = 0.25
_STATM = "/proc/self/statm"


class ExceededError(BaseException):
    """An analysis took more than it may, at ``module``, if that can be told. Not an Exception: what
    goes on after a mistake must not go on after this."""

    def __init__(self, module: Module | None, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.module = module
        self.reason = reason
        self.hint = hint


@contextlib.contextmanager
def watched(bounds: Bounds) -> Iterator[None]:
    """Raises ExceededError out of what is done inside as soon as that exceeds ``bounds``."""
    if not CAN_WATCH or threading.current_thread() is not threading.main_thread():
        yield
        return
    watch = _Watch(bounds)
    before = signal.signal(signal.SIGPROF, watch)
    signal.setitimer(signal.ITIMER_PROF, _TICK, _TICK)
    try:
        try:
            yield
        finally:
            watch.over = True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


CAN_WATCH = hasattr(signal, "setitimer")


class _Watch:
    def __init__(self, bounds: Bounds) -> None:
        self.over = False
        self._bounds = bounds
        self._ticks: Counter[Module | None] = Counter()
        allowed = address_space() if bounds.memory else 0
        self._most, self._hint = bounds.memory, "--max-memory gives it more"
        if allowed and allowed < bounds.memory:
            self._most, self._hint = allowed, "this process may not have more (ulimit -v)"
        # What other files left behind is not this one's.
        self._memory = max(self._most, _memory()) if self._most else 0

    def __call__(self, _number: int, frame: FrameType | None) -> None:
        if self.over:
            return
        # Were it raised where Python ignores errors, as while garbage is collected, the next does.
        module = looked_at(frame)
        self._ticks[module] += 1
        seconds = self._bounds.seconds_for(module.source.size if module is not None else 0)
        if seconds and self._ticks[module] * _TICK > seconds:
            reason = f"not done after {seconds} s of processor time"
            raise ExceededError(module, reason, "--timeout gives it more")
        if self._memory and _memory() > self._memory:
            reason = f"not done with {self._most} MB of memory"
            raise ExceededError(module, reason, self._hint)


def _memory() -> int:
    """The megabytes that this process has now, or, where that is not told, had at most."""
    try:
        with open(_STATM, "rb") as opened:
            return int(opened.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // MB
    except OSError:
        import resource  # only where there are such timers

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // MB  # bytes, but on Linux
