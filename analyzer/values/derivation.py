"""derivation: the code that what an expression holds may be computed by, followed back.

Further than ``sources``, which follows one value: here whatever goes into it counts, in arithmetic,
as an argument, in what is added to it later.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.definition import Definition, items_of
from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.tree import LN, Call, Expression, calls_in_power, is_name
from .arguments import given_to
from .bindings_of import bindings_of, owner_of
from .evaluator import Evaluator
from .sources import key_of, stored_by_name

_MOST = 200
_Place = tuple[Expression, Module]
_stores: WeakKeyDictionary[Evaluator, dict[str, list[_Place]]] = WeakKeyDictionary()


def derivation(
    expression: Expression, module: Module, evaluator: Evaluator
) -> Iterator[tuple[LN, Module]]:
    """The nodes of the expression, and of those that its value may be computed from: what names,
    attributes and items are assigned, what parameters are given, what functions of the repository
    return, what calling an instance of its classes does."""
    seen: set[tuple[int, int]] = set()
    waiting: list[_Place] = [(expression, module)]
    while waiting and len(seen) < _MOST:
        nodes, where = waiting.pop(0)
        if not nodes or (id(nodes[0]), id(nodes[-1])) in seen:
            continue
        seen.add((id(nodes[0]), id(nodes[-1])))
        for node in nodes:
            for part in where.tree.nodes(node):
                yield part, where
                waiting += _behind(part, where, evaluator)


def _behind(part: LN, module: Module, evaluator: Evaluator) -> list[_Place]:
    if part.type == symbols.power:
        found = [p for call in calls_in_power(part) for p in _made(call, module, evaluator)]
        return found + list(_stored_in(part, module, evaluator))
    if is_name(part) and not _is_label(part) and not _has_own_store(part, module, evaluator):
        bindings = bindings_of((part,), module, evaluator)
        return [place for b, where in bindings for place in _bound(b, where, evaluator)]
    return []


def _bound(binding: Binding, module: Module, evaluator: Evaluator) -> Iterator[_Place]:
    if binding.kind == "augment":
        yield tuple(binding.statement.children[2:]), module
        yield (binding.node,), module
    elif binding.kind == "parameter":
        yield from _given(binding, module, evaluator)
    elif binding.kind == "function":
        opened = module.scopes.opened_by(_definition(binding.node))
        if opened is not None:
            yield from _returned(Definition(module, opened))
    elif binding.kind in ("assign", "walrus", "with", "for"):
        items = items_of(binding.value) if binding.element and binding.kind != "for" else []
        at = binding.element[0] if binding.element else 0
        if 0 <= at < len(items):
            yield (items[at],), module
        else:
            yield binding.value, module


def _definition(name: LN) -> LN:
    node = name
    while node.parent is not None and node.type != symbols.funcdef:
        node = node.parent
    return node


def _given(binding: Binding, module: Module, evaluator: Evaluator) -> Iterator[_Place]:
    """What the calls of a function give for its parameter, and the default."""
    yield from given_to(binding, module, evaluator)
    if binding.value:
        yield binding.value, module


def _made(call: Call, module: Module, evaluator: Evaluator) -> Iterator[_Place]:
    """What functions of the repository return that a call may run, and what the instances that it
    makes do when they are called."""
    for name in sorted(evaluator.names(call.callee, module)):
        definition = evaluator.definitions.get(name)
        if definition is None:
            continue
        if definition.scope.kind == "class":
            called = evaluator.definitions.get(f"{name}.__call__")
            if called is not None:
                yield from _returned(called)
        else:
            yield from _returned(definition)


def _returned(definition: Definition) -> Iterator[_Place]:
    for statement in definition.scope.returns:
        yield tuple(statement.children[1:2]), definition.module


def _has_own_store(name: LN, module: Module, evaluator: Evaluator) -> bool:
    """Whether a name only leads to an attribute or item of which it is known what is put there."""
    power = name.parent
    if power is None or power.type != symbols.power or power.children[0] is not name:
        return False
    key = key_of(power.children[1])
    return key is not None and any(True for _ in _stored_in(power, module, evaluator))


def _stored_in(power: LN, module: Module, evaluator: Evaluator) -> Iterator[_Place]:
    """What is assigned to the attributes and items on the way through an expression."""
    for at, trailer in enumerate(power.children[1:], 1):
        key = key_of(trailer)
        if key is None:
            continue
        stored = tuple(power.children[: at + 1])
        if owner_of(stored, module) is not None:
            bindings = bindings_of(stored, module, evaluator)
            found = [place for b, where in bindings for place in _bound(b, where, evaluator)]
        else:
            found = list(_of_module(power.children[:at], key, module, evaluator))
        yield from found or _by_name(evaluator).get(key, [])


def _of_module(owner: list[LN], key: str, module: Module, evaluator: Evaluator) -> Iterator[_Place]:
    """What ``module.name`` is assigned where that module is the repository's."""
    for name in evaluator.names(tuple(owner), module) if key.startswith(".") else ():
        found = evaluator.module(name)
        if found is not None:
            for binding in found.binding(key[1:]):
                yield from _bound(binding, found, evaluator)


def _by_name(evaluator: Evaluator) -> dict[str, list[_Place]]:
    """What is stored anywhere as an attribute or an item, or bound in a class, by its name."""
    found = _stores.get(evaluator)
    if found is None:
        found = {name: list(places) for name, places in stored_by_name(evaluator).items()}
        for module in evaluator.modules:
            for scope in (scope for scope in module.scopes if scope.kind == "class"):
                for name, bindings in scope.bindings.items():
                    values = [(b.value, module) for b in bindings if b.kind == "assign"]
                    found.setdefault(f".{name}", []).extend(values)
            for key, value in _unpacked(module):
                found.setdefault(key, []).append((value, module))
        _stores[evaluator] = found
    return found


def _unpacked(module: Module) -> Iterator[tuple[str, Expression]]:
    """What is stored as one of several attributes or items: ``a.x, a.y = f()``."""
    for node in module.tree.nodes():
        if node.type != symbols.expr_stmt or node.children[1].type != token.EQUAL:
            continue
        values = items_of((node.children[-1],))
        for target in node.children[:-1:2]:
            items = items_of((target,)) if target.type != symbols.power else []
            for at, item in enumerate(items):
                key = key_of(item.children[-1]) if item.type == symbols.power else None
                if key is not None:
                    own = len(values) == len(items)
                    yield key, (values[at] if own else node.children[-1],)


def _is_label(name: LN) -> bool:
    """Whether a name is that of an attribute or a keyword."""
    before, parent = name.prev_sibling, name.parent
    if before is not None and before.type == token.DOT:
        return True
    return (
        parent is not None
        and parent.type == symbols.argument
        and parent.children[0] is name
        and len(parent.children) == 3
        and parent.children[1].type == token.EQUAL
    )
