"""What is known of TensorFlow: its classes, their spellings, what its functions return.

The facts are data, written by ``generate.py`` from an installed TensorFlow. Names are qualified in
full: ``tensorflow.keras.optimizers.Adam``, never ``tf``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

__all__ = ["Kind", "Library", "LibraryClass", "Parameter", "load"]

Kind = Literal["positional", "keyword", "var_positional", "var_keyword"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a constructor.

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


@dataclass(frozen=True)
class Library:
    """The facts, by canonical name."""

    provenance: Mapping[str, str]
    classes: Mapping[str, LibraryClass]
    functions: Mapping[str, tuple[str, ...]]
    """The functions that rules speak of, with their other spellings."""
    spellings: Mapping[str, str]
    """Modules, classes and functions that have a more usual name, and that name."""
    results: Mapping[str, str]
    """Functions, and methods as ``Class.method``, with the class of what they return."""

    def canonical(self, name: str) -> str:
        """Return the usual spelling of a qualified name; an unknown name comes back as it is.

        What follows a known prefix is kept, so methods and constants are respelled too.
        """
        # Ends: no spelling leads back to itself, which the tests hold.
        while (respelled := self._respelled(name)) is not None:
            name = respelled
        return name

    def _respelled(self, name: str) -> str | None:
        """Replace the longest prefix that has a more usual spelling, once."""
        end = len(name)
        while end > 0:
            target = self.spellings.get(name[:end])
            if target is not None:
                return target + name[end:]
            end = name.rfind(".", 0, end)
        return None

    def mro(self, name: str) -> tuple[str, ...]:
        """Return a class and its public ancestors, each before its own bases."""
        lines = [self.mro(base) for base in self._bases(name)]
        merged = [ancestor for line in lines for ancestor in line]
        # What several bases share comes after the last of them, as in Python.
        last = {ancestor: place for place, ancestor in enumerate(merged)}
        return (self.canonical(name), *sorted(last, key=last.__getitem__))

    def _bases(self, name: str) -> tuple[str, ...]:
        known = self.classes.get(self.canonical(name))
        return known.bases if known is not None else ()

    def returns(self, name: str) -> str | None:
        """Return the class of what a function or a method gives, if that is known.

        A method is looked for in the class and then in its ancestors. The name of a class has no
        entry: calling it makes an instance of it.
        """
        name = self.canonical(name)
        if name in self.results:
            return self.results[name]
        owner, _, method = name.rpartition(".")
        if owner not in self.classes:
            return None
        for ancestor in self.mro(owner):
            found = self.results.get(f"{ancestor}.{method}")
            if found is not None:
                return found
        return None


@cache
def load() -> Library:
    """Read the facts that come with this package; they are read once."""
    text = files(__package__).joinpath("tensorflow-2.15.json").read_text(encoding="utf-8")
    return _library(json.loads(text))


def _library(facts: dict[str, Any]) -> Library:
    classes = {
        name: LibraryClass(
            name=name,
            bases=tuple(entry["bases"]),
            aliases=tuple(entry["aliases"]),
            parameters=_parameters(entry.get("parameters", [])),
        )
        for name, entry in facts["classes"].items()
    }
    functions = {name: tuple(entry["aliases"]) for name, entry in facts["functions"].items()}
    spellings: dict[str, str] = dict(facts["module_aliases"])
    for name, found in classes.items():
        spellings.update(dict.fromkeys(found.aliases, name))
    for name, aliases in functions.items():
        spellings.update(dict.fromkeys(aliases, name))
    return Library(
        provenance=MappingProxyType(facts["provenance"]),
        classes=MappingProxyType(classes),
        functions=MappingProxyType(functions),
        spellings=MappingProxyType(spellings),
        results=MappingProxyType(facts["returns"]),
    )


def _parameters(rows: list[tuple[str, Kind, str | None]]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(
            name=name,
            kind=kind,
            default=default,
            required=default is None and kind in ("positional", "keyword"),
        )
        for name, kind, default in rows
    )
