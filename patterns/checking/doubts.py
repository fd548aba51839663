"""doubts: what is wrong with the names in a pack."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from ..reading.pack_head import listed
from ..reading.qualified_names import Kind, Name
from .complaints import Complaint
from .spelling import Doubt, doubt, is_member, is_module


@dataclass(frozen=True)
class Known:
    """What the head of a pack names. ``literal`` are names that are meant as they are written;
    ``unread`` the keys of the head that do not fit the schema."""

    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    roles: Mapping[str, Any] = field(default_factory=dict)
    functions: Mapping[str, Any] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    let: Mapping[str, Any] = field(default_factory=dict)
    literal: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()


def doubts(names: Iterable[Name], known: Known) -> Iterator[Complaint]:
    """What is wrong with names in conditions."""
    for name in names:
        found = _set_or_name(name, known)
        if found is not None:
            yield Complaint(name.spot, found.reason, found.hint, found.word,
                            slight=not found.certain)  # fmt: skip


def head_doubts(data: Mapping[str, Any], known: Known) -> Iterator[Complaint]:
    """What is wrong with the names in the head of a file."""
    for alias, given in data.get("imports", {}).items():
        if isinstance(given, str) and is_member(given):
            home, _, name = given.rpartition(".")
            yield Complaint(("imports", alias), f"{given} is no module",
                            f"write: from {home} import {name}", given)  # fmt: skip
            continue
        for spot, module in _modules_of(("imports", alias), given):
            yield from _one(spot, doubt(module), known)
    for key in ("roles", "functions"):
        for name, members in data.get(key, {}).items():
            for at, text in enumerate(members):
                spot = (key, name, at)
                if "." in text:
                    yield from _one(spot, _full(text, known), known)
                elif key == "functions" and text in known.definitions:
                    continue  # the program's own, where it has been inserted
                elif key == "roles" or not is_module(text):
                    hint = f"write builtins.{text}" if hasattr(builtins, text) else (
                        "write it in full, as package.module.name")  # fmt: skip
                    yield Complaint(spot, f"{text!r} is no qualified name", hint, text)


def _one(spot: tuple[Any, ...], found: Doubt | None, known: Known) -> Iterator[Complaint]:
    if found is not None and found.word not in known.literal:
        yield Complaint(spot, found.reason, found.hint, found.word, slight=not found.certain)


def _modules_of(spot: tuple[Any, ...], given: Any) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(given, str):
        yield spot, listed(given)[0]
        return
    for at, one in enumerate(given):
        if isinstance(one, str):
            yield (*spot, at), one
        else:
            for module, beside in one.items():
                yield (*spot, at), module
                yield (*spot, at, module), beside


def _set_or_name(name: Name, known: Known) -> Doubt | None:
    """What is wrong with a name that may be one of the pack's own sets."""
    found = None
    if name.kind == "qualified" or "." in name.text:
        found = _full(name.text, known)
    elif name.text not in _sets(name.kind, known) and not known.unread & {"roles", "functions"}:
        found = _bare(name.text, name.kind, known)
    return None if found is not None and found.word in known.literal else found


def _sets(kind: Kind, known: Known) -> set[str]:
    roles = known.roles.keys() if kind != "functions" else set[str]()
    return {*roles, *(known.functions if kind != "classes" else ())}


_SETS = {"classes": "role", "functions": "set of functions", "makers": "role or set of functions"}


def _bare(text: str, kind: Kind, known: Known) -> Doubt | None:
    """What is wrong with a name without a dot that is none of the pack's own sets."""
    sets = _sets(kind, known)
    if kind == "functions" and is_module(text):
        return None
    reason = f"there is no {_SETS[kind]} {text!r}"
    close = get_close_matches(text, list(sets), 1)
    if text in known.roles or text in known.functions:
        other = "roles" if kind == "classes" else "functions"
        reason = f"{text!r} is a {_SETS['functions' if kind == 'classes' else 'classes']}"
        hint = f"a {_SETS[kind]} is meant here; name it under `{other}`"
    elif text in known.imports:
        reason = f"{text!r} is an alias"
        hint = f"write {known.imports[text][0]}: conditions have names in full"
    elif close:
        hint = f"did you mean {close[0]!r}?"
    elif hasattr(builtins, text):
        hint = f"write builtins.{text}"
    else:
        listed = f"known are {', '.join(sorted(sets))}; " if sets else ""
        hint = f"{listed}other names are written in full, as package.module.name"
        if kind == "functions":  # it may be a module of anybody's
            found = doubt(text)
            return Doubt(text, f"{reason}, and no module of that name is known here", hint,
                         found is not None and found.certain)  # fmt: skip
    return Doubt(text, reason, hint, True)


def _full(text: str, known: Known) -> Doubt | None:
    """What is wrong with a dotted name."""
    root, _, rest = text.partition(".")
    if root in known.imports and not any(
        f"{module}.".startswith(f"{root}.") for module in known.imports[root]
    ):
        hint = f"write {known.imports[root][0]}.{rest}: only patterns and templates have aliases"
        return Doubt(root, f"{root!r} is an alias here, and names are in full", hint, True)
    return doubt(text)
