"""bindings_of: what a name, or an attribute of ``self``, may have its value by where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from ..files.import_path import ImportTarget
from ..names.definition import Definition, class_of_self
from ..names.module import Module
from ..names.scopes import Binding, Scope
from ..syntax.tree import Expression, dotted, flat, is_name
from .bindings_at import reaching
from .evaluator import Evaluator

# Something, and its attribute.
_ATTRIBUTE = 2


def bindings_of(
    expression: Expression, module: Module, evaluator: Evaluator
) -> Iterator[tuple[Binding, Module]]:
    """The bindings of a name that reach it, those in other modules where it is imported, or all of
    an attribute of ``self``; each with its module. Nothing for what is neither."""
    parts = flat(expression)
    if len(parts) == 1 and is_name(parts[0]):
        for binding in reaching(parts[0], module):
            yield from _imported(binding, module, evaluator)
        return
    owner = owner_of(expression, module)
    if owner is not None:
        yield from _own_bindings(dotted(parts)[1], owner, module, evaluator)


def owner_of(expression: Expression, module: Module) -> Scope | None:
    """The class of ``self`` where an expression is an attribute of that."""
    parts = flat(expression)
    names = dotted(parts)
    return class_of_self(names[0], module.scope_of(parts[0])) if len(names) == _ATTRIBUTE else None


def _own_bindings(
    name: str, owner: Scope, module: Module, evaluator: Evaluator
) -> Iterator[tuple[Binding, Module]]:
    """What binds an attribute of ``self`` in a class, those that it derives from, and those that
    derive from it."""
    mine = Definition(module, owner).name
    related = {*evaluator.hierarchy.ancestors(mine), *evaluator.hierarchy.descendants(mine)}
    for cls in sorted(related & evaluator.definitions.keys()):
        definition = evaluator.definitions[cls]
        own = definition.scope.bindings.get(name, [])
        for binding in (*own, *evaluator.members.of_self(definition).get(name, [])):
            yield binding, definition.module


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
        yield from ((other, found) for other in found.binding(target.name))
