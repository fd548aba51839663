"""other_names: the names by which a function may be called that is handed on under its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..names.definition import Definition
from ..names.module import Module
from ..syntax.tree import LN, Call, attribute_name, calls_in_power, is_name
from .arguments import passed_at

if TYPE_CHECKING:
    from .evaluator import Evaluator

# How often it is handed on.
_DEPTH = 4
_KEEPING = {symbols.atom, symbols.test, symbols.testlist_gexp, symbols.testlist,
            symbols.testlist_star_expr, symbols.or_test}  # fmt: skip


def other_names(value: LN, module: Module, evaluator: Evaluator, depth: int = _DEPTH) -> set[str]:
    """The last names of what may be called where the function that is ``value`` is meant: those
    that it, or what returns it, is assigned to, and the parameters that it is given for."""
    return set(_names(value, module, evaluator, depth))


def _names(value: LN, module: Module, evaluator: Evaluator, depth: int) -> Iterator[str]:
    parent = value.parent
    while parent is not None and parent.type in _KEEPING:
        value, parent = parent, parent.parent
    if parent is not None and parent.type == symbols.annassign:
        value, parent = parent, parent.parent
    if parent is None or not depth:
        return
    if parent.type == symbols.expr_stmt:
        yield from (
            name for part in parent.children if part is not value for name in _targets(part)
        )
    elif parent.type == symbols.return_stmt:
        function = module.scope_of(parent).function
        if function is not None:
            for made, caller in evaluator.callers.sites(Definition(module, function)):
                yield from _names(_whole(made), caller, evaluator, depth - 1)
    elif (call := _given_to(value)) is not None:
        # What it gives may be the function, or run it.
        yield from _names(_whole(call), module, evaluator, depth - 1)
        for name in evaluator.names(call.callee, module):
            taking = evaluator.definitions.get(name)
            if taking is not None and taking.scope.kind == "function":
                passed = passed_at(taking, call, module, evaluator)
                given = (p for p, one in passed.given.items() if one.value is value)
                yield from (parameter.name for parameter in given)


def _targets(target: LN) -> Iterator[str]:
    if is_name(target):
        assert isinstance(target, Leaf)
        yield target.value
    elif (attribute := attribute_name((target,))) is not None:
        yield attribute
    elif target.type in _KEEPING:
        for part in target.children:
            yield from _targets(part)


def _whole(call: Call) -> LN:
    """The node of a call where nothing follows it; the trailer of it, which nothing takes, else."""
    power = call.trailer.parent
    return power if power is not None and power.children[-1] is call.trailer else call.trailer


def _given_to(value: LN) -> Call | None:
    """The call that gets a value as one of its arguments."""
    node = value.parent
    if node is not None and node.type == symbols.argument and node.children[1].type == token.EQUAL:
        node = node.parent
    if node is not None and node.type == symbols.arglist:
        node = node.parent
    if node is None or node.type != symbols.trailer or node.parent is None:
        return None
    return next((call for call in calls_in_power(node.parent) if call.trailer is node), None)
