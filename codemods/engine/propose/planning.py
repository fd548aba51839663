"""make_plan: from paths and packs to hunks, reports and refusals."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.files.import_groups import Components, Part
from pinsetter.analyzer.files.needed_text import WordSearch
from pinsetter.analyzer.messages.problem import Problem

from ..hunks.marked import MARKED
from ..hunks.proposed import Planned
from ..workers.forking import CAN_FORK
from ..workers.halves import read_by
from ..workers.in_order import ClusterError, Here, Lost, Workers
from ..workers.processes import Processes
from .batches import Taken
from .lone_files import Alone
from .looked_over import looked_over
from .plan_cache import PlanCache, trim
from .plan_options import PlanOptions

if TYPE_CHECKING:
    from pinsetter.analyzer.files.listing import Listing
    from pinsetter.patterns.packs.pack import Pack

    from ..hunks.hunk import Hunk
    from ..workers.in_order import Tell
    from .part_work import Job, PartWork
    from .plan_cache import Kept
    from .scope import Scope
    from .wanted_pack import Wanted

_USUAL = PlanOptions()


def make_plan(
    queries: Sequence[Wanted],
    paths: Iterable[Path],
    skip: frozenset[str] = frozenset(),
    loaded: Callable[[Path], None] | None = None,
    options: PlanOptions = _USUAL,
) -> Planned:
    """Propose hunks for the files and programs below ``paths``: to each program those of the pack
    that is for it. ``loaded`` is told of the files that were read."""
    parts = plans(queries, paths, skip, loaded, options, early=False)
    return together(planned for planned, _ in parts)


def together(parts: Iterable[Planned]) -> Planned:
    """A plan of its parts; the hunks in the order of the files."""
    whole = Planned()
    hunks: list[Hunk] = []
    for planned in parts:
        hunks += whole.add(planned)
    whole.plan.extend(sorted(hunks, key=lambda hunk: hunk.module.path))
    return whole


def plans(
    queries: Sequence[Wanted],
    paths: Iterable[Path] | Components,
    skip: frozenset[str] = frozenset(),
    loaded: Callable[[Path], None] | None = None,
    options: PlanOptions = _USUAL,
    early: bool = True,
) -> Iterator[tuple[Planned, bool]]:
    """The same in parts, each with whether it is the last: first the files that share a program
    with one that speaks of training. Who has read the files already gives them as components.

    The hunks of a file are all in one part. Where programs share modules with many others, those
    of programs that change nothing in these come first, before the others are known, if somebody
    waits for them (``early``).
    """
    components = (
        paths if isinstance(paths, Components) else read_by(options.jobs, paths, options.exclude)
    )
    listing = components.listing
    packs = [query.pack for query in queries]
    trains = any(pack.training_apis for pack in packs)
    only_training = trains and all(pack.training_apis for pack in packs)
    if trains:
        components.look_around(options.whole_programs, only_training)
    ignored = [Path(listing.called(path)) for path in listing.ignored]
    first = Planned(problems=listing.problems, ignored=ignored)
    (first.problems if options.strict else first.notes).extend(listing.passed_over)
    changed = _changed(listing, options)
    if isinstance(changed, Problem):
        first.problems.append(changed)
        yield first, True
        return
    if changed is not None and not changed and listing.shown and options.changed is None:
        what = "is staged" if options.staged else f"changed since {options.since}"
        first.notes.append(Problem(listing.files[0].parent, f"no file {what}"))
    done = not listing.shown or (changed is not None and not changed)
    yield first, done
    if done:
        return
    run = _Run.of(queries, components, skip, loaded, options)
    last = False
    with closing(run):
        if trains:
            parts = _parts(components, only_training, early)
            told = (p for p in parts if changed is None or not changed.isdisjoint(p.files))
            made = _of_programs(run, told, only_training)
        else:
            made = _of_any_code(run, components)
        for planned, last in made:
            yield planned if changed is None else _about(planned, changed), last
    if not last:
        yield Planned(), True


def _changed(listing: Listing, options: PlanOptions) -> Set[Path] | Problem | None:
    """The files that changed, if only they count; None if all do."""
    if options.changed is not None:
        return options.changed.intersection(listing.files)
    if options.since is None and not options.staged:
        return None
    from ..git.changed import changed_files

    return changed_files(listing.files, options.since, options.staged)


def _about(planned: Planned, changed: Set[Path]) -> Planned:
    """What is about changed files, about programs with one in them, and what is required there."""
    files = set(changed)
    for program in planned.programs:
        modules = {module.path for module in program.modules}
        if not modules.isdisjoint(changed):
            files |= modules
    for hunk in planned.plan.hunks:
        if hunk.module.path in changed:
            files |= {required.module.path for required in planned.plan.required_by(hunk)}
    return planned.within(files.__contains__, {hunk.id for hunk in planned.plan.hunks})


@dataclass(frozen=True)
class _Run:
    """What is the same for all parts of a run, and who does them. What does is imported and made
    when there is something to do: in many a run no file has what a rule needs, or all is known."""

    queries: Sequence[Wanted]
    components: Components
    skip: frozenset[str]
    tell: Callable[[Path], None]
    options: PlanOptions

    @classmethod
    def of(
        cls,
        queries: Sequence[Wanted],
        components: Components,
        skip: frozenset[str],
        loaded: Callable[[Path], None] | None,
        options: PlanOptions,
    ) -> _Run:
        heard: set[Path] = set()

        def tell(file: Path) -> None:
            if loaded is not None and file not in heard:
                heard.add(file)
                loaded(file)

        return cls(queries, components, skip, tell, options)

    @property
    def packs(self) -> list[Pack]:
        return [query.pack for query in self.queries]

    @property
    def listing(self) -> Listing:
        return self.components.listing

    @cached_property
    def scope(self) -> Scope:
        from .scope import Scope

        given = self.options
        told_to = (given.include_generated, given.whole_programs, given.writes)
        return Scope(self.listing, *told_to, given.places)

    @cached_property
    def cache(self) -> PlanCache | None:
        from .said_beside import said_beside

        if not self.options.cached:
            return None
        beside = said_beside((rule for pack in self.packs for rule in pack.rules), self.listing)
        scoped = (getattr(self.scope, name) for name in _TOLD)
        told = (sorted(self.skip), *scoped, self.options.bounds, *beside)
        return PlanCache(self.packs, self.components, self.scope, told)

    @cached_property
    def work(self) -> PartWork:
        from .part_work import PartWork

        queries = [query.query for query in self.queries]
        bounds = self.options.bounds
        if self._is_forked:
            bounds = bounds.shared(self.options.jobs)
        return PartWork(queries, self.listing, self.skip, self.scope, bounds, self.cache)

    @property
    def _is_forked(self) -> bool:
        return self.options.executor is None and self.options.jobs != 1 and CAN_FORK

    @cached_property
    def workers(self) -> Workers:
        if self.options.executor is not None:
            return _cluster(self.options.executor, self.work, self.tell, self.components.known)
        if not self._is_forked:
            return Here(self._do, self.tell)
        rules = [rule for pack in self.packs for rule in pack.rules]
        return Processes(self._do_limited, self.tell, self.options.jobs, rules)

    # The work is made for the first job: who is forked to do that has it from here.
    def _do(self, job: Job, tell: Tell) -> list[Planned | None]:
        return self.work(job, tell)

    def _do_limited(self, job: Job, tell: Tell) -> list[Planned | None]:
        return self.work.limited(job, tell)

    def made(
        self, batches: Iterable[Sequence[Part]], done: frozenset[Path] = frozenset()
    ) -> Iterator[tuple[Part, Planned | None]]:
        """What is proposed for parts, in their order; None if a file alone cannot tell. Those of a
        batch are one job."""

        def found(part: Part) -> Kept | None:
            cache = self.cache
            return cache.found(cache.key(part, done)) if cache is not None else None

        def jobs() -> Iterator[tuple[_Batch, Job | None]]:
            for parts in batches:
                kept = [found(part) for part in parts]
                left = tuple(part for part, one in zip(parts, kept, strict=True) if one is None)
                job = self.work.job(left, done) if left else None
                yield _Batch(parts, kept, job), job

        for batch, result in self.workers.each(jobs(), _again):
            if isinstance(result, Lost):
                from .part_work import nothing_of

                assert batch.job is not None
                result = nothing_of(batch.job, result)
            made = iter(result or ())
            for part, kept in zip(batch.parts, batch.kept, strict=True):
                planned = next(made) if kept is None else kept.planned
                for file in part.files:
                    self.tell(file)
                yield part, planned

    def understood(
        self, parts: Iterable[Part], done: frozenset[Path] = frozenset()
    ) -> Iterator[tuple[Part, Planned]]:
        """The same of parts of which none is of a file alone."""
        for part, planned in self.made(([part] for part in parts), done):
            assert planned is not None
            yield part, planned

    def looked_over(
        self, parts: Iterable[Part], done: frozenset[Path] = frozenset()
    ) -> Iterator[tuple[Part, Planned]]:
        """The same of parts that are not analysed."""
        for part in parts:
            yield part, looked_over(part, self.tell, self.listing, self.options.bounds)

    def close(self) -> None:
        self.workers.close()
        if self.options.cached:
            trim()


def _again(job: Job, lost: Lost) -> Job | None:
    from .part_work import without_suspect

    return without_suspect(job, lost)


def _cluster(
    address: str, work: PartWork, tell: Callable[[Path], None], known: frozenset[str]
) -> Workers:
    """Raises ClusterError."""
    from .sent_run import SentJobs, SentRun

    try:
        from ..workers.cluster import Cluster
    except ImportError as error:
        raise ClusterError(f"dask://{address}: {error}; pip install 'pinsetter[dask]'") from error
    beginning = pickle.dumps(SentRun.of(work, known), pickle.HIGHEST_PROTOCOL)
    jobs = SentJobs(work)
    return Cluster(address, beginning, jobs.sent, jobs.received, work, tell)


_TOLD = ("include_generated", "whole_programs", "writes", "places")


@dataclass(frozen=True)
class _Batch:
    parts: Sequence[Part]
    kept: list[Kept | None]
    job: Job | None


def _of_programs(
    run: _Run, parts: Iterable[Part], only_training: bool
) -> Iterator[tuple[Planned, bool]]:
    done: set[Path] = set()
    known: set[str] = set()
    taken = Taken(parts)
    number = 0

    def left(file: Path) -> bool:
        return file not in done

    def kind(part: Part) -> tuple[bool, bool]:
        return part.own is not None, part.speaks or not only_training

    for (early, analysed), alike in groupby(taken, kind):
        if early:
            from .early_hunks import stands_alone

            # Each rests on what those before it settled.
            for unit in alike:
                number += 1
                ((part, planned),) = run.understood([unit], frozenset(done))
                assert part.own is not None
                if stands_alone(planned, part.own, run.packs):
                    planned = planned.within(part.own.__contains__)
                    done |= part.own
                    known.update(hunk.id for hunk in planned.plan.hunks)
                    yield planned, False
            continue
        made = run.understood if analysed else run.looked_over
        for part, planned in made(alike, frozenset(done)):
            number += 1
            if not done.isdisjoint(part.files):
                planned = planned.within(left, known)
            yield planned, taken.are(number)


def _of_any_code(run: _Run, components: Components) -> Iterator[tuple[Planned, bool]]:
    """Each file by itself, if its bytes have the words that the rules need; then those together
    with the files around them for which that is not enough. The others end at their bytes."""
    needed = (query.needed.values() for query in run.queries)
    search = WordSearch(chain(MARKED, *chain.from_iterable(needed)))
    files = components.saying(search)
    places = run.options.places
    if places is not None:
        # What stands elsewhere is of no concern.
        files = [file for file in files if places.are_in(file)]
    beyond = files
    if not any(pack.is_about_programs for pack in run.packs):
        alone = Alone(run.made, components)
        yield from alone.planned(files)
        beyond = alone.beyond
    around = Taken(components.around(beyond))
    for number, (_, planned) in enumerate(run.understood(around), 1):
        yield planned, around.are(number) and not components.has_more
    rest = Taken(components.rest(training=False))
    for number, (_, planned) in enumerate(run.looked_over(rest), 1):
        yield replace(planned, unreached=[]), rest.are(number)


def _parts(components: Components, only_training: bool, early: bool) -> Iterator[Part]:
    if not only_training or components.may_train():
        yield from components.speaking(early)
    if only_training:
        yield from components.rest()
        return
    batch: list[Part] = []
    size = 1
    for group in components.others():
        batch.append(group)
        if sum(len(part.files) for part in batch) >= size:
            yield _joined(batch)
            batch, size = [], min(2 * size, _BATCH)
    if batch:
        yield _joined(batch)


def _joined(parts: Iterable[Part]) -> Part:
    parts = list(parts)
    around = [path for part in parts for path in part.around]
    speaks = any(part.speaks for part in parts)
    files = [path for part in parts for path in part.files]
    unsettled = frozenset[Path]().union(*(part.unsettled for part in parts))
    group = frozenset[str]().union(*(part.group for part in parts))
    return Part(files, None, tuple(around), speaks, unsettled, group)


# Files that do not speak of training are quick; a project for each takes longer than they do. The
# first ones come alone: packs for other code have their hunks there.
_BATCH = 200
