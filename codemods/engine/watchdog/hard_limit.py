"""limit_processor_time: the end of a process in which not even a timer is heard any more."""

from __future__ import annotations

import contextlib
from math import ceil

# Of all files together: what stumbles over some is begun again without these.
_TIMES = 4
_BESIDES = 20


def limit_processor_time(seconds: float) -> None:
    """Have the system end this process if it takes much more than ``seconds``, as where code in C
    does not come to an end; 0 bounds nothing. Where systems have no such limit, nothing does."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = ceil(used.ru_utime + used.ru_stime + seconds * _TIMES + _BESIDES)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    if not seconds:
        allowed = most
    elif most != resource.RLIM_INFINITY:
        allowed = min(allowed, most)
    with contextlib.suppress(ValueError, OSError):  # less than was used already
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, most))
