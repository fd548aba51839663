"""Withheld: what modules would need that are not rewritten, and what follows for their programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.file_head import generated_mark
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.applying.application import Application, Report
from pinsetter.patterns.packs.pack import Rule

from .scope import GENERATED, NOT_GIVEN, READ_ONLY, Obstacle, Scope

if TYPE_CHECKING:
    from .proposals import Proposal

_NAMED = 3


@dataclass(frozen=True)
class Withheld:
    """An application in a module that is not rewritten."""

    application: Application
    by: Obstacle

    @property
    def rule(self) -> Rule:
        return self.application.rule

    @property
    def module(self) -> Module:
        return self.application.module

    @property
    def line(self) -> int:
        return self.application.line


def left_out_notes(withheld: Iterable[Withheld]) -> list[Problem]:
    """One note for each file, which says how many hunks it would have had."""
    places: dict[Module, dict[tuple[object, ...], Withheld]] = {}
    for one in withheld:
        edits = tuple((edit.start, edit.end, edit.text) for edit in one.application.edits)
        places.setdefault(one.module, {})[one.rule.id, edits] = one
    found = []
    for module, hunks in places.items():
        by = next(iter(hunks.values())).by
        what = "generated file" if by is GENERATED else f"the file {by.why}"
        count = "1 hunk" if len(hunks) == 1 else f"{len(hunks)} hunks"
        line = generated_mark(module) or 0 if by is GENERATED else 0
        found.append(Problem(module.path, f"{what}: {count} left out", line, hint=by.hint))
    return found


def incomplete(
    outcomes: Sequence[Proposal],
    programs: Sequence[Program],
    scope: Scope,
    essential: Mapping[str, str],
) -> tuple[list[Report], dict[Module, str]]:
    """What keeps programs from being rewritten whole, and for each module what to do about it.

    A program is none of our concern if nothing is rewritten in it but what is dispensable, unless
    it starts in a given file and lacks something essential in one that was not.
    """
    reports: dict[tuple[Module, str], Report] = {}
    hints: dict[Module, tuple[Obstacle, list[Program]]] = {}
    made_of: dict[int, list[Proposal]] = defaultdict(list)
    for outcome in outcomes:
        made_of[id(outcome.rules.module)].append(outcome)
    for program in programs:
        mine = [o for m in program.modules for o in made_of[id(m)] if program in o.programs]
        stuck = {id(o) for o in mine if o.applications and scope.is_read_only(o.rules.module)}
        lacking = [
            one
            for o in mine
            for one in (
                *o.withheld,
                *(Withheld(a, READ_ONLY) for a in o.applications if id(o) in stuck),
            )
            if is_essential(one.rule, essential)
            or (o.rules.pack.training_apis and not one.rule.dispensable)
        ]
        touched = any(
            not a.rule.dispensable for o in mine if id(o) not in stuck for a in o.applications
        )
        begun = scope.is_given(program.entry) and any(
            one.by is NOT_GIVEN and is_essential(one.rule, essential) for one in lacking
        )
        if not (touched or begun):
            continue
        for module in dict.fromkeys(one.module for one in lacking):
            here = [one for one in lacking if one.module is module]
            hints.setdefault(module, (here[0].by, []))[1].append(program)
            for report in _reports(here, essential):
                reports.setdefault((module, report.rule.id), report)
    # Of generated files there is a note besides, which says what to do.
    return list(reports.values()), {
        module: "" if by is GENERATED else f"{_needed(module, needing)}: {by.hint}"
        for module, (by, needing) in hints.items()
    }


def is_essential(rule: Rule, essential: Collection[str]) -> bool:
    return rule.id in essential or rule.provides in essential


def _reports(withheld: Sequence[Withheld], essential: Collection[str]) -> list[Report]:
    """Refusals for what one module lacks: the essential of it, else the first."""
    text = f"The file {withheld[0].by.why}, and not rewritten."
    named = [one for one in withheld if is_essential(one.rule, essential)]
    if named:
        return [Report(one.rule, one.module, one.line, text) for one in named]
    first = withheld[0]
    rules = ", ".join(dict.fromkeys(one.rule.id for one in withheld))
    return [Report(first.rule, first.module, first.line, f"{rules}: {text}", refuse=True)]


def _needed(module: Module, programs: Sequence[Program]) -> str:
    if all(program.entry is module for program in programs):
        return "the program starts there"
    names = ", ".join(str(program.entry.path) for program in programs[:_NAMED])
    more = f" and {len(programs) - _NAMED} more" if len(programs) > _NAMED else ""
    return f"needed by {names}{more}"
