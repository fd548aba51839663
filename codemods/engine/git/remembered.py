"""Remembered: what was made of the bytes of objects, so that it need not be made again.

It is in a file of its own, which may be deleted at any time. One of another version of this program
is emptied; one that is damaged, or locked, is done without.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from ..files.this_program import this_program

_TABLES = """
CREATE TABLE IF NOT EXISTS program (digest BLOB);
CREATE TABLE IF NOT EXISTS question (id INTEGER PRIMARY KEY, text BLOB UNIQUE);
CREATE TABLE IF NOT EXISTS answer (
    question INTEGER, object BLOB, said BLOB, PRIMARY KEY (question, object)
) WITHOUT ROWID;
"""
_EMPTYING = "DELETE FROM answer; DELETE FROM question; DELETE FROM program;"
# Of more answers to a question than so many times those that were asked for, all are forgotten.
_OLD = 3
# Answers that are saved at once.
_AT_LEAST = 50_000


class Remembered:
    """The answers of one process to questions about objects; its forks remember nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._of = os.getpid()
        self._ids: dict[bytes, int] = {}
        self._asked: dict[bytes, int] = {}
        self._unsaved = 0
        self._database: sqlite3.Connection | None = None
        with suppress(sqlite3.Error, OSError):
            self._database = self._opened()

    def known(self, question: bytes, objects: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """What is known of some objects."""
        self._asked[question] = self._asked.get(question, 0) + len(objects)
        database = self._here
        if database is None:
            return {}
        marks = ",".join("?" * len(objects))
        select = f"SELECT object, said FROM answer WHERE question = ? AND object IN ({marks})"
        try:
            return dict(database.execute(select, (self._id(database, question), *objects)))
        except sqlite3.Error:
            self._give_up()
            return {}

    def keep(self, question: bytes, answers: Iterable[tuple[bytes, bytes]]) -> None:
        """Remember what was found out."""
        database = self._here
        if database is None:
            return
        try:
            id = self._id(database, question)
            rows = [(id, name, said) for name, said in answers]
            database.executemany("INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", rows)
            self._unsaved += len(rows)
            if self._unsaved >= _AT_LEAST:
                # Who is killed need not begin anew.
                database.commit()
                self._unsaved = 0
        except sqlite3.Error:
            self._give_up()

    def close(self, asked_all: bool = True) -> None:
        """Save what was found out, without what nobody asked for any more, if all was asked."""
        database, self._database = self._here, None
        if database is None:
            return
        with suppress(sqlite3.Error):
            known = database.execute("SELECT text, id FROM question").fetchall()
            for text, id in known if asked_all else ():
                asked = self._asked.get(text, 0)
                (count,) = database.execute(
                    "SELECT count(*) FROM answer WHERE question = ?", (id,)
                ).fetchone()  # fmt: skip
                if count > _OLD * asked:
                    database.execute("DELETE FROM answer WHERE question = ?", (id,))
                    database.execute("DELETE FROM question WHERE id = ?", (id,))
            database.commit()
        with suppress(sqlite3.Error):
            database.close()

    def _give_up(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            with suppress(sqlite3.Error):
                database.close()

    @property
    def _here(self) -> sqlite3.Connection | None:
        return self._database if self._of == os.getpid() else None

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._begun()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise  # it is locked, or cannot be written
            self._file.unlink()
            return self._begun()

    def _begun(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._file, timeout=0)
        try:
            # After a crash of the machine it is as it was at some time before.
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("PRAGMA cache_size = -65536")
            database.executescript(_TABLES)
            digest = blake2b(repr(this_program()).encode(), digest_size=16).digest()
            if database.execute("SELECT digest FROM program").fetchall() != [(digest,)]:
                database.executescript(_EMPTYING)
                database.execute("INSERT INTO program VALUES (?)", (digest,))
            return database
        except BaseException:
            database.close()
            raise

    def _id(self, database: sqlite3.Connection, question: bytes) -> int:
        if question not in self._ids:
            select = "SELECT id FROM question WHERE text = ?"
            found = database.execute(select, (question,)).fetchone()
            if found is None:
                database.execute("INSERT INTO question (text) VALUES (?)", (question,))
                found = database.execute(select, (question,)).fetchone()
            self._ids[question] = int(found[0])
        return self._ids[question]
