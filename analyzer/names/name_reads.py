"""NameReads: where a name of one scope is read, and which of its bindings each place may see.

Within a function a read belongs to the last binding before it in the source, to those before that
which it need not have replaced (it stands in a branch), and in a loop to those after it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..syntax.tree import LN, ancestors
from .module import Module
from .scopes import Binding, Scope


@dataclass(frozen=True, slots=True)
class _Read:
    """``replaced`` is the last place before it where the name is bound anew in any case, -1 if
    there is none; ``loops`` are the loops around it, by identity, with where they begin.
    ``settled``: what is bound at ``replaced`` can be seen, and nothing else."""

    number: int
    leaf: LN
    at_once: bool
    start: int
    replaced: int
    loops: tuple[tuple[int, int], ...]
    settled: bool


def reads_of(name: str, scope: Scope, module: Module) -> NameReads:
    """The reads of what ``name`` means in ``scope``, looked for once in a module."""
    bindings = scope.lookup(name)
    home = bindings[0].scope if bindings else scope
    key = (NameReads, name, id(home))
    found = module.memo.get(key)
    if found is None:
        found = module.memo[key] = NameReads(name, bindings, home, module)
    assert isinstance(found, NameReads)
    return found


class NameReads:
    def __init__(self, name: str, bindings: list[Binding], home: Scope, module: Module) -> None:
        self._module = module
        # An augmented assignment changes the value; it does not replace it.
        made = [binding.node for binding in bindings if binding.kind != "augment"]
        places = {_effect_at(node, module): node for node in made}
        self._places = sorted(places)
        self._settled: dict[int, list[_Read]] = defaultdict(list)
        self._others: list[_Read] = []
        for read in self._found(name, bindings, home, places):
            (self._settled[read.replaced] if read.settled else self._others).append(read)

    def of(self, bound_at: LN) -> Iterator[LN]:
        """The reads that may see what is bound at ``bound_at``."""
        before = bisect_right(self._places, _effect_at(bound_at, self._module))
        mine = self._places[before - 1] if before else None
        around = {id(parent) for parent in ancestors(bound_at)} if self._others else set()
        found = [read for read in self._others if _may_see(read, mine, around)]
        if mine is not None:
            found += self._settled.get(mine, ())
        for read in sorted(found, key=attrgetter("number")):
            yield read.leaf

    def _found(
        self, name: str, bindings: list[Binding], home: Scope, places: dict[int, LN]
    ) -> Iterator[_Read]:
        module, bound = self._module, {id(binding.node) for binding in bindings}
        everywhere = home.node is module.tree.root
        for number, leaf in enumerate(module.leaves_of(name)):
            if id(leaf) in bound or not _is_read(leaf):
                continue
            above = list(ancestors(leaf))
            if not everywhere and not any(parent is home.node for parent in above):
                continue
            reader = module.scope_of(leaf)
            if reader.lookup(name) is not bindings and reader.lookup(name) != bindings:
                continue
            at_once = reader.function is home.function and home.kind != "comprehension"
            start = module.tree.start(leaf)
            replaced = self._replaced(leaf, start, places) if at_once else -1
            loops = tuple((id(p), module.tree.start(p)) for p in above if p.type in _LOOPS)
            between = bisect_right(self._places, start) - bisect_right(self._places, replaced)
            settled = at_once and not between and all(first <= replaced for _, first in loops)
            yield _Read(number, leaf, at_once, start, replaced, loops, settled)

    def _replaced(self, leaf: LN, start: int, places: dict[int, LN]) -> int:
        for place in reversed(self._places[: bisect_right(self._places, start)]):
            if _always_before(places[place], leaf):
                return place
        return -1


def _may_see(read: _Read, mine: int | None, around: set[int]) -> bool:
    if not read.at_once or (mine is not None and read.replaced <= mine <= read.start):
        return True
    return any(loop in around and read.replaced < start for loop, start in read.loops)


_LOOPS = {symbols.for_stmt, symbols.while_stmt}
_BRANCHING = {symbols.if_stmt, symbols.while_stmt, symbols.for_stmt, symbols.try_stmt}
# Branches with all that is bound at their head.
_BRANCHES = {symbols.case_block, symbols.except_star_block}


def _always_before(binding: LN, leaf: LN) -> bool:
    """Whether the binding is made whenever ``leaf``, further down, is reached from above it."""
    child: LN = binding
    for parent in ancestors(binding):
        if parent.type in (symbols.funcdef, symbols.lambdef, symbols.classdef):
            return True
        if parent.type in _BRANCHES:
            around = {id(above) for above in ancestors(leaf)}
            # A pattern is read as a whole before it binds.
            return id(parent) in around and id(parent.children[1]) not in around
        if parent.type in _BRANCHING and child.type in (symbols.suite, symbols.simple_stmt):
            return any(above is child for above in ancestors(leaf))
        if child.type == symbols.except_clause:
            block = child.next_sibling.next_sibling
            return any(above is block for above in ancestors(leaf))
        if parent.type == symbols.for_stmt:
            return any(above is parent for above in ancestors(leaf))
        child = parent
    return True


def _effect_at(node: LN, module: Module) -> int:
    """An assignment's target is bound after its right side was read."""
    for parent in ancestors(node):
        if parent.type == symbols.expr_stmt:
            return module.tree.end(parent)
        if parent.type in (symbols.suite, symbols.file_input, symbols.trailer):
            break
    return module.tree.start(node)


def _is_read(leaf: LN) -> bool:
    parent = leaf.parent
    if parent is None:
        return False
    if parent.type == symbols.trailer and parent.children[0].type == token.DOT:
        return False
    if parent.type == symbols.argument and parent.children[0] is leaf:
        return len(parent.children) != 3 or parent.children[1].type != token.EQUAL
    return parent.type not in (symbols.parameters, symbols.typedargslist, symbols.tname)
