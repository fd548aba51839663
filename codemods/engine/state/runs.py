"""Runs: the journal of what was written to files, and of what was going to be.

Before the first file of a run is replaced, the old and the new bytes of all of them are on disk.
What a crash leaves is told by the files themselves; the marks made after each say only what the
run knew.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from . import values
from .database import Database
from .folder import StateFolder
from .values import Unsound, packed, unpacked
from .values import digest_of as digest

# It becomes part of the name of a file.
_TOKEN = re.compile(r"[0-9a-f]{1,32}")


class Kind(Enum):
    WRITE = "write"
    UNDO = "undo"


class RunState(Enum):
    """``stopped``: it was interrupted, and nobody will go on with it."""

    WRITING = "writing"
    DONE = "done"
    STOPPED = "stopped"


class FileState(Enum):
    """``left``: it was not written, and ``why`` says so."""

    PLANNED = "planned"
    WRITTEN = "written"
    LEFT = "left"


@dataclass(frozen=True)
class FileChange:
    """What a run is going to do to a file. ``needs`` are the positions, among the run's changes, of
    those without which this one would be wrong."""

    path: Path
    before: bytes
    after: bytes
    mode: int
    needs: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Run:
    """A run in the journal; ``undoes`` is the id of the one that it takes back. The counts are of
    files: ``undone`` of those that were written are taken back."""

    id: int
    kind: Kind
    codemod: str
    undoes: int | None
    started: float
    state: RunState
    token: str
    files: int
    written: int
    undone: int

    @property
    def name(self) -> str:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.started))
        what = f"undo of run {self.undoes}" if self.kind is Kind.UNDO else f"run of {self.codemod}"
        return f"{what} of {when} (run {self.id})"


@dataclass(frozen=True)
class Entry:
    """A file of a run, without its bytes."""

    run: int
    position: int
    path: Path
    before: bytes
    after: bytes
    needs: frozenset[int]
    state: FileState
    why: str
    undone_by: int | None

    def is_old(self, data: bytes) -> bool:
        return digest(data) == self.before

    def is_new(self, data: bytes) -> bool:
        return digest(data) == self.after


class Runs:
    """The runs of a tree. Every method raises sqlite3.Error; ``Database.failure`` words it."""

    def __init__(self, database: Database, folder: StateFolder) -> None:
        self.database = database
        self.folder = folder

    def begin(
        self, kind: Kind, codemod: str, changes: Sequence[FileChange], undoes: Run | None = None
    ) -> Run:
        """Put a run into the journal with all that it is going to do; durable on return. An
        interrupted run that it undoes is stopped with that."""
        with self.database.transaction():
            if undoes is not None and undoes.state is RunState.WRITING:
                self._set_state(undoes.id, RunState.STOPPED)
            id = self.database.execute(
                "INSERT INTO runs (kind, codemod, undoes, started, token, state)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                kind.value, codemod, undoes.id if undoes else None, time.time(),
                secrets.token_hex(6), RunState.WRITING.value,
            )  # fmt: skip
            for position, change in enumerate(changes):
                self.database.execute(
                    "INSERT INTO files (run, position, path, before, after, before_digest,"
                    " after_digest, mode, needs, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    id, position, self._stored(change.path), packed(change.before),
                    packed(change.after), digest(change.before), digest(change.after),
                    change.mode, json.dumps(sorted(change.needs)), FileState.PLANNED.value,
                )  # fmt: skip
        found = self.get(id)
        assert found is not None
        return found

    def amend(self, run: Run, contents: Mapping[int, bytes]) -> None:
        """Change what a run is going to write to files; durable on return."""
        with self.database.durable(), self.database.transaction():
            for position, after in contents.items():
                self.database.execute(
                    "UPDATE files SET after = ?, after_digest = ?, state = ?"
                    " WHERE run = ? AND position = ?",
                    packed(after), digest(after), FileState.PLANNED.value, run.id, position,
                )  # fmt: skip

    def mark(self, entry: Entry, state: FileState, why: str = "") -> None:
        """Say what became of a file."""
        with self.database.transaction():
            self.database.execute(
                "UPDATE files SET state = ?, why = ? WHERE run = ? AND position = ?",
                state.value, why, entry.run, entry.position,
            )  # fmt: skip
            if state is not entry.state:
                self._mark_undone(entry, entry.run if state is FileState.WRITTEN else None)

    def _mark_undone(self, entry: Entry, by: int | None) -> None:
        """An undo of an undo puts the first run back into force, and so on."""
        run = self.get(entry.run)
        while run is not None and run.undoes is not None:
            self.database.execute(
                "UPDATE files SET undone_by = ? WHERE run = ? AND path = ?",
                by, run.undoes, self._stored(entry.path),
            )  # fmt: skip
            run = self.get(run.undoes)
            by = run.id if by is None and run is not None else None

    def end(self, run: Run, state: RunState) -> None:
        """Say that nothing more is going to be written by a run; durable on return. An interrupted
        run that it was going to undo, or the undo of which it undoes, is an interrupted one again.
        """
        with self.database.transaction():
            self._set_state(run.id, state)
            undone = self.get(run.undoes) if run.undoes is not None else None
            if state is RunState.DONE:
                undone = self.get(undone.undoes) if undone and undone.undoes is not None else None
            if undone is not None and undone.state is RunState.STOPPED:
                self._set_state(undone.id, RunState.WRITING)

    def _set_state(self, id: int, state: RunState) -> None:
        ended = None if state is RunState.WRITING else time.time()
        self.database.execute(
            "UPDATE runs SET state = ?, ended = ? WHERE id = ?", state.value, ended, id
        )

    def marking(self) -> AbstractContextManager[None]:
        """Inside, marks are made without waiting for the disk: the files themselves tell."""
        return self.database.relaxed()

    def get(self, id: int) -> Run | None:
        row = self.database.row(f"{_RUNS} WHERE id = ?", id)
        return _run(row) if row is not None else None

    def all(self) -> list[Run]:
        """Every run, the last one first."""
        return [_run(row) for row in self.database.rows(f"{_RUNS} ORDER BY id DESC")]

    def interrupted(self) -> Run | None:
        """The run that is not ended. While nobody holds the tree's lock, it was interrupted."""
        row = self.database.row(f"{_RUNS} WHERE state = ? ORDER BY id", RunState.WRITING.value)
        return _run(row) if row is not None else None

    def entries(self, run: Run) -> list[Entry]:
        """The files of a run, in the order in which they are written."""
        rows = self.database.rows(
            "SELECT run, position, path, before_digest, after_digest, needs, state, why, undone_by"
            " FROM files WHERE run = ? ORDER BY position", run.id,
        )  # fmt: skip
        return [self._entry(row) for row in rows]

    def change(self, entry: Entry) -> FileChange:
        """A file of a run, with its bytes."""
        row = self.database.row(
            "SELECT before, after, before_digest, after_digest, mode FROM files"
            " WHERE run = ? AND position = ?", entry.run, entry.position,
        )  # fmt: skip
        before, after = (
            unpacked(row, name, values.blob(row, f"{name}_digest")) for name in ("before", "after")
        )
        return FileChange(entry.path, before, after, values.number(row, "mode"), entry.needs)

    def last_written(self, paths: Iterable[Path]) -> Run | None:
        """The last run, undos not counted, that wrote a file; if there are paths, one at or below
        one of these."""
        wanted = list(paths)
        for run in self.all():
            if run.kind is Kind.WRITE and run.written:
                if not wanted or any(self._touches(entry, wanted) for entry in self.entries(run)):
                    return run
        return None

    @staticmethod
    def _touches(entry: Entry, paths: Sequence[Path]) -> bool:
        return entry.state is FileState.WRITTEN and is_below(entry.path, paths)

    def later(self, entry: Entry) -> Iterator[Run]:
        """The runs after an entry's that wrote its file and are not undone there, last first."""
        rows = self.database.rows(
            "SELECT run FROM files WHERE path = ? AND run > ? AND state = ? AND undone_by IS NULL"
            " ORDER BY run DESC",
            self._stored(entry.path), entry.run, FileState.WRITTEN.value,
        )  # fmt: skip
        for row in rows:
            run = self.get(row["run"])
            if run is not None:
                yield run

    def _entry(self, row: Any) -> Entry:
        undone_by = row["undone_by"]
        return Entry(
            run=values.number(row, "run"),
            position=values.number(row, "position"),
            path=self._path(values.blob(row, "path")),
            before=values.blob(row, "before_digest"),
            after=values.blob(row, "after_digest"),
            needs=frozenset(values.numbers(row, "needs")),
            state=values.member(row, "state", FileState),
            why=values.text(row, "why"),
            undone_by=None if undone_by is None else values.number(row, "undone_by"),
        )

    def _stored(self, path: Path) -> bytes:
        stored = self.folder.stored(path)
        self._path(stored)
        return stored

    def _path(self, stored: bytes) -> Path:
        try:
            return self.folder.path_of(stored)
        except ValueError as error:
            raise Unsound(str(error)) from error


def is_below(path: Path, paths: Sequence[Path]) -> bool:
    """Whether a path is one of some others, or in one of them."""
    return any(path == other or other in path.parents for other in paths)


_RUNS = """
SELECT id, kind, codemod, undoes, started, state, token,
    (SELECT count(*) FROM files WHERE run = runs.id) AS files,
    (SELECT count(*) FROM files WHERE run = runs.id AND files.state = 'written') AS written,
    (SELECT count(*) FROM files WHERE run = runs.id AND files.state = 'written'
        AND undone_by IS NOT NULL) AS undone
FROM runs
"""


def _run(row: Any) -> Run:
    id, undoes, token = values.number(row, "id"), row["undoes"], values.text(row, "token")
    if undoes is not None and values.number(row, "undoes") >= id:
        raise Unsound("a run undoes one that was not before it")
    if not _TOKEN.fullmatch(token):
        raise Unsound("token is none")
    return Run(
        id=id,
        kind=values.member(row, "kind", Kind),
        codemod=values.text(row, "codemod"),
        undoes=undoes,
        started=values.time(row, "started"),
        state=values.member(row, "state", RunState),
        token=token,
        files=row["files"],
        written=row["written"],
        undone=row["undone"],
    )
