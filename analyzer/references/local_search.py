"""LocalSearch: a function's variable; of a parameter, what calls give it by its name, too."""

from __future__ import annotations

from collections.abc import Iterator

from ..names.definition import Definition
from ..names.module import Module
from ..syntax.tree import Call, Expression, attribute_name, calls_in_power, is_name
from ..values.questions import Evaluator
from .global_search import assumption
from .reference import References
from .symbol import Symbol, functions_of


class LocalSearch:
    def __init__(self, symbol: Symbol, new: str, evaluator: Evaluator) -> None:
        self.symbol = symbol
        self.new = new
        self.evaluator = evaluator
        self.found = References()
        self.functions = functions_of(symbol, evaluator)

    def run(self) -> References:
        """Raises Unclear."""
        by_name = False
        for function in self.functions:
            by_name |= self._variable(function)
        if by_name:
            wanted = self._callees()
            for module in self.evaluator.modules:
                for call in (*module.tree.calls, *_of_decorators(module)):
                    self._call(call, module, wanted)
        return self.found

    def _variable(self, function: Definition) -> bool:
        """The places in one function; whether it is a parameter that calls may name."""
        module, scope, name = function.module, function.scope, self.symbol.name
        bindings = scope.bindings.get(name, ())
        if not bindings:
            return False
        self.found.add_variable(module, scope, name, self.new)
        return any(b.kind == "parameter" and b.takes in ("any", "keyword") for b in bindings)

    def _callees(self) -> frozenset[str]:
        """The names of the functions, and of classes that are made with their arguments."""
        names = {function.name for function in self.functions}
        hierarchy, own = self.evaluator.hierarchy, self.evaluator.definitions
        for function in self.functions:
            cls, _, method = function.name.rpartition(".")
            if method not in ("__init__", "__new__"):
                continue
            names.add(cls)
            for below in hierarchy.descendants(cls):
                if below in own and not own[below].scope.bindings.keys() & {"__init__", "__new__"}:
                    names.add(below)
        return frozenset(names)

    def _call(self, call: Call, module: Module, wanted: frozenset[str]) -> None:
        named = [a for a in call.arguments if a.name == self.symbol.name]
        stars = [a for a in call.arguments if a.star == "**"]
        if not named and not stars:
            return
        values = self.evaluator.evaluate(call.callee, module)
        if "functools.partial" in values.names and call.arguments:
            values = self.evaluator.evaluate((call.arguments[0].value,), module)
        if values.names & wanted:
            for argument in named:
                self.found.add(module, argument.node.children[0], assumption(values, wanted))
            for argument in stars:
                self.found.doubt(module, argument.value, "its names are not seen")
        elif named and not values.items and _last_name(call.callee) in _last_names(wanted):
            self.found.doubt(module, named[0].node, "what is called is not known")


def _of_decorators(module: Module) -> Iterator[Call]:
    return (call for chain in module.tree.decorators for call in calls_in_power(chain))


def _last_name(callee: Expression) -> str:
    name = attribute_name(callee)
    if name is not None:
        return name
    node = callee[0]
    return str(node.value) if len(callee) == 1 and is_name(node) else ""


def _last_names(names: frozenset[str]) -> set[str]:
    return {name.rpartition(".")[2] for name in names}
