"""make_plan: from paths and packs to hunks, reports and refusals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pinsetter.analyzer.components import Components, Part, components_of
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.module import Module
from pinsetter.analyzer.problem import Problem
from pinsetter.analyzer.programs import Program
from pinsetter.analyzer.project import Project
from pinsetter.analyzer.source import Source
from pinsetter.patterns.apply import Application, Report
from pinsetter.patterns.pack import Pack, bundled, load

from .early import stands_alone
from .generated import left_out_notes
from .hunk import Hunk
from .hunks import hunks_of, why_unmet, without_rules, without_unmet
from .plan import Plan
from .planned import FoundProgram, ParsedFile, Planned
from .proposals import Proposal, agreed, proposal_of, started
from .query import PackQuery
from .refusals import (
    left_by,
    not_for,
    refusal,
    skipped_essential,
    unwritten,
    with_essential,
    without_essential,
)
from .suppression import Suppressed, complaints


def make_plan(
    queries: Sequence[PackQuery],
    paths: Iterable[Path],
    skip: frozenset[str] = frozenset(),
    loaded: Callable[[Path], None] | None = None,
    include_generated: bool = False,
) -> Planned:
    """Propose hunks for the programs below ``paths``: to each those of the pack that is for it."""
    whole = Planned()
    hunks: list[Hunk] = []
    for planned, _ in plans(queries, paths, skip, loaded, include_generated):
        hunks += whole.add(planned)
    order = {path: number for number, path in enumerate(sorted(whole.files))}
    whole.plan.extend(sorted(hunks, key=lambda hunk: order[hunk.module.path]))
    return whole


def plans(
    queries: Sequence[PackQuery],
    paths: Iterable[Path] | Components,
    skip: frozenset[str] = frozenset(),
    loaded: Callable[[Path], None] | None = None,
    include_generated: bool = False,
) -> Iterator[tuple[Planned, bool]]:
    """The same in parts, each with whether it is the last: first the files that share a program
    with one that speaks of training. Who has read the files already gives them as components.

    The hunks of a file are all in one part. Where programs share modules with many others, those
    of programs that change nothing in these come first, before the others are known.
    """
    components = paths if isinstance(paths, Components) else components_of(paths)
    listing = components.listing
    yield Planned(problems=listing.problems), not listing.shown
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
        project = Project(part.files, None if alone else tell, listing)
        planned = _planned(queries, project, skip, include_generated, done)
        for module in project.modules:
            module.forget()
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
    batch: list[Path] = []
    size = 1
    for group in components.others():
        batch += group.files
        if len(batch) >= size:
            yield Part(batch)
            batch, size = [], min(2 * size, _BATCH)
    if batch:
        yield Part(batch)


# Files that do not speak of training are quick; a project for each takes longer than they do. The
# first ones come alone: packs for other code have their hunks there.
_BATCH = 200


def _planned(
    queries: Sequence[PackQuery],
    project: Project,
    skip: frozenset[str],
    include_generated: bool,
    done: Collection[Path] = (),
) -> Planned:
    """``done``: what is proposed for these files stays, and for the programs that start there."""
    facts = Facts(project)
    programs = facts.programs.all
    packs = [query.pack for query in queries]
    refused = [p for program in programs if (p := not_for(packs, program)) is not None]
    outcomes: list[Proposal] = []
    broken: list[Problem] = []
    for query in queries:
        chosen = [p for p in programs if query.pack.training_api in (None, p.training_api)]
        for module in _modules(chosen, project):
            made = proposal_of(query, module, facts, include_generated)
            if isinstance(made, Problem):
                broken.append(made)
            else:
                outcomes.append(replace(made, programs=chosen))
    outcomes += started(outcomes, queries, facts, include_generated)
    outcomes = agreed(outcomes, facts)
    reports = [report for outcome in outcomes for report in outcome.notes]
    distributed = [p for p in programs if any(p in outcome.programs for outcome in outcomes)]
    essential = {name: why for pack in packs for name, why in pack.essential.items()}
    reports = with_essential(reports, essential)
    generated = with_essential(unwritten(outcomes, distributed), essential)
    reports += [report for report in generated if report.refuse]
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
    refused.extend(refusal(report) for report in reports if report.refuse)
    stopped = {id(module) for program in halted for module in program.modules}
    kept = [outcome for outcome in outcomes if id(outcome.rules.module) not in stopped]
    hunks = hunks_of(kept, distributed)
    suppressed = list({one.key: one for outcome in outcomes for one in outcome.suppressed}.values())
    left_out = [application for outcome in kept for application in outcome.generated]
    lacking: list[Report | Application | Suppressed] = [*reports, *left_out, *suppressed]
    unmet = {
        (r.module, name): why_unmet(r)
        for r in lacking
        if r.rule.edits
        for name in (r.rule.id, r.rule.provides)
    }
    rules_of = {rule.id: rule for pack in packs for rule in pack.rules}
    hunks, missing = without_unmet(hunks, unmet, rules_of, distributed)
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
    return Planned(
        plan,
        project.files,
        [_kept(module.source) for module in dict.fromkeys(project.given)],
        problems=[*project.problems, *broken],
        refused=refused,
        reports=[r for r in [*reports, *missing] if not r.refuse and r.rule.id not in skip],
        programs=[FoundProgram(p.entry, p.modules, p.apis, p.because) for p in programs],
        matched=len(rewritten),
        suppressed=suppressed,
        notes=[*left_out_notes(a for o in outcomes for a in o.generated), *lacked, *unused],
    )


def _modules(programs: list[Program], project: Project) -> list[Module]:
    """The given modules that the programs reach, in the order of paths; each once, even if it was
    given by several paths."""
    reached = {id(module) for program in programs for module in program.modules}
    given = dict.fromkeys(project.given)
    return [module for module in given if id(module) in reached]


def _kept(source: Source) -> ParsedFile:
    return ParsedFile(source.path, source.encoding, source.newline, source.bom)


def _known_rules(queries: Sequence[PackQuery]) -> list[str]:
    """The ids of the rules of this run's packs, their options' among them, and of all that come
    with the package: a file may have comments for other runs."""
    found = set[str]().union(*(query.every_rule for query in queries))
    for path in bundled():
        loaded = load(path)
        if isinstance(loaded, Pack):
            found.update(rule.id for rule in loaded.rules)
    return sorted(found)
