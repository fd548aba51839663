"""Ahead: the files of a run, read in a process of their own while the program is being loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .forked import CAN_FORK, Forked

if TYPE_CHECKING:
    from pinsetter.analyzer.files.import_groups import Components


class Ahead:
    """Reads what lies below ``paths`` from now on, if it can. To be made while no other thread
    runs."""

    def __init__(self, paths: Sequence[Path], excluded: Sequence[str] = (), jobs: int = 1) -> None:
        self._paths, self._excluded, self._jobs = paths, excluded, jobs
        self._forked = Forked(self._make) if CAN_FORK else None

    def components(self) -> Components:
        """What was read, when it was. Who asks may be another fork."""
        if self._forked is not None:
            try:
                return next(iter(self._forked))
            except Exception:  # as when memory runs out: it is no use to give up sooner
                pass
        return next(self._make())

    def _make(self, _: object = None) -> Iterator[Components]:
        from ..workers.halves import read_by  # this process need not wait for it

        yield read_by(self._jobs, self._paths, self._excluded)
