"""Stores: which statement stored what in which place, and out of which places it came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..names.module import Module
from ..names.scopes import Scope
from ..syntax.tree import LN
from .objects import (
    Container,
    External,
    Instance,
    Object,
    Objects,
    Partial,
    Result,
    Unseen,
)
from .state import Place

Kind: TypeAlias = Literal["name", "parameter", "attribute", "item", "import", "return"]
# What may have a role, and what it may be in.
_FOLLOWED = (Result, Unseen, External, Instance, Container, Partial)


@dataclass(eq=False)
class Store:
    """All that the target, parameter, item or return statement at ``node`` stored in the run."""

    node: LN
    scope: Scope
    module: Module
    kind: Kind
    objects: set[Object] = field(default_factory=set)
    sources: defaultdict[Object, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    """By object, the stores (by their nodes' identities) from whose places it was read."""

    @property
    def line(self) -> int:
        return self.module.tree.line_of(self.node)


class Stores:
    """The stores of one run, by the identity of their nodes."""

    def __init__(self) -> None:
        self.by_node: dict[int, Store] = {}
        self._last: defaultdict[Hashable, dict[Object, int]] = defaultdict(dict)

    def put(
        self,
        place: Place,
        objects: Objects,
        node: LN,
        kind: Kind,
        scope: Scope,
        module: Module,
        reads: Iterable[Place],
    ) -> None:
        """Note that ``objects``, read from ``reads``, were stored in ``place`` at ``node``."""
        if id(node) not in self.by_node and node not in module.tree:
            node = scope.node  # a property, say, is called where another module asks
        key = id(node)
        store = self.by_node.get(key)
        if store is None:
            store = self.by_node[key] = Store(node, scope, module, kind)
        store.objects |= objects
        moved = [found for found in objects if isinstance(found, _FOLLOWED)]
        if not moved:
            return
        for read in dict.fromkeys(reads):
            held = self._last.get(read)
            if held is None:
                continue
            for found in moved:
                source = held.get(found)
                if source is not None and source != key:
                    store.sources[found][source] = None
        self._last[place].update(dict.fromkeys(moved, key))

    def copy(self, source: Place, place: Place) -> None:
        """Note that ``place`` now holds what ``source`` does, without a store of its own."""
        self._last[place].update(self._last.get(source, {}))

    def put_into(self, place: Place) -> set[Object]:
        """All that was ever stored in a place, but for plain values."""
        return set(self._last.get(place, ()))

    def last(self, place: Place, found: Object) -> Store | None:
        """The store that put ``found`` into ``place``, the last one if there are several."""
        node = self._last.get(place, {}).get(found)
        return self.by_node.get(node) if node is not None else None
