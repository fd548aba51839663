"""names_in: the qualified names in a rule's conditions, and what each should be."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from .yaml_file import schema

Kind = Literal["classes", "functions", "makers", "qualified"]
_KINDS: dict[str, Kind] = {
    "captureAndClasses": "classes", "classes": "classes", "captureAndFunctions": "functions",
    "functions": "functions", "captureAndMakers": "makers", "makers": "makers",
    "qualified": "qualified", "role": "classes",
}  # fmt: skip
# They make no instances of themselves, or what they make is known better.
_NO_INSTANCES = {"object", "super", "type"}


@dataclass(frozen=True)
class Name:
    """A name in a pack, with the keys that lead to it."""

    spot: tuple[Any, ...]
    text: str
    kind: Kind


def names_in(data: Any, path: tuple[Any, ...] = ()) -> Iterator[Name]:
    """The names in the conditions of a rule."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        kind = _kinds().get(str(key)) if isinstance(data, dict) else None
        if kind is not None and isinstance(value, dict):
            yield from (Name((*path, key, at), text, kind) for at, text in value.items()
                        if isinstance(text, str))  # fmt: skip
        elif kind is not None and isinstance(value, list):
            with_capture = key in _with_capture()
            for at, text in enumerate(value):
                if isinstance(text, str) and not (with_capture and at == 0):
                    yield Name((*path, key, at), text, kind)
        elif isinstance(value, dict | list) and key not in ("examples", "requires"):
            yield from names_in(value, (*path, key))


def qualified(name: str, imports: Mapping[str, Sequence[str]]) -> str:
    """A dotted name whose head may be an alias of a pack, in full."""
    head, dot, rest = name.partition(".")
    return f"{imports[head][0]}{dot}{rest}" if head in imports else name


def classes_of(
    rules: Iterable[Mapping[str, Any]], roles: Mapping[str, Any], owners: Iterable[str] = ()
) -> frozenset[str]:
    """The names that a pack takes for classes; ``owners`` of what it renames are, if they are
    called as one."""
    found = {name for classes in roles.values() for name in classes}
    found |= {n.text for rule in rules for n in names_in(rule) if n.kind == "classes"}
    found |= {name for name in owners if is_class_name(name)}
    return frozenset(
        name for name in found - roles.keys()
        if "." in name and (not name.startswith("builtins.") or _is_class(name[9:]))
    )  # fmt: skip


def is_class_name(name: str) -> bool:
    """Whether the last part of a name looks like that of a class."""
    last = name.rpartition(".")[2].lstrip("_")
    return last[:1].isupper() and not last.isupper()


def _is_class(name: str) -> bool:
    return isinstance(getattr(builtins, name, None), type) and name not in _NO_INSTANCES


@cache
def _kinds() -> dict[str, Kind]:
    """The predicates, and keys in them, that take names, by what these are."""
    conditions = schema()["$defs"]["condition"]["properties"]
    inner = {key: value for one in conditions.values()
             for key, value in one.get("properties", {}).items()}  # fmt: skip
    found = {
        key: _KINDS.get(str(form.get("$ref", "")).rpartition("/")[2])
        for key, one in {**inner, **conditions}.items()
        for form in one.get("anyOf", [one.get("additionalProperties") or one])
    }
    return {key: kind for key, kind in found.items() if kind is not None}


@cache
def _with_capture() -> frozenset[str]:
    conditions = schema()["$defs"]["condition"]["properties"]
    return frozenset(key for key, one in conditions.items() if "#/$defs/captureAnd" in str(one))
