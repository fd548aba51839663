"""without_left: programs that are left as they are, because a rule finds that the work is done, or
nobody's, as in tests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import replace

from pinsetter.analyzer.programs.by_module import ByModule
from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.applying.application import Report
from pinsetter.patterns.packs.pack import Pack, Rule

from .proposals import Proposal, programs_of_packs

ALL_BUT_START = "all-but-start"
COMPLETE = "complete"


def without_left(
    outcomes: list[Proposal], skip: Collection[str] = ()
) -> tuple[list[Proposal], frozenset[int]]:
    """The outcomes without what is proposed and noted for programs that a rule with ``leave`` is
    for, unless it leaves only complete ones and something essential is to be done there. Hazards
    stay, refusals as notes, what an option has asked for, and with ``all-but-start`` what starts a
    program that shares modules with others. And the programs that are left but for that, by their
    id(): what they share is rewritten for the others.

    Where something is left out, the rule's report says so, and what; else there is none. With the
    rule in ``skip`` nothing is left.
    """
    around_of = _Around()
    left = _left(outcomes, skip, around_of)
    shared = _shared(outcomes, left, around_of)
    dropped: dict[int, Counter[str]] = defaultdict(Counter)
    found = []
    for outcome in outcomes:
        notes = [note for note in outcome.notes if note.rule.leave is None]
        around = around_of(outcome)
        if not around or any(id(program) not in left for program in around):
            found.append(replace(outcome, notes=notes))
            continue
        always = all(left[id(program)].rule.leave != COMPLETE for program in around)
        starting = any(
            left[id(program)].rule.leave == ALL_BUT_START and id(program) in shared
            for program in around
        )
        kept = [
            a
            for a in outcome.applications
            if a.rule.option is not None or (starting and a.rule.starts)
        ]
        for program in around:
            dropped[id(program)].update(a.rule.id for a in outcome.applications if a not in kept)
        # What would refuse a program of which nothing is to be rewritten is only told.
        notes = [
            n if n.rule.hazard else replace(n, refuse=False)
            for n in notes
            if n.rule.hazard or (n.refuse and not always)
        ]
        found.append(replace(outcome, applications=kept, notes=notes, withheld=[]))
    followers = frozenset(id for id, report in left.items() if report.rule.leave == ALL_BUT_START)
    return _with_reports(found, left, dropped, around_of), followers


class _Around:
    """The programs that the module of a proposal is part of, of those that its pack is for."""

    def __init__(self) -> None:
        # All proposals of a pack have one list of programs, which is kept so that it stays itself.
        self._known: dict[int, tuple[list[Program], ByModule]] = {}

    def __call__(self, outcome: Proposal) -> list[Program]:
        programs = outcome.programs
        if id(programs) not in self._known:
            self._known[id(programs)] = (programs, ByModule(programs))
        return self._known[id(programs)][1].of(outcome.rules.module)


def _left(outcomes: list[Proposal], skip: Collection[str], around_of: _Around) -> dict[int, Report]:
    """By program, the report of the rule by which it is left as it is."""
    lacking = {id(p) for o in outcomes if _lacks_essential(o) for p in around_of(o)}
    found: dict[int, Report] = {}
    for outcome in outcomes:
        for note in (one for one in outcome.notes if one.rule.id not in skip):
            for program in around_of(outcome):
                if note.rule.leave in ("always", ALL_BUT_START):
                    found[id(program)] = note
                elif note.rule.leave == COMPLETE and id(program) not in lacking:
                    found.setdefault(id(program), note)
    return found


def _shared(outcomes: list[Proposal], left: dict[int, Report], around_of: _Around) -> set[int]:
    """The programs that are left but for their start, and may run what is proposed for a module
    which they share with programs that are not left; by identity."""
    found: set[int] = set()
    waiting = ByModule(
        [
            program
            for program in programs_of_packs(outcomes)
            if id(program) in left and left[id(program)].rule.leave == ALL_BUT_START
        ]
    )
    for outcome in outcomes:
        if all(id(program) in left for program in around_of(outcome)):
            continue
        for program in waiting.of(outcome.rules.module):
            if id(program) in found:
                continue
            # What stands at the start of a module comes with its own.
            if any(program.may_run(a.module, a.start) for a in outcome.applications if a.code):
                found.add(id(program))
    return found


def _lacks_essential(outcome: Proposal) -> bool:
    """Whether something essential is to be done in the module, be it possible or not."""
    rules = [
        *(a.rule for a in outcome.applications),
        *(one.rule for one in outcome.withheld),
        *(note.rule for note in outcome.notes if note.rule.edits),
    ]
    return any(_is_essential(rule, outcome.rules.pack) for rule in rules)


def _is_essential(rule: Rule, pack: Pack) -> bool:
    return rule.id in pack.essential or rule.provides in pack.essential


def _with_reports(
    outcomes: list[Proposal],
    left: dict[int, Report],
    dropped: dict[int, Counter[str]],
    around_of: _Around,
) -> list[Proposal]:
    """Each report where its module is, for the programs that would have had hunks."""
    said: set[tuple[str, object]] = set()
    found = []
    for outcome in outcomes:
        notes = list(outcome.notes)
        for program in around_of(outcome):
            report = left.get(id(program))
            if report is None or report.module is not outcome.rules.module:
                continue
            if dropped[id(program)] and (report.rule.id, report.module) not in said:
                said.add((report.rule.id, report.module))
                notes.append(replace(report, text=f"{report.text} {_told(dropped[id(program)])}"))
        found.append(replace(outcome, notes=notes))
    return found


def _told(rules: Counter[str]) -> str:
    counted = ", ".join(f"{name} ({number})" for name, number in sorted(rules.items()))
    return f"Left out: {counted}."
