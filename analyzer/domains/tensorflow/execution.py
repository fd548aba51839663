"""Execution: how TensorFlow runs the code at a place: eagerly, traced, or building a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Literal, TypeAlias

from fissix.pygram import python_symbols as symbols

from ...names.definition import Definition
from ...names.module import Module
from ...programs.programs import Programs
from ...syntax.tree import LN, Call, Expression, ancestors, is_name, outer_call, unwrap, walk
from ...values.questions import Evaluator, callees, possible_calls
from ...values.value import Value
from .tracing import Tracing
from .training import MONITORED_SESSION, SESSION

Runs: TypeAlias = Literal["eager", "traced", "graph"]
# They say so, or raise where TensorFlow runs eagerly.
_GRAPH_ONLY = (
    "tensorflow.compat.v1.disable_v2_behavior",
    "tensorflow.compat.v1.disable_eager_execution",
    "tensorflow.compat.v1.placeholder",
    "tensorflow.compat.v1.global_variables_initializer",
    "tensorflow.compat.v1.train.MonitoredTrainingSession",
)
_EAGER = ("tensorflow.compat.v1.enable_eager_execution", "tensorflow.compat.v1.enable_v2_behavior")
_GRAPH = "tensorflow.Graph"
# Estimators call these while they build a graph.
_GIVEN = {"model_fn", "input_fn"}


def execution(programs: Programs) -> Callable[[LN, Module], Runs]:
    """How the code at a node of a module runs."""
    return Execution(programs.evaluator, Tracing(programs.evaluator), programs).runs


class Execution:
    """Answers for the places of one project."""

    def __init__(self, evaluator: Evaluator, tracing: Tracing, programs: Programs) -> None:
        self.evaluator = evaluator
        self.tracing = tracing
        self.programs = programs
        self._modes: dict[int, bool] = {}

    def runs(self, node: LN, module: Module) -> Runs:
        """How the code at ``node`` runs; ``graph`` only where something says so."""
        if self.tracing.is_traced(node, module):
            return "traced"
        if self._is_in_graph(node, module) or self._is_of_graphs(module):
            return "graph"
        return "eager"

    def _is_in_graph(self, node: LN, module: Module) -> bool:
        if any(self._makes_default(above, module) for above in ancestors(node)):
            return True
        scope = module.scope_of(node).function
        while scope is not None:
            if id(scope) in self._building:
                return True
            scope = scope.parent.function if scope.parent is not None else None
        return False

    def _makes_default(self, statement: LN, module: Module) -> bool:
        """Whether a ``with`` statement is ``with graph.as_default():``."""
        if statement.type != symbols.with_stmt:
            return False
        return any(
            call.method == "as_default" and self._is_graph(call.receiver, module)
            for call in _managers(statement)
        )

    def _is_graph(self, expression: Expression, module: Module, names: int = 3) -> bool:
        """Whether an expression is a call of ``tf.Graph``, or a name for one."""
        nodes = unwrap(expression)
        if len(nodes) == 1 and is_name(nodes[0]) and names:
            bindings = module.scope_of(nodes[0]).lookup(nodes[0].value)
            values = [b.value for b in bindings if b.value and not b.element]
            return any(self._is_graph(value, module, names - 1) for value in values)
        call = outer_call(nodes)
        return call is not None and _GRAPH in self.evaluator.names(call.callee, module)

    def _is_of_graphs(self, module: Module) -> bool:
        """Whether all programs that the module is part of build graphs outside functions."""
        programs = self.programs.of(module)
        if not programs:
            return self._says_graph([module])
        return all(
            any(
                site.api in (SESSION, MONITORED_SESSION) for site in (*program.sites, *program.idle)
            )
            or self._says_graph(program.modules)
            for program in programs
        )

    def _says_graph(self, modules: tuple[Module, ...] | list[Module]) -> bool:
        return any(self._calls_any(module) for module in modules)

    def _calls_any(self, module: Module) -> bool:
        if id(module) not in self._modes:
            canonical = self.evaluator.library.canonical
            asked = frozenset(map(canonical, (*_GRAPH_ONLY, *_EAGER)))
            names = {name for call in possible_calls(module, asked, self.evaluator)
                     for name in self.evaluator.names(call.callee, module)}  # fmt: skip
            graph = any(canonical(name) in names for name in _GRAPH_ONLY)
            self._modes[id(module)] = graph and not any(canonical(n) in names for n in _EAGER)
        return self._modes[id(module)]

    @cached_property
    def _building(self) -> set[int]:
        """The functions that build a graph wherever they are called from one."""
        waiting = list(self._given())
        for module in self.evaluator.modules:
            for node in walk(module.tree.root):
                if self._makes_default(node, module):
                    waiting += callees(node.children[-1], module, self.evaluator)
        found: set[int] = set()
        while waiting:
            definition = waiting.pop()
            if id(definition.scope) not in found:
                found.add(id(definition.scope))
                waiting += callees(definition.scope.node, definition.module, self.evaluator)
        return found

    def _given(self) -> Iterator[Definition]:
        """The functions that are given to Estimators."""
        for module in self.evaluator.modules:
            for call in module.tree.calls:
                for argument in call.arguments:
                    if argument.name in _GIVEN:
                        values = self.evaluator.evaluate((argument.value,), module).items
                        yield from self._functions(values)

    def _functions(self, values: frozenset[Value]) -> Iterator[Definition]:
        for value in values:
            definition = self.evaluator.definitions.get(value.name)
            if definition is not None and definition.scope.kind == "function":
                yield definition


def _managers(statement: LN) -> Iterator[Call]:
    """The calls whose results a ``with`` statement enters."""
    for child in statement.children[1:-2]:
        manager = child.children[0] if child.type == symbols.with_item else child
        call = outer_call((manager,))
        if call is not None:
            yield call
