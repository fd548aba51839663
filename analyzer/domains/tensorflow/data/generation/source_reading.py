"""What functions call, read off their sources and resolved against the live objects.

A call is followed if its callee can be named without running anything: a global, a name imported or
given inside the function, a method of ``self`` or of an attribute of ``self`` that the class sets
to a new object. All else is only known by the name of the method.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import textwrap
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

UNKNOWN = object()


class Code(NamedTuple):
    """A function, and the class through which it was found."""

    function: Any
    owner: type | None


class Called(NamedTuple):
    """One call: what it calls, if that is known, the name it has there, and the call itself."""

    target: Any
    name: str
    node: ast.Call
    owner: type | None


def plain(thing: Any) -> Any:
    """Return the function that is written in a source file, without decorators and binding."""
    while True:
        if isinstance(thing, (classmethod, staticmethod)):
            thing = thing.__func__
        elif isinstance(thing, property):
            thing = thing.fget
        elif isinstance(thing, functools.partial):
            thing = thing.func
        elif isinstance(thing, types.MethodType):
            thing = thing.__func__
        elif hasattr(thing, "__wrapped__") and not isinstance(thing, type):
            thing = thing.__wrapped__
        else:
            return thing


class Parts(NamedTuple):
    """What is looked at in the source of a function."""

    calls: list[ast.Call]
    assignments: list[ast.Assign]
    imports: list[ast.ImportFrom]


@functools.lru_cache(maxsize=None)  # noqa: UP033 (Python 3.7 has no functools.cache)
def parts_of(function: Any) -> Parts:
    """Return the parts of a function's source, none where there is no source."""
    parts = Parts([], [], [])
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            parts.calls.append(node)
        elif isinstance(node, ast.Assign):
            parts.assignments.append(node)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            parts.imports.append(node)
    return parts


def method(owner: type, name: str) -> Any:
    """Return a class's method as it is written, None if it has none of this name."""
    found = inspect.getattr_static(owner, name, None)
    found = plain(found)
    return found if isinstance(found, types.FunctionType) else None


def calls(code: Code) -> Iterator[Called]:
    """Yield the calls in a function, those inside its inner functions too."""
    resolve = Resolver(code)
    for node in parts_of(code.function).calls:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        for target, owner in resolve(node.func):
            yield Called(target, name, node, owner)


class Resolver:
    """Says what an expression in one function stands for."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.globals = getattr(code.function, "__globals__", {})
        self.given: dict[str, list[ast.expr]] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        parts = parts_of(code.function)
        for node in parts.assignments:
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.given.setdefault(target.id, []).append(node.value)
        for origin in parts.imports:
            for alias in origin.names:
                self.imported[alias.asname or alias.name] = (str(origin.module), alias.name)
        cells = getattr(code.function, "__closure__", None) or ()
        names = code.function.__code__.co_freevars if cells else ()
        self.closure = {}
        for name, cell in zip(names, cells):  # noqa: B905 (Python 3.7 has no strict)
            try:
                self.closure[name] = cell.cell_contents
            except ValueError:
                continue

    def __call__(self, node: ast.expr) -> list[tuple[Any, type | None]]:
        """Return what a callee may be, each with the class whose method it is."""
        return self._found(node, set()) or [(UNKNOWN, None)]

    def _found(self, node: ast.expr, seen: set[str]) -> list[tuple[Any, type | None]]:
        if isinstance(node, ast.Name):
            return self._name(node.id, seen)
        if isinstance(node, ast.Attribute):
            found: list[tuple[Any, type | None]] = []
            for kind in self._types(node.value, seen):
                function = method(kind, node.attr)
                if function is not None:
                    found.append((function, kind))
            for base, _ in self._found(node.value, seen):
                if isinstance(base, (types.ModuleType, type)):
                    try:
                        found.append((getattr(base, node.attr), None))
                    except Exception:  # a lazy loader whose target is not there
                        continue
            return found
        return []

    def _name(self, name: str, seen: set[str]) -> list[tuple[Any, type | None]]:
        if name in seen:
            return []
        if name in self.imported:
            module, attribute = self.imported[name]
            try:
                return [(getattr(importlib.import_module(module), attribute), None)]
            except (ImportError, AttributeError):
                return []
        if name in self.given:
            return [
                item for value in self.given[name] for item in self._found(value, {*seen, name})
            ]
        if name in self.closure:
            return [(self.closure[name], None)]
        if name in self.code.function.__code__.co_varnames:
            return []
        builtins = self.globals.get("__builtins__", {})
        builtins = builtins if isinstance(builtins, dict) else vars(builtins)
        found = self.globals.get(name, builtins.get(name, UNKNOWN))
        return [] if found is UNKNOWN else [(found, None)]

    def _types(self, node: ast.expr, seen: set[str]) -> list[type]:
        """Return the classes that an expression may be an instance of."""
        owner = self.code.owner
        if isinstance(node, ast.Name):
            if node.id == "self" and owner is not None:
                return [owner]
            if node.id in self.given and node.id not in seen:
                values = self.given[node.id]
                return [kind for value in values for kind in self._types(value, {*seen, node.id})]
            value = self.globals.get(node.id)
            library = type(value).__module__.startswith(("horovod.", "keras.", "tensorflow"))
            return [type(value)] if library and not isinstance(value, types.ModuleType) else []
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super" and owner is not None:
                return list(above(owner, self.code.function))
            return [made for made, _ in self._found(node.func, seen) if isinstance(made, type)]
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
            and owner is not None
        ):
            return list(stored(owner).get(node.attr, ()))
        return []


def above(owner: type, function: Any) -> tuple[type, ...]:
    """Return the class that ``super()`` means in a function that was found through a class."""
    line = owner.__mro__
    for place, kind in enumerate(line):
        if any(plain(value) is function for value in vars(kind).values()):
            return line[place + 1 : place + 2]
    return ()


@functools.lru_cache(maxsize=None)  # noqa: UP033 (Python 3.7 has no functools.cache)
def stored(owner: type) -> dict[str, tuple[type, ...]]:
    """Return the attributes that a class's methods set to new objects, with their classes."""
    found: dict[str, tuple[type, ...]] = {}
    for kind in owner.__mro__:
        for value in list(vars(kind).values()):
            function = plain(value)
            if isinstance(function, types.FunctionType):
                for name, made in stored_by(function):
                    found[name] = (*found.get(name, ()), *made)
    return found


@functools.lru_cache(maxsize=None)  # noqa: UP033 (Python 3.7 has no functools.cache)
def stored_by(function: Any) -> list[tuple[str, list[type]]]:
    """Return the attributes of ``self`` that a method sets to new objects, with their classes."""
    resolve = Resolver(Code(function, None))
    return [
        (target.attr, [made for made, _ in resolve(node.value.func) if isinstance(made, type)])
        for node in parts_of(function).assignments
        if isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Attribute) and is_self(target.value)
    ]


def is_self(node: ast.expr) -> bool:
    """Tell whether an expression is the name ``self``."""
    return isinstance(node, ast.Name) and node.id == "self"
