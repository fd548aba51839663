"""all_or_none: hunks of one rule that are one change of several files, as a rename is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module, load
from pinsetter.patterns.applying.application import Report
from pinsetter.patterns.reading.parsed_names import parsed

from ..hunks.hunk import Hunk
from .make_hunks import without
from .said_beside import read_if_there, said_beside, saying
from .scope import Scope
from .setting import Setting

_NAMED = 3


def all_or_none(hunks: Sequence[Hunk], setting: Setting) -> tuple[list[Hunk], list[Report]]:
    """Those of one change require each other. Where one is lacking in a file that needs it, none of
    them is left, with a note that says which file that is. The first of those that other files may
    need, too, says so."""
    changes: dict[str, list[Hunk]] = defaultdict(list)
    firsts: dict[str, Hunk] = {}
    for hunk in hunks:
        if hunk.application is not None and hunk.application.whole:
            changes[hunk.rule].append(hunk)
        elif hunk.application is not None and hunk.application.of_repository:
            firsts.setdefault(hunk.rule, hunk)
    linked = {hunk.id: _with_beside(hunk, setting) for hunk in firsts.values()}
    gone: set[str] = set()
    notes: list[Report] = []
    for change in changes.values():
        lacking = _lacking(change)
        if lacking:
            gone |= {hunk.id for hunk in change}
            notes += _told(change[0], lacking, setting.scope)
            continue
        first, *others = change
        paths = _not_understood(first, setting)
        first = _warned(_with_beside(first, setting), paths, "which cannot be parsed", setting)
        ids = frozenset(hunk.id for hunk in others)
        linked[first.id] = replace(first, requires=first.requires | ids)
        for hunk in others:
            linked[hunk.id] = replace(hunk, requires=hunk.requires | {first.id})
    kept, lost = without([linked.get(hunk.id, hunk) for hunk in hunks], gone)
    return kept, notes + lost


def _not_understood(hunk: Hunk, setting: Setting) -> list[str]:
    """The files of the run that have the name and cannot be parsed: nobody knows what they use."""
    assert hunk.application is not None
    rule = hunk.application.rule
    known = {str(module.real) for module in setting.project.modules}
    found = saying([rule.renamed], setting.scope.listing.shown.keys() - known)
    # Most of them are only not joined to the others, and this Python's own parser is quick.
    doubtful = [Path(path) for path in found if parsed(read_if_there(path)) is None]
    bounds = setting.project.bounds
    return [str(path) for path in doubtful if isinstance(load(path, path.stem, bounds), Problem)]


def _with_beside(hunk: Hunk, setting: Setting) -> Hunk:
    """Say which other files of the repository may need what a hunk does."""
    assert hunk.application is not None
    paths = said_beside([hunk.application.rule], setting.scope.listing)
    return _warned(hunk, paths, "which this run does not look at", setting)


def _warned(hunk: Hunk, paths: Sequence[str], why: str, setting: Setting) -> Hunk:
    if not paths:
        return hunk
    names = _listed(map(setting.scope.listing.called, paths))
    return replace(hunk, warnings=(*hunk.warnings, f"It may be used in {names}, too, {why}."))


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
    return f"{', '.join(known[:_NAMED])}{more}"


def _lacking(change: Sequence[Hunk]) -> list[Module]:
    """The files that would need a hunk of a change and have none."""
    there = {id(hunk.module) for hunk in change}
    wanted = {id(m): m for hunk in change if hunk.application for m in hunk.application.whole}
    return [module for key, module in wanted.items() if key not in there]


def _told(first: Hunk, lacking: Sequence[Module], scope: Scope) -> list[Report]:
    assert first.application is not None
    names = _listed(str(module.path) for module in lacking)
    found = (scope.obstacle(module) for module in lacking)
    obstacle = next((one for one in found if one is not None), None)
    why = f", which {obstacle.why}: {obstacle.hint}" if obstacle is not None else ""
    text = f"Not proposed: it would have to be done in {names}, too{why}."
    return [Report(first.application.rule, first.module, first.line, text)]
