"""Forms: what a pack writes instead of ``if``, ``while`` and ``for`` whose blocks are functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Form:
    """Of one kind of statement: the ``call`` in its place, what the functions of its clauses are
    called, by their keywords, and the parameter of a loop's. ``directives`` are functions, the
    arguments of whose call at the beginning of a loop are for the call of the loop."""

    call: str
    functions: Mapping[str, str]
    item: str = ""
    directives: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forms:
    """``statements`` by their keywords. ``exits`` are what a function returns where the block was
    left, by keywords; of a ``return``, ``$it`` is the value. ``returned`` is the value in such a
    ``signal``. ``unbound`` is the annotation that makes a name a function's own without binding
    it."""

    statements: Mapping[str, Form]
    exits: Mapping[str, str]
    signal: str
    returned: str
    unbound: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Forms | None:
        """What the head of a pack says; None if it says nothing."""
        if not raw:
            return None
        statements = {
            word: Form(**{**raw[word], "directives": tuple(raw[word].get("directives", ()))})
            for word in ("if", "while", "for") if word in raw
        }  # fmt: skip
        exits = {word: raw[word] for word in ("return", "break", "continue")}
        return cls(statements, exits, raw["signal"], raw["returned"], raw["unbound"])
