"""with_requirements: the hunks whose rules have what they require, proposed or there already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.applying.already_done import is_done
from pinsetter.patterns.applying.application import Report
from pinsetter.patterns.packs.pack import Pack

from ..hunks.hunk import Hunk
from .make_hunks import without
from .proposals import Proposal
from .reach import Reach


def with_requirements(
    hunks: list[Hunk], outcomes: Iterable[Proposal], reach: Reach, facts: Facts
) -> tuple[list[Hunk], list[Report]]:
    """Drop the hunks that require a rule which proposes nothing in their file, nor where ``reach``
    leads, and is not done there; with notes that say so."""
    packs = {id(a): o.rules.pack for o in outcomes for a in o.applications}
    proposed: dict[str, set[int]] = defaultdict(set)
    for hunk in hunks:
        if hunk.application is not None:
            for name in {hunk.application.rule.id, hunk.application.rule.provides}:
                proposed[name].add(id(hunk.module))
    done: dict[tuple[str, str, int], bool] = {}

    def is_met(name: str, pack: Pack, module: Module) -> bool:
        around = {id(m) for near in reach.of(module) for m in near}
        if not proposed[name].isdisjoint({id(module), *around}):
            return True
        key = (pack.name, name, id(module))
        if key not in done:
            done[key] = is_done(pack, name, module, facts)
        return done[key]

    gone: set[str] = set()
    notes: list[Report] = []
    for hunk in hunks:
        if hunk.application is None:
            continue
        rule, pack = hunk.application.rule, packs[id(hunk.application)]
        unmet = [name for name in rule.requires if not is_met(name, pack, hunk.module)]
        if unmet:
            gone.add(hunk.id)
            notes.append(Report(rule, hunk.module, hunk.line, _why(pack, unmet[0])))
    kept, lost = without(hunks, gone)
    return kept, notes + lost


def _why(pack: Pack, name: str) -> str:
    rules = pack.called(name)
    if not rules:
        why = "which the options of this run leave out"
    elif all(rule.done is None for rule in rules):
        why = "which proposes nothing here, and has no `done` to say whether it is there already"
    else:
        why = "which proposes nothing here, and is not done already"
    return f"Not proposed: it requires {name}, {why}."
