"""Sessions: what was decided in reviews, saved with each answer."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from . import values
from .database import Database
from .decision import Piece, SavedDecision, Verdict
from .decisions_schema import has_pieces
from .piece_json import dumped, loaded
from .pieces import REST
from .values import Unsound


class SessionState(Enum):
    """``open``: the review is going on, or its process was ended from outside; ``quit``: with q;
    ``unanswered``: its input ended; ``interrupted``: with Ctrl-C; ``imported``: decisions came from
    a file; ``done``: every hunk was decided."""

    OPEN = "open"
    QUIT = "quit"
    UNANSWERED = "unanswered"
    INTERRUPTED = "interrupted"
    IMPORTED = "imported"
    DONE = "done"


@dataclass(frozen=True)
class Subject:
    """What a session is about: a codemod on paths, which are relative to the tree and sorted, with
    options as they were given."""

    codemod: str
    paths: tuple[bytes, ...]
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Session:
    """A review, or several in a row. Times are seconds since 1970; ``decided`` counts the hunks
    that were decided."""

    id: int
    subject: Subject
    started: float
    ended: float | None
    state: SessionState
    decided: int


class Sessions:
    """The sessions of a database. Every method raises sqlite3.Error."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def all(self) -> list[Session]:
        """All sessions, the oldest first."""
        return [_session(row) for row in self.database.rows(f"{_SESSIONS} ORDER BY id")]

    def get(self, id: int) -> Session | None:
        row = self.database.row(f"{_SESSIONS} WHERE id = ?", id)
        return None if row is None else _session(row)

    def newest(self, subject: Subject | None = None) -> Session | None:
        """The newest session in which something was decided, or the newest such of the same codemod
        and paths."""
        given: tuple[str, ...]
        where, given = "WHERE decided > 0", ()
        if subject is not None:
            where += " AND codemod = ? AND paths = ?"
            given = subject.codemod, _paths_json(subject.paths)
        row = self.database.row(f"{_SESSIONS} {where} ORDER BY id DESC LIMIT 1", *given)
        return None if row is None else _session(row)

    def start(self, subject: Subject, state: SessionState = SessionState.OPEN) -> int:
        """Begin a session; returns its id."""
        return self.database.execute(
            "INSERT INTO sessions (codemod, paths, options, started, state) VALUES (?, ?, ?, ?, ?)",
            subject.codemod, _paths_json(subject.paths), json.dumps(subject.options), time.time(),
            state.value,
        )  # fmt: skip

    def reopen(self, id: int, options: Sequence[str]) -> None:
        """Go on with a session."""
        self.database.execute(
            "UPDATE sessions SET state = ?, ended = NULL, options = ? WHERE id = ?",
            SessionState.OPEN.value, json.dumps(list(options)), id,
        )  # fmt: skip

    def end(self, id: int, state: SessionState) -> None:
        self.database.execute(
            "UPDATE sessions SET state = ?, ended = ? WHERE id = ?", state.value, time.time(), id
        )

    def decisions(self, id: int, applied: bool = False) -> list[SavedDecision]:
        """What was decided and is not in the files, not yet or, after an undo, not any more, by
        path and line; with ``applied`` also what is."""
        rows = self.database.rows(
            f"SELECT * FROM ({_DECISIONS}) WHERE session = ? ORDER BY path, line, hunk", id
        )
        # What was left of a split hunk is no hunk while the whole of it is proposed again.
        whole = {f"{row['hunk']}{REST}" for row in rows if row["run"] and not row["applied"]}
        return [
            _decision(row)
            for row in rows
            if row["hunk"] not in whole and (applied or not row["applied"])
        ]

    def taken_back(self, run: int) -> int:
        """How many decisions a run was to carry out which are not in the files."""
        statement = f"SELECT count(*) FROM ({_DECISIONS}) WHERE run = ? AND NOT applied"
        return int(self.database.row(statement, run)[0])

    def put(self, id: int, decided: Iterable[SavedDecision], gone: Iterable[str] = ()) -> None:
        """Save decisions in the place of earlier ones on the same hunks, and forget those of the
        hunks ``gone``; all or nothing."""
        with self.database.transaction():
            for hunk in gone:
                self.database.execute(
                    "DELETE FROM decisions WHERE session = ? AND hunk = ?", id, hunk
                )
            self._save(id, decided)

    def carry_out(
        self, id: int, run: int, done: Mapping[str, int], left: Iterable[SavedDecision]
    ) -> None:
        """Note that a run of the journal carries out the decisions ``done``, each by the file at
        that position, and how those stand that it leaves; all or nothing."""
        with self.database.transaction():
            for hunk, position in done.items():
                self.database.execute(
                    "UPDATE decisions SET run = ?, position = ? WHERE session = ? AND hunk = ?",
                    run, position, id, hunk,
                )  # fmt: skip
            self._save(id, left)

    def _save(self, id: int, decided: Iterable[SavedDecision]) -> None:
        self.database.execute_all(_SAVE, (
            (id, one.hunk, one.rule, one.path, one.line, one.verdict.value,
             " ".join(one.surroundings), one.pack, one.digest, one.decided, one.by,
             json.dumps(dumped(one.pieces)) if one.pieces else "[]")
            for one in decided
        ))  # fmt: skip


_SESSIONS = """
    SELECT * FROM (
        SELECT sessions.*, (SELECT count(*) FROM decisions WHERE session = sessions.id) AS decided
        FROM sessions
    )
"""
_DECISIONS = """
    SELECT decisions.*, EXISTS (
        SELECT 1 FROM files WHERE files.run = decisions.run AND files.position = decisions.position
            AND files.state = 'written' AND files.undone_by IS NULL
    ) AS applied FROM decisions
"""
_COLUMNS = (
    "session", "hunk", "rule", "path", "line", "verdict", "surroundings", "pack",
    "digest", "decided", "decided_by", "pieces",
)  # fmt: skip


_SAVE = (
    f"INSERT OR REPLACE INTO decisions ({', '.join(_COLUMNS)}) "
    f"VALUES ({', '.join('?' for _ in _COLUMNS)})"
)


def _decision(row: Any) -> SavedDecision:
    return SavedDecision(
        values.text(row, "hunk"), values.text(row, "rule"), values.blob(row, "path"),
        values.number(row, "line"), values.member(row, "verdict", Verdict),
        tuple(values.text(row, "surroundings").split()), values.text(row, "pack"),
        values.text(row, "digest"), _moment(row), values.text(row, "decided_by"), _pieces(row),
    )  # fmt: skip


def _moment(row: Any) -> int:
    decided = values.number(row, "decided")
    if decided >= values.LATEST * 1_000_000:
        raise Unsound("decided is no time")
    return decided


def _pieces(row: Any) -> tuple[Piece, ...]:
    found = values.items(row, "pieces")
    if not found:
        return ()
    if not has_pieces(found):
        raise Unsound("pieces are none")
    return loaded(found)


def _session(row: Any) -> Session:
    subject = Subject(values.text(row, "codemod"), _paths(row), tuple(values.texts(row, "options")))
    ended = row["ended"]
    return Session(
        values.number(row, "id"), subject, values.time(row, "started"),
        None if ended is None else values.time(row, "ended"),
        values.member(row, "state", SessionState), row["decided"],
    )  # fmt: skip


def _paths(row: Any) -> tuple[bytes, ...]:
    try:
        return tuple(bytes.fromhex(path) for path in values.texts(row, "paths"))
    except ValueError as error:
        raise Unsound("paths are none") from error


def _paths_json(paths: Sequence[bytes]) -> str:
    return json.dumps([path.hex() for path in paths])
