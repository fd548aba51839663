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

    applications = [one for one in outcome.applications if stays(one)]
    return replace(
        outcome,
        applications=applications if starts else _with_warning(outcome, applications),
        notes=[judged(note) for note in outcome.notes if is_told(note)],
        withheld=[one for one in outcome.withheld if stays(one.application)],
    )


def _with_warning(outcome: Proposal, applications: list[Application]) -> list[Application]:
    """The first change that is also run when the module is run by itself, as a script that trains
    nothing, and gets no start of its own, says so."""
    module, programs = outcome.rules.module, outcome.rules.facts.programs
    starting = next((rule for rule in outcome.rules.pack.rules if rule.starts), None)
    is_run = programs.run_by_itself(module)
    run = [one for one in applications if one.code and is_run(one.start)]
    if starting is None or not run:
        return applications
    if programs.is_entry(module) and not all(one.rule.shared for one in run):
        return applications  # it is started (``started``)
    first = min(run, key=lambda one: one.start)
    line = module.tree.line_of(module.main_guards[0])
    said = (
        f"Who runs this file by itself, from line {line} on, runs this, too, without what the "
        f"programs that load it begin with ({starting.title}). It has to begin with that as well."
    )
    changed = replace(first, warnings=(*first.warnings, said))
    return [changed if one is first else one for one in applications]
