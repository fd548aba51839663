"""Proposals: what packs make of the modules of a project, before it is put into hunks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.messages.unforeseen import AnalysisError
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.applying.application import Application, Report
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.applying.unused_imports import unused_imports
from pinsetter.patterns.matching.match import Match
from pinsetter.patterns.packs.pack import Pack

from ..hunks.suppression import Suppressed, sift
from ..hunks.validity import Invalid
from .faults import Fault, fault_of_pack, faults_of
from .rule_query import Begun, RuleQuery
from .scope import Scope
from .withheld import Withheld


@dataclass(frozen=True)
class Proposal:
    """What a pack makes of a module, and the programs that the pack is for. ``faults``: the rules
    that cannot be used there. ``left``: only what refuses programs was looked for."""

    rules: ModuleRules
    applications: list[Application]
    notes: list[Report]
    programs: list[Program]
    suppressed: list[Suppressed] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    left: bool = False

    def without(self, invalid: Sequence[Invalid]) -> Proposal:
        """The same without what made some hunks."""
        gone = {made.key for one in invalid if (made := one.hunk.application) is not None
                and made.module is self.rules.module}  # fmt: skip
        return replace(self, applications=[a for a in self.applications if a.key not in gone])


def proposal_of(
    query: RuleQuery,
    module: Module,
    facts: Facts,
    scope: Scope,
    begun: Begun | None = None,
    left: bool = False,
) -> Proposal | Fault:
    """What a pack makes of one module, with what has ``begun``, or of that alone if the module is
    ``left``. One file that a rule, or all of them, stumble over must not stop the others, nor pass
    for clean.

    Raises AnalysisError.
    """
    try:
        rules = begun.rules if begun else query.in_module(module, facts)
        outcomes: dict[int, Application | Report] = {}
        matches: Iterable[Match] = query.collect(rules, begun, left)
        if scope.places is not None:
            matches = scope.places.chosen([*matches], module, query.pack)
        # What starts a module stands where the rest of what is made of it allows.
        numbered = sorted(enumerate(matches), key=lambda one: one[1].rule.pattern.is_whole_module)
        for number, match in numbered:
            try:
                outcomes[number] = rules.outcome(match, number)
            except Exception as error:
                query.stumble(match.rule, match.node, error)
        made = [outcomes[number] for number in sorted(outcomes)]
        for rule in query.pack.rules if not left else ():
            try:
                made += rules.renames(rule)
            except Exception as error:
                query.stumble(rule, module.tree.root, error)
        made = [one for one in made if one.rule.id not in query.stumbles]
        applications = [o for o in made if isinstance(o, Application) and o.edits]
        for rule in query.pack.rules:
            if rule.is_of_imports:
                applications += unused_imports(rules, rule, applications)
        reports = [o for o in made if isinstance(o, Report)]
        sifted = sift(module, applications, reports, query.pack.of_modules)
    except AnalysisError:
        raise
    except Exception as error:
        return fault_of_pack(module, query.pack, error)
    faults = faults_of(module, query.stumbles.values())
    by = scope.obstacle(module) if sifted.applications else None
    withheld = [Withheld(a, by) for a in sifted.applications] if by is not None else []
    kept = [] if withheld else sifted.applications
    return Proposal(rules, kept, sifted.reports, [], sifted.suppressed, withheld, faults, left)


def started(
    outcomes: list[Proposal],
    queries: Sequence[RuleQuery],
    programs: Sequence[Program],
    facts: Facts,
    scope: Scope,
    followers: Collection[Program] = (),
) -> list[Proposal | Fault]:
    """What the entry scripts get of programs that do not train, or are ``followers``, but may run
    what is rewritten for others: the rules that start what that then needs."""
    chosen = _chosen(outcomes)
    needy: dict[int, list[tuple[int, Application, Pack]]] = defaultdict(list)
    for number, outcome in enumerate(outcomes):
        needy[id(outcome.rules.module)] += (
            (number, a, outcome.rules.pack) for a in outcome.applications if _needs_start(a)
        )
    found: list[Proposal | Fault] = []
    for program in programs:
        if id(program) in chosen or (program.sites and program not in followers):
            continue
        needs = (
            (number, pack)
            for module in program.modules
            for number, a, pack in needy.get(id(module), ())
            if program.may_run(module, a.start)
        )
        _, pack = min(needs, default=(0, None), key=itemgetter(0))
        query = next((query for query in queries if query.pack is pack), None)
        made = proposal_of(query, program.entry, facts, scope) if query else None
        if isinstance(made, Fault):
            found.append(made)
        elif made is not None:
            found.append(
                replace(
                    made,
                    applications=[a for a in made.applications if a.rule.starts],
                    notes=[],
                    programs=[program],
                    suppressed=[one for one in made.suppressed if one.rule.starts],
                    withheld=[one for one in made.withheld if one.rule.starts],
                )
            )
    return found


def _needs_start(application: Application) -> bool:
    """Whether what it makes fails where nothing is started; what stands at the start of a module
    comes with its own."""
    return bool(application.code) and not application.rule.shared


def agreed(
    outcomes: list[Proposal],
    programs_of: Callable[[Module], Sequence[Program]],
    followers: Collection[int] = (),
) -> list[Proposal]:
    """The outcomes without what only some of a module's programs would stand.

    A program that no pack rewrites stands the shared rules alone. One that another pack rewrites
    stands what that pack would make, too, what it does not run, and, if it is one of ``followers``,
    by its id(), what is made for others.
    """
    made_of = by_module(outcomes)
    chosen = _chosen(outcomes)
    known: dict[int, set[tuple[object, ...]]] = defaultdict(set)
    found = []
    for outcome in outcomes:
        module = outcome.rules.module
        apart = [one for one in made_of[id(module)] if not _for_one_program(one, outcome)
                 and one.rules.pack is not outcome.rules.pack
                 and one.rules.pack.training_apis and outcome.rules.pack.training_apis]  # fmt: skip
        other = [p for p in programs_of(module) if id(p) not in chosen and id(p) not in followers]
        applications, notes = outcome.applications, list(outcome.notes)
        if apart:
            applications, left = _for_packs(applications, apart, followers)
            notes.extend(left)
        # What several packs make alike is one hunk.
        applications = [a for a in applications if a.key not in known[id(module)]]
        known[id(module)].update(a.key for a in applications)
        if other:
            applications, left = _for_others(applications, other)
            notes.extend(left)
        found.append(replace(outcome, applications=applications, notes=notes))
    return found


def _for_packs(
    applications: Sequence[Application], apart: Sequence[Proposal], followers: Collection[int]
) -> tuple[list[Application], list[Report]]:
    """What programs of other packs stand of what is proposed for a module of theirs, and notes of
    what they do not."""
    alike = [({a.key for a in one.applications}, one.programs) for one in apart]
    kept: list[Application] = []
    alone: list[Application] = []
    users: dict[int, Program] = {}
    for one in applications:
        using = [
            program
            for keys, programs in alike if not one.rule.shared and one.key not in keys
            for program in programs
            if one.module in program.modules and id(program) not in followers
            and _runs(program, one)
        ]  # fmt: skip
        (alone if using else kept).append(one)
        users.update((id(program), program) for program in using)
    return kept, left_alone(alone, [program.entry for program in users.values()])


def _for_others(
    applications: Sequence[Application], other: Sequence[Program]
) -> tuple[list[Application], list[Report]]:
    """What programs that are not rewritten stand of what is proposed for a module of theirs, with
    warnings, and notes of what they do not."""
    kept: list[Application] = []
    alone: list[Application] = []
    users: dict[int, Program] = {}
    told = False
    for one in applications:
        using = [p for p in other if _runs(p, one)]
        if using and not one.rule.shared:
            alone.append(one)
            users.update((id(p), p) for p in using)
            continue
        if not told and (using or one.imports):
            # Of a file it is said once: all that import it need what it imports then.
            told, one = True, _with_warning(one, [p.entry for p in other])
        kept.append(one)
    return kept, left_alone(alone, [p.entry for p in users.values()])


def _runs(program: Program, application: Application) -> bool:
    if application.code:
        return program.may_run(application.module, application.start)
    return bool(program.sites)


def by_module(outcomes: Sequence[Proposal]) -> defaultdict[int, list[Proposal]]:
    """The proposals of each module, by its id()."""
    found: defaultdict[int, list[Proposal]] = defaultdict(list)
    for outcome in outcomes:
        found[id(outcome.rules.module)].append(outcome)
    return found


def programs_of_packs(outcomes: Sequence[Proposal]) -> list[Program]:
    """The programs that packs are for."""
    # All proposals of a pack have one list of programs.
    lists = {id(outcome.programs): outcome.programs for outcome in outcomes}
    return list({id(p): p for programs in lists.values() for p in programs}.values())


def _chosen(outcomes: Sequence[Proposal]) -> set[int]:
    """The programs that packs are for, by their id()."""
    return set(map(id, programs_of_packs(outcomes)))


def _for_one_program(one: Proposal, other: Proposal) -> bool:
    """Whether two packs are for the same programs, so that a person chooses between them."""
    return any(program in other.programs for program in one.programs)


def left_alone(applications: list[Application], others: list[Module]) -> list[Report]:
    """Notes for a module that programs share which are not rewritten: there what the hunks need is
    not started, and perhaps not installed."""
    by_rule: dict[str, list[Application]] = defaultdict(list)
    for application in applications:
        by_rule[application.rule.id].append(application)
    text = f"left alone, because this module is also used by {_listed(others)}, not rewritten here."
    return [
        Report(first.rule, first.module, first.line, f"{len(found)} place(s) {text}")
        for found in by_rule.values()
        for first in found[:1]
    ]


def _with_warning(application: Application, others: list[Module]) -> Application:
    warning = f"Also used by {_listed(others)}, not rewritten; what it imports must be there."
    return replace(application, warnings=(*application.warnings, warning))


def _listed(others: list[Module]) -> str:
    names = ", ".join(str(entry.path) for entry in others[:3])
    return f"{names} and {len(others) - 3} more" if len(others) > 3 else names
