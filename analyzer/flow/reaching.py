"""Reaching: which definitions of a name may hold at a node, and whether it may be unbound.

Bits of a Python int stand for definitions. Each name has two more: ``unbound``, and ``elsewhere``
for a binding that this scope does not have: one that a ``global`` name had before, or that
``from a import *`` makes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..syntax.tree import LN
from .accesses import NOTHING, Accesses, Written
from .cfg import CFG


@dataclass(frozen=True, eq=False)
class Definitions:
    """The tree nodes of the binding sites that may have bound a name."""

    nodes: tuple[LN, ...]
    unbound: bool = False
    elsewhere: bool = False


@dataclass
class _Name:
    """A name's bits: ``own`` are those that a binding here puts out. ``at`` are the nodes that
    bind or delete it, ``bits`` what they put in, ``certain`` whether they do so in any case."""

    unbound: int
    elsewhere: int
    own: int
    all: int
    at: list[int]
    bits: list[int]
    certain: list[bool]


class Reaching:
    """``names`` are the names of the scope, ``outside`` those of them that are another scope's
    (``global``, ``nonlocal``), ``parameters`` what is bound at the entry, ``foreign`` the bindings
    that other scopes make, at any time; ``undone``: names that other scopes may delete."""

    def __init__(
        self,
        cfg: CFG,
        accesses: Sequence[Accesses],
        names: Iterable[str],
        outside: Collection[str],
        parameters: Sequence[Written],
        foreign: Sequence[Written],
        undone: Collection[str],
    ) -> None:
        self.cfg = cfg
        self.names: dict[str, _Name] = {}
        self._nodes: list[LN | None] = []
        self._anything: list[int] = []
        entry = 0
        for name in names:
            unbound, elsewhere = self._bit(None), self._bit(None)
            own = 0 if name in undone else unbound
            self.names[name] = _Name(unbound, elsewhere, own, unbound | elsewhere, [], [], [])
            entry |= elsewhere if name in outside else unbound
        for name, node in parameters:
            entry = (entry & ~self.names[name].unbound) | self._define(self.names[name], node)
        for name, node in foreign:
            bit = self._bit(node)
            self.names[name].all |= bit
            entry |= bit
        self._accesses = accesses
        self.ins = self._solve(entry)

    def before(self, index: int, name: str) -> Definitions:
        """The definitions of ``name`` that may reach the start of a node; KeyError if the scope
        has no such name."""
        facts = self.names[name]
        block = self.cfg.blocks.of(index)
        start = self.cfg.starts[block]
        found, since, certain = 0, start, False
        at = bisect_left(facts.at, index)
        while at > 0 and facts.at[at - 1] >= start and not certain:
            at -= 1
            found |= facts.bits[at]
            since, certain = facts.at[at], facts.certain[at]
        if not certain:
            since = start
        if any(since <= node < index for node in self._anything):
            found |= facts.elsewhere
        reached = self.ins[block] & ~facts.own if certain else self.ins[block]
        return self._definitions(facts, found | reached)

    def at(self, index: int, name: str) -> Definitions:
        """The same for a read inside the node, where ``:=`` may have bound the name already."""
        before = self.before(index, name)
        more = [node for found, node in _walruses(self._accesses[index]) if found == name]
        return Definitions((*before.nodes, *more), before.unbound, before.elsewhere)

    def anywhere(self, name: str) -> Definitions:
        """All definitions of ``name``, for a read at an unknown time."""
        facts = self.names[name]
        every = facts.all if facts.elsewhere & self.ins[0] else facts.all & ~facts.elsewhere
        return self._definitions(facts, every)

    def may_be_unbound(self, index: int, name: str) -> bool:
        """Whether ``name`` may be unbound at the start of a node."""
        return self.before(index, name).unbound

    def _definitions(self, facts: _Name, bits: int) -> Definitions:
        bits &= facts.all
        unbound, elsewhere = bool(bits & facts.unbound), bool(bits & facts.elsewhere)
        bits &= ~(facts.unbound | facts.elsewhere)
        found: list[LN] = []
        while bits:
            lowest = bits & -bits
            node = self._nodes[lowest.bit_length() - 1]
            if node is not None and not any(node is other for other in found):
                found.append(node)
            bits ^= lowest
        return Definitions(tuple(found), unbound, elsewhere)

    def _bit(self, node: LN | None) -> int:
        self._nodes.append(node)
        return 1 << (len(self._nodes) - 1)

    def _define(self, facts: _Name, node: LN) -> int:
        bit = self._bit(node)
        facts.own |= bit
        facts.all |= bit
        return bit

    def _record(self) -> list[tuple[int, int, int, bool]]:
        """Give each binding its bit; return node, bits put in and out, and whether the node may
        raise after it."""
        events: list[tuple[int, _Name, int, bool, bool]] = []
        names = self.names
        for index, accesses in enumerate(self._accesses):
            if accesses is NOTHING:
                continue
            early = accesses.early or len(accesses.written) > 1
            for name, node in accesses.written:
                facts = names.get(name)
                if facts is not None:
                    events.append((index, facts, self._define(facts, node), True, early))
            for name, node in accesses.maybe_written:
                facts = names.get(name)
                if facts is not None:
                    events.append((index, facts, self._define(facts, node), False, True))
            for name in accesses.deleted:
                facts = names.get(name)
                if facts is not None:
                    events.append((index, facts, facts.unbound, True, True))
            for name in accesses.unbound:
                facts = names.get(name)
                if facts is not None:
                    events.append((index, facts, facts.unbound, False, True))
            if accesses.anything:
                self._anything.append(index)
                every = sum(facts.elsewhere for facts in names.values())
                events.append((index, _Name(0, 0, 0, 0, [], [], []), every, False, True))
        for index, facts, bits, certain, _ in events:
            facts.at.append(index)
            facts.bits.append(bits)
            facts.certain.append(certain)
        return [
            (index, bits, facts.own if certain else 0, early)
            for index, facts, bits, certain, early in events
        ]

    def _solve(self, entry: int) -> list[int]:
        """The bits at the start of each basic block; 0 for what is not reached."""
        blocks = self.cfg.blocks
        count = len(blocks.starts)
        put, taken, amid = [0] * count, [0] * count, [0] * count
        block = 0
        ends = blocks.ends
        for index, bits, removed, early in self._record():
            if index >= ends[block]:
                block = blocks.of(index)
            put[block] = (put[block] & ~removed) | bits if removed else put[block] | bits
            taken[block] |= removed
            # What a node binds last is bound when the next node of its block raises.
            if early or index < ends[block] - 1:
                amid[block] |= bits
        ins = [0] * count
        ins[0] = entry
        reached, waiting = bytearray(count), bytearray(count)
        reached[0] = waiting[0] = True
        again = True
        while again:
            again = False
            number = waiting.find(1)
            while number >= 0:
                waiting[number] = 0
                state = ins[number]
                removed = taken[number]
                after = ((state & ~removed) if removed else state) | put[number]
                for targets, out in (
                    (blocks.after[number], after),
                    (blocks.amid[number], state | amid[number]),
                ):
                    for target in targets:
                        merged = ins[target] | out
                        if merged != ins[target] or not reached[target]:
                            ins[target] = merged
                            reached[target] = waiting[target] = 1
                            again = again or target <= number
                number = waiting.find(1, number)
        return ins


def _walruses(accesses: Accesses) -> Iterator[Written]:
    yield from accesses.maybe_written
    if accesses.early:
        yield from accesses.written
