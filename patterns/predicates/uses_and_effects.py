"""Where a value goes, and what evaluating code does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pinsetter.analyzer.domains.tensorflow.restrictions.callbacks import effects_of
from pinsetter.analyzer.domains.tensorflow.step_loops import step_loops
from pinsetter.analyzer.names.definition import Definition
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN, Expression, outer_call
from pinsetter.analyzer.values.uses import Use
from pinsetter.analyzer.values.value import Certainty

from ..matching.match import Match
from .conditions import function_names, mentions, program_modules, whole
from .registry import predicate

_FITS = {"fit", "fit_generator"}
_DATA = {"x", "generator"}
_DEPTH = 4


@predicate
def flows(match: Match, argument: Any) -> Match | None:
    """``{value, through?, into}``: the value, or what its methods named in ``through`` return,
    reaches an argument of a method named in ``into``."""
    results = [_reaches(match, value, where, argument["into"])
               for value, where in _method_calls(match, argument)]  # fmt: skip
    if Certainty.PROVED in results:
        return match
    if Certainty.POSSIBLE in results:
        return match.with_captures({}, "Assumed: the gradients reach the optimizer; "
                                       "they are handed to code that was not seen.")  # fmt: skip
    return None


@predicate
def flows_elsewhere(match: Match, argument: Any) -> Match | None:
    """As ``flows``, but for a value one of whose calls does not get there."""
    results = [_reaches(match, value, where, argument["into"])
               for value, where in _method_calls(match, argument)]  # fmt: skip
    return match if Certainty.NO in results else None


@predicate
def rewrapped(match: Match, names: Any) -> Match | None:
    """The value is handed to one of the functions later on."""
    wanted = function_names(match, names)
    for use in match.facts.uses(match.expression, match.module):
        if use.kind == "argument" and use.call is not None:
            if match.facts.evaluator.names(use.call.callee, use.module) & wanted:
                return match
    return None


@predicate
def given_to(match: Match, argument: Any) -> Match | None:
    """``{value, through?, functions}``: the value, or what its methods named in ``through`` return,
    is an argument of one of the functions."""
    wanted = function_names(match, argument["functions"])
    for value, where in _method_calls(match, argument):
        for use in match.facts.uses(value, where):
            if use.kind == "argument" and use.call is not None:
                if match.facts.evaluator.names(use.call.callee, use.module) & wanted:
                    return match
    return None


@predicate
def receives_gradients(match: Match, wanted: Any) -> Match | None:
    """Whether a gradient that some tape computed is followed to the matched call."""
    tape = match.facts.library.canonical("tensorflow.GradientTape")
    argument = {"value": "$match", "through": ["gradient"], "into": ["apply_gradients"]}
    call = match.call
    found = False
    for module in program_modules(match):
        for made in module.tree.calls:
            if tape in match.facts.evaluator.names(made.callee, module):
                origin = replace(match, module=module, captures={"match": made.expression})
                for gradient, where in _method_calls(origin, argument):
                    for use in match.facts.uses(gradient, where):
                        hit = use.call is not None and call is not None and (
                            use.call.trailer is call.trailer)  # fmt: skip
                        found = found or hit or use.kind == "lost"
    return match if found == wanted else None


@predicate
def drives_training(match: Match, capture: Any) -> Match | None:
    """The value is the data of training steps: a ``for`` whose body trains goes through it, or a
    ``fit`` gets it to train with; what it only validates with, does not count."""
    return match if _drives(match.capture(capture), match.module, match) else None


@predicate
def made_for_training(match: Match, wanted: Any) -> Match | None:
    """Whether the function around the match, if what it returns drives training, is called for that
    alone: a function that makes the validation data, too, is not."""
    return match if _only_for_training(match.node, match.module, match, _DEPTH) == wanted else None


def _drives(expression: Expression, module: Module, match: Match) -> bool:
    programs = match.facts.programs
    for use in match.facts.uses(expression, module, elements=False):
        if use.kind == "iterate" and programs.trains(use.node, use.module):
            return True
        if use.kind == "argument" and use.call is not None and _is_data(use):
            steps = programs.steps_in(use.module)
            if use.call.method in _FITS and any(use.call.trailer is step for step in steps):
                return True
    return False


def _is_data(use: Use) -> bool:
    """Whether a ``fit`` trains with its argument."""
    given = use.argument
    assert use.call is not None
    if given is None or given.star or given.name is not None:
        return given is not None and given.name in _DATA
    return use.call.arguments[0] is given


def _only_for_training(node: LN, module: Module, match: Match, depth: int) -> bool:
    function = module.scope_of(node).function
    if function is None or not depth:
        return True
    sites = list(match.facts.evaluator.call_sites(Definition(module, function)))
    driving = [_drives(call.expression, caller, match) for call, caller in sites]
    if any(driving) and not all(driving):
        return False
    return not any(driving) or all(
        _only_for_training(call.trailer, caller, match, depth - 1) for call, caller in sites
    )


@predicate
def counts(match: Match, argument: Any) -> Match | None:
    """``[$x, kind]``: a ``for`` goes through $x, a call of ``range``, whose number of ``steps``, or
    of ``rounds`` of an inner loop (as epochs), bounds the training; one loop of those around a step
    does."""
    capture, kind = argument
    call = outer_call(match.capture(capture))
    return match if call is not None and match.facts.of(step_loops).counts(call) == kind else None


@predicate
def counts_take(match: Match, wanted: Any) -> Match | None:
    """Whether the matched call of ``take`` cuts the data that a ``for`` goes through, and so counts
    its training steps; one loop of those around a step does."""
    call = match.call
    found = call is not None and match.facts.of(step_loops).counts_take(call)
    return match if found == wanted else None


@predicate
def shared_steps(match: Match, wanted: Any) -> Match | None:
    """Whether each loop around the matched call, which trains, is one that counts its steps."""
    call = match.call
    shared = call is None or match.facts.of(step_loops).is_shared(call.trailer)
    return match if shared == wanted else None


@predicate
def then_calls(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: a method of these names is called on the value of $x, or on what follows
    from it."""
    capture, *names = argument
    for use in match.facts.uses(match.capture(capture), match.module, elements=False):
        if use.kind == "receiver" and use.call is not None and use.call.method in names:
            return match
    return None


@predicate
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


@predicate
def effects(match: Match, argument: Any) -> Match | None:
    """``{of, allow}``: evaluating the code has no effects but the allowed ones, nor have the
    functions that it hands to others, which may call them."""
    kinds: set[str] = set()
    unknown: set[str] = set()
    for node in whole(match.capture(argument["of"])):
        found = effects_of(node, match.module, match.facts)
        kinds |= found.kinds
        unknown |= found.unknown
        if match.facts.programs.trains(node, match.module):
            kinds.add("collective")
    if kinds - set(argument.get("allow", [])):
        return None
    return match.with_captures({}, *(
        f"Assumed: {name}() has no effect that other workers need." for name in sorted(unknown)
    ))  # fmt: skip


def _method_calls(match: Match, argument: Any) -> Iterator[tuple[Expression, Module]]:
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
