"""only_wraps: decorators of the repository that call what they are given when that is called."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.scopes import Scope
from ..syntax.tree import LN, ancestors, attribute_name, is_name
from .units import Unit

# They ask a function for something, or make one look like it.
_ASKING = {
    "getattr", "getfullargspec", "hasattr", "iscoroutinefunction", "isgeneratorfunction",
    "signature", "update_wrapper", "wraps",
}  # fmt: skip


def only_wraps(decorator: Unit, is_called: bool) -> bool:
    """Whether a decorator, or what it gives when it is called, gives back the function or one that
    calls it, and hands it to nobody else."""
    outer = decorator.scope
    makers = _functions_in(decorator, outer) if is_called else []
    taking = makers if is_called else [outer]
    return bool(taking) and all(
        _is_kept(decorator, scope, name)
        for scope in (outer, *makers)
        for name, held in scope.bindings.items()
        for binding in held
        if binding.kind == "function" or (binding.kind == "parameter" and scope in taking)
    )


def _functions_in(unit: Unit, scope: Scope) -> list[Scope]:
    return [s for s in unit.module.scopes if s.kind == "function" and s.parent is scope]


def _is_kept(unit: Unit, scope: Scope, name: str) -> bool:
    """Whether what a name of a function holds is only returned by it, or asked for its own name;
    what functions inside do with it they do when they are called."""
    return all(
        _only_asks(leaf) for leaf in _uses(unit, name) if unit.module.scope_of(leaf) is scope
    )


def _uses(unit: Unit, name: str) -> Iterator[LN]:
    start, end = unit.span
    for leaf in unit.module.leaves_of(name):
        if start <= unit.module.tree.start(leaf) < end and unit.module.reads((leaf,)):
            yield leaf


def _only_asks(leaf: LN) -> bool:
    parent, behind = leaf.parent, leaf.next_sibling
    if parent.type == symbols.return_stmt:
        return True
    if parent.type == symbols.power and behind is not None and behind.type == symbols.trailer:
        asked = attribute_name((leaf, behind))
        return asked is not None and asked.startswith("__")
    for around in ancestors(leaf):
        if around.type == symbols.decorator:
            return leaf is not around.children[1] and _asks(around.children[1])
        if around.type == symbols.power:
            return _asks(around)
        if around.type not in (symbols.arglist, symbols.trailer):
            return False
    return False


def _asks(callee: LN) -> bool:
    """Whether the last name before the first parenthesis is that of a function that only asks."""
    names = []
    for node in callee.children if callee.children else [callee]:
        if node.type == symbols.trailer and node.children[0].type == token.LPAR:
            break
        names += [leaf.value for leaf in (node, *node.children) if is_name(leaf)]
    return bool(names) and names[-1] in _ASKING
