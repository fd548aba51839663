"""joints: neighbours that one condition is put around; a review asks about them as one hunk."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

import networkx as nx

from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.edits.guards import Guard, neighbours

from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from .equal_hunks import is_of_rule

_Pair = tuple[Hunk, Hunk]


class Joints:
    """Which hunks of a plan, that may grow, stand under one ``if`` when all of it is accepted."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._pairs: dict[Module, tuple[list[Hunk], list[_Pair]]] = {}

    def units(self, apart: Collection[str]) -> list[list[Hunk]]:
        """All hunks that are asked about, in the order of the plan: those of a joint together, at
        the place of its first, and each other one alone, as those whose ids are ``apart``."""
        together: nx.Graph[Hunk] = nx.Graph()
        for module in self.plan.by_module():
            together.add_edges_from(
                pair for pair in self._pairs_of(module) if not any(h.id in apart for h in pair)
            )
        unit = {hunk: number for number, one in enumerate(nx.connected_components(together))
                for hunk in one}  # fmt: skip
        found: dict[object, list[Hunk]] = {}
        for slot in self.plan.slots:
            for hunk in slot:
                found.setdefault(unit.get(hunk, hunk), []).append(hunk)
        return list(found.values())

    def _pairs_of(self, module: Module) -> list[_Pair]:
        hunks = self.plan.of_module(module)
        known = self._pairs.get(module)
        if known is None or known[0] != hunks:
            known = self._pairs[module] = hunks, list(self._found(module, hunks))
        return known[1]

    def _found(self, module: Module, hunks: list[Hunk]) -> Iterator[_Pair]:
        guarded: dict[Guard, list[Hunk]] = {}
        for hunk in hunks:
            for guard in _guards(hunk):
                if self._is_free(hunk):
                    guarded.setdefault(guard, []).append(hunk)
        if sum(map(len, guarded.values())) < 2:
            return
        for same in guarded.values():
            yield from itertools.pairwise(same)
        edits = [edit for hunk in hunks for edit in hunk.edits]
        for guard, other in neighbours(module.source.text, edits):
            if guard in guarded and other in guarded:
                yield guarded[guard][0], guarded[other][0]

    def _is_free(self, hunk: Hunk) -> bool:
        """Whether nothing has to be said of a hunk that is not said of its neighbours."""
        alone = len(self.plan.slots[self.plan.slot_of(hunk)]) == 1
        return alone and is_of_rule(hunk) and not self.plan.alternatives_of(hunk)


def _guards(hunk: Hunk) -> Iterator[Guard]:
    """The conditions that a hunk puts statements under together with neighbours, each once."""
    if not hunk.follows:
        found = {edit.shared.guard: None for edit in hunk.edits if edit.shared is not None}
        yield from (guard for guard in found if guard.join)
