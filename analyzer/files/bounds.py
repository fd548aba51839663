"""Bounds: how much of one file, and for how long, an analysis takes at most."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from ..messages.problem import Problem

MB = 1_000_000
# The most levels of a tree that are taken; well above what Python's own parser can nest.
MOST_LEVELS = 1200
# The bytes of a file that are looked at in the time that it has: a larger one has more.
_BYTES_IN_TIME = 50_000


@dataclass(frozen=True)
class TooLarge(Problem):
    """A file that was not read for its size alone."""


@dataclass(frozen=True)
class Bounds:
    """``file_size`` is in megabytes; ``seconds`` are those of the processor that are spent on one
    file, for each 50 kB that it has or begins; ``memory``, in megabytes, is that of the process;
    ``hunks`` are those of one codemod in one file. 0 means that there is no bound. ``nesting`` are
    the levels of a tree."""

    file_size: int = 10
    seconds: int = 5
    memory: int = 0
    hunks: int = 10_000
    nesting: int = MOST_LEVELS

    def shared(self, processes: int) -> Bounds:
        """Those of each of several processes, which have the memory together."""
        memory = max(1, self.memory // processes) if self.memory else 0
        return replace(self, memory=memory)

    def seconds_for(self, size: int) -> int:
        """Those for a file of so many bytes; 0 if there is no bound."""
        return self.seconds * (1 + size // _BYTES_IN_TIME)

    def too_large(self, path: Path, size: int) -> TooLarge | None:
        """Why a file of ``size`` bytes is not read; None if it is."""
        if not self.file_size or size <= self.file_size * MB:
            return None
        needed = -(-size // MB)
        reason = f"not read: it has {needed} MB, and no more than {self.file_size} are taken"
        hint = f"--max-file-size {needed} reads it; .pinsetterignore leaves it out"
        return TooLarge(path, reason, hint=hint)


def usual_memory() -> int:
    """Three quarters of the machine's memory, or of what this process may have of it, in megabytes;
    0 if neither is known."""
    known = []
    with contextlib.suppress(AttributeError, ValueError, OSError):  # not on Windows
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    # Another system has no such file, and without a limit it says "max".
    with contextlib.suppress(OSError, ValueError), open(_CGROUP, "rb") as opened:
        known.append(int(opened.read()))
    return min(known) * 3 // 4 // MB if known else 0


def address_space() -> int:
    """Three quarters of what the system lets this process address, in megabytes; 0 if that has no
    limit. Python that gets there may never come back: it asks for memory to say that it has none.
    """
    try:
        import resource
    except ImportError:  # on Windows
        return 0
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return most * 3 // 4 // MB if most != resource.RLIM_INFINITY else 0


_CGROUP = "/sys/fs/cgroup/memory.max"
USUAL = Bounds()
NONE = Bounds(file_size=0, seconds=0, memory=0, hunks=0)
