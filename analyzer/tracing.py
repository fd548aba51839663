"""Where a statement runs: eagerly, or at trace time inside a ``tf.function``."""

from __future__ import annotations

from functools import cached_property

from fissix.pygram import python_symbols as symbols

from .module import Module
from .scopes import Scope
from .tree import LN, calls_in_power, walk
from .values import Definition, Evaluator

_TRACERS = {
    "tensorflow.function",
    "tensorflow.compat.v1.wrap_function",
    "tensorflow.autograph.to_graph",
}


class Tracing:
    """Which functions of the repository TensorFlow traces, directly or through a caller."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._tracers = {evaluator.library.canonical(name) for name in _TRACERS}

    def is_traced(self, node: LN, module: Module) -> bool:
        """Whether Python code at ``node`` runs while a graph is traced."""
        scope: Scope | None = module.scope_of(node)
        while scope is not None:
            if id(scope) in self._traced:
                return True
            scope = scope.parent
        return False

    @cached_property
    def _traced(self) -> set[int]:
        waiting = self._directly_traced()
        traced: set[int] = set()
        while waiting:
            definition = waiting.pop()
            if id(definition.scope) in traced:
                continue
            traced.add(id(definition.scope))
            waiting.extend(callees(definition.scope.node, definition.module, self.evaluator))
        return traced

    def _directly_traced(self) -> list[Definition]:
        found: list[Definition] = []
        definitions = self.evaluator.definitions
        for definition in definitions.values():
            node, module = definition.scope.node, definition.module
            if node.type == symbols.funcdef:
                decorated = self.evaluator.decorated_with(node, module)
                if any(names & self._tracers for names, _ in decorated):
                    found.append(definition)
        for module in self.evaluator.modules:
            for call in module.tree.calls:
                if self.evaluator.names(call.callee, module) & self._tracers:
                    for argument in call.arguments[:1]:
                        names = self.evaluator.names((argument.value,), module)
                        found.extend(definitions[name] for name in names if name in definitions)
        return found


def callees(node: LN, module: Module, evaluator: Evaluator) -> list[Definition]:
    """The repository's functions that code below ``node`` calls; constructors' ``__init__``."""
    found: list[Definition] = []
    for power in walk(node):
        if power.type != symbols.power:
            continue
        for call in calls_in_power(power):
            for value in evaluator.evaluate(call.callee, module).items:
                suffix = ".__call__" if value.instance else ""
                name = value.name + suffix
                definition = evaluator.definitions.get(name)
                if definition is not None and definition.scope.kind == "class":
                    definition = evaluator.definitions.get(f"{name}.__init__")
                if definition is not None:
                    found.append(definition)
    return found
