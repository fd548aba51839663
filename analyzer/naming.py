"""Naming: what dotted names mean in linked files, as qualified names.

Only names are followed: imports, star imports, re-exports, aliases, classes and their attributes;
not what calls give, which is the evaluator's work. A name means whatever any of its bindings may
give it, whichever is executed. An answer that is complete holds all of that; what cannot be
followed makes it incomplete. Assignments by ``setattr``, or by ``globals()`` inside functions, are
not seen.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from .library import Library
from .link import Linked, LinkedFile
from .outline import Bound, Either, Expression, Import, Made, Name, OutlineScope
from .scopes import ImportTarget
from .value import NOTHING, UNKNOWN, Value, Values

BUILTINS = frozenset({*dir(builtins), "basestring", "file", "long", "raw_input", "reduce",
                      "unicode", "xrange"})  # fmt: skip
# They give back the class that they decorate.
_PLAIN = {"dataclasses.dataclass", "enum.unique", "functools.total_ordering", "typing.final",
          "typing.runtime_checkable"}  # fmt: skip
_REBINDING = {"exec", "execfile", "globals", "locals", "vars"}
# With two aliases of themselves, the names that are looked at double with each part.
_LONGEST = 8
Rest = tuple[str, ...]


class Place(NamedTuple):
    """``name.rest`` of a scope; ``lexical``: as code in the scope reads it, not as an attribute."""

    path: Path
    scope: int
    name: str
    rest: Rest
    lexical: bool


class _Found:
    """What a place means by itself, and the places that it means besides."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.complete = True
        self.places: dict[Place, None] = {}

    def unknown(self) -> None:
        self.complete = False


class Naming:
    """Answers for linked files and a library.

    What a decorator makes of a class is not known by names, nor what a module does with its
    ``globals()``. ``trusting``: take it that both leave things as they are.
    """

    def __init__(self, linked: Linked, library: Library, trusting: bool = False) -> None:
        self.linked = linked
        self.trusting = trusting
        self.library = library
        self._known: dict[Place, Values] = {}
        self._stored: frozenset[str] = frozenset()
        self._stored = self._stores()
        self._known.clear()

    def meaning(self, path: Path, dotted: str) -> Values:
        """What a dotted name means at module level in a file."""
        return self.expression(path, Name(dotted))

    def member(self, path: Path, name: str) -> Values:
        """What ``name`` of the module means to those who import it."""
        return _said(self._solve(Place(path, 0, name, (), False)))

    def expression(self, path: Path, value: Expression | None) -> Values:
        """What an expression of an outline means; the outline is that of the file."""
        if isinstance(value, Name):
            first, *rest = value.path.split(".")
            return _said(self._solve(Place(path, value.scope, first, tuple(rest), True)))
        if isinstance(value, Either):
            values = NOTHING
            for option in value.options:
                values |= self.expression(path, option)
            return _said(values)
        return UNKNOWN

    def _solve(self, start: Place) -> Values:
        """The union over all places that ``start`` leads to.

        Tarjan's algorithm: the places of one strongly connected component mean the same, which
        makes answers independent of the order of questions.
        """
        known = self._known
        if start in known:
            return known[start]
        number: dict[Place, int] = {}
        low: dict[Place, int] = {}
        found: dict[Place, _Found] = {}
        component: list[Place] = []
        stack: list[tuple[Place, Iterator[Place]]] = []

        def enter(place: Place) -> None:
            number[place] = low[place] = len(number)
            found[place] = self._expand(place)
            component.append(place)
            stack.append((place, iter(found[place].places)))

        enter(start)
        while stack:
            place, following = stack[-1]
            for other in following:
                if other in known:
                    found[place].names |= known[other].names
                    found[place].complete &= known[other].complete
                elif other in number:
                    low[place] = min(low[place], number[other])
                else:
                    enter(other)
                    break
            else:
                stack.pop()
                if low[place] == number[place]:
                    self._close(place, component, found)
                if stack:
                    above = stack[-1][0]
                    low[above] = min(low[above], low[place])
                    if place in known:
                        found[above].names |= known[place].names
                        found[above].complete &= known[place].complete
        return known[start]

    def _close(self, place: Place, component: list[Place], found: dict[Place, _Found]) -> None:
        """Settle the places of a component, which are the last ones, from ``place`` on."""
        at = len(component) - 1
        while component[at] != place:
            at -= 1
        members = component[at:]
        del component[at:]
        names = set().union(*(found[member].names for member in members))
        complete = all(found[member].complete for member in members)
        values = Values(frozenset(Value(name) for name in names), complete)
        for member in members:
            self._known[member] = values

    def _expand(self, place: Place) -> _Found:
        found = _Found()
        file = self.linked.files[place.path]
        scope = file.outline.scopes[place.scope]
        if len(place.rest) > _LONGEST:
            found.unknown()
            return found
        bound = scope.by_name.get(place.name, [])
        for binding in bound:
            self._binding(file, binding, place.rest, found)
        owner = f"{file.name}.{scope.name}" if scope.name else file.name
        if f"{owner}.{place.name}" in self._stored:
            found.unknown()
        if place.scope == 0:
            self._in_module(file, bound, place, found)
        elif scope.kind == "class":
            self._in_class(file, scope, place, found)
        elif not bound:
            found.unknown()
        return found

    def _binding(self, file: LinkedFile, binding: Bound, rest: Rest, found: _Found) -> None:
        if binding.kind == "import" and binding.target is not None:
            self._import(file, binding.target, rest, found)
        elif binding.kind == "alias":
            self._alias(file, binding.value, rest, found)
        elif binding.opens is None:
            found.unknown()
        else:
            scope = file.outline.scopes[binding.opens]
            if not rest:
                found.names.add(f"{file.name}.{scope.name}")
                found.complete &= self._is_plain(file, scope)
            elif binding.kind == "class":
                found.places[Place(file.path, binding.opens, rest[0], rest[1:], False)] = None
                found.complete &= self._is_plain(file, scope)
            else:
                found.unknown()

    def _alias(self, file: LinkedFile, value: Expression | None, rest: Rest, found: _Found) -> None:
        if isinstance(value, Name):
            first, *more = value.path.split(".")
            found.places[Place(file.path, value.scope, first, (*more, *rest), True)] = None
        elif isinstance(value, Either):
            for option in value.options:
                self._alias(file, option, rest, found)
        else:
            found.unknown()

    def _is_plain(self, file: LinkedFile, scope: OutlineScope) -> bool:
        """Whether a class or function is what its name means: decorators leave it as it is."""
        if self.trusting and scope.kind == "class":
            return True
        for decorator in scope.decorators:
            name = decorator.callee if isinstance(decorator, Made) else decorator
            if not isinstance(name, Name) or name.scope != 0:
                return False
            first, *rest = name.path.split(".")
            for binding in file.outline.scopes[0].by_name.get(first, ()):
                target = binding.target
                if target is None or self._locate(file, target.module, target.level) is not None:
                    return False
                if ".".join(filter(None, (target.module, target.name, *rest))) not in _PLAIN:
                    return False
            if first not in file.outline.scopes[0].by_name:
                return False
        return True

    # ------------------------------------------------------------ modules

    def _locate(self, file: LinkedFile, module: str, level: int = 0) -> Path | None:
        return self.linked.layout.locate(file.folder, module, level)

    def _import(self, file: LinkedFile, target: ImportTarget, rest: Rest, found: _Found) -> None:
        if target.name is not None:
            rest = (target.name, *rest)
        module = self._locate(file, target.module, target.level)
        if module == file.path and target.name is None:
            found.unknown()  # a script that imports itself is there twice
        # Folders without an __init__.py are packages too.
        dotted = target.module
        while module is None and rest:
            dotted, rest = f"{dotted}.{rest[0]}" if dotted else rest[0], rest[1:]
            module = self._locate(file, dotted, target.level)
        if module is not None:
            self._module(module, rest, found)
        elif target.level:
            found.unknown()
        else:
            found.names.add(self.library.canonical(dotted))

    def _module(self, path: Path, rest: Rest, found: _Found) -> None:
        file = self.linked.files.get(path)
        if file is None:
            found.unknown()  # it cannot be parsed
        elif rest:
            found.places[Place(path, 0, rest[0], rest[1:], False)] = None
        else:
            found.names.add(file.name)

    def _in_module(self, file: LinkedFile, bound: list[Bound], place: Place, found: _Found) -> None:
        name, rest = place.name, place.rest
        if file.path in self._rebinding:
            found.unknown()
        submodule = self._submodule(file, name)
        if submodule is not None and not self._replaces(file, bound, submodule):
            self._module(submodule, rest, found)
        last = max((binding.line for binding in bound if binding.always), default=0)
        for star in file.outline.stars:
            if star.line >= last or self._in_circle(file):
                self._star(file, star, place, found)
        if place.lexical and name in BUILTINS:
            found.names.add(self.library.canonical(".".join(("builtins", name, *rest))))
        elif not bound and (
            name.startswith("__") or "__getattr__" in file.outline.scopes[0].by_name
        ):
            found.unknown()

    def _submodule(self, file: LinkedFile, name: str) -> Path | None:
        if not file.is_package:
            return None
        found = self._locate(file, name, 1)
        return found if found != file.path else None

    def _replaces(self, file: LinkedFile, bound: list[Bound], submodule: Path) -> bool:
        """Whether a package binds the name of a submodule to something that it takes out of it,
        which is after the submodule was loaded."""
        return not self._in_circle(file) and any(
            binding.always
            and binding.target is not None
            and binding.target.name is not None
            and self._locate(file, binding.target.module, binding.target.level) == submodule
            for binding in bound
        )

    def _star(self, file: LinkedFile, star: Import, place: Place, found: _Found) -> None:
        path = self._locate(file, star.module, star.level)
        if path is not None:
            other = self.linked.files.get(path)
            if other is None:
                found.unknown()
            elif other is not file and other.outline.exported(place.name):
                found.places[Place(path, 0, place.name, place.rest, False)] = None
            return
        name = self.library.canonical(f"{star.module}.{place.name}")
        if star.level or star.when == "types":
            found.unknown()
        elif name in self.library.classes or name in self.library.functions:
            found.names.add(self.library.canonical(".".join((name, *place.rest))))
        elif not self.library.lists(star.module):
            found.unknown()

    def _in_circle(self, file: LinkedFile) -> bool:
        return len(self.linked.circles[file.path]) > 1

    # ------------------------------------------------------------ classes

    def _in_class(self, file: LinkedFile, scope: OutlineScope, place: Place, found: _Found) -> None:
        if place.lexical:
            # What a class has not bound yet is looked for in the module.
            module = file.outline.scopes[0]
            if place.name in module.by_name or place.name in BUILTINS or file.outline.stars:
                found.places[place._replace(scope=0)] = None
            return
        for base in scope.bases:
            if isinstance(base.value, Made) or base.value is None:
                found.unknown()
            else:
                self._alias(file, base.value, (place.name, *place.rest), found)
        if not scope.bases and place.name not in scope.by_name:
            found.unknown()

    # ------------------------------------------------------------ what is not seen by names

    @cached_property
    def _rebinding(self) -> frozenset[Path]:
        """The files that may bind any of their names when they are loaded."""
        return frozenset(
            path
            for path, file in self.linked.files.items()
            if not self.trusting
            and any(call.callee.path in _REBINDING for call in file.outline.calls)
        )

    def _stores(self) -> frozenset[str]:
        """The attributes of modules and classes that code sets from outside."""
        return frozenset(
            f"{owner}.{store.attribute}"
            for path, file in self.linked.files.items()
            for store in file.outline.stores
            if isinstance(store.owner, Name)
            for owner in self.expression(path, store.owner).names
        )


def _said(values: Values) -> Values:
    """No name at all is nothing known."""
    return values if values.items else UNKNOWN
