"""What the tests of saved decisions share: a review as far as it goes without a terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewing import plan_of, prepare

from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.journal.destination import Destination
from pinsetter.codemods.engine.journal.write_accepted import write_accepted
from pinsetter.codemods.engine.resume.earlier_decisions import open_session
from pinsetter.codemods.engine.resume.live_session import LiveSession
from pinsetter.codemods.engine.resume.resumed import NOTHING, Earlier
from pinsetter.codemods.engine.running.mode import Mode
from pinsetter.codemods.engine.running.run import Outcome
from pinsetter.codemods.engine.state.database import Database
from pinsetter.codemods.engine.state.decision import SavedDecision
from pinsetter.codemods.engine.state.folder import StateFolder, locate
from pinsetter.codemods.engine.state.opening import open_database, open_runs
from pinsetter.codemods.engine.state.runs import Runs
from pinsetter.codemods.engine.state.sessions import Session, Sessions
from pinsetter.patterns.packs.pack import Pack

RESUME = Earlier(resume=True)


@dataclass
class Run:
    plan: Plan
    decisions: Decisions
    session: LiveSession

    @property
    def asked(self) -> list[Hunk]:
        return [hunk for hunk in self.plan.hunks if not hunk.follows]

    @property
    def open(self) -> list[str]:
        """The rules of the hunks that are not decided."""
        return [hunk.rule for hunk in self.asked if self.decisions.verdict(hunk) is None]

    @property
    def verdicts(self) -> dict[str, bool | None]:
        return {hunk.id: self.decisions.verdict(hunk) for hunk in self.asked}

    @property
    def again(self) -> dict[str, str]:
        """Why hunks are asked about again, by rule."""
        found = self.session.restoring.again
        return {hunk.rule: found[hunk.id] for hunk in self.asked if hunk.id in found}

    @property
    def gone(self) -> list[str]:
        return [decision.rule for decision in self.session.restoring.gone]

    def the(self, rule: str, number: int = 0) -> Hunk:
        return [hunk for hunk in self.asked if hunk.rule == rule][number]

    def accept(self, rule: str, number: int = 0) -> None:
        self.decisions.answer([self.the(rule, number)], True)

    def reject(self, rule: str, number: int = 0) -> None:
        self.decisions.answer([self.the(rule, number)], False)

    def write(self) -> Outcome:
        """Write what is accepted, as the end of a review does."""
        folder = self.session.folder
        planned = Planned(self.plan)
        outcome = Outcome(planned, self.decisions, Mode.REVIEW, session=self.session)
        write_accepted(outcome, Destination(folder, "review"))
        return outcome


def script_in(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return prepare(folder)


def folder_of(path: Path) -> StateFolder:
    folder = locate([path])
    assert isinstance(folder, StateFolder)
    return folder


def begin(
    script: Path, earlier: Earlier = NOTHING, plan: Plan | None = None, packs: Sequence[Pack] = ()
) -> Run:
    """A review of a script, or of what ``plan`` has, with what is restored in it."""
    folder = folder_of(script)
    plan = plan or plan_of(script)
    session = open_session(folder, [script], "review", packs, earlier, reviewing=True)
    assert isinstance(session, LiveSession), session
    decisions = Decisions(plan)
    session.restore(decisions, plan.hunks)
    session.watch(decisions)
    return Run(plan, decisions, session)


def saved(path: Path, applied: bool = True) -> list[SavedDecision]:
    """What the last session has saved, as another process sees it."""
    with_sessions = _sessions(path)
    newest = with_sessions.newest()
    found = with_sessions.decisions(newest.id, applied) if newest is not None else []
    with_sessions.database.close()
    return found


def all_sessions(path: Path) -> list[Session]:
    sessions = _sessions(path)
    found = sessions.all()
    sessions.database.close()
    return found


def edit_file(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, text
    path.write_text(text.replace(old, new))


def _sessions(path: Path) -> Sessions:
    database = open_database(folder_of(path))
    assert isinstance(database, Database)
    return Sessions(database)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Runs]:
    with open_runs([path], None, list) as runs:
        assert isinstance(runs, Runs)
        yield runs
