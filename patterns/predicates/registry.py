"""The registry of predicates, and how conditions are put together."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from typing import Any

from ..matching.match import Match
from .arguments import CONDITION, CONDITIONS, Schema

_HERE = "pinsetter.patterns.predicates"
_DOMAINS = "pinsetter.patterns.domains"
Predicate = Callable[[Match, Any], "Match | None"]
PREDICATES: dict[str, Predicate] = {}
ARGUMENTS: dict[str, Schema] = {}
# Those that only ask where the match stands, which is known before any name is followed.
OF_PLACES: set[str] = set()


def satisfies(match: Match, conditions: Iterable[Any]) -> Match | None:
    """The match with what the conditions add to it, if all of them hold."""
    current: Match | None = match
    for condition in conditions:
        for name, argument in condition.items():
            current = PREDICATES[name](current, argument) if current is not None else None
    return current


def load_all() -> None:
    """Import what registers predicates: the modules of this folder, and those of all domains."""
    for package in (_HERE, _DOMAINS):
        for found in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            import_module(found.name)


def predicate(argument: Schema, of_place: bool = False) -> Callable[[Predicate], Predicate]:
    """Register a predicate by the name of its function; its docstring says when it holds, and
    ``argument`` what a pack gives it. docs/generate.py writes both where authors see them.
    ``of_place``: it asks nothing but where the match stands."""

    def registered(function: Predicate) -> Predicate:
        name = function.__name__.strip("_")
        PREDICATES[name], ARGUMENTS[name] = function, argument
        if of_place:
            OF_PLACES.add(name)
        return function

    return registered


@predicate(CONDITION)
def not_(match: Match, condition: Any) -> Match | None:
    """The condition does not hold.

    ::

        match: f($x)
        where: [{not: {constant: $x}}]
        holds: [f(n)]
        fails: [f(1), "f('a')"]
    """
    return match if satisfies(match, [condition]) is None else None


@predicate(CONDITION)
def proved(match: Match, condition: Any) -> Match | None:
    """The condition holds, and nothing had to be assumed for that.

    ::

        match: f($x)
        where: [{proved: {number: $x}}]
        holds:
          - f(1)
          - |
            n = 1
            f(n * 2)
        fails: [f(n), "f('a')"]
    """
    # What another condition had to assume is no proof of this one.
    found = satisfies(replace(match, warnings=()), [condition])
    if found is None or found.warnings:
        return None
    return replace(found, warnings=match.warnings)


@predicate(CONDITIONS)
def any_(match: Match, conditions: Any) -> Match | None:
    """One of the conditions holds; the first that does gives the captures.

    ::

        match: f($x)
        where: [{any: [{matches: {$x: len($of)}}, {matches: {$x: $of.size}}]}]
        holds: [f(a.size), f(len(a))]
        captures: {of: a}
        fails: [f(a), f(max(a))]
    """
    found = (satisfies(match, [condition]) for condition in conditions)
    return next((result for result in found if result is not None), None)


@predicate(CONDITIONS)
def all_(match: Match, conditions: Any) -> Match | None:
    """All of the conditions hold.

    ::

        match: f($x)
        where: [{not: {all: [{constant: $x}, {below: [$x, 2]}]}}]
        holds: [f(n), f(2), "f('a')"]
        fails: [f(1), f(0), f(0.5)]
    """
    return satisfies(match, conditions)
