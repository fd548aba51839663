"""make_plan: from paths and packs to hunks, reports and refusals."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path

from pinsetter.analyzer.files.import_groups import Components, Part
from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.files.needed_text import WordSearch
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.roles.speaking import components_of
from pinsetter.patterns.packs.pack import Pack

from ..git.changed import changed_files
from ..hunks.hunk import Hunk
from ..hunks.proposed import Planned
from ..hunks.suppression import MARKED
from ..workers.forking import CAN_FORK
from ..workers.in_order import ClusterError, Here, Lost, Workers
from ..workers.processes import Processes
from .all_or_none import said_beside
from .alone import Alone
from .batches import Taken
from .looked_over import looked_over
from .part_work import Job, PartWork, nothing_of, without_suspect
from .plan_cache import Kept, PlanCache
from .plan_options import PlanOptions
from .rule_query import RuleQuery
from .scope import Scope
from .sent_run import SentJobs, SentRun
from .setting import is_about_programs
from .shown_early import stands_alone

_USUAL = PlanOptions()


def make_plan(
    queries: Sequence[RuleQuery],
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
    queries: Sequence[RuleQuery],
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
    components = paths if isinstance(paths, Components) else components_of(paths, options.exclude)
    listing = components.listing
    packs = [query.pack for query in queries]
    if any(pack.training_apis for pack in packs):
        components.look_around(options.whole_programs)
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
        if any(pack.training_apis for pack in packs):
            only_training = all(pack.training_apis for pack in packs)
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
    """What is the same for all parts of a run, and who does them."""

    work: PartWork
    tell: Callable[[Path], None]
    workers: Workers

    @classmethod
    def of(
        cls,
        queries: Sequence[RuleQuery],
        components: Components,
        skip: frozenset[str],
        loaded: Callable[[Path], None] | None,
        options: PlanOptions,
    ) -> _Run:
        listing, bounds = components.listing, options.bounds
        told_to = (options.include_generated, options.whole_programs, options.writes)
        scope = Scope(listing, *told_to, options.places)
        rules = [rule for query in queries for rule in query.pack.rules]
        beside = said_beside(rules, listing)
        told = (sorted(skip), *(getattr(scope, name) for name in _TOLD), bounds, *beside)
        cache = PlanCache(queries, components, scope, told) if options.cached else None
        heard: set[Path] = set()

        def tell(file: Path) -> None:
            if loaded is not None and file not in heard:
                heard.add(file)
                loaded(file)

        work = PartWork(queries, listing, skip, scope, bounds, cache)
        if options.executor is not None:
            return cls(work, tell, _cluster(options.executor, work, tell, components.known))
        if options.jobs == 1 or not CAN_FORK:
            return cls(work, tell, Here(work, tell))
        shared = replace(work, bounds=bounds.shared(options.jobs))
        return cls(work, tell, Processes(shared.limited, tell, options.jobs, rules))

    @property
    def packs(self) -> list[Pack]:
        return [query.pack for query in self.work.queries]

    @property
    def listing(self) -> Listing:
        return self.work.listing

    def made(
        self, batches: Iterable[Sequence[Part]], done: frozenset[Path] = frozenset()
    ) -> Iterator[tuple[Part, Planned | None]]:
        """What is proposed for parts, in their order; None if a file alone cannot tell. Those of a
        batch are one job."""
        cache = self.work.cache

        def found(part: Part) -> Kept | None:
            return cache.found(cache.key(part, done)) if cache is not None else None

        def jobs() -> Iterator[tuple[_Batch, Job | None]]:
            for parts in batches:
                kept = [found(part) for part in parts]
                left = tuple(part for part, one in zip(parts, kept, strict=True) if one is None)
                job = Job(left, done) if left else None
                yield _Batch(parts, kept, job), job

        for batch, result in self.workers.each(jobs(), without_suspect):
            if isinstance(result, Lost):
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
            yield part, looked_over(part, self.tell, self.listing, self.work.bounds)

    def close(self) -> None:
        self.workers.close()
        if self.work.cache is not None:
            self.work.cache.trim()


def _cluster(
    address: str, work: PartWork, tell: Callable[[Path], None], known: frozenset[str]
) -> Workers:
    """Raises ClusterError."""
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
    needed = (query.needed.values() for query in run.work.queries)
    search = WordSearch(chain(MARKED, *chain.from_iterable(needed)))
    files = components.saying(search)
    places = run.work.scope.places
    if places is not None:
        # What stands elsewhere is of no concern.
        files = [file for file in files if places.are_in(file)]
    beyond = files
    if not any(map(is_about_programs, run.packs)):
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
