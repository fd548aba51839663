"""Results: what calls, and functions of the repository, give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fissix.pgen2 import token

from ..flow.suites import returns_nothing
from ..library import stubs
from ..names.annotation import annotated_result
from ..names.definition import Definition, class_bases, is_async
from ..names.module import Module
from ..syntax.tree import Call, plain_string
from .class_bases import without_types
from .value import A_NUMBER, NONE, NOTHING, UNKNOWN, Values, instance_of

if TYPE_CHECKING:
    from .evaluator import Evaluator

_NUMBER_TYPES = {"builtins.float", "builtins.int"}


class Results:
    """Those of one project."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def of_call(self, callee: Values, call: Call, module: Module) -> Values:
        """What a call of what may be one of several things gives."""
        values = Values(complete=callee.complete)
        for value in callee.items:
            definition = self.evaluator.definitions.get(value.name)
            if value.instance:
                values |= UNKNOWN
            elif value.name == "builtins.super":
                values |= self._super(call, module)
            elif value.name == "builtins.getattr":
                values |= self._asked(call, module)
            elif value.name in self.evaluator.called_alike:
                values |= self._decorated(call, module)
            elif value.name in _NUMBER_TYPES:
                values |= A_NUMBER
            elif value.name in self.evaluator.hierarchy:
                values |= instance_of(value.name)
            elif definition is not None:
                values |= self.of_function(definition)
            elif stubs.is_class(value.name):
                values |= instance_of(value.name)
            else:
                returned = self.evaluator.library.returns(value.name)
                if returned is None:
                    values |= UNKNOWN
                else:
                    values |= instance_of(self.evaluator.library.canonical(returned))
        return values

    def _asked(self, call: Call, module: Module) -> Values:
        """What ``getattr(owner, "name")`` gives."""
        arguments = call.arguments
        if len(arguments) not in (2, 3) or any(a.star or a.name for a in arguments):
            return UNKNOWN
        name = arguments[1].value
        if name.type != token.STRING or not plain_string(name).isidentifier():
            return UNKNOWN
        owner = self.evaluator.evaluate((arguments[0].value,), module)
        values = self.evaluator.attribute(owner, plain_string(name))
        for default in arguments[2:]:
            values |= self.evaluator.evaluate((default.value,), module)
        return values

    def _decorated(self, call: Call, module: Module) -> Values:
        """What a decorator gives whose result is called as the function that it is given."""
        first = call.arguments[0] if call.arguments else None
        if first is None or first.name or first.star:
            return UNKNOWN
        given = self.evaluator.evaluate((first.value,), module)
        own = (self.evaluator.definitions.get(value.name) for value in given.items)
        are_functions = all(one is not None and one.scope.kind == "function" for one in own)
        return given if given.items and are_functions else UNKNOWN

    def _super(self, call: Call, module: Module) -> Values:
        owner = module.scope_of(call.trailer).enclosing_class
        if owner is None:
            return UNKNOWN
        bases = NOTHING
        for base in class_bases(owner.node):
            for name in self.evaluator.evaluate(without_types(base), module).names:
                bases |= instance_of(name)
        return bases

    def of_function(self, definition: Definition) -> Values:
        """What a call of a function of the repository gives."""
        function = definition.scope.node
        if definition.scope.is_generator or is_async(function):
            return UNKNOWN
        decorated = self.evaluator.decorated_with(function, definition.module)
        plain = self.evaluator.plain_decorators
        values = Values(complete=all(
            made.complete and made.names and made.names <= plain for made, _ in decorated
        ))  # fmt: skip
        is_plain = values.complete
        for node in definition.scope.returns:
            if len(node.children) > 1:
                values |= self.evaluator.evaluate((node.children[1],), definition.module)
        if definition.scope.returns and returns_nothing(function):
            values |= instance_of(NONE)
        annotation = annotated_result(function)
        if annotation is None or values.known:
            return values
        annotated = self.evaluator.instances(annotation, definition.module)
        if not annotated.items:
            return values
        return Values(annotated.items, is_plain and annotated.complete)

    def element_of_call(self, call: Call, path: tuple[int, ...], module: Module) -> Values:
        """An item of the tuple that a function of the repository returns."""
        callee = self.evaluator.evaluate(call.callee, module)
        values = Values(complete=callee.complete)
        for name in callee.names:
            definition = self.evaluator.definitions.get(name)
            if definition is None or definition.scope.kind != "function":
                return UNKNOWN
            for node in definition.scope.returns:
                if len(node.children) > 1:
                    values |= self.evaluator.element((node.children[1],), path, definition.module)
        return values

    def entered(self, managers: Values) -> Values:
        """What ``with`` binds: the results of the managers' ``__enter__``."""
        values = Values(complete=managers.complete)
        for manager in managers.items:
            enter = (
                self.evaluator.attribute_of(manager, "__enter__") if manager.instance else UNKNOWN
            )
            values |= Values(complete=enter.complete)
            for name in enter.names:
                definition = self.evaluator.definitions.get(name)
                returned = self.evaluator.library.returns(name)
                if definition is not None:
                    values |= self.of_function(definition)
                elif returned is not None:
                    values |= instance_of(self.evaluator.library.canonical(returned))
                else:
                    values |= UNKNOWN
        return values
