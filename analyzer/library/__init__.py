"""What is known of libraries: classes, spellings, what calls return and do.

The facts are data of the domains, drawn from installed libraries, one file for each. Names are
qualified in full, never by a usual alias, and spelled as the first file has them; what a later
release has moved is found where it is now.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from . import stubs
from .declared import declared, first_name, library_text, moved
from .linearization import linearized

__all__ = ["Kind", "Library", "LibraryClass", "Mark", "Parameter", "load"]

Kind = Literal["positional", "keyword", "var_positional", "var_keyword"]
Mark = Literal["collective", "creates_variables", "prints", "random", "writes"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a constructor, a function or a method.

    ``default`` is Python source, or ``<object>`` where the default is no plain literal, or None
    where there is no default. ``*args`` and ``**kwargs`` have none and are not required either.
    """

    name: str
    kind: Kind
    default: str | None
    required: bool


@dataclass(frozen=True)
class LibraryClass:
    """A public class: its nearest public bases and its other spellings.

    ``parameters`` is empty also where they were not recorded, which is for all but optimizers,
    schedules, callbacks, tapes, checkpoints, sessions, hooks and estimators.
    """

    name: str
    bases: tuple[str, ...]
    aliases: tuple[str, ...]
    parameters: tuple[Parameter, ...]

    def parameter(self, name: str) -> Parameter | None:
        """Return the recorded parameter of this name."""
        return next((item for item in self.parameters if item.name == name), None)


_Entry = TypeVar("_Entry")


@dataclass(frozen=True)
class Library:
    """The facts, by canonical name."""

    provenance: Mapping[str, str]
    """Of the first file; ``sources`` has that of each."""
    classes: Mapping[str, LibraryClass]
    functions: Mapping[str, tuple[str, ...]]
    """The functions that rules speak of, with their other spellings."""
    spellings: Mapping[str, str]
    """Modules, classes and functions that have a more usual name, and that name."""
    results: Mapping[str, str]
    """Functions, and methods as ``Class.method``, with the class of what they return."""
    signatures: Mapping[str, tuple[Parameter, ...]]
    """Functions, and methods as ``Class.method``, with their parameters, ``self`` left out."""
    attributes: Mapping[str, str]
    """Attributes of instances as ``Class.attribute``, with the class of what they hold."""
    effects: Mapping[str, frozenset[str]]
    """Functions, classes and methods as ``Class.method``, with what calling them may do."""
    sources: Mapping[str, Mapping[str, str]]
    """The provenance of each file that was read."""
    declared: frozenset[str] = frozenset()
    """Those of the classes of which no more is known than that they are classes."""
    held: Mapping[str, str] = field(default_factory=dict)
    """Attributes as ``Class.attribute`` of which packs say of what class their values are."""

    def declaring(self, names: Iterable[str], types: Mapping[str, str] | None = None) -> Library:
        """Return the facts with more classes, of any library, as far as they are not known.

        ``types`` are the classes of what calls give, as ``module.function()`` and
        ``Class.method()``, and of what attributes of instances hold, as ``Class.attribute``.
        """
        types = types or {}
        key = (frozenset(names), frozenset(types.items()))
        if key not in self._declaring:
            self._declaring[key] = self._with(*key)
        return self._declaring[key]

    @cached_property
    def _declaring(self) -> dict[tuple[frozenset[str], frozenset[tuple[str, str]]], Library]:
        return {}

    def _with(self, names: frozenset[str], typed: frozenset[tuple[str, str]]) -> Library:
        types = dict(sorted(typed))
        found = {self.canonical(name) for name in (*names, *types.values())}
        more = {name for name in sorted(found) if not self._is_known(name)}
        if not more and not types:
            return self
        results, held = dict(self.results), dict(self.held)
        for name, cls in types.items():
            table = results if name.endswith("()") else held
            table[self.canonical(name.removesuffix("()"))] = cls
        classes = {**self.classes, **{name: LibraryClass(name, (), (), ()) for name in more}}
        return replace(
            self,
            classes=MappingProxyType(classes),
            declared=self.declared | more,
            results=MappingProxyType(results),
            held=MappingProxyType(held),
        )

    def _is_known(self, name: str) -> bool:
        now = self.canonical(moved(name))
        return any(one in self.classes or one in self.functions for one in (name, now))

    def lists(self, module: str) -> bool:
        """Return whether the classes of a module are recorded."""
        return self.canonical(module) in self._recorded

    @cached_property
    def _recorded(self) -> frozenset[str]:
        return frozenset(n.rpartition(".")[0] for n in self.classes if n not in self.declared)

    def canonical(self, name: str) -> str:
        """Return the usual spelling of a qualified name; an unknown name comes back as it is.

        What follows a known prefix is kept, so methods and constants are respelled too.
        """
        found = self._known_spellings.get(name)
        if found is None:
            found = self._known_spellings[name] = _usual(name, self.spellings)
        return found

    @cached_property
    def _known_spellings(self) -> dict[str, str]:
        return {}

    @cached_property
    def others(self) -> Mapping[str, Sequence[str]]:
        """The other spellings of the usual names, as ``spellings`` has them."""
        found: dict[str, list[str]] = {}
        for name, usual in self.spellings.items():
            found.setdefault(usual, []).append(name)
        return found

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """What others worked out of it."""
        return {}

    def mro(self, name: str) -> tuple[str, ...]:
        """Return a class and its public ancestors, each before its own bases."""
        return tuple(linearized(self.canonical(name), self._bases)[0])

    def _bases(self, name: str) -> Iterator[str]:
        known = self.classes.get(name)
        return (self.canonical(base) for base in (known.bases if known is not None else ()))

    def returns(self, name: str) -> str | None:
        """Return the class of what a function or a method gives, if that is known.

        A method is looked for in the class and then in its ancestors. The name of a class has no
        entry: calling it makes an instance of it. Of Python's own library that is what typeshed
        says.
        """
        return self._found(name, self.results) or stubs.returned(name)

    def attribute(self, name: str) -> str | None:
        """Return the class of what an attribute holds, if that is known.

        The name is ``Class.attribute``; the attribute may be that of an ancestor.
        """
        return self._found(name, self.attributes)

    def parameters(self, name: str) -> tuple[Parameter, ...]:
        """Return the recorded parameters of a class's constructor, a function or a method.

        A method is looked for in the class and then in its ancestors, and has no ``self``.
        """
        known = self.classes.get(self.canonical(name))
        return known.parameters if known is not None else self._found(name, self.signatures) or ()

    def position(self, names: Iterable[str], parameter: str) -> int | None:
        """Return where all that may be called take a parameter; None where they do not agree, or
        take it by name only."""
        found: set[int | None] = set()
        for name in names:
            known = [p.name for p in self.parameters(name) if p.kind == "positional"]
            found.add(known.index(parameter) if parameter in known else None)
        return found.pop() if len(found) == 1 else None

    def marks(self, name: str) -> frozenset[str]:
        """Return what calling a function, a class or a method may do: words of ``Mark``.

        A class is marked for what its constructor does and for what the methods do that the
        framework calls, as those of callbacks, hooks and layers. A method is looked for in the
        class and then in its ancestors. Nothing recorded is nothing known, not nothing done.
        """
        return self._found(name, self.effects) or frozenset()

    def _found(self, name: str, table: Mapping[str, _Entry]) -> _Entry | None:
        """Return the entry of a name; of a method, that of the nearest ancestor that has one."""
        name = self.canonical(name)
        if name in table:
            return table[name]
        owner, _, method = name.rpartition(".")
        if owner not in self.classes:
            return None
        for ancestor in self.mro(owner):
            found = table.get(f"{ancestor}.{method}")
            if found is not None:
                return found
        return None


def _usual(name: str, spellings: Mapping[str, str]) -> str:
    # Ends: no spelling leads back to itself, which the tests hold.
    while (target := respelled(name, spellings)) is not None:
        name = target
    return name


def respelled(name: str, spellings: Mapping[str, str]) -> str | None:
    """Replace the longest prefix that has a more usual spelling, once."""
    end = len(name)
    while end > 0:
        target = spellings.get(name[:end])
        if target is not None:
            return target + name[end:]
        end = name.rfind(".", 0, end)
    return None


@cache
def load(*names: str) -> Library:
    """Read the facts that come with this package; they are read once.

    Names are those of the domains' data; without any, all of it is read and merged. Where two
    files speak of one name, the earlier counts.
    """
    merger = _Merger()
    for name in names or declared().data:
        merger.add(name, json.loads(library_text(name)))
    return merger.library()


class _Merger:
    """Puts files together: what an earlier file says of a name stays.

    Methods and attributes that it lacks are added, but to marks nothing is: their absence tells.
    """

    def __init__(self) -> None:
        self.sources: dict[str, Mapping[str, str]] = {}
        self.spellings: dict[str, str] = {}
        self.functions: dict[str, None] = {}
        self.classes: dict[str, tuple[str, ...]] = {}  # with their bases
        self.results: dict[str, str] = {}
        self.signatures: dict[str, tuple[Parameter, ...]] = {}
        self.attributes: dict[str, str] = {}
        self.effects: dict[str, frozenset[str]] = {}
        self._aliases: dict[str, list[str]] = {}
        self._marks: dict[tuple[str, ...], frozenset[str]] = {}
        self._rows: dict[tuple[str | None, ...], Parameter] = {}

    def library(self) -> Library:
        """Return what was put together."""
        aliases = {name: tuple(found) for name, found in self._aliases.items()}
        classes = {
            name: LibraryClass(name, bases, aliases.get(name, ()), self.signatures.pop(name, ()))
            for name, bases in self.classes.items()
        }
        functions = {name: aliases.get(name, ()) for name in self.functions}
        return Library(
            provenance=next(iter(self.sources.values())),
            classes=MappingProxyType(classes),
            functions=MappingProxyType(functions),
            spellings=MappingProxyType(self.spellings),
            results=MappingProxyType(self.results),
            signatures=MappingProxyType(self.signatures),
            attributes=MappingProxyType(self.attributes),
            effects=MappingProxyType(self.effects),
            sources=MappingProxyType(self.sources),
        )

    def add(self, file: str, facts: dict[str, Any]) -> None:
        """Add the facts of one file, under the names that are in use already."""
        classes, functions = facts["classes"], facts["functions"]
        self._add_modules(facts["module_aliases"])
        self.sources[file] = MappingProxyType(facts["provenance"])
        entries = {**functions, **classes}
        if len(self.sources) == 1:
            names = {name: name for name in entries}
        else:
            names = {name: self._usual(name, entry) for name, entry in entries.items()}
        known = {name for name, found in names.items() if not self._is_new(found)}
        for name, entry in classes.items():
            if self._is_new(names[name]):
                self.classes[names[name]] = tuple(names[base] for base in entry.get("bases", ()))
        for name in functions:
            if self._is_new(names[name]):
                self.functions[names[name]] = None
        for name, entry in entries.items():
            if "aliases" in entry or name != names[name]:
                self._spell(names[name], name, *entry.get("aliases", ()))

        def usual(name: str) -> str:
            owner, _, last = name.rpartition(".")
            found: str | None = names.get(name)
            if found is not None:
                return found
            return f"{names[owner]}.{last}" if owner in names else self._canonical(name)

        for name, entry in (*entries.items(), *facts["methods"].items()):
            if "parameters" in entry:
                name = usual(name)
                if name not in self.signatures:
                    self.signatures[name] = tuple(map(self._parameter, entry["parameters"]))
        for name, result in facts["returns"].items():
            self.results.setdefault(usual(name), names[result])
        for name, result in facts["attributes"].items():
            self.attributes.setdefault(usual(name), names[result])
        for name, marks in facts["marks"].items():
            if (name if name in names else name.rpartition(".")[0]) not in known:
                self.effects.setdefault(usual(name), self._words(marks))

    def _is_new(self, name: str) -> bool:
        return name not in self.classes and name not in self.functions

    def _add_modules(self, aliases: dict[str, str]) -> None:
        """Add module aliases, but for modules of which an earlier file has recorded something."""
        known: set[str] = set()
        for name in (*self.classes, *self.functions):
            while (name := name.rpartition(".")[0]) not in known and name:
                known.add(name)
        for module, target in aliases.items():
            if module not in known:
                self.spellings.setdefault(module, target)

    def _usual(self, name: str, entry: dict[str, Any]) -> str:
        """Return the name that a thing has already, by one of its spellings, or its own."""
        if not self._is_new(name):
            return name
        own = self._canonical(name)
        if self._is_new(own):
            bare = first_name(name)
            for alias in entry.get("aliases", ()):
                # A later release may have given a name to something else.
                known = alias if alias == bare else self._canonical(alias)
                if known != bare and not self._is_new(known):
                    return known
        return own

    def _spell(self, usual: str, *spellings: str) -> None:
        """Add the spellings that stand for nothing else yet."""
        for name in spellings:
            if name != usual and name not in self.spellings and self._is_new(name):
                found = self._canonical(name)
                inside = f"{usual}.".startswith(f"{name}.")
                if found != usual and self._is_new(found) and not inside:
                    self.spellings[name] = usual
                    self._aliases.setdefault(usual, []).append(name)

    def _canonical(self, name: str) -> str:
        """Return the usual spelling among those that are known so far."""
        return _usual(name, self.spellings)

    def _words(self, marks: list[str]) -> frozenset[str]:
        return self._marks.setdefault(tuple(marks), frozenset(marks))

    def _parameter(self, row: tuple[str, Kind, str | None]) -> Parameter:
        found = self._rows.get(key := tuple(row))
        if found is None:
            name, kind, default = row
            required = default is None and kind in ("positional", "keyword")
            self._rows[key] = found = Parameter(name, kind, default, required)
        return found
