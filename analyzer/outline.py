"""Outline: the facts of one file that linking needs. They follow from the file's bytes alone.

A dotted expression is kept with the scope whose variable its first name is, so that linking looks
nothing up by Python's scoping rules. Scopes are known by their place in ``Outline.scopes``; the
module is the first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from .scopes import ImportTarget

FORMAT = 1
"""The version of the serialised form."""
STAR = "*"

When = Literal["load", "script", "types"]
Kind = Literal["import", "class", "function", "alias", "delete", "other"]


@dataclass(frozen=True)
class Name:
    """``a.b.c``, where ``a`` is a variable of the scope number ``scope``."""

    path: str
    scope: int = 0


@dataclass(frozen=True)
class Made:
    """What a call of a dotted name gives; its positional arguments."""

    callee: Name
    arguments: tuple[Expression | None, ...] = ()


@dataclass(frozen=True)
class Either:
    """One of several expressions: ``a if b else c``, ``a or b``."""

    options: tuple[Expression | None, ...]


Expression: TypeAlias = "Name | Made | Either"
"""What linking can follow; None stands for every other expression."""


@dataclass(frozen=True)
class Import:
    """One imported module or name; ``name`` is None for the module, ``*`` for a star.

    ``when`` says when it is executed: ``load``, with the module or later; ``script``, only under
    the ``__main__`` guard; ``types``, only by type checkers. ``dynamic``: by ``import_module``.
    """

    module: str
    level: int
    name: str | None
    alias: str | None
    line: int
    scope: int
    when: When = "load"
    in_try: bool = False
    in_function: bool = False
    dynamic: bool = False

    @property
    def target(self) -> ImportTarget:
        return ImportTarget(self.module, self.level, self.name)


@dataclass(frozen=True)
class Bound:
    """One binding of a name in a scope.

    ``value`` is what an ``alias`` means, ``target`` what an import binds (``import a.b`` binds
    ``a``), ``opens`` the scope of a class or function. ``always``: it is executed whenever the
    module is.
    """

    name: str
    kind: Kind
    line: int
    always: bool = False
    value: Expression | None = None
    target: ImportTarget | None = None
    opens: int | None = None


@dataclass(frozen=True)
class Base:
    """A base of a class as it is written, on one line; ``starred`` for ``*bases``."""

    text: str
    value: Expression | None
    starred: bool = False


@dataclass(frozen=True)
class Parameter:
    """A parameter; ``takes`` as in ``scopes.Binding``."""

    name: str
    takes: str
    default: bool = False


@dataclass(frozen=True)
class OutlineScope:
    """The module, a class or a function, by its qualified name in the file.

    Of a function, only those bindings are kept that some kept expression reads.
    """

    kind: Literal["module", "class", "function"]
    name: str
    line: int
    parent: int
    bindings: tuple[Bound, ...] = ()
    bases: tuple[Base, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    decorators: tuple[Expression | None, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, list[Bound]]:
        found: dict[str, list[Bound]] = {}
        for binding in self.bindings:
            found.setdefault(binding.name, []).append(binding)
        return found


@dataclass(frozen=True)
class CallSite:
    """A call that importing the module executes; ``guarded``: only the script."""

    callee: Name
    line: int
    guarded: bool = False


@dataclass(frozen=True)
class Store:
    """An attribute that code of the file sets: of ``self`` in a method of the class in scope
    ``owner``, or of a module or class that has a name."""

    owner: int | Name
    attribute: str
    line: int
    value: Expression | None = None


@dataclass(frozen=True)
class Outline:
    """The facts of one file, in source order."""

    scopes: tuple[OutlineScope, ...]
    imports: tuple[Import, ...] = ()
    exports: tuple[str, ...] | None = None
    """What ``__all__`` lists; None if there is none."""
    exports_known: bool = True
    """Whether ``__all__``, if there is one, is a plain list that nothing changes."""
    calls: tuple[CallSite, ...] = ()
    stores: tuple[Store, ...] = ()
    guards: tuple[int, ...] = ()
    """The lines of ``if __name__ == "__main__":``."""

    @property
    def classes(self) -> Iterator[OutlineScope]:
        return (scope for scope in self.scopes if scope.kind == "class")

    @property
    def functions(self) -> Iterator[OutlineScope]:
        return (scope for scope in self.scopes if scope.kind == "function")

    @cached_property
    def stars(self) -> tuple[Import, ...]:
        """The star imports of the module's own scope."""
        return tuple(i for i in self.imports if i.name == STAR and i.scope == 0)

    def exported(self, name: str) -> bool:
        """Whether ``from module import *`` may bind ``name``."""
        if self.exports is None:
            return not name.startswith("_")
        return not self.exports_known or name in self.exports

    def to_json(self) -> str:
        """The serialised form, the same for equal outlines."""
        data = [
            FORMAT,
            [_scope_row(scope) for scope in self.scopes],
            [_row(i) for i in self.imports],
            self.exports,
            self.exports_known,
            [[_packed(c.callee), c.line, c.guarded] for c in self.calls],
            [
                [s.owner if isinstance(s.owner, int) else _packed(s.owner), s.attribute, s.line,
                 _packed(s.value)]
                for s in self.stores
            ],
            self.guards,
        ]  # fmt: skip
        return json.dumps(data, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> Outline:
        """The outline that ``to_json`` gave; ValueError for another format version."""
        data = json.loads(text)
        if not isinstance(data, list) or data[:1] != [FORMAT]:
            raise ValueError("the outline has another format")
        _, scopes, imports, exports, exports_known, calls, stores, guards = data
        return Outline(
            tuple(_scope(row) for row in scopes),
            tuple(Import(*row) for row in imports),
            None if exports is None else tuple(exports),
            exports_known,
            tuple(CallSite(_name(callee), line, guarded) for callee, line, guarded in calls),
            tuple(
                Store(o if isinstance(o, int) else _name(o), attribute, line, _unpacked(value))
                for o, attribute, line, value in stores
            ),
            tuple(guards),
        )


def _row(item: Import) -> list[object]:
    return [item.module, item.level, item.name, item.alias, item.line, item.scope, item.when,
            item.in_try, item.in_function, item.dynamic]  # fmt: skip


def _packed(value: Expression | None) -> object:
    if value is None:
        return None
    if isinstance(value, Name):
        return [value.path, value.scope]
    if isinstance(value, Made):
        return ["()", _packed(value.callee), [_packed(argument) for argument in value.arguments]]
    return ["|", [_packed(option) for option in value.options]]


def _unpacked(data: Any) -> Expression | None:
    if data is None:
        return None
    if data[0] == "()":
        return Made(_name(data[1]), tuple(_unpacked(argument) for argument in data[2]))
    if data[0] == "|":
        return Either(tuple(_unpacked(option) for option in data[1]))
    return _name(data)


def _name(data: Any) -> Name:
    return Name(data[0], data[1])


def _scope_row(scope: OutlineScope) -> list[object]:
    bindings = []
    for b in scope.bindings:
        target = [b.target.module, b.target.level, b.target.name] if b.target is not None else None
        row = [b.name, b.kind, b.line, b.always, _packed(b.value), target, b.opens]
        while row[-1] is None:
            row.pop()
        bindings.append(row)
    return [
        scope.kind, scope.name, scope.line, scope.parent, bindings,
        [[base.text, _packed(base.value), base.starred] for base in scope.bases],
        [[p.name, p.takes, p.default] for p in scope.parameters],
        [_packed(decorator) for decorator in scope.decorators],
    ]  # fmt: skip


def _scope(data: Any) -> OutlineScope:
    kind, name, line, parent, bindings, bases, parameters, decorators = data
    return OutlineScope(
        kind, name, line, parent,
        tuple(_bound(*row) for row in bindings),
        tuple(Base(text, _unpacked(value), starred) for text, value, starred in bases),
        tuple(Parameter(*row) for row in parameters),
        tuple(_unpacked(decorator) for decorator in decorators),
    )  # fmt: skip


def _bound(
    name: str, kind: Kind, line: int, always: bool, value: Any = None, target: Any = None,
    opens: int | None = None,
) -> Bound:  # fmt: skip
    imported = ImportTarget(*target) if target is not None else None
    return Bound(name, kind, line, always, _unpacked(value), imported, opens)
