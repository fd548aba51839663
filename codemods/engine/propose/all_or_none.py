"""all_or_none: hunks of one rule that are one change of several files, as a rename is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.files.needed_text import NeededText, WordSearch
from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.applying.application import Report
from pinsetter.patterns.packs.pack import Rule

from ..hunks.hunk import Hunk
from .make_hunks import without
from .scope import Scope

_NAMED = 3


def all_or_none(hunks: Sequence[Hunk], scope: Scope) -> tuple[list[Hunk], list[Report]]:
    """Those of one change require each other. Where one is lacking in a file that needs it, none of
    them is left, with a note that says which file that is."""
    changes: dict[str, list[Hunk]] = defaultdict(list)
    for hunk in hunks:
        if hunk.application is not None and hunk.application.whole:
            changes[hunk.rule].append(hunk)
    linked: dict[str, Hunk] = {}
    gone: set[str] = set()
    notes: list[Report] = []
    for change in changes.values():
        lacking = _lacking(change)
        if lacking:
            gone |= {hunk.id for hunk in change}
            notes += _told(change[0], lacking, scope)
            continue
        first, *others = _with_warning(change, scope.listing)
        ids = frozenset(hunk.id for hunk in others)
        linked[first.id] = replace(first, requires=first.requires | ids)
        for hunk in others:
            linked[hunk.id] = replace(hunk, requires=hunk.requires | {first.id})
    kept, lost = without([linked.get(hunk.id, hunk) for hunk in hunks], gone)
    return kept, notes + lost


def said_beside(rules: Iterable[Rule], listing: Listing) -> list[str]:
    """The files of the repository that are not of the run and have the name that one of the rules
    gives another, if it may be one of the repository's own."""
    if not listing.is_partial:
        return []
    own = [rule.renamed for rule in rules if rule.renamed and _is_own(rule.renamed, listing)]
    search = WordSearch(NeededText(frozenset([name.rpartition(".")[2].encode()])) for name in own)
    return [path for path in sorted(listing.beside) if search.found_in(_bytes(path))]


def _is_own(name: str, listing: Listing) -> bool:
    parts = name.split(".")
    homes = [".".join(parts[:length]) for length in range(1, len(parts))]
    folders = {str(Path(path).parent) for path in listing.shown}
    return any(listing.layout.locate(folder, home) for folder in folders for home in homes)


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _with_warning(change: Sequence[Hunk], listing: Listing) -> list[Hunk]:
    """Say which other files may need it; the first hunk says it."""
    assert change[0].application is not None
    others = said_beside([change[0].application.rule], listing)
    if not others:
        return [*change]
    names = ", ".join(listing.called(path) for path in others[:_NAMED])
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    text = f"{names}{more} may use it, too, and are not of this run."
    first = replace(change[0], warnings=(*change[0].warnings, text))
    return [first, *change[1:]]


def _lacking(change: Sequence[Hunk]) -> list[Module]:
    """The files that would need a hunk of a change and have none."""
    there = {id(hunk.module) for hunk in change}
    wanted = {id(m): m for hunk in change if hunk.application for m in hunk.application.whole}
    return [module for key, module in wanted.items() if key not in there]


def _told(first: Hunk, lacking: Sequence[Module], scope: Scope) -> list[Report]:
    assert first.application is not None
    names = ", ".join(str(module.path) for module in lacking[:_NAMED])
    more = f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
    found = (scope.obstacle(module) for module in lacking)
    obstacle = next((one for one in found if one is not None), None)
    why = f", which {obstacle.why}: {obstacle.hint}" if obstacle is not None else ""
    text = f"Not proposed: it would have to be done in {names}{more}, too{why}."
    return [Report(first.application.rule, first.module, first.line, text)]
