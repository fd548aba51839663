"""without_others: what is proposed for programs, without what they do not run and others do.

An entry script of a program that a pack is not for is a module of the others, and no more: it gets
nothing that is for entry scripts. Code that no program is seen to run is library code, and stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.applying.application import Application, Report

from .proposals import Proposal


def without_others(
    outcomes: list[Proposal], programs_of: Callable[[Module], Sequence[Program]]
) -> list[Proposal]:
    """The outcomes of packs for programs, without what others alone may run."""
    return [
        _without(outcome, programs_of(outcome.rules.module)) if outcome.programs else outcome
        for outcome in outcomes
    ]


def _without(outcome: Proposal, around: Sequence[Program]) -> Proposal:
    module = outcome.rules.module
    chosen = {id(program) for program in outcome.programs}
    starts = any(program.entry is module for program in outcome.programs)
    runs_all = all(id(program) in chosen for program in around)
    is_tried_out = outcome.rules.facts.programs.tried_out(module)

    def concerns(offset: int) -> bool:
        running = [program for program in around if program.may_run(module, offset)]
        return not running or any(id(program) in chosen for program in running)

    def stays(one: Application) -> bool:
        if one.rule.is_of_entry:
            return starts
        if one.code and is_tried_out(one.start):
            return False
        return runs_all or not one.code or concerns(one.start)

    def is_told(note: Report) -> bool:
        if note.rule.is_of_entry:
            return starts
        offset = module.tree.end_of_line(note.line) - 1
        return not is_tried_out(offset) and (runs_all or note.refuse or concerns(offset))

    def judged(note: Report) -> Report:
        """What no program may run is nothing to refuse one for."""
        if not note.refuse or note.rule.is_of_entry:
            return note
        offset = module.tree.end_of_line(note.line) - 1
        ran = not around or any(program.may_run(module, offset) for program in around)
        return note if ran else replace(note, refuse=False)

    return replace(
        outcome,
        applications=[one for one in outcome.applications if stays(one)],
        notes=[judged(note) for note in outcome.notes if is_told(note)],
        withheld=[one for one in outcome.withheld if stays(one.application)],
    )
