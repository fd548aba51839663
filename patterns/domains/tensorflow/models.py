"""Models: whether one has its variables already."""

from __future__ import annotations

from typing import Any

from pinsetter.analyzer.names.definition import items_of
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import Call, Expression, outer_call, unwrap
from pinsetter.analyzer.values.questions import sources

from ...matching.match import Match
from ...predicates.arguments import CAPTURE
from ...predicates.registry import predicate

_MODEL = "tensorflow.keras.Model"
_SEQUENTIAL = "tensorflow.keras.Sequential"
_APPLICATIONS = "tensorflow.keras.applications."
_INPUTS = {"tensorflow.keras.Input", "tensorflow.keras.layers.InputLayer"}
# Layers that know the shape of what they take without being told.
_KNOWING = {"tensorflow.keras.layers.Embedding"}
_SHAPES = ("input_shape", "batch_input_shape", "input_dim")
_DEPTH = 3


@predicate(CAPTURE)
def built(match: Match, capture: Any) -> Match | None:
    """$x is proved to be a model that was made of its inputs: by ``Model(inputs, outputs)``, as a
    ``Sequential`` whose first layer is told what it takes, or by one of ``keras.applications``. It
    has its variables before it is trained.

    ::

        match: f($x)
        where: [{built: $x}]
        holds:
          - |
            import tensorflow as tf
            f(tf.keras.Model(inputs, outputs))
          - |
            import tensorflow as tf
            model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
            f(model)
          - |
            import tensorflow as tf
            f(tf.keras.applications.ResNet50())
        fails:
          - |
            import tensorflow as tf
            f(tf.keras.Sequential([tf.keras.layers.Dense(2)]))
          - |
            import tensorflow as tf
            class Own(tf.keras.Model): pass
            f(Own())
          - f(model)
    """
    return match if _is_built(match.capture(capture), match.module, match, _DEPTH) else None


def _is_built(expression: Expression, module: Module, match: Match, depth: int) -> bool:
    found = False
    for source, where in sources(expression, module, match.facts.evaluator):
        call = outer_call(source)
        if call is None:
            return False
        names = match.facts.evaluator.names(call.callee, where)
        made = [match.facts.evaluator.definitions.get(name) for name in names]
        if names and all(one is not None and one.scope.kind == "function" for one in made):
            # What a function of the repository returns is among the sources.
            continue
        if (
            not names
            or any(made)
            or not all(_makes_built(name, call, where, match, depth) for name in names)
        ):
            return False
        found = True
    return found


def _makes_built(name: str, call: Call, module: Module, match: Match, depth: int) -> bool:
    hierarchy = match.facts.evaluator.hierarchy
    if name.startswith(_APPLICATIONS):
        return True
    if hierarchy.isa(name, _SEQUENTIAL):
        first = _first_layer(call, module, match)
        return first is not None and bool(depth) and _knows_its_input(*first, match, depth)
    if not hierarchy.isa(name, _MODEL):
        return False
    given = [argument for argument in call.arguments if not argument.star]
    named = {argument.name for argument in given}
    return "outputs" in named or len([a for a in given if a.name is None]) > 1


def _first_layer(call: Call, module: Module, match: Match) -> tuple[Expression, Module] | None:
    """The first layer of a Sequential: in the list that it is given, or added first."""
    layers = call.argument("layers", 0)
    if layers is not None:
        items = items_of(unwrap((layers.value,)))
        return ((items[0],), module) if items else None
    uses = match.facts.uses(call.expression, module)
    calls = [use.call for use in uses if use.kind == "receiver" and use.call is not None]
    adds = [each for each in calls if each.method == "add" and each.trailer in module.tree]
    first = min(adds, key=lambda each: module.tree.start(each.trailer), default=None)
    added = first.argument("layer", 0) if first is not None else None
    return None if added is None else ((added.value,), module)


def _knows_its_input(layer: Expression, module: Module, match: Match, depth: int) -> bool:
    call = outer_call(unwrap(layer))
    names = match.facts.evaluator.names(call.callee, module) if call is not None else frozenset()
    if call is not None and names and names <= _INPUTS | _KNOWING:
        return True
    if call is not None and any(call.argument(shape) is not None for shape in _SHAPES):
        return True
    return _is_built(layer, module, match, depth - 1)
