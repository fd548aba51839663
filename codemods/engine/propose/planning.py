"""make_plan: from paths and packs to hunks, reports and refusals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from pinsetter.analyzer.files.bounds import USUAL, Bounds
from pinsetter.analyzer.files.import_groups import Components, Part
from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.files.needed_text import WordSearch
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.project import AskedBeyondError, Project
from pinsetter.analyzer.roles.speaking import components_of
from pinsetter.patterns.matching.pattern_words import text_needed_by
from pinsetter.patterns.packs.pack import Pack

from ..hunks.hunk import Hunk
from ..hunks.proposed import Planned
from ..hunks.suppression import MARKED
from ..hunks.validity import invalid_hunks
from ..watchdog.attempt import attempt
from .faults import fault_of_hunk
from .left_alone import without_left
from .looked_over import looked_over
from .plan_cache import PlanCache
from .proposals import agreed
from .proposing import proposed
from .resolving import resolved
from .rule_query import RuleQuery
from .scope import Scope
from .setting import Setting, is_about_programs
from .shown_early import stands_alone


def make_plan(
    queries: Sequence[RuleQuery],
    paths: Iterable[Path],
    skip: frozenset[str] = frozenset(),
    loaded: Callable[[Path], None] | None = None,
    include_generated: bool = False,
    whole_programs: bool = False,
    writes: bool = False,
    bounds: Bounds = USUAL,
    cached: bool = False,
) -> Planned:
    """Propose hunks for the files and programs below ``paths``: to each program those of the pack
    that is for it. ``Scope`` says what most of the rest mean; ``cached``: what an earlier run found
    for the same is taken, and what is found kept (``PlanCache``)."""
    whole = Planned()
    hunks: list[Hunk] = []
    told = (include_generated, whole_programs, writes, bounds, cached)
    for planned, _ in plans(queries, paths, skip, loaded, *told):
        hunks += whole.add(planned)
    order = {path: number for number, path in enumerate(sorted(whole.files))}
    whole.plan.extend(sorted(hunks, key=lambda hunk: order[hunk.module.path]))
    return whole


def plans(
    queries: Sequence[RuleQuery],
    paths: Iterable[Path] | Components,
    skip: frozenset[str] = frozenset(),
    loaded: Callable[[Path], None] | None = None,
    include_generated: bool = False,
    whole_programs: bool = False,
    writes: bool = False,
    bounds: Bounds = USUAL,
    cached: bool = False,
) -> Iterator[tuple[Planned, bool]]:
    """The same in parts, each with whether it is the last: first the files that share a program
    with one that speaks of training. Who has read the files already gives them as components.

    The hunks of a file are all in one part. Where programs share modules with many others, those
    of programs that change nothing in these come first, before the others are known.
    """
    components = paths if isinstance(paths, Components) else components_of(paths)
    listing = components.listing
    scope = Scope(listing, include_generated, whole_programs, writes)
    if any(query.pack.training_api for query in queries):
        components.look_around(whole_programs)
    ignored = [Path(listing.called(path)) for path in listing.ignored]
    yield Planned(problems=listing.problems, ignored=ignored), not listing.shown
    told = (sorted(skip), include_generated, whole_programs, writes, bounds)
    cache = PlanCache(queries, components, scope, told) if cached else None
    run = _Run(queries, listing, skip, scope, bounds, cache, loaded)
    packs = [query.pack for query in queries]
    if not listing.shown:
        return
    if any(pack.training_api for pack in packs):
        yield from _of_programs(run, components, all(pack.training_api for pack in packs))
    else:
        yield from _of_any_code(run, components)


@dataclass(frozen=True)
class _Run:
    """What is the same for all parts of a run."""

    queries: Sequence[RuleQuery]
    listing: Listing
    skip: frozenset[str]
    scope: Scope
    bounds: Bounds
    cache: PlanCache | None
    loaded: Callable[[Path], None] | None

    @property
    def packs(self) -> list[Pack]:
        return [query.pack for query in self.queries]


def _of_programs(
    run: _Run, components: Components, only_training: bool
) -> Iterator[tuple[Planned, bool]]:
    done: set[Path] = set()
    known: set[str] = set()

    def left(file: Path) -> bool:
        return file not in done

    def tell(file: Path) -> None:
        if run.loaded is not None and left(file):
            run.loaded(file)

    parts = _parts(components, only_training)
    part = next(parts, None)
    while part is not None:
        planned = _understood(run, part, None if part.own is not None else tell, done)
        if part.own is not None:
            if stands_alone(planned, part.own, run.packs):
                planned = planned.within(part.own.__contains__)
                for file in planned.files:
                    tell(file)
                done |= part.own
                known.update(hunk.id for hunk in planned.plan.hunks)
                yield planned, False
            part = next(parts)
            continue
        if not done.isdisjoint(part.files):
            planned = planned.within(left, known)
        part = next(parts, None)
        yield planned, part is None


def _of_any_code(run: _Run, components: Components) -> Iterator[tuple[Planned, bool]]:
    """Each file by itself, if its bytes have the words that the rules need; then those together
    with the files around them for which that is not enough. The others end at their bytes."""
    search = WordSearch(chain(MARKED, *map(text_needed_by, run.packs)))
    files = components.saying(search)
    beyond: list[str] = []
    if any(map(is_about_programs, run.packs)):
        beyond = files
    else:
        for part in components.alone(files):
            run.listing.name_alike(*part.group)
            planned = _made(run, part, run.loaded)
            if planned is None:
                beyond += part.group
            else:
                yield planned, False
    for part in components.around(beyond):
        yield _understood(run, part, run.loaded), False
    for part in components.rest(training=False):
        yield replace(looked_over(part, run.loaded, run.listing, run.bounds), unreached=[]), False
    yield Planned(), True


def _parts(components: Components, only_training: bool) -> Iterator[Part]:
    if not only_training or components.may_train():
        yield from components.speaking()
    if only_training:
        yield from components.rest()
        return
    batch: list[Part] = []
    size = 1
    for group in components.others():
        batch.append(group)
        if sum(len(part.files) for part in batch) >= size:
            yield _together(batch)
            batch, size = [], min(2 * size, _BATCH)
    if batch:
        yield _together(batch)


def _together(parts: Iterable[Part]) -> Part:
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


def _understood(
    run: _Run,
    part: Part,
    loaded: Callable[[Path], None] | None,
    done: Collection[Path] = (),
) -> Planned:
    """What is proposed for files that share programs, as far as they are understood."""
    if not part.speaks and all(pack.training_api for pack in run.packs):
        return looked_over(part, loaded, run.listing, run.bounds)
    planned = _made(run, part, loaded, done)
    assert planned is not None  # only of a file alone can be asked too much
    return planned


def _made(
    run: _Run,
    part: Part,
    loaded: Callable[[Path], None] | None,
    done: Collection[Path] = (),
) -> Planned | None:
    """The same; None if a file alone cannot tell."""
    cache, files = run.cache, part.files
    key = cache.key(part, done) if cache is not None else ""
    kept = cache.found(key) if cache is not None else None
    if kept is not None:
        if loaded is not None:
            for file in files:
                loaded(file)
        return kept.planned

    def make(broken: Mapping[Path, Problem]) -> Planned | None:
        heard = None if broken else loaded
        project = Project(
            files, heard, run.listing, broken, part.around, run.bounds, alone=part.alone
        )
        try:
            planned = _planned(Setting(run.queries, project, run.skip, run.scope, done))
        except AskedBeyondError:
            planned = None
        for module in project.modules:
            module.forget()
        # What changed meanwhile was perhaps read before, and perhaps after.
        if cache is not None and not broken and cache.key(part, done) == key:
            cache.keep(key, part, project, planned)
        return planned

    made = attempt(make, files[0], run.bounds)
    if isinstance(made, Problem):
        others = f"; nothing is proposed for {len(files)} files" if len(files) > 1 else ""
        return Planned(files=files, problems=[replace(made, reason=made.reason + others)])
    return made


def _planned(setting: Setting) -> Planned:
    outcomes, faults = proposed(setting)
    outcomes = agreed(without_left(outcomes, setting.skip), setting.programs_of)
    while True:
        planned = resolved(setting, outcomes, [f for f in faults if f.concerns(setting.skip)])
        invalid = invalid_hunks(planned.plan)
        if not invalid:
            return planned
        # What cannot be proposed may be required by others, or essential for a program.
        left = [outcome.without(invalid) for outcome in outcomes]
        assert sum(len(o.applications) for o in left) < sum(len(o.applications) for o in outcomes)
        outcomes = left
        faults += map(fault_of_hunk, invalid)
