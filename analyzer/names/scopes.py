"""Scopes and bindings: which names a module, class, function or comprehension binds, and to what.

Lookup follows Python's rules: class scopes are invisible to the functions inside them, ``global``
and ``nonlocal`` redirect, a comprehension's targets stay inside it, type parameters are seen by the
definition that has them.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..files.import_path import ImportTarget
from ..syntax.tree import (
    LN,
    Expression,
    statement_of,
    walk,
)

# The names that are bound everywhere, in Python 2 or 3, and on Windows.
BUILTINS = frozenset({*dir(builtins), "WindowsError", "basestring", "file", "long", "raw_input",
                      "reduce", "unicode", "xrange"})  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Binding:
    """One place where a name is bound.

    ``kind`` is import, assign, augment, for, with, parameter, function, class, except, delete,
    walrus, match (a name in the pattern of a ``case``) or type (an alias or a type parameter).
    ``value`` is the expression on the right; ``element`` says which item of it is meant, where a
    tuple is unpacked, and is empty where the whole value is meant. For a parameter it is the
    position, -1 for those that have none: ``*args`` and what follows. ``takes`` says which
    arguments a parameter takes: any, position (before ``/``), keyword (after ``*``), places
    (``*args``), names (``**kwargs``), or item (a name of Python 2's tuples): no argument has the
    value of these three.
    """

    name: str
    kind: str
    node: LN
    scope: Scope
    value: Expression = ()
    element: tuple[int, ...] = ()
    target: ImportTarget | None = None
    takes: str = "any"

    @property
    def statement(self) -> LN:
        return statement_of(self.node)

    @property
    def takes_one(self) -> bool:
        """Whether a parameter has the value of one argument."""
        return self.takes in ("any", "position", "keyword")


@dataclass(eq=False)
class Scope:
    """A region of names. ``kind`` is module, class, function, comprehension or type: the type
    parameters of a function, class or alias, around it."""

    kind: str
    node: LN
    name: str
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    global_names: frozenset[str] = frozenset()
    nonlocal_names: frozenset[str] = frozenset()
    star_imports: tuple[ImportTarget, ...] = ()

    def __repr__(self) -> str:
        return f"<Scope {self.kind} {self.qualified_name or '<module>'}>"

    @property
    def qualified_name(self) -> str:
        """Dotted path inside the module, as ``__qualname__`` but without ``<locals>``."""
        if self.parent is None:
            return ""
        outer = self.parent.qualified_name
        if self.kind == "type":
            return outer
        return f"{outer}.{self.name}" if outer else self.name

    @property
    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    @property
    def function(self) -> Scope | None:
        """The innermost function around this scope (or itself)."""
        scope: Scope | None = self
        while scope is not None and scope.kind != "function":
            scope = scope.parent
        return scope

    @cached_property
    def parameters(self) -> tuple[Binding, ...]:
        """The parameters of a function, those that have a position first."""
        found = [b for held in self.bindings.values() for b in held if b.kind == "parameter"]
        return tuple(sorted(found, key=lambda b: (b.element < (0,), b.element)))

    @cached_property
    def returns(self) -> tuple[LN, ...]:
        """The return statements of a function, those of nested functions left out."""
        return tuple(node for node in self._own_nodes() if node.type == symbols.return_stmt)

    @cached_property
    def is_generator(self) -> bool:
        own = self._own_nodes()
        return any(node.type == token.NAME and node.value == "yield" for node in own)

    def _own_nodes(self) -> Iterator[LN]:
        """What belongs to a function, and to none inside it."""
        skip = {symbols.funcdef, symbols.lambdef, symbols.classdef}
        return (n for n in walk(self.node, skip) if n is self.node or n.type not in skip)

    @property
    def enclosing_class(self) -> Scope | None:
        """The class that this function is a method of."""
        function = self.function
        around = function.parent if function is not None else None
        if around is not None and around.kind == "type":
            around = around.parent
        return around if around is not None and around.kind == "class" else None

    def lookup(self, name: str) -> list[Binding]:
        """The bindings that ``name`` may mean here; empty for builtins and unknown names."""
        owner = self.owner(name)
        return owner.bindings[name] if owner is not None else []

    def owner(self, name: str) -> Scope | None:
        """The scope whose variable ``name`` is here; None for builtins and unknown names."""
        for scope in self._visible(name):
            if name in scope.bindings:
                return scope
        return None

    def _visible(self, name: str) -> Iterator[Scope]:
        scope: Scope | None = self
        # A class's names are seen in its own scope and by type parameters right inside it.
        in_class = True
        while scope is not None:
            if name in scope.global_names:
                yield scope.module
                return
            if (in_class or scope.kind != "class") and name not in scope.nonlocal_names:
                yield scope
            in_class = in_class and scope.kind == "type"
            scope = scope.parent

    def bind(self, binding: Binding) -> None:
        """Add a binding that stands here; ``global`` and ``nonlocal`` say where it belongs."""
        name, scope = binding.name, self
        if name in self.global_names:
            scope = self.module
        elif name in self.nonlocal_names:
            around = [s for s in self._visible(name) if s.kind == "function"]
            scope = next((s for s in around if name in s.bindings), self)
        if binding.scope is not scope:
            binding = replace(binding, scope=scope)
        if name in scope.bindings:
            scope.bindings[name].append(binding)
        else:
            scope.bindings[name] = [binding]
