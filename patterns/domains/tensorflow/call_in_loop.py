"""called_in_loop: the one place in a loop from which the match is reached, turn by turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.definition import Definition, class_of_method, items_of
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import Binding, Scope
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    Expression,
    flat,
    is_variable,
    leaves,
    line_statement,
    outer_call,
    statement_of,
)
from pinsetter.analyzer.values.questions import is_bound, passed_at

from ...matching.match import Match, position
from ...predicates.arguments import GIVEN, by_capture, keys
from ...predicates.form import is_repeatable
from ...predicates.loops import is_bound_once, outermost_loop
from ...predicates.registry import predicate

# Calls of calls are followed so far.
_DEPTH = 6
# How a call stands in a statement that goes on, or returns, behind it.
_FOLLOWED = ("expression", "assignment", "part", "return")
_LEAVING = {"break", "continue", "return", "raise", "yield"}
_ATTRIBUTE = re.compile(r"\.(\w+)")
# What an expression is called at another place: text, and variables that mean the same there.
_Meaning: TypeAlias = "list[str | LN]"


@predicate(keys({"call": GIVEN, "loop": GIVEN, "meaning": by_capture(GIVEN)}))
def called_in_loop(match: Match, argument: Any) -> Match | None:
    """``{call, loop, meaning}``: the match, or the one call of its function, or of that which calls
    it, stands in a loop of code that runs eagerly and is not called in loops itself; none is in a
    loop before. $call is the statement of that place, or the last one of its block that trains;
    $loop is the outermost loop. ``meaning: {$x: there}`` gives what $x is called there; it is the
    same in each turn.

    ::

        match: train($x)
        where: [{called_in_loop: {call: call, loop: loop, meaning: {$x: there}}}]
        holds:
          - |
            def step(a):
                train(a)
            def run(model):
                for batch in data:
                    step(model)
                    print(batch)
            run(b)
        captures: {call: step(model), there: model}
        fails:
          - |
            def step(a):
                train(a)
            step(b)
          - |
            def step(a):
                train(a)
            for batch in data:
                step(batch)
          - |
            def step(a):
                train(a)
            def run(model):
                for batch in data:
                    step(model)
            for model in models:
                run(model)
    """
    given = argument["meaning"]
    for place, meanings in _outward(match, given):
        loop = outermost_loop(place[0])
        if loop is None:
            continue
        found = _texts(meanings, place, loop, match)
        if found is None:
            return None
        captures = {argument["call"]: (_last_of_steps(place, match),), argument["loop"]: (loop,)}
        texts = dict(zip(given.values(), found, strict=True))
        return match.with_captures(captures).with_texts(texts)
    return None


@predicate(keys({"call": GIVEN, "meaning": by_capture(GIVEN)}))
def called_eagerly(match: Match, argument: Any) -> Match | None:
    """``{call, meaning}``: the match is traced, and its function, or that which calls it, is called
    at one place that runs eagerly; nothing is in a loop before. $call is the statement of that
    place. ``meaning: {$x: there}`` gives what $x is called there.

    ::

        match: train($x)
        where: [{called_eagerly: {call: call, meaning: {$x: there}}}]
        holds:
          - |
            import tensorflow as tf
            @tf.function
            def step(a):
                train(a)
            step(model)
        captures: {call: step(model), there: model}
        fails:
          - train(model)
          - |
            import tensorflow as tf
            @tf.function
            def step(a):
                train(a)
            step(model)
            step(model)
          - |
            import tensorflow as tf
            @tf.function
            def step(a):
                for one in a:
                    train(one)
            step(model)
    """
    given = argument["meaning"]
    for place, meanings in _outward(match, given):
        if match.facts.runs(place[0], match.module) != "eager":
            continue
        if place is match.expression or position(place) == "return":
            return None
        texts = dict(zip(given.values(), map(_text, meanings), strict=True))
        return match.with_captures({argument["call"]: (statement_of(place[0]),)}).with_texts(texts)
    return None


def _outward(match: Match, captures: Iterable[str]) -> Iterator[tuple[Expression, list[_Meaning]]]:
    """The match, the one call of its function, that of the function around it, and so on, up to the
    first place in a loop; with what captures are called at each."""
    meanings = [_spelled(match.capture(capture)) for capture in captures]
    place: Expression = match.expression
    for _ in range(_DEPTH):
        if position(place) not in _FOLLOWED:
            return
        yield place, meanings
        function = match.module.scope_of(place[0]).function
        if function is None or outermost_loop(place[0]) is not None:
            return
        call = _only_call(function, match)
        if call is None:
            return
        moved = [_moved(meaning, function, call, match) for meaning in meanings]
        meanings = [meaning for meaning in moved if meaning is not None]
        if len(meanings) < len(moved):
            return
        place = call.expression


def _only_call(function: Scope, match: Match) -> Call | None:
    """The one call of a function, or of what is given it and calls it, if it is of the same module
    and nothing else can call it."""
    if function.is_generator:
        return None
    callers, definition = match.facts.evaluator.callers, Definition(match.module, function)
    calls = callers.all(definition)
    if calls is None and (handed := callers.handed(definition)) is not None:
        calls = [handed]
    if calls is None or len(calls) != 1 or calls[0][1] is not match.module:
        return None
    return calls[0][0]


def _texts(meanings: list[_Meaning], place: Expression, loop: LN, match: Match) -> list[str] | None:
    """What expressions are called at a place in a loop; None if they vary, or it runs otherwise."""
    module = match.module
    if match.facts.runs(place[0], module) != "eager" or position(place) == "return":
        return None
    function = module.scope_of(place[0]).function
    if function is not None and (
        function.is_generator or _called_in_loops(function, module, match, _DEPTH)
    ):
        return None
    if not all(_is_steady(meaning, loop, match) for meaning in meanings):
        return None
    return [_text(each) for each in meanings]


def _text(meaning: _Meaning) -> str:
    return "".join(part if isinstance(part, str) else part.value for part in meaning)


def _is_steady(meaning: _Meaning, loop: LN, match: Match) -> bool:
    """Whether an expression is the same object in each turn of a loop."""
    for part, following in zip(meaning, [*meaning[1:], ""], strict=True):
        attribute = _ATTRIBUTE.match(following) if isinstance(following, str) else None
        if not isinstance(part, str):
            if not is_bound_once(part, attribute[1] if attribute else "", loop, match):
                return False
    return True


def _called_in_loops(function: Scope, module: Module, match: Match, depth: int) -> bool:
    """Whether a function may be called in a loop; what is not known to be is not."""
    for call, where in match.facts.evaluator.callers.sites(Definition(module, function)):
        if outermost_loop(call.trailer) is not None or not depth:
            return True
        around = where.scope_of(call.trailer).function
        if around is not None and _called_in_loops(around, where, match, depth - 1):
            return True
    return False


def _spelled(expression: Expression) -> _Meaning:
    """An expression as it is written, with its variables apart; on one line."""
    parts: _Meaning = []
    for number, leaf in enumerate(leaf for node in expression for leaf in leaves(node)):
        before = leaf.prefix if number else ""
        parts.append(before if not before.strip() and "\n" not in before else " ")
        parts.append(leaf if is_variable(leaf) else leaf.value)
    return _joined(parts)


def _joined(parts: _Meaning) -> _Meaning:
    """The parts, with neighbouring texts as one."""
    found: _Meaning = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return found


def _moved(
    meaning: _Meaning, function: Scope, call: Call, match: Match, depth: int = _DEPTH
) -> _Meaning | None:
    """What is called so in a function, at a call of it."""
    found: _Meaning = []
    for part in meaning:
        there = [part] if isinstance(part, str) else _there(part, function, call, match, depth)
        if there is None:
            return None
        found += there
    return _joined(found)


def _there(leaf: LN, function: Scope, call: Call, match: Match, depth: int) -> _Meaning | None:
    module = match.module
    owner = module.scope_of(leaf).owner(leaf.value)
    outside = module.scope_of(call.trailer)
    if owner is None or (owner is not function and not _is_within(owner, function)):
        return [leaf] if outside.owner(leaf.value) is owner else None
    bindings = owner.bindings[leaf.value]
    if owner is not function or len(bindings) != 1 or not depth:
        return None
    binding = bindings[0]
    if binding.kind == "parameter":
        given = _argument(binding, call, match)
        if not given or not is_repeatable(given, module, match):
            return None
        return _in_parentheses(given, _spelled(given))
    if binding.kind != "assign" or binding.element or not binding.value:
        return None
    if outermost_loop(binding.node) or not is_repeatable(binding.value, module, match):
        return None
    moved = _moved(_spelled(binding.value), function, call, match, depth - 1)
    return None if moved is None else _in_parentheses(binding.value, moved)


def _is_within(scope: Scope, function: Scope) -> bool:
    around: Scope | None = scope
    while around is not None and around is not function:
        around = around.parent
    return around is not None


def _argument(parameter: Binding, call: Call, match: Match) -> Expression:
    """What a call gives a parameter; nothing if that is not seen."""
    function = Definition(match.module, parameter.scope)
    evaluator = match.facts.evaluator
    if evaluator.callers.handed(function) is not None:
        return _handed_on(parameter, call)
    if parameter.element == (0,) and is_bound(function, call, match.module, evaluator):
        return call.receiver or _kept_receiver(call, match)
    given = passed_at(function, call, match.module, evaluator).given.get(parameter)
    return (given.value,) if given is not None else ()


def _kept_receiver(call: Call, match: Match) -> Expression:
    """What a method is called on by a name of its own: ``step = traced(trainer.step)``."""
    name, scope = call.callee[0], match.module.scope_of(call.trailer)
    bindings = scope.bindings.get(name.value, ()) if is_variable(name) else ()
    if len(bindings) != 1 or bindings[0].kind != "assign":
        return ()
    value = bindings[0].value
    while (made := outer_call(value)) is not None and made.arguments:
        value = (made.arguments[0].value,)
    nodes = flat(value)
    if len(nodes) != 2 or not is_variable(nodes[0]) or outermost_loop(bindings[0].node) is not None:
        return ()
    return nodes[:1] if len(scope.lookup(nodes[0].value)) == 1 else ()


def _handed_on(parameter: Binding, call: Call) -> Expression:
    """What a parameter gets of ``args``, where a call is given its function and calls that."""
    function, *others = call.arguments
    place = parameter.element[0] - (class_of_method(parameter.scope) is not None)
    if place < 0:
        return flat((function.value,))[:-1]
    given = others[0] if others and others[0].name in (None, "args") else None
    items = items_of((given.value,)) if given is not None and not given.star else []
    return (items[place],) if parameter.takes_one and place < len(items) else ()


def _in_parentheses(expression: Expression, meaning: _Meaning) -> _Meaning:
    node = expression[0]
    atomic = len(expression) > 1 or node.type in (
        token.NAME, token.NUMBER, token.STRING, symbols.power, symbols.atom
    )  # fmt: skip
    return meaning if atomic else _joined(["(", *meaning, ")"])


def _last_of_steps(place: Expression, match: Match) -> LN:
    """The statement of a place, or the last one in its block that trains, too, and is always got
    to."""
    statement = statement_of(place[0])
    found, line = statement, line_statement(statement).next_sibling
    while line is not None and not any(leaf.value in _LEAVING for leaf in leaves(line)):
        one = line.children[0] if line.type == symbols.simple_stmt else None
        if one is not None and len(line.children) <= 2:
            if match.facts.programs.trains(one, match.module):
                found = one
        line = line.next_sibling
    return found
