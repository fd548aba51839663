"""origins: the calls that may have made what an expression holds."""

from __future__ import annotations

from collections.abc import Iterator

from ..names.definition import items_of
from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.tree import Call, Expression, outer_call
from .bindings_of import bindings_of
from .evaluator import Evaluator

_DEPTH = 8


def origins(
    expression: Expression, module: Module, evaluator: Evaluator, depth: int = _DEPTH
) -> Iterator[tuple[Call, Module]]:
    """The calls whose result an expression may hold: through names, ``with``, attributes of
    ``self``, imports, and what functions of the repository return.

    Unlike the evaluator's values they tell two things of one class apart.
    """
    if depth == 0 or not expression:
        return
    call = outer_call(expression)
    if call is not None:
        yield call, module
        for name in sorted(evaluator.names(call.callee, module)):
            made_by = evaluator.definitions.get(name)
            if made_by is not None and made_by.scope.kind == "function":
                for node in made_by.scope.returns:
                    value = tuple(node.children[1:2])
                    yield from origins(value, made_by.module, evaluator, depth - 1)
        return
    for binding, where in bindings_of(expression, module, evaluator):
        value = _value(binding)
        yield from origins(value, where, evaluator, depth - 1)


def _value(binding: Binding) -> Expression:
    """The expression that a binding takes its value from, an item of a display included."""
    if binding.kind not in ("assign", "walrus", "with"):
        return ()
    value = binding.value
    for index in binding.element:
        items = items_of(value)
        if not 0 <= index < len(items):
            return ()
        value = (items[index],)
    return value
