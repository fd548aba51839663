"""proposed: what the packs make of modules, before any of it is weighed against the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pinsetter.analyzer.files.bounds import Bounds
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.packs.pack import Pack

from ..watchdog.watch import ExceededError
from .faults import Fault
from .proposals import Proposal, proposal_of, started
from .refused_first import begun_in, left_by_refusals
from .rule_query import RuleQuery
from .setting import Setting
from .where_run import without_others


def proposed(setting: Setting) -> tuple[list[Proposal], list[Fault]]:
    """What is proposed and noted, pack by pack, and the rules that failed. Raises ExceededError."""
    outcomes: list[Proposal] = []
    faults: list[Fault] = []

    def propose(query: RuleQuery, to: list[Program], modules: Sequence[Module]) -> list[Proposal]:
        begun = begun_in(query, to, modules, setting)
        left = left_by_refusals(begun.values(), to, setting)
        made = [
            proposal_of(
                query, module, setting.facts, setting.scope, begun.get(module), left(module)
            )
            for module in modules
        ]
        faults.extend(one for one in made if isinstance(one, Fault))
        return [replace(one, programs=to) for one in made if not isinstance(one, Fault)]

    for query in setting.queries:
        chosen = setting.chosen(query.pack)
        first = propose(query, chosen, _tried(query.pack, chosen, setting.given))
        outcomes += first
        outcomes += propose(query, chosen, _besides(query.pack, chosen, first, setting))
    outcomes = without_others(outcomes, setting.programs_of)
    begun = started(
        outcomes, setting.queries, setting.programs, setting.facts, setting.scope,
        setting.followers,
    )  # fmt: skip
    for one in begun:
        if isinstance(one, Fault):
            faults.append(one)
        else:
            outcomes.append(one)
    for outcome in outcomes:
        _refuse_too_many(outcome, setting.project.bounds)
    faults += [fault for outcome in outcomes for fault in outcome.faults]
    return outcomes, faults


def _refuse_too_many(outcome: Proposal, bounds: Bounds) -> None:
    """Raises ExceededError: nobody looks through so many hunks of one file."""
    number = len(outcome.applications)
    if bounds.hunks and number > bounds.hunks:
        reason = f"{number} hunks are proposed for it, and no more than {bounds.hunks} are shown"
        raise ExceededError(outcome.rules.module, reason, f"--max-hunks {number} shows them")


def _tried(pack: Pack, programs: Sequence[Program], given: Sequence[Module]) -> Sequence[Module]:
    """The given modules that a pack is tried on: all of them, or those of its programs."""
    if not pack.training_apis:
        return given
    reached = {id(module) for program in programs for module in program.modules}
    return [module for module in given if id(module) in reached]


def _besides(
    pack: Pack, programs: Sequence[Program], outcomes: Sequence[Proposal], setting: Setting
) -> list[Module]:
    """The modules that were not given of programs that the pack is for, unless there is nothing to
    be done to these in what was given, their entry scripts included."""
    if not pack.training_apis:
        return []
    scope = setting.scope
    touched = {id(o.rules.module) for o in outcomes if o.applications or o.withheld or o.left}
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
