"""open_database, open_runs: what a tree's runs and reviews have saved."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.visible import visible

from . import user_folder
from .database import Database, opened
from .examination import examine
from .folder import ELSEWHERE, StateFolder, locate
from .given_folder import Told
from .runs import Runs

_SHOWN = 5


def open_database(folder: StateFolder) -> Database | Problem:
    """The folder's database, made together with the folder if need be.

    The Problem: the folder cannot be made, or be relied on, or the database is damaged, another
    program's or a newer Pinsetter's. It is left as it is then.
    """
    found = existing_database(folder)
    if found is not None:
        return found
    return folder.make() or opened(folder.database)


def existing_database(folder: StateFolder) -> Database | Problem | None:
    """The folder's database, or None if nothing was ever saved; nothing is made then."""
    problem = folder.refusal()
    if problem is not None:
        return problem
    try:
        mode = folder.database.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = f"the state cannot be read: {error.strerror or error}"
        return Problem(folder.path, reason, hint=ELSEWHERE)
    if not stat.S_ISREG(mode):
        return Problem(folder.database, "the state database is no regular file", hint=ELSEWHERE)
    database = opened(folder.database)
    if isinstance(database, Problem) or not folder.trusted:
        return database
    try:
        examine(database, folder)
    except sqlite3.Error as error:
        database.close()
        return database.failure(error)
    folder.bind()
    return database


@contextlib.contextmanager
def open_runs(
    paths: Sequence[Path], told: Told | None, warn: Callable[[Iterable[Problem]], None]
) -> Iterator[Runs | Problem]:
    """Open the journal for the ``with``, that of the current folder without paths, or of the one
    tree below that has one; the Problem: there is none, or several, or it cannot be read. Nothing
    is made. ``warn`` is told of others that are there."""
    folder = locate(list(paths) or [Path.cwd()], told)
    if isinstance(folder, Problem):
        yield folder
        return
    warn(folder.remarks())
    database = existing_database(folder)
    below = user_folder.trees_below(folder.tree) if database is None and not folder.told else []
    if len(below) == 1:
        folder = StateFolder(user_folder.of_tree(below[0]), below[0])
        database = existing_database(folder)
    if len(below) > 1:
        named = ", ".join(visible(str(tree)) for tree in below[:_SHOWN])
        more = f" and {len(below) - _SHOWN} more" if len(below) > _SHOWN else ""
        yield Problem(folder.tree, f"there were runs in several folders below: {named}{more}",
                      hint="give the path of one of them")  # fmt: skip
    elif database is None:
        yield Problem(folder.tree, "nothing was ever written here",
                      hint="give a path in the tree that was, or its --state DIR")  # fmt: skip
    elif isinstance(database, Problem):
        yield database
    else:
        with contextlib.closing(database):
            yield Runs(database, folder)
