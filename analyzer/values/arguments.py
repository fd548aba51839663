"""passed_at: what the parameters of a function get at a call; given_to: what one gets at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..names.definition import Definition, class_of_method, has_decorator
from ..names.module import Module
from ..names.passing import Passed, passed_by
from ..names.scopes import Binding
from ..syntax.tree import Argument, Call, Expression

if TYPE_CHECKING:
    from .evaluator import Evaluator


def passed_at(
    function: Definition, call: Call, module: Module, evaluator: Evaluator
) -> Passed[Argument]:
    """What a function of the repository gets where a call in ``module`` calls it."""
    return passed_by(call, function.scope, is_bound(function, call, module, evaluator))


def given_to(
    parameter: Binding, module: Module, evaluator: Evaluator
) -> Sequence[tuple[Expression, Module]]:
    """What the calls of a function that are seen give for its parameter, looked up once: whatever
    is followed back through a function that is called from thousands of places asks for it."""
    key = (given_to, id(parameter))
    if key not in evaluator.memo:
        function = Definition(module, parameter.scope)
        found = [
            ((argument.value,), caller)
            for call, caller in evaluator.callers.sites(function)
            for argument in passed_at(function, call, caller, evaluator).to(parameter)
        ]
        # With the parameter, so that its identity stays its own.
        evaluator.memo[key] = parameter, found
    given: Sequence[tuple[Expression, Module]] = evaluator.memo[key][1]
    return given


def is_bound(function: Definition, call: Call, module: Module, evaluator: Evaluator) -> bool | None:
    """Whether a function's first parameter is what a call is on, or what it makes, and none of its
    arguments; None where that is not known. ``Class.method(instance, …)`` gives it as one."""
    if class_of_method(function.scope) is None:
        return False
    name = function.scope.name
    if call.method != name:
        return True  # the class is called, or a name for the method of an instance
    if name == "__new__":
        return False
    if has_decorator(function.scope.node, "classmethod"):
        return True
    owners = evaluator.evaluate(call.receiver, module).items
    own = {owner for owner in owners if not owner.instance and _is_class(owner.name, evaluator)}
    if not own:
        return True
    return False if own == owners else None


def _is_class(name: str, evaluator: Evaluator) -> bool:
    definition = evaluator.definitions.get(name)
    return definition is not None and definition.scope.kind == "class"
