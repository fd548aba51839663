"""make_plan: from paths and packs to hunks, reports and refusals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.bounds import USUAL, Bounds, TooLarge
from pinsetter.analyzer.files.import_groups import Components, Part
from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.files.source import Source
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.programs.programs import Program
from pinsetter.analyzer.roles.speaking import components_of
from pinsetter.patterns.applying.module_rules import Report
from pinsetter.patterns.packs.pack import Pack, bundled, load

from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from ..hunks.proposed import FoundProgram, ParsedFile, Planned
from ..hunks.suppression import Suppressed, complaints
from ..hunks.validity import invalid_hunks
from ..watchdog.attempt import attempt
from ..watchdog.watch import ExceededError
from .faults import Fault, fault_of_hunk, reports_of
from .left_alone import without_left
from .make_hunks import hunks_of, why_unmet, without_rules, without_unmet
from .proposals import Proposal, agreed, proposal_of, started
from .reach import Reach
from .refusals import (
    left_by,
    not_for,
    refusal,
    skipped_essential,
    with_essential,
    without_essential,
)
from .requirements import with_requirements
from .rule_query import RuleQuery
from .scope import GENERATED, Scope
from .shown_early import stands_alone
from .whole_programs import Whole
from .withheld import Withheld, incomplete, left_out_notes


def make_plan(
    queries: Sequence[RuleQuery],
    paths: Iterable[Path],
    skip: frozenset[str] = frozenset(),
    loaded: Callable[[Path], None] | None = None,
    include_generated: bool = False,
    whole_programs: bool = False,
    writes: bool = False,
    bounds: Bounds = USUAL,
) -> Planned:
    """Propose hunks for the files and programs below ``paths``: to each program those of the pack
    that is for it. ``Scope`` says what the last but one mean."""
    whole = Planned()
    hunks: list[Hunk] = []
    told = (include_generated, whole_programs, writes, bounds)
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
    done: set[Path] = set()
    known: set[str] = set()

    def left(file: Path) -> bool:
        return file not in done

    def tell(file: Path) -> None:
        if loaded is not None and left(file):
            loaded(file)

    parts = _parts(components)
    part = next(parts, None)
    while part is not None:
        alone = part.own is not None
        planned = _understood(
            queries, part, listing, skip, None if alone else tell, scope, done, bounds
        )
        if part.own is not None:
            if stands_alone(planned, part.own, [query.pack for query in queries]):
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


def _parts(components: Components) -> Iterator[Part]:
    yield from components.speaking()
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
    return Part([path for part in parts for path in part.files], around=tuple(around), speaks=False)


# Files that do not speak of training are quick; a project for each takes longer than they do. The
# first ones come alone: packs for other code have their hunks there.
_BATCH = 200


def _understood(
    queries: Sequence[RuleQuery],
    part: Part,
    listing: Listing,
    skip: frozenset[str],
    loaded: Callable[[Path], None] | None,
    scope: Scope,
    done: Collection[Path],
    bounds: Bounds,
) -> Planned:
    """What is proposed for files that share programs, as far as they are understood."""

    def make(broken: Mapping[Path, Problem]) -> Planned:
        heard = None if broken else loaded
        project = Project(part.files, heard, listing, broken, part.around, bounds)
        planned = _planned(queries, project, skip, scope, done)
        for module in project.modules:
            module.forget()
        return planned

    files = part.files
    made = attempt(make, files[0], bounds)
    if isinstance(made, Problem):
        others = f"; nothing is proposed for {len(files)} files" if len(files) > 1 else ""
        return Planned(files=files, problems=[replace(made, reason=made.reason + others)])
    if not part.speaks and all(query.pack.training_api for query in queries):
        # What was generated as data is in many repositories, and in no program.
        made.notes += [one for one in made.problems if isinstance(one, TooLarge)]
        made.problems = [one for one in made.problems if not isinstance(one, TooLarge)]
    return made


def _planned(
    queries: Sequence[RuleQuery],
    project: Project,
    skip: frozenset[str],
    scope: Scope,
    done: Collection[Path] = (),
) -> Planned:
    """``done``: what is proposed for these files stays, and for the programs that start there."""
    facts = Facts(project, classes={name for query in queries for name in query.pack.classes})
    programs = scope.asked(facts.programs.all)
    facts.programs.left = frozenset(facts.programs.all) - frozenset(programs)
    packs = [query.pack for query in queries]
    mixed = {program: p for program in programs if (p := not_for(packs, program)) is not None}
    given = [module for module in dict.fromkeys(project.given) if scope.is_given(module)]
    outcomes: list[Proposal] = []
    faults: list[Fault] = []

    def propose(query: RuleQuery, to: list[Program], modules: Iterable[Module]) -> list[Proposal]:
        made = [proposal_of(query, module, facts, scope) for module in modules]
        faults.extend(one for one in made if isinstance(one, Fault))
        return [replace(one, programs=to) for one in made if not isinstance(one, Fault)]

    for query in queries:
        chosen = [p for p in programs if query.pack.training_api in (None, p.training_api)]
        first = propose(query, chosen, _tried(query.pack, chosen, given))
        outcomes += first
        outcomes += propose(query, chosen, _besides(query.pack, chosen, first, scope))
    for begun in started(outcomes, queries, programs, facts, scope):
        if isinstance(begun, Fault):
            faults.append(begun)
        else:
            outcomes.append(begun)
    for outcome in outcomes:
        _refuse_too_many(outcome, project.bounds)
    faults += [fault for outcome in outcomes for fault in outcome.faults]
    outcomes = agreed(without_left(outcomes, skip), facts)
    while True:
        found = [fault for fault in faults if fault.concerns(skip)]
        planned = _resolved(queries, project, skip, scope, done, facts, mixed, outcomes, found)
        invalid = invalid_hunks(planned.plan)
        if not invalid:
            return planned
        # What cannot be proposed may be required by others, or essential for a program.
        left = [outcome.without(invalid) for outcome in outcomes]
        assert sum(len(o.applications) for o in left) < sum(len(o.applications) for o in outcomes)
        outcomes = left
        faults += map(fault_of_hunk, invalid)


def _refuse_too_many(outcome: Proposal, bounds: Bounds) -> None:
    """Raises ExceededError: nobody looks through so many hunks of one file."""
    number = len(outcome.applications)
    if bounds.hunks and number > bounds.hunks:
        reason = f"{number} hunks are proposed for it, and no more than {bounds.hunks} are shown"
        raise ExceededError(outcome.rules.module, reason, f"--max-hunks {number} shows them")


def _resolved(
    queries: Sequence[RuleQuery],
    project: Project,
    skip: frozenset[str],
    scope: Scope,
    done: Collection[Path],
    facts: Facts,
    mixed: Mapping[Program, Problem],
    outcomes: list[Proposal],
    faults: Sequence[Fault],
) -> Planned:
    """Hunks of what the packs make of the modules, but for the programs that are refused: ``mixed``
    those that no pack is for."""
    packs = [query.pack for query in queries]
    programs = scope.asked(facts.programs.all)
    given = [module for module in dict.fromkeys(project.given) if scope.is_given(module)]
    refused = list(mixed.values())
    lost = reports_of(faults, packs)
    told = {id(report) for report in lost}
    reports = [*(report for outcome in outcomes for report in outcome.notes), *lost]
    distributed = [p for p in programs if any(p in outcome.programs for outcome in outcomes)]
    essential = {name: why for pack in packs for name, why in pack.essential.items()}
    lacking, hints = incomplete(outcomes, distributed, scope, essential)
    whole = Whole(outcomes)
    lacking += whole.suppressed(essential, skip)
    reports = with_essential([*reports, *lacking], essential)
    halted: list[Program] = []
    left: list[Report] = []
    following = [report for report in reports if report.refuse]
    while following:  # what one program's refusal leaves alone may be essential for another
        halted += [p for p in distributed if p not in halted and p.entry.path not in done
                   and any(r.module in p.modules for r in following)]  # fmt: skip
        left = with_essential(left_by(halted, outcomes, distributed), essential)
        known = {(r.rule.id, r.module) for r in reports if r.refuse}
        following = [r for r in left if r.refuse and (r.rule.id, r.module) not in known]
        reports += following
    reports += [report for report in left if not report.refuse]
    refused += [refusal(r, hints.get(r.module, "")) for r in reports if r.refuse]
    stopped = {id(module) for program in halted for module in program.modules}
    stopped |= {id(r.module) for r in reports if r.refuse and not facts.programs.of(r.module)}
    kept = [outcome for outcome in outcomes if id(outcome.rules.module) not in stopped]
    reach = Reach(distributed, None if any(pack.training_api for pack in packs) else project)
    hunks = hunks_of(kept, reach)
    suppressed = list({one.key: one for outcome in outcomes for one in outcome.suppressed}.values())
    withheld = [one for outcome in kept for one in outcome.withheld]
    unapplied: list[Report | Withheld | Suppressed] = [*reports, *withheld, *suppressed]
    unmet = {
        (one.module, name): why_unmet(one)
        for one in unapplied
        if one.rule.edits
        for name in (one.rule.id, one.rule.provides)
    }
    rules_of = {rule.id: rule for pack in packs for rule in pack.rules}
    hunks, missing = without_unmet(hunks, unmet, rules_of, reach)
    hunks, unproposed = with_requirements(hunks, kept, reach, facts)
    missing += unproposed
    hunks, unfinished = whole.only(hunks)
    refused += unfinished
    of_modules = {rule for pack in packs for rule in pack.of_modules}
    plan = Plan(without_rules(hunks, skip, of_modules))
    tried: dict[Module, set[str]] = defaultdict(set)
    for outcome in outcomes:
        tried[outcome.rules.module].update(rule.id for rule in outcome.rules.pack.rules)
    unused = complaints(tried, suppressed, lambda: _known_rules(queries), plan.hunks)
    rewritten = {hunk.module for hunk in plan.hunks}
    at_work = {m for p in distributed if rewritten.intersection(p.modules) for m in p.modules}
    lacked = [
        *without_essential(suppressed, essential, at_work),
        *skipped_essential((h for h in hunks if h.module in at_work), skip, essential),
    ]
    taken = sorted({m.path: m for m in rewritten if not scope.is_given(m)}.items())
    untold = [
        one
        for outcome in outcomes
        for one in outcome.withheld
        if one.by is GENERATED or one.module in at_work
    ]
    return Planned(
        plan,
        [*project.files, *(path for path, _ in taken)],
        [_kept(module.source) for module in (*given, *(module for _, module in taken))],
        problems=project.problems,
        faults=list(dict.fromkeys(fault.problem for fault in faults)),
        refused=refused,
        reports=[
            r
            for r in [*reports, *missing]
            if not r.refuse and r.rule.id not in skip and id(r) not in told
        ],
        programs=[_found(p, packs) for p in programs],
        matched=len(rewritten),
        suppressed=suppressed,
        notes=[*left_out_notes(untold), *lacked, *unused],
        unreached=[
            module.path
            for module in given
            if module not in tried and not any(module in program.modules for program in mixed)
        ],
    )


def _tried(pack: Pack, programs: Sequence[Program], given: Sequence[Module]) -> Sequence[Module]:
    """The given modules that a pack is tried on: all of them, or those of its programs."""
    if pack.training_api is None:
        return given
    reached = {id(module) for program in programs for module in program.modules}
    return [module for module in given if id(module) in reached]


def _besides(
    pack: Pack, programs: Sequence[Program], outcomes: Sequence[Proposal], scope: Scope
) -> list[Module]:
    """The modules that were not given of programs that the pack is for, unless there is nothing to
    be done to these in what was given, their entry scripts included."""
    if pack.training_api is None:
        return []
    touched = {id(o.rules.module) for o in outcomes if o.applications or o.withheld}
    found = {
        id(module): module
        for program in programs
        if scope.whole_programs
        or scope.is_given(program.entry)
        or any(id(m) in touched for m in program.modules)
        for module in program.modules
        if not scope.is_given(module)
    }
    return sorted(found.values(), key=lambda module: str(module.path))


def _found(program: Program, packs: Sequence[Pack]) -> FoundProgram:
    essential = {
        name: why
        for pack in packs if pack.training_api in (None, program.training_api)
        for name, why in pack.essential.items()
    }  # fmt: skip
    return FoundProgram(program.entry, program.modules, program.apis, program.because, essential)


def _kept(source: Source) -> ParsedFile:
    return ParsedFile(source.path, source.encoding, source.newline, source.bom)


def _known_rules(queries: Sequence[RuleQuery]) -> list[str]:
    """The ids of the rules of this run's packs, their options' among them, and of all that come
    with the package: a file may have comments for other runs."""
    found = set[str]().union(*(query.every_rule for query in queries))
    for path in bundled():
        loaded = load(path)
        if isinstance(loaded, Pack):
            found.update(rule.id for rule in loaded.rules)
    return sorted(found)
