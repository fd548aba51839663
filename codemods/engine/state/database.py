"""Database: SQLite, opened so that what it has committed stays, and so that what is in the file is
data: no triggers, no views, no tables but those that the schema has."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pinsetter.analyzer.messages.problem import Problem

from .folder import ELSEWHERE
from .schema import STEPS, made_by, objects
from .values import Unsound

# Where Python can say so: nothing that a damaged schema could be used for is done.
_GUARDS = {
    "SQLITE_DBCONFIG_DEFENSIVE": True,
    "SQLITE_DBCONFIG_TRUSTED_SCHEMA": False,
    "SQLITE_DBCONFIG_ENABLE_TRIGGER": False,
    "SQLITE_DBCONFIG_ENABLE_VIEW": False,
}
# "pins": tells our databases from other programs'.
_APPLICATION = 0x70696E73
_PATIENCE = 10.0
_AWAY = "nothing was changed; it may hold the old text of files: move it away to start afresh"


class Database:
    """A connection. Every method but ``close`` raises sqlite3.Error; ``failure`` puts it in words.

    A statement outside ``transaction`` is committed, and durable, when it returns.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def rows(self, statement: str, *values: Any) -> list[Any]:
        """All rows that a query gives, each to be read by name (``row["path"]``)."""
        with _readable():
            return self._connection.execute(statement, values).fetchall()

    def row(self, statement: str, *values: Any) -> Any:
        """The first row that a query gives, or None."""
        with _readable():
            return self._connection.execute(statement, values).fetchone()

    def execute(self, statement: str, *values: Any) -> int:
        """Run a statement; returns the id of the row that it inserted, if it did."""
        with _readable():
            return self._connection.execute(statement, values).lastrowid or 0

    def execute_all(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once with the values of each row; quicker than one by one."""
        with _readable():
            self._connection.executemany(statement, rows)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of its statements are made, or, after an exception, none. Not to be nested."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._commit()

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except BaseException:
            # After a failed COMMIT (a full disk) the transaction may still be open.
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def relaxed(self) -> contextlib.AbstractContextManager[None]:
        """What is committed inside outlives the process, but perhaps not the machine."""
        return self._synchronous("NORMAL")

    def durable(self) -> contextlib.AbstractContextManager[None]:
        """What is committed inside outlives the machine, also inside ``relaxed``."""
        return self._synchronous("FULL")

    @contextlib.contextmanager
    def _synchronous(self, level: str) -> Iterator[None]:
        before = self.row("PRAGMA synchronous")[0]
        self._connection.execute(f"PRAGMA synchronous = {level}")
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute(f"PRAGMA synchronous = {before}")

    def failure(self, error: sqlite3.Error) -> Problem:
        """What went wrong, and what to do about it."""
        return _failure(self.path, error)

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()


def opened(path: Path) -> Database | Problem:
    """The database of a path, made if need be; the Problem says why it cannot be used."""
    try:
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    except sqlite3.Error as error:
        return _failure(path, error)
    connection.row_factory = sqlite3.Row
    database = Database(path, connection)
    try:
        _guard(connection)
        reason = _prepare(database)
    except sqlite3.Error as error:
        database.close()
        return _failure(path, error)
    if reason is not None:
        database.close()
        return reason
    return database


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """Python cannot read what SQLite says of a database with names that are no text."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise Unsound("it has names that are no text") from error


def _guard(connection: sqlite3.Connection) -> None:
    if hasattr(connection, "setconfig"):  # from Python 3.12 on
        for name in _GUARDS.keys() & set(dir(sqlite3)):
            connection.setconfig(getattr(sqlite3, name), _GUARDS[name])
    with _readable():
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")


def _prepare(database: Database) -> Problem | None:
    """Bring a connection and its tables into form; nothing is changed before all is as it should
    be. Raises sqlite3.Error."""
    # Another process may be making the tables.
    database.execute("BEGIN")
    try:
        version = _number(database, "user_version")
        known = _number(database, "application_id")
        found = objects(database.rows)
    finally:
        # After an error, as of a full disk, SQLite may have done so itself.
        with contextlib.suppress(sqlite3.Error):
            database.execute("ROLLBACK")
    if known != _APPLICATION and (known or found):
        return Problem(database.path, "the state database is another program's", hint=ELSEWHERE)
    if version > len(STEPS):
        return Problem(database.path, "the state was saved by a newer Pinsetter",
                       hint=f"use that version, or {ELSEWHERE}")  # fmt: skip
    if version < 0 or found != made_by(version):
        raise Unsound("its tables are not those of a state")
    # WAL keeps readers and a writer apart; a file system that cannot do it stays with "delete".
    database.rows("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA foreign_keys = ON")
    if version < len(STEPS):
        with database.transaction():
            # Another process may have done it meanwhile.
            for number in range(_number(database, "user_version"), len(STEPS)):
                for statement in STEPS[number]:
                    database.execute(statement)
                database.execute(f"PRAGMA user_version = {number + 1}")
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
    return None


def _number(database: Database, pragma: str) -> int:
    return int(database.row(f"PRAGMA {pragma}")[0])


def _failure(path: Path, error: sqlite3.Error) -> Problem:
    text = str(error)
    if isinstance(error, Unsound):
        return Problem(path, f"the state is damaged: {text}", hint=_AWAY)
    if "full" in text or ("disk I/O" in text and _has_no_room(path)):
        return Problem(path, "the state cannot be saved: the disk is full", hint="make room on it")
    if "locked" in text:
        return Problem(path, "the state is in use by another process", hint="try again later")
    if "readonly" in text or "unable to open" in text or "disk I/O" in text:
        return Problem(path, f"the state cannot be saved: {text}", hint=ELSEWHERE)
    return Problem(path, f"the state is damaged: {text}", hint=_AWAY)


def _has_no_room(path: Path) -> bool:
    """Whether what SQLite puts beside a database, such as its shared memory, finds no room."""
    try:
        return shutil.disk_usage(path.parent).free < _ROOM
    except OSError:
        return False


_ROOM = 64 * 1024
