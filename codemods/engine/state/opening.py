"""open_runs: the journal of the tree that some paths are in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pinsetter.analyzer.problem import Problem

from .database import existing_database
from .folder import locate
from .runs import Runs
from .told import Told


@contextlib.contextmanager
def open_runs(
    paths: Sequence[Path], told: Told | None, warn: Callable[[Iterable[Problem]], None]
) -> Iterator[Runs | Problem]:
    """Open the journal for the ``with``, that of the current folder without paths; the Problem:
    there is none, or it cannot be read. Nothing is made. ``warn`` is told of others that are
    there."""
    folder = locate(list(paths) or [Path.cwd()], told)
    if isinstance(folder, Problem):
        yield folder
        return
    warn(folder.remarks())
    database = existing_database(folder)
    if database is None:
        yield Problem(folder.tree, "nothing was ever written here",
                      hint="give a path in the tree that was, or its --state DIR")  # fmt: skip
    elif isinstance(database, Problem):
        yield database
    else:
        with contextlib.closing(database):
            yield Runs(database, folder)
