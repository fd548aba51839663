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
    either,
    keys,
    list_of,
    one_of,
)
from .conditions import function_names, mentions, whole
from .registry import predicate


@predicate(FLOW)
def flows(match: Match, argument: Any) -> Match | None:
    """``{value, through?, into}``: the value, or what its methods named in ``through`` return,
    reaches an argument of a method named in ``into``.

    ::

        match: measure($...given)
        where: [{flows: {value: $match, through: [slope], into: [apply]}}]
        holds:
          - |
            m = measure(a)
            opt.apply(m.slope(b))
          - |
            with measure(a) as m:
                loss = b
            slopes = m.slope(loss)
            pairs = zip(slopes, a)
            opt.apply(pairs)
        assumed:
          - |
            m = measure(a)
            a.slopes = m.slope(b)
        fails:
          - |
            m = measure(a)
            opt.apply(m)
          - |
            m = measure(a)
            unknown(m.slope(b))
          - |
            m = measure(a)
            apply(m.slope(b))
    """
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
    """As ``flows``, but for a value one of whose calls does not get there.

    ::

        match: measure($...given)
        where: [{flows_elsewhere: {value: $match, through: [slope], into: [apply]}}]
        holds:
          - |
            m = measure(a)
            opt.apply(m.slope(b))
            print(m.slope(c))
        fails:
          - |
            m = measure(a)
            opt.apply(m.slope(b))
          - |
            m = measure(a)
            print(m)
    """
    results = [_reaches(match, value, where, argument["into"])
               for value, where in method_calls(match, argument)]  # fmt: skip
    return match if Certainty.NO in results else None


@predicate(
    either(
        CAPTURE_AND_FUNCTIONS,
        keys({"value": CAPTURE, "functions": FUNCTIONS}, {"through": NAMES}),
    )
)
def given_to(match: Match, argument: Any) -> Match | None:
    """``[$x, function, …]`` or ``{value, through?, functions}``: the value, or something of it,
    or what its methods named in ``through`` return, is an argument of one of the functions.

    ::

        match: measure($...given)
        where:
          - any:
              - given_to: [$match, json.dumps]
              - given_to: {value: $match, through: [slope], functions: [json.loads]}
        holds:
          - |
            import json
            json.dumps(measure(a))
          - |
            from json import dumps
            m = measure(a)
            print(dumps(m.slope))
          - |
            import json
            m = measure(a)
            json.loads(m.slope(b))
        fails:
          - |
            import json
            m = measure(a)
            json.dumps(b)
          - |
            import json
            m = measure(a)
            json.loads(m)
          - |
            import json
            m = measure(a)
            json.dump(m, b)
    """
    if isinstance(argument, list):
        value, *functions = argument
        argument = {"value": value, "functions": functions}
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
    from it.

    ::

        match: open($...given)
        where: [{then_calls: [$match, write, writelines]}]
        holds:
          - |
            file = open(a)
            file.write(b)
          - |
            with open(a) as file:
                file.writelines(b)
        fails:
          - |
            file = open(a)
            file.read()
          - |
            file = open(a)
            file.write
    """
    capture, *names = argument
    for use in match.facts.uses(match.capture(capture), match.module, elements=False):
        if use.kind == "receiver" and use.call is not None and use.call.method in names:
            return match
    return None


@predicate(CAPTURE_AND_FUNCTIONS)
def then_calls_with(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: a method is called on the value of $x, or on what follows from it, with an
    argument that mentions one of the names.

    ::

        match: open($...given)
        where: [{then_calls_with: [$match, json.dumps]}]
        holds:
          - |
            import json
            file = open(a)
            file.write(json.dumps(b))
          - |
            import json
            text = json.dumps(b)
            open(a).write(text)
        fails:
          - |
            import json
            file = open(a)
            file.write(b)
          - |
            import json
            file = open(a)
            print(json.dumps(b))
    """
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
    functions that it hands to others, which may call them.

    ::

        match: log($...given)
        where: [{effects: {of: $...given, allow: [prints]}}]
        holds:
          - log(a + 1, len(b))
          - log(print(a))
        assumed: [log(unknown(a))]
        fails:
          - log(open(a, 'w').write(b))
          - |
            import random
            log(random.random())
          - log(a.append(b))
    """
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
