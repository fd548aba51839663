"""callees: the repository's functions that code calls."""

from __future__ import annotations

from fissix.pygram import python_symbols as symbols

from ..library.declared import declared
from ..names.definition import Definition
from ..names.module import Module
from ..syntax.tree import LN, Expression, calls_in_power, outer_call
from .evaluator import Evaluator
from .value import Value


def callees(node: LN, module: Module, evaluator: Evaluator) -> list[Definition]:
    """The repository's functions that code below ``node`` calls; constructors' ``__init__``."""
    found: list[Definition] = []
    for power in module.tree.nodes(node):
        if power.type != symbols.power:
            continue
        for call in calls_in_power(power):
            for value in evaluator.evaluate(call.callee, module).items:
                definition = evaluator.definitions.get(value.name)
                if value.instance:
                    found.extend(called_on(value, evaluator))
                elif definition is not None and definition.scope.kind == "class":
                    found.extend(evaluator.methods(value, "__init__"))
                elif definition is not None:
                    found.append(definition)
    return found


def called_on(instance: Value, evaluator: Evaluator) -> list[Definition]:
    """The repository's functions that calling an instance runs."""
    found = evaluator.methods(instance, "__call__")
    for cls, method in declared().called.items():
        if evaluator.hierarchy.isa(instance.name, cls):
            found += evaluator.methods(instance, method)
    return found


def is_super(receiver: Expression, module: Module, evaluator: Evaluator) -> bool:
    """Whether what a method is called on is a call of ``super``."""
    call = outer_call(receiver)
    return call is not None and "builtins.super" in evaluator.names(call.callee, module)
