"""Observed: what expressions were in an abstract run, in the words of the evaluator."""

from __future__ import annotations

from collections.abc import Mapping

from fissix.pygram import python_symbols as symbols

from ..interpreter import interpret
from ..interpreter.objects import (
    Builtin,
    Class,
    Constant,
    External,
    Function,
    Instance,
    Method,
    Module,
    Object,
    Opaque,
    Result,
)
from ..interpreter.run import Run
from ..library import Library
from ..messages.unforeseen import once
from ..names.module import Module as SourceModule
from ..names.project import Project
from ..syntax.tree import Expression
from .value import NUMBER, Value, Values

_LITERALS = {"int": NUMBER, "float": NUMBER, "complex": NUMBER, "str": "builtins.str"}


class Observed:
    """What the expressions of a project were when it was run; the run is made when first asked."""

    def __init__(
        self, project: Project, library: Library, watched: Mapping[int, bool] | None = None
    ) -> None:
        self.project = project
        self.library = library
        self.watched = watched

    @once
    def run(self) -> Run:
        return interpret(self.project, library=self.library, watched=self.watched, values=True)

    def values(self, expression: Expression, module: SourceModule) -> Values | None:
        """What an expression was at its place, each time; None where the run did not come."""
        last = expression[-1]
        if len(expression) == 1 and last.type == symbols.power:
            last = last.children[-1]
        objects = (self.run.values or {}).get(id(last))
        if not objects:
            return None
        found = {self._value(x) for x in objects}
        function = module.scope_of(expression[0]).function
        followed = function is None or id(function.node) not in self.run.not_followed
        known = frozenset(value for value in found if value is not None)
        return Values(known, complete=followed and None not in found)

    def _value(self, found: Object) -> Value | None:
        if isinstance(found, Result):
            name = self.run.type_of(found)
            declared = found.site == (0, 0)
            return Value(name, instance=True) if name is not None and not declared else None
        if isinstance(found, External):
            # An attribute of something whose class is not known is not known, either.
            unknown = isinstance(found.owner, Result) and self.run.type_of(found.owner) is None
            any_of_module = found.name.endswith(".*")
            return None if unknown or any_of_module else Value(self.library.canonical(found.name))
        if isinstance(found, Module):
            return Value(found.name)
        if isinstance(found, Class | Function):
            return self._defined(found)
        if isinstance(found, Method):
            return self._defined(found.function)
        if isinstance(found, Instance):
            cls = self._defined(found.cls)
            return Value(cls.name, instance=True) if cls and found.site != (0, 0) else None
        if isinstance(found, Builtin):
            return Value(f"builtins.{found.name}")
        if isinstance(found, Constant | Opaque):
            name = _LITERALS.get(found.kind)
            return Value(name, instance=True) if name is not None else None
        return None

    def _defined(self, found: Class | Function) -> Value | None:
        scope, module = self.run.scopes[found.node]
        if scope.name == "<lambda>":
            return None
        return Value(f"{module.name}.{scope.qualified_name}")
