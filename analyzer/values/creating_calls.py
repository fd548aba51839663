"""Origins: the calls that may have made what an expression holds."""

from __future__ import annotations

from collections.abc import Iterator

from ..files.import_path import ImportTarget
from ..names.definition import Definition, class_of_self, items_of
from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.tree import Call, Expression, dotted, flat, is_name, outer_call
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
    for binding, where in _bindings(expression, module, evaluator):
        value = _value(binding)
        yield from origins(value, where, evaluator, depth - 1)


def _bindings(
    expression: Expression, module: Module, evaluator: Evaluator
) -> Iterator[tuple[Binding, Module]]:
    nodes = flat(expression)
    names = dotted(nodes)
    scope = module.scope_of(nodes[0])
    if len(nodes) == 1 and is_name(nodes[0]):
        for binding in scope.lookup(names[0]):
            yield from _imported(binding, module, evaluator)
    elif len(names) == 2:
        owner = class_of_self(names[0], scope)
        if owner is not None:
            for name in evaluator.hierarchy.ancestors(f"{module.name}.{owner.qualified_name}"):
                definition = evaluator.definitions.get(name)
                if definition is not None:
                    for binding in _stored(definition, names[1], evaluator):
                        yield binding, definition.module


def _stored(definition: Definition, name: str, evaluator: Evaluator) -> list[Binding]:
    own = definition.scope.bindings.get(name, [])
    return [*own, *evaluator.members.of_self(definition).get(name, [])]


def _imported(
    binding: Binding, module: Module, evaluator: Evaluator
) -> Iterator[tuple[Binding, Module]]:
    """The binding itself, or those of the module that an import takes the name from."""
    target = binding.target
    if target is None or target.name is None:
        yield binding, module
        return
    found = evaluator.project.find(module, ImportTarget(target.module, target.level))
    if found is not None and found is not module:
        for other in found.binding(target.name):
            if other.target is None:
                yield other, found


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
