"""Plan: the hunks of a run, what they require and what they exclude."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pinsetter.analyzer.names.module import Module

    from .hunk import Hunk


class Plan:
    """The hunks of a run in the order of review, what they require and what excludes what.

    ``slots`` are the hunks that are asked about, each in a list of its own, in which its parts take
    its place when it is split. Slots are only appended, so that their numbers stay. ``version`` is
    another number after each change.
    """

    def __init__(self, hunks: Iterable[Hunk] = ()) -> None:
        self.hunks: list[Hunk] = []
        self.slots: list[list[Hunk]] = []
        self._by_id: dict[str, Hunk] = {}
        self._required: dict[str, set[str]] = {}
        self._dependents: dict[str, set[str]] = {}
        # Who says that a hunk is an alternative, and of what a hunk is a part.
        self._declared: dict[str, set[str]] = {}
        self._wholes: dict[str, str] = {}
        self._order: dict[str, tuple[int, int]] = {}
        self._slots: dict[str, int] = {}
        # What follows from all links, until one of them changes.
        self._all_required: dict[str, set[str]] = {}
        self._all_dependents: dict[str, set[str]] = {}
        self._modules: dict[Module, list[Hunk]] = {}
        self._modules_of = 0
        self._count = 0
        self.version = 0
        self.extend(hunks)

    def extend(self, hunks: Iterable[Hunk]) -> None:
        """Append hunks. ``Decisions.extend`` keeps closed what was decided, too."""
        self.version += 1
        for hunk in hunks:
            self.hunks.append(hunk)
            self._order[hunk.id] = (self._count, 0)
            self._count += 1
            if not hunk.follows:
                self._slots[hunk.id] = len(self.slots)
                self.slots.append([hunk])
            self._link(hunk)

    def swap(self, old: Sequence[Hunk], new: Sequence[Hunk]) -> None:
        """Put hunks in the place of others of the same slot. What required a hunk that is split
        requires all its parts."""
        self.version += 1
        number, slot = self._order[old[0].id][0], self._slots[old[0].id]
        before = self.slots[slot]
        first, inside = self.hunks.index(before[0]), before.index(old[0])
        gone = {hunk.id for hunk in old}
        for hunk in old:
            self._unlink(hunk)
        kept = [hunk for hunk in before if hunk.id not in gone]
        self.slots[slot] = after = [*kept[:inside], *new, *kept[inside:]]
        self.hunks[first : first + len(before)] = after
        for place, hunk in enumerate(after):
            self._order[hunk.id], self._slots[hunk.id] = (number, place), slot
        for hunk in new:
            self._link(hunk)

    def get(self, id: str) -> Hunk | None:
        return self._by_id.get(id)

    def slot_of(self, hunk: Hunk) -> int:
        """The index of the hunk's slot. Raises KeyError for a hunk that is not asked about."""
        return self._slots[hunk.id]

    def required_by(self, hunk: Hunk) -> list[Hunk]:
        """Every hunk that accepting ``hunk`` takes along."""
        return self._led_to(hunk, self._required, self._all_required)

    def dependents_of(self, hunk: Hunk) -> list[Hunk]:
        """Every hunk that rejecting ``hunk`` rejects too."""
        return self._led_to(hunk, self._dependents, self._all_dependents)

    def alternatives_of(self, hunk: Hunk) -> list[Hunk]:
        """The hunks that exclude this one."""
        if not (hunk.alternatives or hunk.part_of or self._declared.get(hunk.id)):
            return []
        found = {meant for id in hunk.alternatives for meant in self._meant(id, hunk)}
        whole: str | None = hunk.id
        while whole is not None:
            for id in self._declared.get(whole, ()):
                if id in self._by_id and hunk.id in self._meant(whole, self._by_id[id]):
                    found.add(id)
            whole = self._wholes.get(whole)
        return self._sorted(found - {hunk.id})

    def required_first(self) -> list[Module]:
        """The modules in an order in which each comes after those that its hunks require."""
        import networkx as nx  # takes a while, and most runs write nothing

        graph: nx.DiGraph[Module] = nx.DiGraph()
        graph.add_nodes_from(hunk.module for hunk in self.hunks)
        parts = {id: ids for id, ids in self._required.items() if id not in self._by_id}
        for hunk in self.hunks:
            for required in _reached(self._required.get(hunk.id, ()), parts):
                if required in self._by_id:
                    graph.add_edge(self._by_id[required].module, hunk.module)
        groups = nx.condensation(graph)
        return [m for g in nx.topological_sort(groups) for m in groups.nodes[g]["members"]]

    def by_module(self) -> dict[Module, list[Hunk]]:
        found: dict[Module, list[Hunk]] = {}
        for hunk in self.hunks:
            found.setdefault(hunk.module, []).append(hunk)
        return found

    def of_module(self, module: Module) -> list[Hunk]:
        """The hunks of a file in the plan's order."""
        if self._modules_of != self.version:
            self._modules, self._modules_of = self.by_module(), self.version
        return self._modules.get(module, [])

    def ordered(self, hunks: Iterable[Hunk]) -> list[Hunk]:
        """Hunks of the plan in its order."""
        return sorted(hunks, key=lambda hunk: self._order[hunk.id])

    def _led_to(
        self, hunk: Hunk, graph: Mapping[str, Iterable[str]], known: dict[str, set[str]]
    ) -> list[Hunk]:
        if not graph.get(hunk.id):
            return []  # as for most, of which one answer may be about thousands
        if hunk.id not in known:
            # Those that lead to each other lead to the same.
            alike = [known[id] for id in graph[hunk.id] if hunk.id in known.get(id, ())]
            known[hunk.id] = alike[0] if alike else _reached([hunk.id], graph, known)
        return self._sorted(known[hunk.id] - {hunk.id})

    def _sorted(self, ids: Iterable[str]) -> list[Hunk]:
        return self.ordered(self._by_id[id] for id in ids if id in self._by_id)

    def _forget(self) -> None:
        self._all_required.clear()
        self._all_dependents.clear()

    def _link(self, hunk: Hunk) -> None:
        self._forget()
        self._by_id[hunk.id] = hunk
        for required in hunk.requires - {hunk.id}:
            self._connect(hunk.id, required)
        if hunk.part_of:
            self._connect(hunk.part_of, hunk.id)
            self._wholes[hunk.id] = hunk.part_of
        for other in hunk.alternatives:
            self._declared.setdefault(other, set()).add(hunk.id)

    def _meant(self, id: str, by: Hunk) -> set[str]:
        """What an alternative means if it was split: its parts that contradict ``by``; all if that
        is not why."""
        if id in self._by_id:
            return {id}
        parts = self._parts_of(id)
        clear = {part.id for part in parts if part.contradicts(by)}
        return clear or {part.id for part in parts}

    def _parts_of(self, id: str) -> list[Hunk]:
        if id in self._by_id:
            return []
        ids = self._required.get(id, ())
        found = [h for part in ids for h in [self.get(part), *self._parts_of(part)]]
        return [hunk for hunk in found if hunk is not None]

    def _unlink(self, hunk: Hunk) -> None:
        self._forget()
        del self._by_id[hunk.id], self._order[hunk.id], self._slots[hunk.id]
        for required in self._required.pop(hunk.id, set()):
            self._dependents[required].discard(hunk.id)
        if hunk.part_of:
            self._required.get(hunk.part_of, set()).discard(hunk.id)
            self._dependents[hunk.id].discard(hunk.part_of)
        for other in hunk.alternatives:
            self._declared[other].discard(hunk.id)

    def _connect(self, id: str, required: str) -> None:
        self._required.setdefault(id, set()).add(required)
        self._dependents.setdefault(required, set()).add(id)


def _reached(
    ids: Iterable[str],
    graph: Mapping[str, Iterable[str]],
    known: Mapping[str, set[str]] = MappingProxyType({}),
) -> set[str]:
    """Everything that a graph leads to from ``ids``, themselves included; ``known`` says it for
    some: in a file with many loops, all hunks require one another."""
    found = set(ids)
    waiting = list(found)
    while waiting:
        for id in graph.get(waiting.pop(), ()):
            if id in found:
                continue
            if id in known:
                found |= known[id]
            else:
                found.add(id)
                waiting.append(id)
    return found
