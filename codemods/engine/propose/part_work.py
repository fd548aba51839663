"""PartWork: what is proposed for parts of a run; what a worker does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.bounds import Bounds
from pinsetter.analyzer.files.import_groups import Part
from pinsetter.analyzer.files.import_path import real_path
from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.lone_file import AskedBeyondError, Nearby
from pinsetter.analyzer.names.project import Project

from ..hunks.proposed import Planned
from ..hunks.validity import invalid_hunks
from ..watchdog.attempt import attempt
from ..watchdog.hard_limit import limit_processor_time
from ..workers.in_order import Lost, Tell
from .faults import fault_of_hunk
from .left_alone import without_left
from .near_files import NearFiles
from .plan_cache import Asked, PlanCache
from .proposals import agreed
from .proposing import proposed
from .resolving import resolved
from .rule_query import RuleQuery
from .scope import Scope
from .setting import Setting

# What ends so many workers is not wrong with the files.
_MOST = 8
_HINT = "run again with --jobs 1 to see what it says; .pinsetterignore leaves a file out"


@dataclass(frozen=True, eq=False)
class Job:
    """Parts that one worker is given together. ``done``: files for which what is proposed stays.
    ``lost`` are those that ended a worker, by their resolved paths."""

    parts: tuple[Part, ...]
    done: frozenset[Path] = frozenset()
    lost: Mapping[Path, Problem] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        return [file for part in self.parts for file in part.files]


@dataclass(frozen=True)
class PartWork:
    """What all parts of a run have in common, and what is made of each."""

    queries: Sequence[RuleQuery]
    listing: Listing
    skip: frozenset[str]
    scope: Scope
    bounds: Bounds
    cache: PlanCache | None = None
    near: NearFiles = field(default_factory=NearFiles)

    def job(self, parts: tuple[Part, ...], done: frozenset[Path]) -> Job:
        return Job(parts, done)

    def __call__(self, job: Job, tell: Tell) -> list[Planned | None]:
        """What is proposed for each part, as far as its files are understood; None if a file alone
        cannot tell. The files that were read are told."""
        return [self._made(part, job, tell) for part in job.parts]

    def limited(self, job: Job, tell: Tell) -> list[Planned | None]:
        """The same, in a process that may be ended by it."""
        files = (*job.files, *(file for part in job.parts for file in part.around))
        limit_processor_time(sum(self.bounds.seconds_for(_size(file)) for file in files))
        return self(job, tell)

    def _made(self, part: Part, job: Job, tell: Tell) -> Planned | None:
        cache, files = self.cache, part.files
        key = cache.key(part, job.done) if cache is not None else ""
        first = True

        def make(broken: Mapping[Path, Problem]) -> Planned | None:
            nonlocal first
            if part.alone:
                planned, asked = self._made_alone(part, job, broken)
            else:
                heard = tell if first else None
                project = Project(files, heard, self.listing, broken, part.around, self.bounds)
                try:
                    planned, asked = self._planned(project, job), _asked_of(project)
                finally:  # what is done again has trees of its own
                    for module in project.modules:
                        module.forget()
            first = False
            # What changed meanwhile was perhaps read before, and perhaps after.
            if cache is not None and not broken and cache.key(part, job.done) == key:
                cache.keep(key, part, asked, planned)
            return planned

        made = attempt(make, files[0], self.bounds, job.lost)
        if part.alone:  # who is told first of what is done may know what was not
            for file in files:
                tell(file)
        if isinstance(made, Problem):
            return _nothing(files, made)
        return made

    def _planned(self, project: Project, job: Job) -> Planned:
        return _planned(Setting(self.queries, project, self.skip, self.scope, job.done))

    def _made_alone(
        self, part: Part, job: Job, broken: Mapping[Path, Problem]
    ) -> tuple[Planned | None, Asked]:
        """What is proposed for a file, with the few that it asks about; None if these do not tell.
        And what was asked for."""
        near = Nearby(partial(self.near.module, listing=self.listing, bounds=self.bounds),
                      part.said, part.called, part.most_near)  # fmt: skip
        asked_for: Path | None = None
        try:
            if any(near.read(path) is None for path in part.near):
                return None, Asked(part.near)
            while True:
                project = Project(part.files, None, self.listing, broken, (), self.bounds, near)
                try:
                    planned = self._planned(project, job)
                    planned.assumed = dict(near.assumed)
                    planned.near = tuple(module.real for module in near.modules)
                    return planned, _asked_of(project)
                except AskedBeyondError as beyond:
                    asked_for = beyond.path
                finally:
                    for module in project.own:
                        module.forget()
                if asked_for is None or near.read(asked_for) is None:
                    return None, _asked_of(project)
        finally:
            self.near.let_go(near.modules)


def without_suspect(job: Job, lost: Lost) -> Job | None:
    """A job that ended its worker, without the file that it was at; None if that is not known."""
    told = {*map(real_path, lost.told), *job.lost}
    suspect = next((file for file in job.files if real_path(file) not in told), None)
    if suspect is None or len(job.lost) == _MOST:
        return None
    problem = Problem(suspect, f"not understood: its process {lost.how}", hint=_HINT)
    return replace(job, lost={**job.lost, real_path(suspect): problem})


def nothing_of(job: Job, lost: Lost) -> list[Planned | None]:
    """What is proposed for the parts of a job that nobody can do."""
    reason = f"not understood: the process of its analysis {lost.how}"
    return [_nothing(part.files, Problem(part.files[0], reason, hint=_HINT)) for part in job.parts]


def _asked_of(project: Project) -> Asked:
    return Asked(project.names.keys(), project.located)


def _size(file: Path) -> int:
    try:
        with disk.opened(file) as (_, size):
            return size
    except OSError:
        return 0  # it is said when it is read


def _nothing(files: list[Path], problem: Problem) -> Planned:
    others = f"; nothing is proposed for {len(files)} files" if len(files) > 1 else ""
    return Planned(files=files, problems=[replace(problem, reason=problem.reason + others)])


def _planned(setting: Setting) -> Planned:
    outcomes, faults = proposed(setting)
    outcomes, followers = without_left(outcomes, setting.skip)
    followers |= {id(program) for program in setting.followers}
    outcomes = agreed(outcomes, setting.programs_of, followers)
    while True:
        concerned = [fault for fault in faults if fault.concerns(setting.skip)]
        planned = resolved(setting, outcomes, concerned, followers)
        invalid = invalid_hunks(planned.plan)
        if not invalid:
            return planned
        # What cannot be proposed may be required by others, or essential for a program.
        left = [outcome.without(invalid) for outcome in outcomes]
        assert sum(len(o.applications) for o in left) < sum(len(o.applications) for o in outcomes)
        outcomes = left
        faults += map(fault_of_hunk, invalid)
