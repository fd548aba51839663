"""classes_checked: what `isinstance` says of a name where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..names.definition import items_of
from ..names.module import Module
from ..syntax.tree import LN, Expression, ancestors, flat, is_name, outer_call, same_code, unwrap
from ..values.questions import Evaluator

_ASKING = ("if", "elif", "while")
_FUNCTIONS = {symbols.funcdef, symbols.lambdef, symbols.classdef}


def classes_checked(owner: Expression, module: Module, evaluator: Evaluator) -> frozenset[str]:
    """The classes of one of which ``owner`` is an instance, by a condition under which it is read:
    `if isinstance(x, C):`, `isinstance(x, C) and …`, `… if isinstance(x, C) else …`. What is bound
    again in between is not looked at; empty if there is none."""
    for condition in _conditions(owner[0]):
        call = outer_call(unwrap((condition,)))
        if call is None or len(call.arguments) != 2:
            continue
        if "builtins.isinstance" not in evaluator.names(call.callee, module):
            continue
        asked, classes = (argument.value for argument in call.arguments)
        if not same_code(flat((asked,)), flat(owner)):
            continue
        found: set[str] = set()
        for item in items_of((classes,)) or [classes]:
            found |= evaluator.names((item,), module)
        return frozenset(found)
    return frozenset()


def _conditions(node: LN | Leaf) -> Iterator[LN]:
    """What holds where a node is evaluated, innermost first."""
    child: LN = node
    for parent in ancestors(node):
        if parent.type in _FUNCTIONS:
            return
        if parent.type == symbols.and_test:
            yield from reversed(parent.children[: parent.children.index(child) : 2])
        elif parent.type == symbols.test and child is parent.children[0]:
            yield from _parts(parent.children[2])
        elif parent.type in (symbols.if_stmt, symbols.while_stmt):
            colon = child.prev_sibling
            condition = colon.prev_sibling if colon is not None else None
            word = condition.prev_sibling if condition is not None else None
            if word is not None and is_name(word) and word.value in _ASKING:
                yield from _parts(condition)
        child = parent


def _parts(condition: LN) -> list[LN]:
    (node, *rest) = unwrap((condition,))
    if rest or node.type != symbols.and_test:
        return [condition]
    return list(node.children[::2])
