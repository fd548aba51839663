"""Members: what binds the attributes of classes, their instances, and modules."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from ..files.word_uses import Assumed, Saying
from ..names.definition import Definition, class_of_self, owner_of
from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.tree import dotted
from .value import Value

if TYPE_CHECKING:
    from .evaluator import Evaluator


class Members:
    """Those of one project."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def of(self, value: Value, name: str) -> tuple[list[tuple[Binding, Module]], str | None]:
        """What binds ``name`` in a class and its instances, and the first class not of the
        repository that may have it.

        Classes that derive from it may say something else, and methods of any of them store on
        ``self``.
        """
        evaluator = self.evaluator
        found: list[tuple[Binding, Module]] = []
        inherited: str | None = None
        bound = False
        for ancestor in evaluator.hierarchy.ancestors(value.name):
            definition = evaluator.definitions.get(ancestor)
            if definition is None:
                inherited = inherited or ancestor
                continue
            stored = self.of_self(definition).get(name, [])
            if not bound and inherited is None and name in definition.scope.bindings:
                stored = [*definition.scope.bindings[name], *stored]
                bound = True
            found.extend((binding, definition.module) for binding in stored)
        if value.name in evaluator.definitions:
            for descendant in evaluator.hierarchy.descendants(value.name):
                definition = evaluator.definitions[descendant]
                stored = self.of_self(definition).get(name, [])
                found.extend((b, definition.module) for b in stored)
                overridden = definition.scope.bindings.get(name, [])
                found.extend((b, definition.module) for b in overridden)
            found.extend(self.stored_elsewhere(value, name))
        return found, inherited

    def of_self(self, definition: Definition) -> dict[str, list[Binding]]:
        """Attributes that the class's methods store on ``self``, with every assignment."""
        return self._stores[0].get(id(definition.scope), {})

    def stored_elsewhere(self, value: Value, name: str) -> Iterator[tuple[Binding, Module]]:
        """Assignments to ``owner.name`` where ``owner`` is known to be able to be ``value``."""
        self.evaluator.project.assume(Assumed(name, Saying.STORED))
        for binding, module in self._stores[1].get(name, []):
            for owner in self.evaluator.evaluate(owner_of(binding.node), module).items:
                same = owner.name == value.name and (value.instance or not owner.instance)
                if same or (
                    owner.instance and self.evaluator.hierarchy.isa(owner.name, value.name)
                ):
                    yield binding, module

    @cached_property
    def _stores(
        self,
    ) -> tuple[dict[int, dict[str, list[Binding]]], dict[str, list[tuple[Binding, Module]]]]:
        """Stored attributes: on ``self`` by class and name, all others by name."""
        own: dict[int, dict[str, list[Binding]]] = {}
        others: dict[str, list[tuple[Binding, Module]]] = {}
        for module in self.evaluator.read:
            for binding in module.scopes.attributes:
                names = dotted((binding.node,))
                owner = class_of_self(names[0], binding.scope) if len(names) == 2 else None
                if owner is not None:
                    own.setdefault(id(owner), {}).setdefault(binding.name, []).append(binding)
                else:
                    others.setdefault(binding.name, []).append((binding, module))
        return own, others
