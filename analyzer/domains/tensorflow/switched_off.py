"""is_switched_off: whether a call of a function keeps it from a place in it, by a plain flag."""

from __future__ import annotations

from collections.abc import Mapping

from fissix.pygram import python_symbols as symbols

from ...names.definition import Definition
from ...names.module import Module
from ...syntax.tree import LN, Call, ancestors, is_name, unwrap
from ...values.questions import Evaluator, passed_at

_TRUTH = {"True": True, "False": False, "None": False, "0": False, "1": True}
_Flags = Mapping[str, bool]


def is_switched_off(
    node: LN, function: Definition, call: Call, module: Module, evaluator: Evaluator
) -> bool:
    """Whether the conditions around ``node`` in the function do not hold with what the call in
    ``module`` gives for its parameters: ``train=False`` where it says ``if train:``. A parameter
    that the function binds anew is none."""
    flags: dict[str, bool] = {}
    passed = passed_at(function, call, module, evaluator)
    for parameter in function.scope.parameters:
        if len(function.scope.bindings.get(parameter.name, ())) != 1:
            continue
        given = passed.given.get(parameter)
        if given is None and (passed.unseen or parameter not in passed.left):
            continue
        value = (given.value,) if given is not None else parameter.value
        truth = _TRUTH.get(str(value[0]).strip()) if len(value) == 1 else None
        if truth is not None:
            flags[parameter.name] = truth
    if not flags:
        return False
    child = node
    for parent in ancestors(node):
        if parent is function.scope.node:
            return False
        if parent.type == symbols.if_stmt and not _may_come(parent, child, flags):
            return True
        child = parent
    return False


def _may_come(statement: LN, block: LN, flags: _Flags) -> bool:
    """Whether an ``if`` may come to one of its blocks."""
    children = statement.children
    for at, part in enumerate(children):
        if part is block:
            return True
        if at and str(children[at - 1]).strip() in ("if", "elif"):
            own = at + 2 < len(children) and children[at + 2] is block
            truth = _truth(part, flags)
            if truth is not None and truth is not own:
                return False
    return True


def _truth(condition: LN, flags: _Flags) -> bool | None:
    """Whether a condition holds; None if that is not known."""
    nodes = unwrap((condition,))
    if len(nodes) != 1:
        return None
    node = nodes[0]
    if is_name(node):
        return flags.get(node.value)
    if node.type == symbols.not_test:
        truth = _truth(node.children[1], flags)
        return None if truth is None else not truth
    if node.type in (symbols.and_test, symbols.or_test):
        settled = bool(node.type == symbols.or_test)
        found = [_truth(part, flags) for part in node.children[::2]]
        if settled in found:
            return settled
        return None if None in found else not settled
    return None
