"""bindings_at: by which bindings a name may have its value where it is read."""

from __future__ import annotations

from collections.abc import Sequence

from fissix.pytree import Leaf

from ..flow import flow_of
from ..names.module import Module
from ..names.scopes import Binding


def may_be_unbound(leaf: Leaf, module: Module) -> bool:
    """Whether a name of the scope that it is read in may not be bound yet, or not any more."""
    try:
        return flow_of(module.scope_of(leaf), module).maybe_unbound(leaf)
    except KeyError:
        return False


def reaching(leaf: Leaf, module: Module) -> Sequence[Binding]:
    """The bindings by which a name may have its value where it is read: by the order of statements
    as far as that tells, else all. One that adds in place is read by its own node before."""
    found = module.scope_of(leaf).lookup(leaf.value)
    return found if len(found) < 2 else bindings_at(leaf, module) or found


def bindings_at(leaf: Leaf, module: Module) -> Sequence[Binding] | None:
    """The bindings that may reach a read in their own scope; None if that cannot be told, as where
    another scope, or ``from a import *``, may bind the name."""
    flow = flow_of(module.scope_of(leaf), module)
    try:
        if flow.bound_elsewhere(leaf):
            return None
        return flow.definitions_of(leaf)
    except KeyError:
        return None
