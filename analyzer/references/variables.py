"""variable_leaves: where a scope's variable is said, and what another name would clash with."""

from __future__ import annotations

from fissix.pytree import Leaf

from ..names.module import Module
from ..names.scopes import BUILTINS, Scope
from ..syntax.tree import LN, is_variable
from .unclear import Unclear


def variable_leaves(module: Module, scope: Scope, name: str) -> list[Leaf]:
    """The places that bind or read a variable, those inside imports left out."""
    found = []
    for leaf in module.leaves_of(name):
        if is_variable(leaf) and _owner(leaf, name, module) is scope:
            found.append(leaf)
    return found


def clash(module: Module, scope: Scope, old: str, new: str) -> LN | None:
    """A place that would mean something else if a variable were called ``new``; None if there is
    none."""
    if new in scope.bindings:
        return scope.bindings[new][0].node
    for leaf in variable_leaves(module, scope, old):
        nearer = module.scope_of(leaf).owner(new)
        if nearer is not None and nearer is not scope and _is_inside(nearer, scope):
            return leaf
    for leaf in module.leaves_of(new):
        if not is_variable(leaf) or id(leaf) in _binders(module):
            continue
        owner = _owner(leaf, new, module)
        known = owner is not None or new in BUILTINS
        if known and (owner is None or not _is_inside(owner, scope)):
            if _owner(leaf, old, module) is scope:
                return leaf
    return None


def check_free(module: Module, scope: Scope, old: str, new: str) -> None:
    """Raise Unclear if a variable cannot be called ``new``."""
    in_the_way = clash(module, scope, old, new)
    if in_the_way is not None:
        line = module.tree.line_of(in_the_way)
        raise Unclear(f"{new} is something else in line {line} of {module.path}")


def _is_inside(scope: Scope, outer: Scope) -> bool:
    current: Scope | None = scope
    while current is not None and current is not outer:
        current = current.parent
    return current is not None


def _owner(leaf: LN, name: str, module: Module) -> Scope | None:
    return _binders(module).get(id(leaf)) or module.scope_of(leaf).owner(name)


def _binders(module: Module) -> dict[int, Scope]:
    """The scopes in which names are bound by the leaves that say them: a parameter stands outside
    of the function that it is a variable of."""
    if "binders" not in module.memo:
        found: dict[int, Scope] = {}
        for scope in module.scopes:
            for bindings in scope.bindings.values():
                for binding in bindings:
                    node = binding.node
                    defines = binding.kind in ("function", "class")
                    found[id(node.children[1] if defines else node)] = binding.scope
        module.memo["binders"] = found
    known: dict[int, Scope] = module.memo["binders"]
    return known
