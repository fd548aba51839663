"""run: a codemod over some paths, from proposal to files, with a summary and an exit code."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.files.import_path import root_of
from pinsetter.analyzer.messages.problem import Problem

from ..console.exit_code import ExitCode as ExitCode
from ..decide.accepted_edits import accepted_edits
from ..decide.decisions import Decisions
from ..decide.lacking import held_back, hold_back, lacking, leave_out
from ..formatting.formatting import Formatting
from ..hunks.proposed import FoundProgram, Planned
from ..journal.destination import USUAL, Destination, Kept
from ..propose.plan_options import PlanOptions
from ..propose.planning import make_plan, together
from ..resume.resumed import NOTHING, Earlier
from ..state.folder import StateFolder, common_folder, locate
from .incoming import Arrivals
from .mode import WRITING
from .mode import Mode as Mode
from .remarks import Remarks

if TYPE_CHECKING:
    from pinsetter.patterns.packs.pack import Pack

    from ..hunks.hunk import Hunk
    from ..resume.live_session import LiveSession
    from ..review import Manner
    from ..stream.scan import Scan
    from .late_query import LateQuery
    from .pack_query import PackQuery

    _OfPlan = tuple[
        Sequence[LateQuery | PackQuery], Sequence[Path], frozenset[str],
        Callable[[Path], None] | None, PlanOptions,
    ]  # fmt: skip


@dataclass
class Outcome:
    """What a run did; ``journalled`` is its id for ``undo``, if it was going to write. ``session``
    has what was decided before, if anything was, or in a review. ``stopped``: the review ended
    before all files were read; ``begun``: it was not refused before the first one;
    ``about_programs``: what was asked for concerns programs. ``allowed`` and ``declined`` are the
    entry scripts of programs that lack something, and that a person wants written all the same, or
    not. ``anew`` is an option that a review took, to begin again with; nothing is written then."""

    planned: Planned
    decisions: Decisions
    mode: Mode
    written: list[Path] = field(default_factory=list)
    failures: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    journalled: int | None = None
    interrupted: bool = False
    unanswered: bool = False
    stopped: bool = False
    begun: bool = True
    about_programs: bool = True
    session: LiveSession | None = None
    allowed: set[Path] = field(default_factory=set)
    declined: set[Path] = field(default_factory=set)
    formatting: Formatting = field(default_factory=Formatting)
    remarks: Remarks = field(default_factory=Remarks)
    anew: str = ""

    @property
    def programs(self) -> list[FoundProgram]:
        return self.planned.programs

    @property
    def exit_code(self) -> ExitCode:
        if self.interrupted:
            return ExitCode.INTERRUPTED
        planned = self.planned
        if planned.problems or planned.faults or planned.refused or self.failures:
            return ExitCode.FAILED
        # Where decisions were given, a check is about what they do not say.
        left = self.planned.plan.hunks if self.session is None else self.decisions.undecided
        if (self.mode is Mode.CHECK and left) or self.unanswered:
            return ExitCode.PROPOSED
        return ExitCode.OK


_PLAN = PlanOptions()


@dataclass(frozen=True)
class RunRequest:
    """What a run is asked. ``loaded`` is told of the files that were read, ``planned`` is called
    before the review, ``show`` with what a patch is to be made of; without it, that is printed.
    ``kept`` says where the journal is, and what the run is called there. Uncommitted changes in
    files to be written are a warning, or, with ``require_clean``, a refusal before anything is
    asked. ``parts`` are those of the plan if they are being made already. ``formatting`` is what
    becomes of accepted lines, ``manner`` how a review asks."""

    queries: Sequence[LateQuery | PackQuery]
    paths: Sequence[Path]
    mode: Mode
    skip: frozenset[str] = frozenset()
    loaded: Callable[[Path], None] | None = None
    planned: Callable[[Planned], None] | None = None
    show: Callable[[Sequence[Hunk], Formatting], None] | None = None
    kept: Kept = USUAL
    options: PlanOptions = _PLAN
    require_clean: bool = False
    earlier: Earlier = NOTHING
    parts: Iterable[tuple[Planned, bool]] | None = None
    formatting: Formatting | None = None
    manner: Manner | None = None

    @property
    def packs(self) -> list[Pack]:
        return [query.pack for query in self.queries]

    @property
    def name(self) -> str:
        return self.kept.codemod or ", ".join(pack.name for pack in self.packs)

    @cached_property
    def below(self) -> list[Path]:
        """Where files may be written: what is taken along lies somewhere in the repositories."""
        whole = self.options.whole_programs
        return [*self.paths, *(root_of(p) for p in self.paths if whole and p.exists())]

    @property
    def is_shown_as_it_comes(self) -> bool:
        """Whether a person is there to begin with the first of what is proposed."""
        return self.mode is Mode.REVIEW and sys.stdin.isatty() and not self.require_clean

    def plan(self) -> Planned:
        """All that is proposed."""
        if self.parts is not None:
            return together(part for part, _ in self.parts)
        return make_plan(*self._of_plan)

    def scan(self) -> Scan:
        """The same, from a process of its own, as it comes."""
        from ..stream.planning_process import in_background
        from ..stream.scan import Scan

        return Scan(self.parts if self.parts is not None else in_background(*self._of_plan))

    @property
    def _of_plan(self) -> _OfPlan:
        options = replace(self.options, writes=self.mode in WRITING)
        return self.queries, self.paths, self.skip, self.loaded, options


def run(request: RunRequest) -> Outcome:
    """Propose, decide and, in the modes that do, write."""
    mode = request.mode
    if mode in (Mode.DIFF, Mode.CHECK) and not request.earlier:
        return _decided(request)
    there = [path for path in request.below if os.path.exists(path)]
    folder = locate(there, request.kept.state)
    if isinstance(folder, Problem):
        return _refused(mode, folder)
    if mode in WRITING and (uncovered := folder.covers(there)) is not None:
        return _refused(mode, uncovered)
    if mode in (Mode.DIFF, Mode.CHECK):
        session = _opened(request, folder)
        if isinstance(session, list):
            return _refused(mode, *session)
        return _decided(request, session)
    from ..journal.write_accepted import admission

    with admission(folder) as (problem, notes):
        session = [problem] if problem is not None else _opened(request, folder)
        if isinstance(session, list):
            outcome = _refused(mode, *session)
        else:
            outcome = _decided(request, session, Destination(folder, request.name))
    outcome.warnings[:0] = notes
    return outcome


def _opened(request: RunRequest, folder: StateFolder) -> LiveSession | list[Problem] | None:
    """The session with what was decided before, or what keeps it from being opened."""
    reviewed = request.mode is Mode.REVIEW
    if not request.earlier and not reviewed:
        return None
    from ..resume.earlier_decisions import open_session

    return open_session(
        folder, request.paths, request.name, request.packs, request.earlier, reviewed
    )


def _decided(
    request: RunRequest,
    session: LiveSession | None = None,
    destination: Destination | None = None,
) -> Outcome:
    hooks = [hook for query in request.queries for hook in query.processors]
    arrivals = Arrivals(hooks, session, common_folder(request.below))
    outcome = Outcome(arrivals.planned, arrivals.decisions, request.mode, session=session)
    outcome.formatting = request.formatting or outcome.formatting
    outcome.about_programs = any(pack.is_about_programs for pack in request.packs)
    scan: Scan | None = None
    try:
        if request.is_shown_as_it_comes:
            if session is not None:
                session.watch(arrivals.decisions)
            from ..review import prepare

            scan = request.scan()
            prepare()
            arrivals.first_of(scan)
        else:
            arrivals.take(request.plan())
            if session is not None and request.mode is Mode.REVIEW:
                session.watch(arrivals.decisions)
        if request.planned is not None:
            request.planned(arrivals.planned)
        if destination is not None and request.require_clean:
            from ..git import uncommitted

            outcome.failures = uncommitted.obstacles(_files(outcome))
            if outcome.failures:
                return outcome
        if request.mode is Mode.REVIEW and not _reviewed(outcome, arrivals, scan, request.manner):
            return outcome
        if session is not None and not outcome.stopped:
            _account(outcome, session, request.earlier)
        _carry_out(outcome, request.show, destination)
        return outcome
    finally:
        if scan is not None:
            scan.stop()
        if session is not None:
            session.close()


def _refused(mode: Mode, *problems: Problem) -> Outcome:
    planned = Planned()
    decisions = Decisions(planned.plan)
    return Outcome(planned, decisions, mode, failures=list(problems), begun=False)


def _reviewed(
    outcome: Outcome, arrivals: Arrivals, scan: Scan | None, manner: Manner | None
) -> bool:
    """Ask about every hunk, also of the files that are still being read; whether what was accepted
    is to be applied."""
    from ..review import Closing, End, Manner, Offers, review
    from ..state.sessions import SessionState
    from .file_states import FileStates

    session = outcome.session
    outcome.remarks.tell(outcome.planned)
    states, offers = FileStates(outcome.planned.plan), Offers(outcome.planned)
    ended = review(
        outcome.planned.plan,
        outcome.decisions,
        more=None if scan is None or scan.done else functools.partial(arrivals.more_of, scan),
        keep=session.keep if session is not None else None,
        closing=Closing(
            lambda: lacking(outcome.programs, outcome.decisions, outcome.allowed),
            outcome.allowed,
            outcome.declined,
            lambda: held_back(outcome),
        ),
        manner=manner or Manner(),
        before=states.tell,
        offers=offers,
    )
    outcome.anew = offers.taken
    outcome.stopped = scan is not None and not scan.done
    if session is not None:
        ends = {
            End.DONE: SessionState.DONE,
            End.UNANSWERED: SessionState.UNANSWERED,
            End.ABANDONED: SessionState.INTERRUPTED,
        }
        session.end(ends.get(ended, SessionState.QUIT))
        if session.problem is not None:
            outcome.failures.append(session.problem)
    outcome.interrupted = ended is End.ABANDONED
    outcome.unanswered = ended is End.UNANSWERED
    return ended not in (End.ABANDONED, End.DECLINED, End.ANEW)


def _carry_out(
    outcome: Outcome,
    show: Callable[[Sequence[Hunk], Formatting], None] | None,
    destination: Destination | None,
) -> None:
    """Print or write what was accepted; without a review, and without decisions that were given,
    that is everything."""
    decisions, session = outcome.decisions, outcome.session
    if outcome.mode is not Mode.REVIEW and session is None:
        for hunk in outcome.planned.plan.hunks:
            if not hunk.follows and decisions.verdict(hunk) is None:
                decisions.accept(hunk)
    if outcome.mode is not Mode.CHECK:
        hold_back(outcome)
    if outcome.mode is Mode.DIFF and decisions.accepted:
        from .patch import print_patch, unfit

        for module, edits in accepted_edits(outcome).items():
            formatted = outcome.formatting.edits(module, edits)
            if (problem := unfit(module.source, formatted)) is not None:
                leave_out(outcome, module, problem)
        (show or print_patch)(decisions.accepted, outcome.formatting)
    elif destination is not None:
        from ..git import uncommitted
        from ..journal.write_accepted import write_accepted

        uncommitted.warn([module.path for module in accepted_edits(outcome)])
        write_accepted(outcome, destination)
    outcome.warnings.extend(outcome.formatting.remarks)


def _files(outcome: Outcome) -> list[Path]:
    """The files for which there are hunks."""
    return [module.path for module in outcome.planned.plan.by_module()]


def _account(outcome: Outcome, session: LiveSession, earlier: Earlier) -> None:
    """Say what became of decisions that were to be found again and were not."""
    from ..resume.earlier_decisions import gone, unknown

    if earlier.file is None:
        outcome.warnings.extend(gone(session))
        return
    lost, others = unknown(session, earlier.file)
    wanted = outcome.mode in (Mode.WRITE, Mode.DIFF)
    (outcome.failures if wanted else outcome.warnings).extend(lost)
    outcome.warnings.extend(others)
