"""splitting: a hunk's edits in groups that make sense without each other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import networkx as nx

from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.edits.edit import Edit
from pinsetter.patterns.edits.guards import Guard

from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from ..hunks.validity import why_invalid

_NAME = re.compile(r"[^\W\d]\w*")
# What gives a name a meaning: an assignment, and the keywords that do.
_BOUND = re.compile(r"^\s*(\w[\w, ]*?)\s*(?::[^=\n]*)?=(?!=)|\b(?:def|class|for|as|import)\s+(\w+)"
                    r"|(\w+)\s*:=", re.MULTILINE)  # fmt: skip


def parts(hunk: Hunk, plan: Plan) -> list[Hunk]:
    """The parts of a hunk that can be decided one by one; none if it cannot be split.

    Edits stay together that belong to constructs which overlap or touch, or to one guard, of which
    one uses a name that another brings into the file, and of which one alone would not parse. The
    same hunk always has the same parts.
    """
    required = plan.required_by(hunk)
    imports = [other for other in required if other.follows and other.module is hunk.module]
    groups = _groups(hunk)
    base = [edit for other in required if other.module is hunk.module for edit in other.edits]
    groups = _parsing(hunk.module, groups, base)
    if len(groups) < 2:
        return []
    others = plan.alternatives_of(hunk)
    found = []
    for number, edits in enumerate(groups, 1):
        part = replace(
            hunk,
            id=f"{hunk.id}.{number}",
            line=hunk.module.tree.line(min(edit.start for edit in edits)),
            edits=tuple(edits),
            part_of=hunk.id,
            requires=hunk.requires - _unneeded(edits, imports),
        )
        excluded = {other.id for other in others if part.contradicts(other)}
        found.append(replace(part, alternatives=frozenset(excluded)))
    # An alternative that is none because of an edit excludes the whole, so every part.
    told = {id for part in found for id in part.alternatives}
    rest = frozenset(other.id for other in others if other.id not in told)
    return [replace(part, alternatives=part.alternatives | rest) for part in found]


def _groups(hunk: Hunk) -> list[list[Edit]]:
    """The edits in the order of the source, grouped by construct and by the names they bring."""
    together: nx.Graph[int] = nx.Graph()
    together.add_nodes_from(range(len(hunk.edits)))
    brought = [_bound(edit) - hunk.module.names for edit in hunk.edits]
    used = [_names([edit]) for edit in hunk.edits]
    for a, b in itertools.combinations(range(len(hunk.edits)), 2):
        left, right = _extent(hunk.edits[a]), _extent(hunk.edits[b])
        touching = left[0] <= right[1] and right[0] <= left[1]
        guard = _guard(hunk.edits[a])
        guarded = guard is not None and guard == _guard(hunk.edits[b])
        if touching or guarded or brought[a] & used[b] or brought[b] & used[a]:
            together.add_edge(a, b)
    groups = [[hunk.edits[n] for n in sorted(group)] for group in nx.connected_components(together)]
    return sorted(groups, key=lambda edits: min(edit.start for edit in edits))


def _guard(edit: Edit) -> Guard | None:
    """What it is part of, in the test of an ``if`` or around a statement in that."""
    return edit.shared.guard if edit.shared is not None else None


def _extent(edit: Edit) -> tuple[int, int]:
    """What the edit belongs to. Whole lines between others are ordered by a construct that begins
    with the file, to which they do not belong."""
    start, end = edit.outer
    if start == 0 and end <= edit.start:
        return edit.start, edit.end
    return min(start, edit.start), max(end, edit.end)


def _parsing(module: Module, groups: list[list[Edit]], base: list[Edit]) -> list[list[Edit]]:
    """The groups, put together until each, each two and all of them parse with ``base``."""
    while len(groups) > 1:
        failing = _failing(groups, lambda edits: not why_invalid(module, [*base, *edits]), module)
        if failing is None:
            return groups
        first, second = failing
        merged = [*groups[first], *groups[second]]
        groups = [g for n, g in enumerate(groups) if n not in failing]
        groups.insert(first, merged)
    return groups


def _failing(
    groups: Sequence[list[Edit]], parse: Callable[[list[Edit]], bool], module: Module
) -> tuple[int, int] | None:
    """Two groups to put together, because one alone or both alone do not parse."""
    for number, group in enumerate(groups):
        if not parse(group):
            return (number, number + 1) if number + 1 < len(groups) else (number - 1, number)
    statements = [_statements(module, group) for group in groups]
    for a, b in itertools.combinations(range(len(groups)), 2):
        # What stands in separate statements of the module cannot break each other.
        near = statements[a] & statements[b]
        if near and len(groups) > 2 and not parse([*groups[a], *groups[b]]):
            return a, b
    return None


def _statements(module: Module, edits: Sequence[Edit]) -> set[int]:
    spans = (module.tree.span((child,)) for child in module.tree.root.children)
    extents = [_extent(edit) for edit in edits]
    return {s for s, e in spans if any(s <= stop and start <= e for start, stop in extents)}


def _unneeded(edits: Sequence[Edit], imports: Sequence[Hunk]) -> set[str]:
    """The imports of which a part does not use a single name."""
    used = _names(edits)
    return {other.id for other in imports if not used & (_names(other.edits) - {"import", "as"})}


def _bound(edit: Edit) -> set[str]:
    """The names that an edit's text gives a meaning."""
    return {name for found in _BOUND.findall(edit.text) for name in _NAME.findall(" ".join(found))}


def _names(edits: Sequence[Edit]) -> set[str]:
    return {name for edit in edits for name in _NAME.findall(edit.text)}
