"""Liveness: which names of a scope may be read later, before they are bound again.

Attributes are not tracked: a name is live where any path that begins with it may be read. Whatever
``del`` deletes has to be bound, which counts as a read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from .accesses import NOTHING, Accesses
from .cfg import CFG


class Liveness:
    """``always`` are names that other scopes may read at any time, ``at_exit`` those that are read
    when this scope has come to its end. In a class the scopes inside it do not see its names."""

    def __init__(
        self,
        cfg: CFG,
        accesses: Sequence[Accesses],
        names: Iterable[str],
        always: Collection[str],
        at_exit: Collection[str],
        is_class: bool,
    ) -> None:
        self.cfg = cfg
        self.names = list(names)
        self._bits = {name: 1 << number for number, name in enumerate(self.names)}
        self._always = self._mask(always)
        self._at_exit = self._mask(at_exit)
        self._read = [0] * len(cfg)
        self._bound = [0] * len(cfg)
        self._captured: dict[int, int] = {}
        self._note(accesses, is_class)
        self._ins = self._solve()

    def before(self, index: int) -> int:
        """Bits of the names that are live at the start of a node."""
        return self._before[index]

    def after(self, index: int) -> int:
        """Bits of the names that are live behind a node, whichever way it is left."""
        return self.leaving(index, index + 1)

    def leaving(self, start: int, end: int) -> int:
        """Bits of the names that are live behind the nodes from ``start`` to ``end``, whichever way
        they are left, an exception that no ``raise`` among them raises left out."""
        found = self._always
        for index in range(start, end):
            ways = self.cfg.following[index]
            for target, _ in ways:
                if not start <= target < end:
                    found |= self._before[target]
            if not ways and not start <= self.cfg.raises[index] < end:
                found |= self._before[self.cfg.raises[index]]
        return found

    def decode(self, bits: int) -> frozenset[str]:
        return frozenset(name for number, name in enumerate(self.names) if bits >> number & 1)

    def _mask(self, names: Collection[str]) -> int:
        mask = 0
        for name in names:
            mask |= self._bits.get(name, 0)
        return mask

    def _note(self, accesses: Sequence[Accesses], is_class: bool) -> None:
        get = self._bits.get
        for index, part in enumerate(accesses):
            if part is NOTHING:
                continue
            read = bound = 0
            for name in part.reads:
                read |= get(name, 0)
            for name in part.deleted:
                read |= get(name, 0)
            for name, _ in part.written:
                bound |= get(name, 0)
            if not is_class:
                if part.inner:
                    read |= self._mask(part.inner)
                if part.captured or part.module_reads:
                    captured = self._mask(part.captured) | self._mask(part.module_reads)
                    read |= captured
                    self._captured[index] = captured
            self._read[index] = read
            self._bound[index] = bound
        self._read[len(self.cfg) - 2] = self._at_exit

    def _solve(self) -> list[int]:
        """The bits at the start of each basic block, without those of captured names."""
        blocks = self.cfg.blocks
        count = len(blocks.starts)
        ins, reads, bounds = [0] * count, [0] * count, [0] * count
        read_at, bound_at = self._read, self._bound
        for number, start in enumerate(blocks.starts):
            read = bound = 0
            for index in range(blocks.ends[number] - 1, start - 1, -1):
                binds = bound_at[index]
                read = (read & ~binds | read_at[index]) if binds else read | read_at[index]
                bound |= binds
            reads[number], bounds[number] = read, bound
        changed = True
        while changed:
            changed = False
            for number in range(count - 1, -1, -1):
                out = 0
                for target in blocks.after[number]:
                    out |= ins[target]
                bound = bounds[number]
                live = (out & ~bound if bound else out) | reads[number]
                for target in blocks.amid[number]:
                    live |= ins[target]
                if live != ins[number]:
                    ins[number] = live
                    changed = True
        return ins

    @cached_property
    def _before(self) -> list[int]:
        cfg, blocks = self.cfg, self.cfg.blocks
        last = len(cfg) - 1
        before = [0] * (last + 1)
        for number, start in enumerate(blocks.starts):
            live = around = 0
            for target in blocks.after[number]:
                live |= self._ins[target]
            for target in blocks.amid[number]:
                around |= self._ins[target]
            for index in range(blocks.ends[number] - 1, start - 1, -1):
                live = live & ~self._bound[index] | self._read[index] | around
                before[index] = live
        always, captured = self._always, self._captured_at_blocks
        if always or self._captured:
            for number, start in enumerate(blocks.starts):
                known = captured[number] | always
                for index in range(start, blocks.ends[number]):
                    before[index] |= known
                    known |= self._captured.get(index, 0)
        return before

    @cached_property
    def _captured_at_blocks(self) -> list[int]:
        blocks = self.cfg.blocks
        known = [0] * len(blocks.starts)
        if not self._captured:
            return known
        here = [0] * len(blocks.starts)
        for index, captured in self._captured.items():
            here[blocks.of(index)] |= captured
        changed = True
        while changed:
            changed = False
            for number in range(len(known)):
                out = known[number] | here[number]
                if out:
                    for target in (*blocks.after[number], *blocks.amid[number]):
                        if out | known[target] != known[target]:
                            known[target] |= out
                            changed = changed or target <= number
        return known
