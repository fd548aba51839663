"""position_of: where a call takes a parameter, by the signatures of all that it may call."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pygram import python_symbols as symbols

from ..library import stubs
from ..names.definition import Definition, decorator_names
from ..names.module import Module
from ..syntax.tree import Call
from .arguments import is_bound
from .evaluator import Evaluator
from .value import Value

_KEPT = {"staticmethod", "classmethod", "abstractmethod", "abc.abstractmethod", "override",
         "typing.override"}  # fmt: skip


def position_of(parameter: str, call: Call, module: Module, evaluator: Evaluator) -> int | None:
    """The index, from 0, that an argument for ``parameter`` has if it is given by position: what
    the libraries that are known, the repository's own definitions, and typeshed for Python's own
    library agree on for all that is called. None where they do not, where something that may be
    called is not known or decorated, and where it is taken by name only."""
    called = evaluator.evaluate(call.callee, module)
    names = evaluator.names(call.callee, module)
    found = {place for name in names for place in _places(name, parameter, call, module, evaluator)}
    if not called.complete and any(name in evaluator.definitions for name in names):
        return None  # a function of the repository, or something else
    return found.pop() if len(found) == 1 else None


def _places(
    name: str, parameter: str, call: Call, module: Module, evaluator: Evaluator
) -> Iterator[int | None]:
    definition = evaluator.definitions.get(name)
    if evaluator.library.parameters(name):
        yield evaluator.library.position([name], parameter)
    elif definition is None:
        yield stubs.position(name, parameter)
    elif definition.scope.kind == "class":
        # A decorator, or `__new__`, may be what takes the arguments.
        odd = decorator_names(definition.scope.node) or evaluator.methods(Value(name), "__new__")
        methods = evaluator.methods(Value(name), "__init__") if not odd else []
        yield from (_place(one, parameter, True) for method in methods for one in _alike(method))
        if not methods:
            yield None
    else:
        for one in _alike(definition):
            bound = is_bound(one, call, module, evaluator)
            yield None if bound is None else _place(one, parameter, bound)


def _alike(function: Definition) -> Iterator[Definition]:
    """All definitions of one name, of which each may be the one, as in ``try`` and ``except``."""
    module, name = function.module, function.scope.qualified_name
    return (Definition(module, scope) for scope in module.scopes if scope.qualified_name == name)


def _place(function: Definition, parameter: str, bound: bool) -> int | None:
    if function.scope.node.type != symbols.funcdef or decorator_names(function.scope.node) - _KEPT:
        return None
    places = {
        one.element[0] - bound
        for one in function.scope.parameters if one.name == parameter and one.takes == "any"
    }  # fmt: skip
    return next((place for place in places if place >= 0), None) if len(places) == 1 else None
