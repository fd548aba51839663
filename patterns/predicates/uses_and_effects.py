"""Where a value goes, and what evaluating code does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pinsetter.analyzer.effects.callbacks import effects_of
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import Expression
from pinsetter.analyzer.values.value import Certainty

from ..matching.match import Match
from .arguments import (
    CAPTURE,
    CAPTURE_AND_FUNCTIONS,
    CAPTURE_AND_NAMES,
    FLOW,
    FUNCTIONS,
    NAMES,
    keys,
    list_of,
    one_of,
)
from .conditions import function_names, mentions, whole
from .registry import predicate


@predicate(FLOW)
def flows(match: Match, argument: Any) -> Match | None:
    """``{value, through?, into}``: the value, or what its methods named in ``through`` return,
    reaches an argument of a method named in ``into``."""
    results = [_reaches(match, value, where, argument["into"])
               for value, where in method_calls(match, argument)]  # fmt: skip
    if Certainty.PROVED in results:
        return match
    if Certainty.POSSIBLE in results:
        return match.with_captures({}, "Assumed: the gradients reach the optimizer; "
                                       "they are handed to code that was not seen.")  # fmt: skip
    return None


@predicate(FLOW)
def flows_elsewhere(match: Match, argument: Any) -> Match | None:
    """As ``flows``, but for a value one of whose calls does not get there."""
    results = [_reaches(match, value, where, argument["into"])
               for value, where in method_calls(match, argument)]  # fmt: skip
    return match if Certainty.NO in results else None


@predicate(FUNCTIONS)
def rewrapped(match: Match, names: Any) -> Match | None:
    """The value is handed to one of the functions later on."""
    wanted = function_names(match, names)
    for use in match.facts.uses(match.expression, match.module):
        if use.kind == "argument" and use.call is not None:
            if match.facts.evaluator.names(use.call.callee, use.module) & wanted:
                return match
    return None


@predicate(keys({"value": CAPTURE, "functions": FUNCTIONS}, {"through": NAMES}))
def given_to(match: Match, argument: Any) -> Match | None:
    """``{value, through?, functions}``: the value, or what its methods named in ``through`` return,
    is an argument of one of the functions."""
    wanted = function_names(match, argument["functions"])
    for value, where in method_calls(match, argument):
        for use in match.facts.uses(value, where):
            if use.kind == "argument" and use.call is not None:
                if match.facts.evaluator.names(use.call.callee, use.module) & wanted:
                    return match
    return None


@predicate(CAPTURE_AND_NAMES)
def then_calls(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: a method of these names is called on the value of $x, or on what follows
    from it."""
    capture, *names = argument
    for use in match.facts.uses(match.capture(capture), match.module, elements=False):
        if use.kind == "receiver" and use.call is not None and use.call.method in names:
            return match
    return None


@predicate(CAPTURE_AND_FUNCTIONS)
def then_calls_with(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: a method is called on the value of $x, or on what follows from it, with an
    argument that mentions one of the names."""
    capture, *names = argument
    wanted = function_names(match, names)
    for use in match.facts.uses(match.capture(capture), match.module, elements=False):
        if use.kind == "receiver" and use.call is not None:
            given = tuple(argument.value for argument in use.call.arguments)
            if mentions(given, use.module, match, wanted, 1):
                return match
    return None


@predicate(
    keys(
        {"of": CAPTURE},
        {
            "allow": list_of(
                one_of(
                    "prints", "writes", "pure", "collective", "state", "random", "creates_variables"
                )
            )
        },
    )
)
def effects(match: Match, argument: Any) -> Match | None:
    """``{of, allow}``: evaluating the code has no effects but the allowed ones, nor have the
    functions that it hands to others, which may call them."""
    kinds: set[str] = set()
    unknown: set[str] = set()
    for node in whole(match.capture(argument["of"])):
        found = effects_of(node, match.module, match.facts.effects)
        kinds |= found.kinds
        unknown |= found.unknown
        if match.facts.programs.trains(node, match.module):
            kinds.add("collective")
    if kinds - set(argument.get("allow", [])):
        return None
    return match.with_captures({}, *(
        f"Assumed: {name}() has no effect that other workers need." for name in sorted(unknown)
    ))  # fmt: skip


def method_calls(match: Match, argument: Any) -> Iterator[tuple[Expression, Module]]:
    if "through" not in argument:
        yield match.capture(argument["value"]), match.module
        return
    for use in match.facts.uses(match.capture(argument["value"]), match.module):
        if use.kind == "receiver" and use.call is not None:
            if use.call.method in argument["through"]:
                yield use.call.expression, use.module


def _reaches(match: Match, value: Expression, module: Module, methods: list[str]) -> Certainty:
    lost = False
    for use in match.facts.uses(value, module):
        if use.kind == "argument" and use.call is not None and use.call.method in methods:
            return Certainty.PROVED
        lost = lost or use.kind == "lost"
    return Certainty.POSSIBLE if lost else Certainty.NO
