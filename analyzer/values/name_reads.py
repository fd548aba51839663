"""NameReads: where a name of one scope is read, and what each place may see of it.

In the scope itself that is asked of its flow; what another scope reads may see anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..flow import Flow, flow_of
from ..names.module import Module
from ..names.scopes import Binding, Scope
from ..syntax.tree import LN, ancestors


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
        self._name, self._bindings, self._home, self._module = name, bindings, home, module
        self._bound = {id(binding.node) for binding in bindings}

    def of(self, place: LN) -> list[LN]:
        """The reads that may see what is bound at a place, or, where that reads the name, what is
        put into what it means there."""
        if id(place) in self._bound:
            return self._seeing.get(id(place), [])
        mine = self._seen_at(place)
        if mine is None:
            return [*self._reads]
        return [
            leaf
            for leaf, seen in zip(self._reads, self._seen, strict=True)
            if not mine.isdisjoint(seen) and self._may_follow(leaf, place)
        ]

    @cached_property
    def _flow(self) -> Flow:
        return flow_of(self._home, self._module)

    @cached_property
    def _reads(self) -> list[LN]:
        return list(self._found())

    @cached_property
    def _seen(self) -> list[frozenset[int]]:
        """What each read may see: binding nodes, by identity."""
        everything = frozenset(self._bound)
        seen = (self._seen_at(leaf) for leaf in self._reads)
        return [everything if found is None else found for found in seen]

    @cached_property
    def _seeing(self) -> dict[int, list[LN]]:
        found: dict[int, list[LN]] = defaultdict(list)
        for leaf, seen in zip(self._reads, self._seen, strict=True):
            for bound in seen:
                found[bound].append(leaf)
        return found

    def _seen_at(self, leaf: LN) -> frozenset[int] | None:
        """The nodes of the bindings that a place may see; None if that may be any."""
        if len(self._bindings) == 1 and self._bindings[0].kind == "parameter":  # no flow is needed
            return frozenset(self._bound)
        try:
            waiting = [*self._flow.definitions_of(leaf)]
            found: dict[int, Binding] = {}
            while waiting:
                binding = waiting.pop()
                if id(binding.node) not in found:
                    found[id(binding.node)] = binding
                    if binding.kind == "augment":  # it changes the value, and does not replace it
                        waiting += self._flow.definitions_of(binding.node)
        except KeyError:
            return None
        return frozenset(found)

    def _may_follow(self, leaf: LN, place: LN) -> bool:
        elsewhere = self._module.scope_of(leaf).function is not self._home.function
        return elsewhere or self._flow.may_follow(leaf, place)

    def _found(self) -> Iterator[LN]:
        module, home, bindings = self._module, self._home, self._bindings
        everywhere = home.node is module.tree.root
        for leaf in module.leaves_of(self._name):
            if id(leaf) in self._bound or not _is_read(leaf):
                continue
            if not everywhere and not any(parent is home.node for parent in ancestors(leaf)):
                continue
            reader = module.scope_of(leaf)
            if reader.lookup(self._name) is bindings or reader.lookup(self._name) == bindings:
                yield leaf


def _is_read(leaf: LN) -> bool:
    parent = leaf.parent
    if parent is None:
        return False
    if parent.type == symbols.trailer and parent.children[0].type == token.DOT:
        return False
    if parent.type == symbols.argument and parent.children[0] is leaf:
        return len(parent.children) != 3 or parent.children[1].type != token.EQUAL
    return parent.type not in (symbols.parameters, symbols.typedargslist, symbols.tname)
