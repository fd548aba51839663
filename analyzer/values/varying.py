"""varies: whether an expression means something else in each turn of a loop around it."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.tree import LN, Expression, ancestors, is_name
from .arguments import given_to
from .bindings_of import bindings_of
from .evaluator import Evaluator

_DEPTH = 6
_LOOPS = {symbols.for_stmt, symbols.while_stmt}


def varies(
    expression: Expression, module: Module, evaluator: Evaluator, depth: int = _DEPTH
) -> bool:
    """Whether the expression speaks of the variable of a loop, or of a comprehension, around it, of
    what is made of one, or of a parameter that gets such a thing at a call of its function."""
    if not expression or not depth:
        return False
    around = {id(node) for node in ancestors(expression[0])}
    for part in (part for node in expression for part in module.tree.nodes(node)):
        bindings = _bindings(part, module, evaluator)
        if any(_is_bound_by(binding, around) for binding, _ in bindings):
            return True
        if any(
            varies(value, where, evaluator, depth - 1)
            for binding, home in bindings
            for value, where in _given(binding, home, evaluator)
        ):
            return True
    return False


def _bindings(part: LN, module: Module, evaluator: Evaluator) -> list[tuple[Binding, Module]]:
    """What a name, or ``self.name``, may be bound by."""
    before = part.prev_sibling
    if is_name(part) and before is not None and before.type == token.DOT:
        return []
    return list(bindings_of((part,), module, evaluator))


def _is_bound_by(binding: Binding, around: set[int]) -> bool:
    """Whether one of the loops gives a name another value in each turn."""
    if binding.kind == "for" and binding.scope.kind == "comprehension":
        return id(binding.scope.node) in around
    if binding.kind not in ("for", "augment"):
        return False
    loop = next((node for node in ancestors(binding.node) if node.type in _LOOPS), None)
    return loop is not None and id(loop) in around


def _given(
    binding: Binding, module: Module, evaluator: Evaluator
) -> Iterator[tuple[Expression, Module]]:
    if binding.kind in ("assign", "walrus") and not binding.element:
        yield binding.value, module
    elif binding.kind == "parameter":
        yield from given_to(binding, module, evaluator)
