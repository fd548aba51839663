"""sources: the expressions that an expression may take its value from, followed back.

As ``origins``, and further: what is added or multiplied in place, through parameters to the calls
of their function, and through attributes and items of objects that are not followed, which are
looked up by their name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.definition import items_of
from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.tree import (
    LN,
    Expression,
    flat,
    is_name,
    outer_call,
    plain_string,
    unwrap,
    walk,
)
from .arguments import given_to
from .bindings_of import bindings_of
from .evaluator import Evaluator

_DEPTH = 8
Place = tuple[Expression, Module]
# What was taken apart already, by the identity of its first node and the indices asked for.
_Apart = set[tuple[int, tuple[int, ...]]]
_stores: WeakKeyDictionary[Evaluator, dict[str, list[Place]]] = WeakKeyDictionary()


def sources(
    expression: Expression, module: Module, evaluator: Evaluator, depth: int = _DEPTH
) -> Iterator[Place]:
    """The expressions, each with its module, where following ends; calls of functions of the
    repository among them, although what these return is followed as well."""
    seen: set[int | tuple[int, int]] = set()
    apart: _Apart = set()
    waiting = [(unwrap(expression), module, depth)]
    while waiting:
        nodes, where, left = waiting.pop()
        if not nodes:
            continue
        first, last = nodes[0], nodes[-1]
        key = id(first) if first is last else (id(first), id(last))
        if key in seen:
            continue
        seen.add(key)
        if not left:
            yield nodes, where
            continue
        onward, ends = _onward(key, nodes, where, evaluator, apart)
        if ends:
            yield nodes, where
        waiting += [(value, there, left - 1) for value, there in onward]


_Onward = tuple[tuple[Place, ...], bool]


def _onward(
    key: int | tuple[int, int],
    nodes: Expression,
    module: Module,
    evaluator: Evaluator,
    apart: _Apart,
) -> _Onward:
    """Where an expression may take its value from, last first, and whether following may end with
    itself; worked out once, unless it depends on what was taken apart before."""
    known: dict[int | tuple[int, int], _Onward | None] = evaluator.memo.setdefault(_onward, {})
    if key not in known:
        taken: _Apart = set()
        found = _gone_on(nodes, module, evaluator, taken)
        known[key] = None if taken else found
    return known[key] or _gone_on(nodes, module, evaluator, apart)


def _gone_on(nodes: Expression, module: Module, evaluator: Evaluator, apart: _Apart) -> _Onward:
    name = _looked_up(nodes, module, evaluator)
    if name is not None:
        steps = _stored_so(name, evaluator)
    else:
        steps = _last_first(_steps(nodes, module, evaluator, apart))
    return steps, not steps or outer_call(nodes) is not None


def _looked_up(nodes: Expression, module: Module, evaluator: Evaluator) -> str | None:
    """By what name an attribute or an item is looked up in all modules, if that is done."""
    parts = flat(nodes)
    if len(parts) < _CHAIN or outer_call(nodes) is not None:
        return None
    name = key_of(parts[-1])
    return name if name and not any(bindings_of(parts, module, evaluator)) else None


# Something, and its attribute or item.
_CHAIN = 2


def _stored_so(name: str, evaluator: Evaluator) -> tuple[Place, ...]:
    """What is stored anywhere by a name, last first: thousands may be, and many ask for it."""
    known: dict[str, tuple[Place, ...]] = evaluator.memo.setdefault(_stored_so, {})
    if name not in known:
        known[name] = _last_first(stored_by_name(evaluator).get(name, []))
    return known[name]


def _last_first(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple((unwrap(value), where) for value, where in reversed([*places]))


def _steps(
    nodes: Expression, module: Module, evaluator: Evaluator, apart: _Apart
) -> Iterator[Place]:
    node = nodes[0]
    if len(nodes) == 1 and node.type == symbols.test:
        yield (node.children[0],), module
        yield (node.children[4],), module
        return
    if len(nodes) == 1 and node.type in (symbols.or_test, symbols.and_test):
        yield from (((child,), module) for child in node.children[::2])
        return
    call = outer_call(nodes)
    if call is not None:
        for name in sorted(evaluator.names(call.callee, module)):
            made_by = evaluator.definitions.get(name)
            if made_by is not None and made_by.scope.kind == "function":
                for statement in made_by.scope.returns:
                    yield tuple(statement.children[1:2]), made_by.module
        return
    parts = flat(nodes)
    if len(parts) == 1 and is_name(parts[0]):
        for binding, where in bindings_of(parts, module, evaluator):
            yield from _bound(binding, where, evaluator, apart)
    elif len(parts) > 1 and parts[-1].type == symbols.trailer:
        yield from _stored(parts, module, evaluator, apart)


def _bound(
    binding: Binding, module: Module, evaluator: Evaluator, apart: _Apart
) -> Iterator[Place]:
    if binding.kind in ("assign", "walrus", "with"):
        yield from _item(binding.value, binding.element, module, evaluator, apart)
    elif binding.kind == "augment":
        yield tuple(binding.statement.children[2:]), module
        yield (binding.node,), module
    elif binding.kind == "parameter":
        yield from _given(binding, module, evaluator)


def _item(
    value: Expression,
    path: tuple[int, ...],
    module: Module,
    evaluator: Evaluator,
    apart: _Apart,
) -> Iterator[Place]:
    """The item of a display, or of one that a function returns, at a path of indices."""
    if not value:
        return
    if not path:
        yield value, module
        return
    items = items_of(value)
    if items:
        if 0 <= path[0] < len(items):
            yield from _item((items[path[0]],), path[1:], module, evaluator, apart)
        return
    # Once, as in `x, y = x` it is made of itself.
    if (id(value[0]), path) in apart:
        return
    apart.add((id(value[0]), path))
    for step, where in _steps(unwrap(value), module, evaluator, apart):
        if items_of(step):
            yield from _item(step, path, where, evaluator, apart)


def _given(binding: Binding, module: Module, evaluator: Evaluator) -> Iterator[Place]:
    """What the calls of a function give for its parameter, and the default."""
    if not binding.takes_one:
        return
    yield from given_to(binding, module, evaluator)
    if binding.value:
        yield binding.value, module


def _stored(
    parts: Expression, module: Module, evaluator: Evaluator, apart: _Apart
) -> Iterator[Place]:
    key = key_of(parts[-1])
    if key is None:
        return
    found = list(bindings_of(parts, module, evaluator))
    for binding, where in found:
        yield from _bound(binding, where, evaluator, apart)
    if not found:
        yield from stored_by_name(evaluator).get(key, [])


def stored_by_name(evaluator: Evaluator) -> dict[str, list[Place]]:
    """What is stored anywhere as an attribute or an item, by its name: ``.name`` or ``[key]``."""
    found = _stores.get(evaluator)
    if found is None:
        found = {}
        for module in evaluator.modules:
            for node in walk(module.tree.root):
                for key, value in stores_at(node):
                    found.setdefault(key, []).append((value, module))
        _stores[evaluator] = found
    return found


def stores_at(node: LN) -> Iterator[tuple[str, Expression]]:
    """What a statement or a display stores as an attribute or an item, with its ``key_of``."""
    if node.type == symbols.expr_stmt and node.children[1].type != symbols.annassign:
        value = (node.children[-1],)
        for target in node.children[:-1:2]:
            key = key_of(target.children[-1]) if target.type == symbols.power else None
            if key is not None:
                yield key, value
    elif node.type == symbols.dictsetmaker:
        children = node.children
        for at in range(1, len(children) - 1):
            if children[at].type == token.COLON and plain_string(children[at - 1]):
                yield f"[{plain_string(children[at - 1])}]", (children[at + 1],)


def key_of(trailer: LN) -> str | None:
    """By what name an attribute or an item is looked up: ``.name`` or ``[key]``; None if it is
    neither."""
    if trailer.type != symbols.trailer:
        return None
    if trailer.children[0].type == token.DOT:
        return f".{trailer.children[1].value}"
    if trailer.children[0].type == token.LSQB and plain_string(trailer.children[1]):
        return f"[{plain_string(trailer.children[1])}]"
    return None
