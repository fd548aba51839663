"""Inputs that are optimized: an image, an adversarial example, and not the weights of a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.definition import items_of
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    Call,
    Expression,
    calls_in_power,
    dotted,
    flat,
    outer_call,
    unwrap,
    walk,
)
from pinsetter.analyzer.values.questions import Use, sources

from ...matching.match import Match
from ...predicates.arguments import FLAG
from ...predicates.registry import predicate

_VARIABLES = {"tensorflow.Variable", "tensorflow.compat.v1.Variable"}
_LAYER = "tensorflow.keras.layers.Layer"
_CALLED_MODEL = re.compile(
    r"model|net(?:work)?(?:$|_)|extractor|classifier|generator|discriminator|encoder|logits",
    re.IGNORECASE,
)
# What a variable of a model begins with: numbers by chance, or the same everywhere.
_BEGINNINGS = re.compile(
    r"^(?:random(?:_normal|_uniform)?|rand|randn|randint|normal|truncated_normal|uniform"
    r"|zeros|ones|fill|full|eye|identity|constant|linspace|arange|range|empty)$"
)
_LIKE = {"zeros_like", "ones_like"}
_SHAPES = {"shape", "get_shape"}


@predicate(FLAG)
def optimises_input(match: Match, wanted: Any) -> Match | None:
    """Whether the matched call applies gradients to nothing but variables that began as data, or in
    the shape of data, and that models are called with: what it improves is an image or an
    adversarial example, and not a model.

    ::

        match: $optimizer.apply_gradients($...given)
        where: [{optimises_input: true}]
        holds:
          - |
            import tensorflow as tf
            image = tf.Variable(tf.io.read_file(path))
            loss = model(image)
            optimizer.apply_gradients([(slope, image)])
        fails:
          - |
            import tensorflow as tf
            weight = tf.Variable(tf.random.normal([3]))
            loss = model(weight)
            optimizer.apply_gradients([(slope, weight)])
          - |
            import tensorflow as tf
            image = tf.Variable(tf.io.read_file(path))
            optimizer.apply_gradients([(slope, image)])
          - optimizer.apply_gradients(zip(slopes, model.trainable_variables))
    """
    found = match.call is not None and _optimises_input(match.call, match)
    return match if found == wanted else None


def _optimises_input(call: Call, match: Match) -> bool:
    given = list(_variables(call, match.module, match))
    return bool(given) and all(_is_input(nodes, where, match) for nodes, where in given)


def _variables(call: Call, module: Module, match: Match) -> Iterator[tuple[Expression, Module]]:
    """The variables that a call of ``apply_gradients`` names one by one, or what else stands
    there."""
    evaluator = match.facts.evaluator
    if not call.arguments:
        return
    for nodes, where in sources((call.arguments[0].value,), module, evaluator):
        pairs = outer_call(nodes)
        if pairs is not None and pairs.arguments:
            for last, there in sources((pairs.arguments[-1].value,), where, evaluator):
                items = items_of(last)
                yield from (((item,), there) for item in items) if items else ((last, there),)
            continue
        for pair in items_of(nodes):
            items = items_of((pair,))
            yield ((items[1],) if len(items) == 2 else (pair,)), where


def _is_input(variable: Expression, module: Module, match: Match) -> bool:
    evaluator = match.facts.evaluator
    made = list(sources(variable, module, evaluator))
    for nodes, where in made:
        call = outer_call(nodes)
        if call is None or not evaluator.names(call.callee, where) & _VARIABLES:
            return False
        value = call.argument("initial_value", 0)
        if value is None or not _is_data((value.value,), where, match):
            return False
        if not _reaches_model(call, where, match):
            return False
    return bool(made)


def _is_data(value: Expression, module: Module, match: Match) -> bool:
    """Whether all that a variable may begin with is neither a number, nor made by chance or of one
    number in a shape that does not follow from data."""
    found = list(sources(value, module, match.facts.evaluator))
    return bool(found) and not any(_is_beginning(*place, match) for place in found)


def _is_beginning(source: Expression, module: Module, match: Match) -> bool:
    nodes = unwrap(source)
    if len(nodes) == 1 and (nodes[0].type == token.NUMBER or items_of(nodes)):
        return True
    if len(nodes) == 1 and nodes[0].type in (symbols.lambdef, token.STRING):
        return True
    calls = [call for node in source for part in walk(node) if part.type == symbols.power
             for call in calls_in_power(part)]  # fmt: skip
    own = outer_call(nodes)
    calls += [own] if own is not None else []
    return any(_begins(call, module, match) for call in calls)


def _begins(call: Call, module: Module, match: Match) -> bool:
    names = dotted(call.callee)
    if not names or names[-1] in _LIKE:
        return False
    if "random" in names or "initializers" in names:
        return True
    if not _BEGINNINGS.match(names[-1]):
        return False
    shape = call.argument("shape", 0) or call.argument("dims", 0)
    if shape is None or names[-1] == "constant":
        return True
    return not _is_whole_shape((shape.value,), module, match)


def _is_whole_shape(shape: Expression, module: Module, match: Match) -> bool:
    """Whether a shape is ``x.shape``, or ``tf.shape(x)``, of all of something."""
    found = list(sources(shape, module, match.facts.evaluator))
    return bool(found) and all(_asks_shape(nodes) for nodes, _ in found)


def _asks_shape(nodes: Expression) -> bool:
    call = outer_call(nodes)
    words = dotted(call.callee if call is not None else flat(nodes))
    return len(words) > 1 and not _SHAPES.isdisjoint(words[1:])


def _reaches_model(call: Call, module: Module, match: Match) -> bool:
    """Whether a model, or what is called like one, is called with what a variable holds."""

    def is_model(use: Use) -> bool:
        if use.kind != "argument" or use.call is None or use.call is call:
            return False
        callee = use.call.callee
        values = match.facts.evaluator.evaluate(callee, use.module)
        if any(v.instance and match.facts.evaluator.hierarchy.isa(v.name, _LAYER)
               for v in values.items):  # fmt: skip
            return True
        names = dotted(flat(callee))
        return not values.items and bool(names) and bool(_CALLED_MODEL.search(names[-1]))

    return match.facts.leads_to(call.expression, module, _reaches_model, is_model)
