"""is_switched_off: whether a call of a function keeps it from a place in it, by a plain value.

``never_reached``: whether all calls do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ...flow.suites import always_leaves, clauses
from ...names.definition import Definition
from ...names.module import Module
from ...syntax.own_reading import literal_value
from ...syntax.tree import (
    LN,
    Call,
    ancestors,
    block_of,
    first_in,
    is_name,
    line_statement,
    unwrap,
)
from ...values.questions import Evaluator, passed_at

_Known = Mapping[str, object]
_UNKNOWN = object()
_MayRun = Callable[[Module, int], bool]
_DEPTH = 4
_COMPARING = {symbols.comparison, symbols.not_test, symbols.and_test, symbols.or_test, token.NAME}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda left, right: bool(left == right),
    "!=": lambda left, right: bool(left != right),
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}


def never_reached(
    node: LN, module: Module, evaluator: Evaluator, may_run: _MayRun, depth: int = 0
) -> bool:
    """Whether a program that may run no more than some places calls the function around ``node``
    only so that it does not get there, and others do; all of its calls are known then. A script
    whose own call alone says ``train=False`` is one that somebody will switch on again."""
    function = module.scope_of(node).function
    if function is None or depth == _DEPTH:
        return False
    made = Definition(module, function)
    here: list[tuple[Call, Module]] = []
    elsewhere: list[tuple[Call, Module]] = []
    for call, caller in evaluator.callers.all(made) or ():
        runs = may_run(caller, caller.tree.start(call.trailer))
        (here if runs else elsewhere).append((call, caller))

    def is_off(call: Call, caller: Module) -> bool:
        return is_switched_off(node, made, call, caller, evaluator)

    return (
        bool(here)
        and (depth > 0 or any(not is_off(*place) for place in elsewhere))
        and all(
            is_off(call, caller)
            or never_reached(call.trailer, caller, evaluator, may_run, depth + 1)
            for call, caller in here
        )
    )


def is_switched_off(
    node: LN, function: Definition, call: Call, module: Module, evaluator: Evaluator
) -> bool:
    """Whether the conditions on the way to ``node`` in the function do not hold with what the call
    in ``module`` gives for its parameters: ``train=False`` where it says ``if train:``, or
    ``mode="eval"`` where it says ``if mode == "train":``. A name that is bound twice is none."""
    known = _given(function, call, module, evaluator)
    if not known:
        return False
    _add_computed(function, known)
    child = node
    for parent in takewhile(lambda one: one is not function.scope.node, ancestors(node)):
        if parent.type in (symbols.if_stmt, symbols.test) and not _may_come(parent, child, known):
            return True
        if parent.type == symbols.suite and _is_left_before(child, known):
            return True
        child = parent
    return False


def _given(
    function: Definition, call: Call, module: Module, evaluator: Evaluator
) -> dict[str, object]:
    """The parameters that get literals."""
    known: dict[str, object] = {}
    passed = passed_at(function, call, module, evaluator)
    for parameter in function.scope.parameters:
        if len(function.scope.bindings.get(parameter.name, ())) != 1:
            continue
        given = passed.given.get(parameter)
        if given is None and (passed.unseen or parameter not in passed.left):
            continue
        value = (given.value,) if given is not None else parameter.value
        found = _literal(value[0]) if len(value) == 1 else _UNKNOWN
        if found is not _UNKNOWN:
            known[parameter.name] = found
    return known


def _add_computed(function: Definition, known: dict[str, object]) -> None:
    """Names for what follows from that: ``is_training = mode == "train"``."""
    for name, bindings in function.scope.bindings.items():
        one = bindings[0]
        if len(bindings) == 1 and one.kind == "assign" and not one.element:
            nodes = unwrap(one.value)
            compares = len(nodes) == 1 and nodes[0].type in _COMPARING
            found = _value(nodes[0], known) if compares else _UNKNOWN
            if found is not _UNKNOWN:
                known[name] = found


def _may_come(node: LN, part: LN, known: _Known) -> bool:
    """Whether an ``if``, as a statement or in an expression, may come to one of its parts."""
    if node.type == symbols.test:
        chosen, _, condition, _, other = node.children
        truth = _truth(condition, known)
        return part is condition or truth is None or part is (chosen if truth else other)
    for clause in clauses(node):
        if part is clause.test:
            return True
        truth = True if clause.test is None else _truth(clause.test, known)
        if part is clause.suite:
            return truth is not False
        if truth:
            return False
    return True


def _is_left_before(statement: LN, known: _Known) -> bool:
    """Whether an ``if`` before a statement, in its block, takes a way that does not lead to it."""
    for line in block_of(statement):
        if line is line_statement(statement):
            return False
        inner = first_in(line)
        for clause in clauses(inner) if inner.type == symbols.if_stmt else ():
            truth = clause.test is None or _truth(clause.test, known)
            if truth and always_leaves(clause.suite):
                return True
            if truth is not False:
                break
    return False


def _truth(condition: LN, known: _Known) -> bool | None:
    """Whether a condition holds; None if that is not known."""
    found = _value(condition, known)
    return None if found is _UNKNOWN else bool(found)


def _value(expression: LN, known: _Known) -> object:
    nodes = unwrap((expression,))
    if len(nodes) != 1:
        return _UNKNOWN
    node = nodes[0]
    if is_name(node) and node.value in known:
        return known[node.value]
    if node.type == symbols.not_test:
        found = _value(node.children[1], known)
        return found if found is _UNKNOWN else not found
    if node.type in (symbols.and_test, symbols.or_test):
        settling = bool(node.type == symbols.or_test)
        parts = [_truth(part, known) for part in node.children[::2]]
        if settling in parts:
            return settling
        return _UNKNOWN if None in parts else not settling
    if node.type == symbols.comparison and len(node.children) == 3:
        left, operator, right = node.children
        return _compared(_value(left, known), str(operator), _value(right, known))
    return _literal(node)


def _compared(left: object, operator: str, right: object) -> object:
    compare = _COMPARISONS.get(" ".join(operator.split()))
    if compare is None or left is _UNKNOWN or right is _UNKNOWN:
        return _UNKNOWN
    try:
        return compare(left, right)
    except TypeError:
        return _UNKNOWN


def _literal(node: LN) -> object:
    try:
        return literal_value(str(node).strip())
    except ValueError:
        return _UNKNOWN
