"""examine: all that a database has, read once, before it is used although it may be another's."""

from __future__ import annotations

from .database import Database
from .folder import StateFolder
from .runs import Runs
from .sessions import Sessions
from .values import Unsound


def examine(database: Database, folder: StateFolder) -> None:
    """Raises sqlite3.Error if there is anything that no run has written."""
    if [row[0] for row in database.rows("PRAGMA integrity_check")] != ["ok"]:
        raise Unsound("SQLite finds errors in it")
    runs, sessions = Runs(database, folder), Sessions(database)
    for run in runs.all():
        for entry in runs.entries(run):
            runs.change(entry)
    for session in sessions.all():
        sessions.decisions(session.id, applied=True)
