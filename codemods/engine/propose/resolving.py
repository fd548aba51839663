"""resolved: which of what is proposed can be had together, and what is told of the rest.

Programs that lack what is essential are refused; of the others' hunks those stay whose requirements
are met. Each pass takes what the one before has left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.programs import Program
from pinsetter.analyzer.values.questions import MOST_VALUES
from pinsetter.patterns.applying.application import Report
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.packs.pack_files import bundled

from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from ..hunks.proposed import FoundProgram, ParsedFile, Planned
from ..hunks.suppression import Suppressed, complaints
from .all_or_none import all_or_none
from .faults import Fault, reports_of
from .make_hunks import hunks_of, why_unmet, without_rules, without_unmet
from .many_hunks import of_many
from .proposals import Proposal
from .reach import Reach
from .refusals import left_by, refusal, skipped_essential, with_essential, without_essential
from .requirements import with_requirements
from .scope import GENERATED
from .setting import Setting
from .whole_programs import Whole
from .withheld import Withheld, incomplete, left_out_notes


@dataclass(frozen=True)
class _Told:
    """What is reported: ``lost`` are reports of what rules that failed would have done; ``hints``
    go with the refusal of a module."""

    reports: list[Report]
    lost: list[Report]
    hints: Mapping[Module, str]


@dataclass(frozen=True)
class _Kept:
    """The proposals that no refusal concerns, and the refusals."""

    outcomes: list[Proposal]
    reports: list[Report]
    refused: list[Problem]


@dataclass(frozen=True)
class _Possible:
    """The hunks that can be had, with why others cannot, and programs refused for want of one."""

    hunks: list[Hunk]
    missing: list[Report]
    refused: list[Problem]


def resolved(
    setting: Setting,
    outcomes: list[Proposal],
    faults: Sequence[Fault],
    followers: Collection[int] = (),
) -> Planned:
    """Hunks of what the packs make of the modules, but for the programs that are refused;
    ``followers``, by their id(), are left as they are but for what others need there."""
    distributed = [p for p in setting.programs if any(p in o.programs for o in outcomes)]
    whole = Whole(outcomes, followers)
    told = _told(setting, outcomes, faults, distributed, whole)
    kept = _without_refused(setting, outcomes, told, distributed)
    possible = _possible(setting, kept, outcomes, distributed, whole)
    of_modules = {rule for pack in setting.packs for rule in pack.of_modules}
    plan = Plan(without_rules(possible.hunks, setting.skip, of_modules))
    rewritten = {hunk.module for hunk in plan.hunks}
    taken = sorted({m.path: m for m in rewritten if not setting.scope.is_given(m)}.items())
    tried = _tried_rules(outcomes)
    lost = {id(report) for report in told.lost}
    return Planned(
        plan,
        [*setting.project.files, *(path for path, _ in taken)],
        [ParsedFile.of(module.source) for module in (*setting.given, *(m for _, m in taken))],
        problems=setting.project.problems,
        faults=list(dict.fromkeys(fault.problem for fault in faults)),
        refused=[*setting.for_no_pack.values(), *kept.refused, *possible.refused],
        reports=[
            r
            for r in [*kept.reports, *possible.missing, *of_many(plan.hunks, distributed)]
            if not r.refuse and r.rule.id not in setting.skip and id(r) not in lost
        ],
        programs=[_found(program, setting) for program in setting.programs],
        matched=len(rewritten),
        suppressed=_suppressed(outcomes),
        notes=_notes(setting, outcomes, possible.hunks, plan, distributed, tried),
        unreached=[
            module.path
            for module in setting.given
            if module not in tried and not any(module in p.modules for p in setting.for_no_pack)
        ],
    )


def _told(
    setting: Setting,
    outcomes: list[Proposal],
    faults: Sequence[Fault],
    distributed: Sequence[Program],
    whole: Whole,
) -> _Told:
    lost = reports_of(faults, setting.packs)
    lacking, hints = incomplete(outcomes, distributed, setting.scope, setting.essential)
    lacking += whole.suppressed(setting.essential, setting.skip)
    noted = [*(report for outcome in outcomes for report in outcome.notes), *lost]
    return _Told(with_essential([*noted, *lacking], setting.essential), lost, hints)


def _without_refused(
    setting: Setting, outcomes: list[Proposal], told: _Told, distributed: list[Program]
) -> _Kept:
    """What is left without the programs that are refused; what one program's refusal leaves alone
    may be essential for another."""
    reports = list(told.reports)
    halted: list[Program] = []
    left: list[Report] = []
    following = [report for report in reports if report.refuse]
    while following:
        halted += [
            program for program in distributed
            if program not in halted and program.entry.path not in setting.done
            and any(report.module in program.modules for report in following)
        ]  # fmt: skip
        left = with_essential(left_by(halted, outcomes, distributed), setting.essential)
        known = {(r.rule.id, r.module) for r in reports if r.refuse}
        following = [r for r in left if r.refuse and (r.rule.id, r.module) not in known]
        reports += following
    reports += [report for report in left if not report.refuse]
    refusing = [report for report in reports if report.refuse]
    stopped = {id(module) for program in halted for module in program.modules}
    stopped |= {id(r.module) for r in refusing if not setting.programs_of(r.module)}
    return _Kept(
        [outcome for outcome in outcomes if id(outcome.rules.module) not in stopped],
        reports,
        [refusal(report, told.hints.get(report.module, "")) for report in refusing],
    )


def _possible(
    setting: Setting,
    kept: _Kept,
    outcomes: Sequence[Proposal],
    distributed: list[Program],
    whole: Whole,
) -> _Possible:
    """The hunks whose requirements are met."""
    everywhere = not any(pack.training_apis for pack in setting.packs)
    reach = Reach(distributed, setting.project if everywhere else None)
    withheld = [one for outcome in kept.outcomes for one in outcome.withheld]
    unapplied: list[Report | Withheld | Suppressed] = [
        *kept.reports, *withheld, *_suppressed(outcomes)
    ]  # fmt: skip
    unmet = {
        (one.module, name): why_unmet(one)
        for one in unapplied
        if one.rule.edits
        for name in (one.rule.id, one.rule.provides)
    }
    rules = {rule.id: rule for pack in setting.packs for rule in pack.rules}
    hunks, missing = without_unmet(hunks_of(kept.outcomes, reach), unmet, rules, reach)
    hunks, unproposed = with_requirements(hunks, kept.outcomes, reach, setting.facts)
    hunks, refused = whole.only(hunks)
    hunks, halves = all_or_none(hunks, setting)
    return _Possible(needed_starts(hunks, setting), missing + unproposed + halves, refused)


def needed_starts(hunks: list[Hunk], setting: Setting) -> list[Hunk]:
    """The hunks, of those that start a program which does not train only where it runs something
    that needs it."""
    needing = {
        id(hunk.module) for hunk in hunks if hunk.application and not hunk.application.rule.starts
    }
    idle = {
        id(program.entry)
        for program in setting.programs
        if not program.sites and not any(id(module) in needing for module in program.modules)
    }
    return [
        hunk
        for hunk in hunks
        if hunk.application is None
        or not hunk.application.rule.starts
        or id(hunk.module) not in idle
    ]


def _notes(
    setting: Setting,
    outcomes: Sequence[Proposal],
    hunks: Sequence[Hunk],
    plan: Plan,
    distributed: Sequence[Program],
    tried: Mapping[Module, Collection[str]],
) -> list[Problem]:
    """What was left out of programs that are rewritten, and comments that suppress nothing."""
    suppressed = _suppressed(outcomes)
    rewritten = {hunk.module for hunk in plan.hunks}
    at_work = {m for p in distributed if rewritten.intersection(p.modules) for m in p.modules}
    untold = [
        one
        for outcome in outcomes
        for one in outcome.withheld
        if one.by is GENERATED or one.module in at_work
    ]
    asked = (hunk for hunk in hunks if hunk.module in at_work)
    left = {outcome.rules.module for outcome in outcomes if outcome.left}
    wholly = {module: rules for module, rules in tried.items() if module not in left}
    return [
        *left_out_notes(untold),
        *without_essential(suppressed, setting.essential, at_work),
        *skipped_essential(asked, setting.skip, setting.essential),
        *complaints(wholly, suppressed, lambda: _known_rules(setting), plan.hunks),
        *_untold(setting),
        *_unclear(setting),
        *_unseen(setting.given),
    ]


def _unclear(setting: Setting) -> Iterator[Problem]:
    """Training steps of programs that are left alone since what runs them is not known."""
    if any(pack.training_apis for pack in setting.packs):
        for program in setting.programs:
            site = next(iter(program.unclear), None)
            if site is None:
                continue
            name = program.entry.path.name
            reason = f"{name} runs a training step here, by what is not known to run any"
            hint = "it is taken for a program that does not train: change it by hand, if it does"
            yield Problem(site.module.path, reason, site.line, hint=hint)


def _unseen(modules: Iterable[Module]) -> Iterator[Problem]:
    """What of a notebook runs code that is no part of it."""
    for module in modules:
        notebook = module.source.notebook
        for line, magic in notebook.unseen if notebook is not None else ():
            yield Problem(module.path, f"what {magic} runs is not seen", line)


def _untold(setting: Setting) -> list[Problem]:
    """Whether some of what is said rests on less than could be known."""
    places = [
        (module.path, module.tree.line_of(node))
        for node, module in setting.facts.untold
        if module in setting.given
    ]
    if not places:
        return []
    path, line = min(places)
    others = f" (and so may {len(places) - 1} others)" if len(places) > 1 else ""
    reason = f"this may be over {MOST_VALUES} things{others}: taken for unknown"
    return [Problem(path, reason, line)]


def _suppressed(outcomes: Sequence[Proposal]) -> list[Suppressed]:
    return list({one.key: one for outcome in outcomes for one in outcome.suppressed}.values())


def _tried_rules(outcomes: Sequence[Proposal]) -> dict[Module, set[str]]:
    """The rules that were tried on each module, by their ids."""
    tried: dict[Module, set[str]] = defaultdict(set)
    for outcome in outcomes:
        tried[outcome.rules.module].update(rule.id for rule in outcome.rules.pack.rules)
    return tried


def _found(program: Program, setting: Setting) -> FoundProgram:
    kinds = setting.facts.kinds.of(program)
    essential = {
        name: why
        for pack in setting.packs if pack.is_for(kinds)
        for name, why in pack.essential.items()
    }  # fmt: skip
    return FoundProgram(program.entry, program.modules, program.apis, program.because, essential)


def _known_rules(setting: Setting) -> list[str]:
    """The ids of the rules of this run's packs, their options' among them, and of all that come
    with the package: a file may have comments for other runs."""
    found = set[str]().union(*(query.every_rule for query in setting.queries))
    for path in bundled():
        loaded = load(path)
        if isinstance(loaded, Pack):
            found.update(rule.id for rule in loaded.rules)
    return sorted(found)
