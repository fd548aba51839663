"""Store: the database of campaigns, SQLite unless a URL names another.

Every change is made in a transaction of its own, so that a process that is killed leaves the last
one whole or no trace of it; several processes may work on one database at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from pinsetter.analyzer.messages.problem import Problem

from .tables import METADATA

_MIGRATIONS = Path(__file__).parent / "migrations"
_SQLITE = "sqlite"
# In seconds: how long one process waits for another's transaction.
_PATIENCE = 30
_PRIVATE = 0o700
# Any number, the same for all of us.
_LOCK = 0x50494E53
_VERSION = "alembic_version"
_ELSEWHERE = "name another: --database URL, or PINSETTER_DATABASE"


class RecordsError(Exception):
    """Why the database does not do what it should; ``problem`` is for people."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Store:
    """An open database. Raises RecordsError wherever it is asked for something."""

    def __init__(self, engine: Engine, place: Path) -> None:
        self._engine = engine
        self.place = place
        """What messages call it."""

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """A transaction: all that is done inside the ``with``, or nothing."""
        with self._explained(), self._engine.execution_options(begin="IMMEDIATE").begin() as made:
            yield made

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """For reading: what is seen is one state of the database."""
        engine = self._engine
        if engine.dialect.name != _SQLITE:
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        with self._explained(), engine.connect() as connection:
            yield connection

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise RecordsError(_problem(self.place, error)) from error


def parsed(text: str) -> URL | None:
    """What a person calls a database: a URL, or the path of SQLite's file. None: it is neither."""
    if "://" not in text:
        return URL.create(_SQLITE, database=os.path.abspath(text)) if text else None
    try:
        return make_url(text)
    except (ArgumentError, ValueError):
        return None


def opened(url: URL) -> Store | Problem:
    """The database at a URL, made if it is SQLite's and not there, and brought up to date."""
    place = _place(url)
    try:
        if url.get_backend_name() == _SQLITE and url.database:
            place.absolute().parent.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        engine = sa.create_engine(url)
    except OSError as error:
        reason = f"the database cannot be made: {error.strerror or error}"
        return Problem(place, reason, hint=_ELSEWHERE)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        reason = f"the database cannot be used: {error}"
        return Problem(place, reason, hint="what it needs may not be installed, as psycopg")
    if engine.dialect.name == _SQLITE:
        _prepare(engine)
    store = Store(engine, place)
    try:
        with store.change() as connection:
            problem = _brought_up_to_date(connection, place)
    except RecordsError as error:
        problem = error.problem
    if problem is None:
        return store
    store.close()
    return problem


def _place(url: URL) -> Path:
    if url.get_backend_name() == _SQLITE:
        return Path(url.database or "a database in memory")
    return Path(f"database {url.database} at {url.host or 'this machine'}")


def _prepare(engine: Engine) -> None:
    """Have SQLite wait for others, keep what refers to others, and begin what is to be changed
    with the right to: a transaction that asks for it later may be refused at once."""

    @sa.event.listens_for(engine, "connect")
    def connected(connection: object, _: object) -> None:
        assert hasattr(connection, "execute")
        connection.isolation_level = None  # type: ignore[attr-defined]
        for setting in (f"busy_timeout = {_PATIENCE * 1000}", "foreign_keys = ON",
                        "journal_mode = WAL", "synchronous = FULL"):  # fmt: skip
            connection.execute(f"PRAGMA {setting}")

    @sa.event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('begin', '')}")


def _brought_up_to_date(connection: Connection, place: Path) -> Problem | None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    steps = ScriptDirectory.from_config(config)
    now = set(MigrationContext.configure(connection).get_current_heads())
    if now == set(steps.get_heads()):
        return None
    if not now <= {step.revision for step in steps.walk_revisions()}:
        reason = "the database was made by a newer Pinsetter"
        return Problem(place, reason, hint=f"update this one, or {_ELSEWHERE}")
    there = set(sa.inspect(connection).get_table_names()) - {_VERSION}
    if not now and there:
        clash = sorted(there & METADATA.tables.keys())
        if clash or connection.dialect.name == _SQLITE:
            reason = f"the database has tables of another program: {', '.join(sorted(there)[:5])}"
            return Problem(place, reason, hint=_ELSEWHERE)
    command.upgrade(config, "head")
    return None


def _problem(place: Path, error: SQLAlchemyError) -> Problem:
    cause = getattr(error, "orig", None) or error
    said = str(cause).strip().partition("\n")[0]
    if "locked" in said:
        return Problem(place, f"another process has held the database for {_PATIENCE} seconds",
                       hint="try again when it is done")  # fmt: skip
    hint = "make room, and run the same again" if "full" in said or "No space" in said else ""
    if "readonly" in said or "unable to open" in said:
        hint = f"it has to be writable; or {_ELSEWHERE}"
    if "malformed" in said or "not a database" in said:
        hint = f"put back a copy of it, or {_ELSEWHERE}"
    return Problem(place, f"the database fails: {said}", hint=hint)
