"""reserve: memory for telling that there is none left."""

from __future__ import annotations

_SIZE = 4_000_000
_kept: list[bytearray] = []


def keep_reserve() -> None:
    """Keep some memory back, before what may need all of it. Raises MemoryError."""
    if not _kept:
        _kept.append(bytearray(_SIZE))


def use_reserve(error: BaseException) -> None:
    """Give up what was kept back, if ``error`` is that memory ran out.

    Telling of it takes some, and without any a second error, raised while the first is handled, may
    never arrive: where it leaves a ``with``, CPython 3.11 makes a number, fails, and tries again
    for ever (exception_unwind in ceval.c)."""
    if isinstance(error, MemoryError):
        _kept.clear()
