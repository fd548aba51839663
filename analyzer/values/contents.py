"""contents: what a list, a tuple or a mapping may hold, wherever it was made and added to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.definition import Definition, class_of_self
from ..names.module import Module
from ..syntax.tree import Expression, dotted, flat, is_name, unwrap
from .displays import all_items, is_display
from .evaluator import Evaluator
from .sources import Place, sources

# The methods of lists and mappings that add to them, with the position of what they add.
_ADDING = {"append": 0, "extend": 0, "insert": 1, "setdefault": 1, "update": 0}


@dataclass(frozen=True)
class Content:
    """An expression that is held, and where it comes from: a display only if that is empty."""

    expression: Expression
    module: Module
    sources: tuple[Place, ...]


def contents(expression: Expression, module: Module, evaluator: Evaluator) -> Iterator[Content]:
    """What the displays hold that an expression may be, and those in them; the expression itself
    where it may be something else. Each once, as a list may hold itself: ``ops = [ops, one]``."""
    seen: set[tuple[int, int]] = set()
    told: set[tuple[int, int]] = set()
    waiting = [(unwrap(expression), module)]
    while waiting:
        nodes, where = waiting.pop()
        if not nodes or not _is_new(nodes, seen):
            continue
        others: list[Place] = []
        inner: list[Place] = []
        for place in sources(nodes, where, evaluator):
            held = _held(*place)
            inner += held
            if not held and _is_new(place[0], told):
                others.append(place)
        inner += _added(nodes, where)
        inner += _added_to_attribute(nodes, where, evaluator)
        if others:
            yield Content(nodes, where, tuple(others))
        waiting += reversed(inner)


def _is_new(nodes: Expression, seen: set[tuple[int, int]]) -> bool:
    key = (id(nodes[0]), id(nodes[-1]))
    new = key not in seen
    seen.add(key)
    return new


def _held(expression: Expression, module: Module) -> list[Place]:
    """The items of a display, or the operands of a sum of some."""
    nodes = unwrap(expression)
    if len(nodes) != 1:
        return []
    node = nodes[0]
    if node.type == symbols.arith_expr:
        plus = all(sign.type == token.PLUS for sign in node.children[1::2])
        return [((part,), module) for part in node.children[::2]] if plus else []
    return [((item,), module) for item in all_items(node)] if is_display(node) else []


def _added(nodes: Expression, module: Module) -> Iterator[Place]:
    """What methods add to the list of a name: ``ops.append(one)``."""
    parts = flat(nodes)
    if len(parts) != 1 or not is_name(parts[0]):
        return
    bound = module.scope_of(parts[0]).lookup(parts[0].value)
    for method, position in _ADDING.items():
        for call in module.tree.calls_of(method):
            receiver = flat(call.receiver)
            argument = call.argument("", position)
            if (
                argument is not None
                and len(receiver) == 1
                and is_name(receiver[0])
                and receiver[0].value == parts[0].value
                and module.scope_of(receiver[0]).lookup(receiver[0].value) == bound
            ):
                yield (argument.value,), module


def _added_to_attribute(nodes: Expression, module: Module, evaluator: Evaluator) -> Iterator[Place]:
    """What methods of a class add to a list of its instances: ``self.ops.append(one)``."""
    parts = flat(nodes)
    names = dotted(parts)
    if len(names) < 2:
        return
    known = _all_added(evaluator).get(names[-1], ())
    if not known:
        return
    owners = evaluator.evaluate(parts[:-1], module).classes
    for place, owner in known:
        isa = evaluator.hierarchy.isa
        if not owners or any(isa(one, owner) or isa(owner, one) for one in owners):
            yield place


def _all_added(evaluator: Evaluator) -> dict[str, list[tuple[Place, str]]]:
    """What is added to attributes of ``self``, by their names, with the class."""
    key = "added to attributes"
    if key not in evaluator.memo:
        found: dict[str, list[tuple[Place, str]]] = {}
        for module in evaluator.read:
            for method, position in _ADDING.items():
                for call in module.tree.calls_of(method):
                    names = dotted(call.receiver)
                    given = call.argument("", position) if len(names) == 2 else None
                    scope = module.scope_of(call.trailer)
                    owner = class_of_self(names[0], scope) if given is not None else None
                    if given is not None and owner is not None:
                        place = ((given.value,), module)
                        name = Definition(module, owner).name
                        found.setdefault(names[1], []).append((place, name))
        evaluator.memo[key] = found
    added: dict[str, list[tuple[Place, str]]] = evaluator.memo[key]
    return added
