"""What a value is computed from, on whatever way it comes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.definition import owner_of
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import Expression, attribute_name, calls_in_power
from pinsetter.analyzer.values.questions import derivation, origins

from ..matching.match import Match
from ..packs.code_in import pattern_in
from .arguments import CAPTURE_AND_FUNCTIONS, CODE, NAMES, by_capture, keys
from .conditions import fits, function_names, may_be_meant, program_modules
from .registry import predicate


@predicate(CAPTURE_AND_FUNCTIONS)
def computed_from(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: what one of the functions gives may go into $x, followed back through
    names, attributes, items, parameters, ``+=``, and functions of the repository.

    ::

        match: f($x)
        where: [{computed_from: [$x, os.cpu_count]}]
        holds:
          - |
            import os
            f(os.cpu_count() * 2)
          - |
            import os
            def workers():
                return max(1, os.cpu_count() - 1)
            n = workers()
            f(n)
          - |
            import os
            sizes = {}
            sizes['n'] = os.cpu_count()
            f(sizes['n'])
        fails:
          - |
            import os
            f(os.getpid())
          - |
            import os
            n = os.cpu_count()
            n = 2
            f(n)
          - |
            import os
            f(os.cpu_count)
    """
    capture, *names = argument
    wanted = function_names(match, names)
    if not may_be_meant(names, match):
        return None
    evaluator = match.facts.evaluator
    for part, module in derivation(match.capture(capture), match.module, evaluator):
        if part.type == symbols.power:
            if any(evaluator.names(call.callee, module) & wanted for call in calls_in_power(part)):
                return match
    return None


@predicate(by_capture(CODE))
def computed_by(match: Match, patterns: Any) -> Match | None:
    """``{$x: code}``: the code pattern, with the rule's captures, fits something that may go into
    $x, followed back as for ``computed_from``.

    ::

        match: step($rate, $value)
        where: [{computed_by: {$value: $rate.numpy()}}]
        holds:
          - step(a, a.numpy() * 2)
          - |
            x = a.numpy()
            step(a, x)
        fails:
          - step(a, b.numpy())
          - step(a, a.numpy)
          - step(a, b)
    """
    for capture, code in patterns.items():
        pattern = pattern_in(match.pack, code)
        parts = derivation(match.capture(capture), match.module, match.facts.evaluator)
        if not any(True for part, module in parts for _ in fits(pattern, part, match, module)):
            return None
    return match


@predicate(keys({"names": NAMES, "from": NAMES}))
def set_later(match: Match, argument: Any) -> Match | None:
    """``{names, from}``: an attribute of one of the names, of the value that the matched call
    makes, is assigned later, or gets by ``assign()``, what may be computed from one of the
    functions.

    ::

        match: $made($...given)
        where: [{set_later: {names: [rate], from: [os.cpu_count]}}]
        holds:
          - |
            import os
            thing = make()
            thing.rate = os.cpu_count() * 2
          - |
            import os
            thing = make()
            thing.rate.assign(os.cpu_count())
        fails:
          - |
            import os
            thing = make()
            thing.rate = 2
          - |
            import os
            thing = make()
            thing.size = os.cpu_count()
          - |
            import os
            thing = make()
            other.rate = os.cpu_count()
    """
    call = match.call
    if call is None:
        return None
    evaluator = match.facts.evaluator
    for module in program_modules(match):
        for owner, value in _rates_set(argument["names"], module):
            made = (origin.trailer for origin, _ in origins(owner, module, evaluator))
            if any(trailer is call.trailer for trailer in made):
                found = replace(match, module=module, captures={**match.captures, "set": value})
                if computed_from(found, ["$set", *argument["from"]]) is not None:
                    return match
    return None


def _rates_set(names: list[str], module: Module) -> Iterator[tuple[Expression, Expression]]:
    """``a`` and ``b`` of each ``a.name = b``, ``a.name *= b`` and ``a.name.assign(b)``."""
    for binding in module.scopes.attributes:
        if binding.name in names and binding.statement.type == symbols.expr_stmt:
            yield owner_of(binding.node), (binding.statement.children[-1],)
    for call in module.tree.calls:
        if call.method == "assign" and call.arguments and attribute_name(call.receiver) in names:
            yield call.receiver[:-1], (call.arguments[0].value,)
