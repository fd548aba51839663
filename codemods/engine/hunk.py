"""Hunk: one application of one rule, with its reason and what it depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from pinsetter.analyzer.module import Module
from pinsetter.patterns.edit import Edit

from .diff import hunk_lines


@dataclass(frozen=True, eq=False)
class Hunk:
    """What a person accepts or rejects. ``follows`` marks an import that is not asked about: it is
    accepted with the first hunk that requires it."""

    id: str
    rule: str
    title: str
    why: str
    module: Module
    line: int
    edits: tuple[Edit, ...]
    warnings: tuple[str, ...] = ()
    requires: frozenset[str] = frozenset()
    follows: bool = False

    @property
    def place(self) -> str:
        return f"{self.module.path}:{self.line}"

    @cached_property
    def lines(self) -> list[str]:
        """The hunk's own diff in Bowler's form."""
        return hunk_lines(str(self.module.path), self.module.source.text, self.edits)


class BowlerHunk(list[str]):
    """What ``Query.process()`` hooks get: the lines of a Bowler hunk; ``hunk`` says more."""

    def __init__(self, hunk: Hunk) -> None:
        super().__init__(hunk.lines)
        self.hunk = hunk


def hunk_id(rule: str, place: str, code: str, number: int) -> str:
    """An id that survives unrelated edits: it follows from the rule, the file and the code matched,
    and tells equal places in one file apart by their order."""
    text = "\0".join((rule, place, "".join(code.split()), str(number)))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


class Plan:
    """The hunks of a run in the order of review, and their requirements as a graph."""

    def __init__(self, hunks: Iterable[Hunk]) -> None:
        self.hunks = list(hunks)
        self._by_id = {hunk.id: hunk for hunk in self.hunks}
        self._graph: nx.DiGraph[str] = nx.DiGraph()
        self._graph.add_nodes_from(self._by_id)
        for hunk in self.hunks:
            self._graph.add_edges_from(
                (hunk.id, required) for required in hunk.requires if required in self._by_id
            )

    def required_by(self, hunk: Hunk) -> list[Hunk]:
        """Every hunk that accepting ``hunk`` takes along."""
        ids = nx.descendants(self._graph, hunk.id)
        return [other for other in self.hunks if other.id in ids]

    def dependents_of(self, hunk: Hunk) -> list[Hunk]:
        """Every hunk that rejecting ``hunk`` rejects too."""
        ids = nx.ancestors(self._graph, hunk.id)
        return [other for other in self.hunks if other.id in ids]

    def required_first(self) -> list[Module]:
        """The modules in an order in which each comes after those that its hunks require."""
        graph: nx.DiGraph[Module] = nx.DiGraph()
        graph.add_nodes_from(hunk.module for hunk in self.hunks)
        for hunk in self.hunks:
            for required in hunk.requires & self._by_id.keys():
                graph.add_edge(self._by_id[required].module, hunk.module)
        groups = nx.condensation(graph)
        return [m for g in nx.topological_sort(groups) for m in groups.nodes[g]["members"]]

    def by_module(self) -> dict[Module, list[Hunk]]:
        found: dict[Module, list[Hunk]] = {}
        for hunk in self.hunks:
            found.setdefault(hunk.module, []).append(hunk)
        return found


class Decisions:
    """What was decided so far; always closed: what is accepted has all that it requires."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._verdicts: dict[str, bool] = {}

    def verdict(self, hunk: Hunk) -> bool | None:
        return self._verdicts.get(hunk.id)

    def accept(self, hunk: Hunk) -> list[Hunk]:
        """Accept a hunk and what it requires; returns what came along, or nothing if one of those
        was rejected before (then this one is rejected, too)."""
        required = self.plan.required_by(hunk)
        if self.verdict(hunk) is False or any(self.verdict(r) is False for r in required):
            self.reject(hunk)
            return []
        along = [other for other in required if self.verdict(other) is None]
        for other in (hunk, *along):
            self._verdicts[other.id] = True
        return along

    def reject(self, hunk: Hunk) -> list[Hunk]:
        """Reject a hunk and what requires it; returns what went along."""
        along = [o for o in self.plan.dependents_of(hunk) if self.verdict(o) is not False]
        for other in (hunk, *along):
            self._verdicts[other.id] = False
        return along

    @property
    def accepted(self) -> list[Hunk]:
        """The accepted hunks; an import stays only while something accepted needs it."""
        chosen = [h for h in self.plan.hunks if self.verdict(h) and not h.follows]
        needed = {required for hunk in chosen for required in hunk.requires}
        return [h for h in self.plan.hunks if h in chosen or (h.follows and h.id in needed)]

    @property
    def rejected(self) -> list[Hunk]:
        return [h for h in self.plan.hunks if not h.follows and self.verdict(h) is False]
