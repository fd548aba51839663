"""open_session: what follows from decisions that were taken before."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.messages.problem import Problem

from ..console.terminal import echo, echo_problem
from ..state.decision import SavedDecision, day, stored
from ..state.exchange import hunk_lines, read
from ..state.opening import existing_database
from ..state.pieces import REST
from ..state.sessions import Session, Sessions, SessionState, Subject
from .live_session import LiveSession
from .restoring import took
from .resumed import LOOK, Earlier

if TYPE_CHECKING:
    from pinsetter.patterns.packs.pack import Pack

    from ..hunks.hunk import Hunk
    from ..state.database import Database
    from ..state.folder import StateFolder


def open_session(
    folder: StateFolder,
    paths: Sequence[Path],
    codemod: str,
    packs: Sequence[Pack],
    earlier: Earlier,
    reviewing: bool,
) -> LiveSession | list[Problem]:
    """The session of a run, with what is to be restored in it; Problems say why there is none.
    Nothing is saved before the first answer, and only in a review."""
    given = tuple(sorted({stored(folder, path) for path in paths}))
    subject = Subject(codemod.replace("_", "-"), given, earlier.options)
    if earlier.file is not None:
        found = read(earlier.file)
        if isinstance(found, list):
            return found
        return LiveSession(
            folder, subject, packs, found.decisions, say=_say_again,
            only_proposed=not earlier.trust_edits,
        )  # fmt: skip
    database = existing_database(folder)
    if isinstance(database, Problem):
        return [database]
    if database is None:
        return _resumed(folder, subject, packs, None, earlier, reviewing)
    try:
        return _resumed(folder, subject, packs, database, earlier, reviewing)
    except sqlite3.Error as error:
        return [database.failure(error)]
    finally:
        database.close()


def _resumed(
    folder: StateFolder,
    subject: Subject,
    packs: Sequence[Pack],
    database: Database | None,
    earlier: Earlier,
    reviewing: bool,
) -> LiveSession | list[Problem]:
    sessions = Sessions(database) if database is not None else None
    newest = sessions.newest(subject) if sessions is not None else None
    if not earlier.resume:
        if newest is not None and newest.decided and newest.state is not SessionState.DONE:
            _say_unfinished(newest)
        return LiveSession(
            folder, subject, packs, reviewing=True, say=_say_again, failed=_say_unsaved
        )
    if sessions is None or newest is None:
        if not reviewing:
            reason = f"no decisions on {subject.codemod} are saved for these paths"
            hint = "`pinsetter decisions list` shows what is saved; a review saves them"
            return [Problem(folder.tree, reason, hint=hint)]
        echo("There is no review to go on with; this begins one.", err=True)
        return LiveSession(
            folder, subject, packs, reviewing=True, say=_say_again, failed=_say_unsaved
        )
    saved = sessions.decisions(newest.id)
    known = sessions.decisions(newest.id, applied=True)
    if reviewing:
        _say_going_on(newest, earlier)
        sessions.reopen(newest.id, earlier.options)
    return LiveSession(
        folder, subject, packs, saved, known, newest.id, reviewing, _say_again, _say_unsaved
    )


def unknown(session: LiveSession, file: Path) -> tuple[list[Problem], list[Problem]]:
    """The decisions of a file that the run does not propose, or not with their text: those that
    were to be applied, and the others."""
    gone, by_hand = session.restoring.gone, session.restoring.by_hand
    lines = hunk_lines(file) if gone or by_hand else {}
    lost: list[Problem] = []
    others: list[Problem] = []
    for decision in by_hand:
        reason = f"{_named(decision)} has text that was changed by hand; it is not taken over"
        hint = f"look at it: {LOOK.format(file)}; or --trust-edits"
        lost.append(Problem(file, reason, lines.get(decision.hunk, 0), hint=hint))
    for decision in gone:
        reason = f"{_named(decision)} is {decision.verdict.value}, but not proposed"
        line = lines.get(decision.hunk, 0)
        if took(decision):
            hint = "it is applied already, or its code is gone"
            lost.append(Problem(file, reason, line, hint=hint))
        elif not decision.hunk.endswith(REST):
            others.append(Problem(file, f"note: {reason}", line))
    return lost, others


def gone(session: LiveSession) -> list[Problem]:
    """A note for each decision on a hunk that is proposed no more."""
    return [
        Problem(
            Path(decision.place.rpartition(":")[0]),
            f"note: {decision.rule}: {decision.said}, and proposed no more",
            decision.line,
        )
        for decision in session.restoring.gone
    ]


def _named(decision: SavedDecision) -> str:
    return f"the hunk {decision.hunk} ({decision.rule}, {decision.place})"


def _counted(session: Session) -> str:
    return "1 hunk was" if session.decided == 1 else f"{session.decided} hunks were"


def _when(session: Session) -> str:
    return day(int(session.started * 1e6))


def _say_unfinished(session: Session) -> None:
    echo(
        f"{_counted(session)} decided in a review that was not finished, since {_when(session)}; "
        f"--resume goes on with it.", fg="yellow", err=True,
    )  # fmt: skip


def _say_going_on(session: Session, earlier: Earlier) -> None:
    text = f"Going on with the review of {_when(session)}: {_counted(session)} decided."
    if session.subject.options != earlier.options:
        before = " ".join(session.subject.options) or "no options"
        text += f" It was run with {before}, this is with {' '.join(earlier.options) or 'none'}."
    echo(text, err=True)


def _say_again(hunk: Hunk, why: str, rejected: bool) -> None:
    how = "rejected" if rejected else "not decided any more"
    echo(f"{hunk.place}: {hunk.rule}: {how}: {why}", fg="yellow", err=True)


def _say_unsaved(problem: Problem) -> None:
    echo_problem(problem)
    echo("Answers are not saved until that is mended.", fg="red", err=True)
