"""in_halves: what is made of many files, of half of them by a process of its own."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
from collections.abc import Iterable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.roles.speaking_first import components_of

from .forking import CAN_FORK, Channel, started

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pinsetter.analyzer.files.import_groups import Components

# For fewer a process is not worth what it takes to begin.
_MANY = 2000


def read_by(jobs: int, paths: Iterable[Path], excluded: Sequence[str] = ()) -> Components:
    """The files below ``paths`` (``components_of``), read by two processes if there may be more
    than one. To be asked while no other thread has locks that they need."""
    if jobs == 1 or not CAN_FORK or not disk.is_local():
        return components_of(paths, excluded)
    with disk.using(disk.Local(in_halves)):
        return components_of(paths, excluded)


def in_halves(
    read: disk.Read, paths: Iterable[str], make: disk.Make
) -> Iterator[tuple[str, bytes | None]]:
    """What ``disk.one_by_one`` gives."""
    paths = list(paths)
    if len(paths) < _MANY:
        yield from disk.one_by_one(read, paths, make)
        return
    half = len(paths) // 2
    first, second = paths[:half], paths[half:]
    receiving, sending = multiprocessing.Pipe(duplex=False)
    other = started("reader", partial(_send, receiving, sending, read, second, make))
    sending.close()
    try:
        yield from disk.one_by_one(read, first, make)
        try:
            made = Channel(receiving).receive()
        except (EOFError, OSError):  # it was ended, as where memory is short
            yield from disk.one_by_one(read, second, make)
        else:
            yield from zip(second, made, strict=True)
    finally:
        receiving.close()
        other.kill()
        other.join()


def _send(
    receiving: Connection,
    sending: Connection,
    read: disk.Read,
    paths: Sequence[str],
    make: disk.Make,
) -> None:
    receiving.close()
    gc.freeze()  # what was there before the fork is no garbage of ours
    with contextlib.suppress(Exception):  # who asks does it once more, and says what is wrong
        Channel(sending).send([made for _, made in disk.one_by_one(read, paths, make)])
