"""The tables of the state database, as the steps that lead from an empty one to the present one.

A step that was released is never changed, not even in a comment: what a database has of them is
counted in its ``user_version``, and one with other tables is not used. Paths are BLOBs, for file
names may be no text at all.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

_RUNS = (
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,          -- write, undo
        codemod TEXT NOT NULL,
        undoes INTEGER REFERENCES runs (id),
        started REAL NOT NULL,       -- seconds since 1970
        ended REAL,
        token TEXT NOT NULL,         -- in the names of its temporary files
        state TEXT NOT NULL          -- writing, done, stopped
    )
    """,
    """
    CREATE TABLE files (
        run INTEGER NOT NULL REFERENCES runs (id),
        position INTEGER NOT NULL,
        path BLOB NOT NULL,          -- relative to the tree
        before BLOB NOT NULL,        -- compressed, as the next
        after BLOB NOT NULL,
        before_digest BLOB NOT NULL,
        after_digest BLOB NOT NULL,
        mode INTEGER NOT NULL,
        needs TEXT NOT NULL,         -- JSON: positions of the files without which this one is wrong
        state TEXT NOT NULL,         -- planned, written, left
        why TEXT NOT NULL DEFAULT '',
        undone_by INTEGER REFERENCES runs (id),
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX files_by_path ON files (path)",
)

_SESSIONS = (
    """
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        codemod TEXT NOT NULL,
        paths TEXT NOT NULL,         -- JSON: the paths, relative to the tree, in hexadecimal
        options TEXT NOT NULL,       -- JSON: as they were given
        started REAL NOT NULL,       -- seconds since 1970
        ended REAL,
        state TEXT NOT NULL          -- open, quit, unanswered, interrupted, imported, done
    )
    """,
    """
    CREATE TABLE decisions (
        session INTEGER NOT NULL REFERENCES sessions (id),
        hunk TEXT NOT NULL,
        run INTEGER,                 -- that was to carry it out, by its file there; it is applied
        position INTEGER,            -- if that is written, and not undone
        rule TEXT NOT NULL,
        path BLOB NOT NULL,          -- relative to the tree
        line INTEGER NOT NULL,
        verdict TEXT NOT NULL,       -- accepted, rejected, ignored, split, open
        surroundings TEXT NOT NULL,  -- digests of the hunk's diff without line numbers, by blanks
        pack TEXT NOT NULL,
        digest TEXT NOT NULL,        -- of the pack's files
        decided INTEGER NOT NULL,    -- microseconds since 1970
        decided_by TEXT NOT NULL,
        pieces TEXT NOT NULL,        -- JSON: what stands in the hunk's place, if it was changed
        PRIMARY KEY (session, hunk),
        FOREIGN KEY (run, position) REFERENCES files (run, position)
    ) WITHOUT ROWID
    """,
)

STEPS: tuple[tuple[str, ...], ...] = (_RUNS, _SESSIONS)


def made_by(version: int) -> frozenset[tuple[Any, ...]]:
    """The ``objects`` of a database that has the first steps, so many."""
    return _made_by(STEPS[:version])


def objects(rows: Callable[[str], Iterable[Any]]) -> frozenset[tuple[Any, ...]]:
    """All that the schema of a database has: tables, indexes, and what else there may be. Raises
    sqlite3.Error."""
    return frozenset(map(tuple, rows("SELECT type, name, tbl_name, sql FROM sqlite_master")))


@cache
def _made_by(steps: tuple[tuple[str, ...], ...]) -> frozenset[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        for statement in (statement for step in steps for statement in step):
            connection.execute(statement)
        return objects(lambda query: connection.execute(query).fetchall())
