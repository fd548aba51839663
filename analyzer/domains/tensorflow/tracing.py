"""Where a statement runs: eagerly, or at trace time inside a ``tf.function``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from fissix.pygram import python_symbols as symbols

from ...names.definition import Definition, class_of_method
from ...names.module import Module
from ...names.scopes import Scope
from ...syntax.tree import LN, Call, Expression, calls_in_power, is_name, outer_call, unwrap
from ...values.questions import Evaluator, called_on, callees, possible_calls

_TRACERS = {
    "tensorflow.function",
    "tensorflow.compat.v1.wrap_function",
    "tensorflow.autograph.to_graph",
}
_UNTRACED = {
    "tensorflow.py_function",
    "tensorflow.numpy_function",
    "tensorflow.compat.v1.py_func",
    "tensorflow.autograph.experimental.do_not_convert",
}
_PARTIAL = "functools.partial"
_MODEL = "tensorflow.keras.Model"
_KERAS_STEPS = {"train_step", "test_step", "predict_step"}
_DATASETS = ("tensorflow.data.Dataset", "tensorflow.compat.v1.data.Dataset")
_DATASET_METHODS = {"map", "flat_map", "filter", "interleave", "take_while", "group_by_window"}


class Tracing:
    """Which functions of the repository TensorFlow traces, directly or through a caller."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._tracers = {evaluator.library.canonical(name) for name in _TRACERS}
        self._tracers |= self._wrappers()
        self._untraced = {evaluator.library.canonical(name) for name in _UNTRACED}

    def is_traced(self, node: LN, module: Module) -> bool:
        """Whether Python code at ``node`` runs while a graph is traced."""
        scope: Scope | None = module.scope_of(node)
        while scope is not None:
            if id(scope) in self._traced:
                return True
            scope = scope.parent
        return False

    def _wrappers(self) -> set[str]:
        """The project's own functions that have what they are given traced."""
        found: set[str] = set()
        while True:
            tracers = self._tracers | found
            more = {
                Definition(module, scope).name
                for module in self.evaluator.modules
                for call in possible_calls(module, frozenset(tracers), self.evaluator)
                if (scope := _given_to(call, module)) is not None
                and self.evaluator.names(_callee(call), module) & tracers
            }
            if more <= found:
                return found
            found |= more

    @cached_property
    def _traced(self) -> set[int]:
        waiting = self._directly_traced()
        traced: set[int] = set()
        while waiting:
            definition = waiting.pop()
            if id(definition.scope) in traced:
                continue
            traced.add(id(definition.scope))
            node, module = definition.scope.node, definition.module
            waiting.extend(callees(node, module, self.evaluator))
            waiting.extend(self._handed_on(node, module))
        return traced

    def _directly_traced(self) -> list[Definition]:
        found: list[Definition] = []
        for definition in self.evaluator.definitions.values():
            node, module = definition.scope.node, definition.module
            if self._is_run_by_keras(definition):
                found.append(definition)
            if node.type == symbols.funcdef:
                for values, decorator in self.evaluator.decorated_with(node, module):
                    names = values.names
                    partial = _PARTIAL in names and self._first_names(decorator, module)
                    if names & self._tracers or (partial and partial & self._tracers):
                        found.append(definition)
        asked = frozenset({*self._tracers, *_DATASET_METHODS})
        for module in self.evaluator.modules:
            for call in possible_calls(module, asked, self.evaluator):
                if self._traces(call, module):
                    for argument in call.arguments[:1]:
                        found.extend(self._functions((argument.value,), module))
        return found

    def _is_run_by_keras(self, definition: Definition) -> bool:
        """Whether a function is a step of a Keras model that only ``fit`` and the like call."""
        owner = class_of_method(definition.scope)
        if owner is None or definition.scope.name not in _KERAS_STEPS:
            return False
        name = f"{definition.module.name}.{owner.qualified_name}"
        return self.evaluator.hierarchy.isa(name, _MODEL) and (
            definition.scope.name not in self._methods_called
        )

    @cached_property
    def _methods_called(self) -> set[str]:
        """The names of the methods that the project calls of anything but ``super()``."""
        return {
            call.method
            for module in self.evaluator.modules
            for call in module.tree.calls
            if call.method is not None and not _is_super(call.receiver)
        }

    def _traces(self, call: Call, module: Module) -> bool:
        """Whether the call has its first argument traced."""
        if call.method in _DATASET_METHODS:
            return any(self.evaluator.isa(call.receiver, name, module) for name in _DATASETS)
        return bool(self.evaluator.names(_callee(call), module) & self._tracers)

    def _functions(self, expression: Expression, module: Module) -> Iterator[Definition]:
        """The repository's functions that an expression may mean."""
        nodes = unwrap(expression)
        scope = module.scopes.opened_by(nodes[0]) if len(nodes) == 1 else None
        if scope is not None and scope.name == "<lambda>":
            yield Definition(module, scope)
        call = outer_call(nodes)
        if call is not None and _PARTIAL in self.evaluator.names(call.callee, module):
            for argument in call.arguments[:1]:
                yield from self._functions((argument.value,), module)
        for value in self.evaluator.evaluate(nodes, module).items:
            definition = self.evaluator.definitions.get(value.name)
            if value.instance:
                yield from called_on(value, self.evaluator)
            elif definition is not None and definition.scope.kind == "function":
                yield definition

    def _handed_on(self, node: LN, module: Module) -> Iterator[Definition]:
        """Functions that traced code hands to others to call, as to ``strategy.run``."""
        for power in module.tree.nodes(node):
            if power.type == symbols.power:
                for call in calls_in_power(power):
                    if not self.evaluator.names(call.callee, module) & self._untraced:
                        for argument in call.arguments:
                            yield from self._functions((argument.value,), module)

    def _first_names(self, decorator: LN, module: Module) -> frozenset[str]:
        """The names that the first argument of a decorator's call may mean."""
        arguments = decorator.children[3:4]
        if arguments and arguments[0].type == symbols.arglist:
            arguments = arguments[0].children[:1]
        call = outer_call((decorator.children[1],))
        if call is not None:
            arguments = [argument.value for argument in call.arguments[:1]]
        return self.evaluator.names(tuple(arguments), module)


def _callee(call: Call) -> Expression:
    """What is called, or what makes that."""
    maker = outer_call(call.callee)
    return maker.callee if maker is not None else call.callee


def _given_to(call: Call, module: Module) -> Scope | None:
    """The function to which the first argument of a call is given, or of which it is `*args`."""
    function = module.scope_of(call.trailer).function
    first = call.arguments[0] if call.arguments else None
    if function is None or first is None or not is_name(first.value):
        return None
    names = {parameter.name for parameter in function.parameters}
    return function if first.value.value in names and first.star != "**" else None


def _is_super(receiver: Expression) -> bool:
    call = outer_call(receiver)
    return call is not None and [str(node.value) for node in call.callee if is_name(node)] == [
        "super"
    ]
