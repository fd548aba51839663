"""The commands ``pinsetter decisions``: what was decided in reviews, listed, exported, imported."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import click

from pinsetter.analyzer.messages.problem import Problem

from ..console.exit_code import ExitCode
from ..console.terminal import Styled, echo, echo_document, echo_problem
from ..files.replace_file import explained
from ..files.replace_file import replace as write_file
from ..state.database import Database
from ..state.decision import SavedDecision, day, shown
from ..state.exchange import Exported, dump, read
from ..state.folder import StateFolder, locate
from ..state.given_folder import Told
from ..state.lock import exclusive
from ..state.opening import existing_database, open_database
from ..state.pieces import without_text
from ..state.sessions import Session, Sessions, SessionState
from .state_option import NUMBER, state_option, trust_edits_option
from .summary import print_warnings

_tree = click.option(
    "--tree", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".",
    metavar="DIR", help="The folder whose reviews are meant; else the one that you are in.",
)  # fmt: skip
_session = click.option(
    "--session", "session", type=NUMBER, metavar="ID", help="Which review; else the last."
)


@click.group("decisions")
def decisions_group() -> None:
    """Decisions of reviews: to look at, to keep, to use elsewhere."""


@decisions_group.command("list")
@_session
@_tree
@state_option
def list_command(session: int | None, tree: Path, state: Told | None) -> None:
    """List the reviews of a tree, and what was decided in the last, or in --session ID."""
    with _sessions(_located(tree, state)) as sessions:
        for one in sessions.all():
            echo(_described(one))
        if session is None and sessions.all() and sessions.newest() is None:
            return  # answers were given, and all taken back
        chosen = _chosen(sessions, session)
        written = {d.hunk for d in sessions.decisions(chosen.id, applied=True)}
        written -= {d.hunk for d in sessions.decisions(chosen.id)}
        for decision in sessions.decisions(chosen.id, applied=True):
            place = Styled(decision.place, bold=True)
            done = ", written" if decision.hunk in written else ""
            said = f"{decision.verdict.value}{done}"
            about = f"{decision.by}, {day(decision.decided)}"
            echo(place, f"  {decision.rule}  {said}  {about}")


@decisions_group.command("export")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@_session
@_tree
@state_option
def export_command(file: Path | None, session: int | None, tree: Path, state: Told | None) -> None:
    """Write the decisions of the last review, or of --session ID, to FILE or standard output."""
    with _sessions(_located(tree, state)) as sessions:
        chosen = _chosen(sessions, session)
        found = tuple(sessions.decisions(chosen.id, applied=True))
        data = dump(Exported(chosen.subject, found))
    if file is None or str(file) == "-":
        echo_document(data)
        return
    try:
        if file.exists() and not file.is_file():
            file.write_bytes(data)  # a device or a pipe is written to, not replaced
        else:
            write_file(file.resolve(), data)
    except OSError as error:
        _fail(Problem(file, f"not written: {explained(error)}"))
    echo(f"{len(found)} decision(s) of session {chosen.id} written to {file}", err=True)


@decisions_group.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--keep", type=click.Choice(["ours", "theirs"]),
    help="Whose decision holds where both differ: this tree's or the file's; else the newer.",
)  # fmt: skip
@trust_edits_option
@_tree
@state_option
def import_command(
    file: Path, keep: str | None, trust_edits: bool, tree: Path, state: Told | None
) -> None:
    """Merge the decisions of FILE into those of a tree: into the last review of the same codemod
    and paths, which --resume then goes on with. It asks about text that was changed by hand."""
    found = read(file)
    if isinstance(found, list):
        _fail(*found)
    folder = _located(tree, state)
    with exclusive(folder) as busy:
        if busy is not None:
            _fail(busy)
        with _sessions(folder, make=True) as sessions:
            into = sessions.newest(found.subject)
            ours = sessions.decisions(into.id, applied=True) if into is not None else []
            merged = merge(ours, found.decisions, keep)
            for conflict in merged.conflicts:
                echo(f"{conflict}", fg="yellow", err=True)
            id = into.id if into is not None else sessions.start(found.subject)
            known = {our.hunk: our.answer for our in ours}
            changed = [
                one if trust_edits or one.answer == known.get(one.hunk) else without_text(one)
                for one in merged.changed
            ]
            sessions.put(id, changed)
            if into is None or (merged.changed and into.state is SessionState.DONE):
                sessions.end(id, SessionState.IMPORTED)
    opened = sum(one not in merged.changed for one in changed)
    if opened:
        text = f"{opened} decision(s) have text that was changed by hand; --resume asks about them"
        echo(text, fg="yellow", err=True)
    text = (
        f"{len(merged.changed)} of {len(found.decisions)} decision(s) taken over into session "
        f"{id}, {len(merged.conflicts)} conflict(s); --resume goes on with them"
    )
    echo(text, err=True)


@dataclass(frozen=True)
class Merged:
    """The decisions that change by a merge, and what is to be said about those that differ."""

    changed: tuple[SavedDecision, ...]
    conflicts: tuple[str, ...]


def merge(ours: list[SavedDecision], theirs: tuple[SavedDecision, ...], keep: str | None) -> Merged:
    """What has to be saved beside ``ours`` so that ``theirs`` hold, too. Of two that differ the one
    to ``keep`` holds, or the newer, or, of the same age, ours."""
    by_id = {decision.hunk: decision for decision in ours}
    changed: list[SavedDecision] = []
    conflicts: list[str] = []
    for their in theirs:
        our = by_id.get(their.hunk)
        if our is None:
            changed.append(their)
        elif our.answer == their.answer:
            new = tuple(d for d in their.surroundings if d not in our.surroundings)
            if new:
                changed.append(replace(our, surroundings=our.surroundings + new))
        else:
            theirs_hold = keep == "theirs" if keep else their.decided > our.decided
            if theirs_hold:
                changed.append(their)
            kept = "theirs" if theirs_hold else "ours"
            why = "" if keep or our.decided == their.decided else ", which is newer"
            conflicts.append(
                f"{our.place}: conflict: {our.rule}: ours is {our.said}; "
                f"theirs is {their.said}; kept {kept}{why}"
            )
    return Merged(tuple(changed), tuple(conflicts))


@contextmanager
def _sessions(folder: StateFolder, make: bool = False) -> Iterator[Sessions]:
    """The sessions of a tree; what goes wrong with them ends the program."""
    database: Database | Problem | None
    database = open_database(folder) if make else existing_database(folder)
    if database is None:
        hint = "a review saves what is decided; or give --tree or --state"
        _fail(Problem(folder.tree, "nothing was decided here yet", hint=hint))
    if isinstance(database, Problem):
        _fail(database)
    try:
        yield Sessions(database)
    except sqlite3.Error as error:
        _fail(database.failure(error))
    finally:
        database.close()


def _chosen(sessions: Sessions, id: int | None) -> Session:
    found = sessions.newest() if id is None else sessions.get(id)
    if found is None:
        path = sessions.database.path
        if id is None:
            _fail(Problem(path, "nothing was decided here yet"))
        _fail(Problem(path, f"there is no session {id}", hint="`pinsetter decisions list` has all"))
    return found


def _described(session: Session) -> str:
    subject = session.subject
    paths = " ".join(shown(path) for path in subject.paths)
    options = "".join(f" {option}" for option in subject.options)
    when = day(int(session.started * 1e6))
    state = session.state.value
    return f"session {session.id}: {subject.codemod}{options} {paths}, {when}, {state}, " \
           f"{session.decided} decided"  # fmt: skip


def _located(tree: Path, state: Told | None) -> StateFolder:
    folder = locate([tree], state)
    if isinstance(folder, Problem):
        _fail(folder)
    print_warnings(folder.remarks())
    return folder


def _fail(*problems: Problem) -> NoReturn:
    for problem in problems:
        echo_problem(problem)
    sys.exit(ExitCode.FAILED)
