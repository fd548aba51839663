"""Classes of the library: what its data says of them, and what is one of them for sure."""

from __future__ import annotations

from typing import Any

from pinsetter.analyzer.syntax.tree import plain_string, unwrap

from ...matching.match import Match
from ...predicates.arguments import (
    CAPTURE_AND_CLASSES,
    CAPTURE_AND_MARKS,
    CAPTURE_AND_NAMES,
    GIVEN,
    TEXT,
    keys,
    mapping,
)
from ...predicates.instances import is_class, isa
from ...predicates.registry import predicate


@predicate(keys({"text": TEXT, "in": TEXT, "as": GIVEN}, {"defaults": mapping(TEXT)}))
def names_class(match: Match, argument: Any) -> Match | None:
    """``{text, in, as, defaults?}``: the literal string $x, or a text, names a class of the library
    module without regard to case; its name is given as $as, the defaults of parameters of its
    constructor by ``defaults: {name: parameter}``.

    ::

        match: make($name)
        where:
          - names_class: {text: $name, in: tensorflow.keras.optimizers, as: class}
        holds:
          - make('sgd')
        captures: {class: SGD}
        fails:
          - make('least_squares')
          - make(name)
    """
    text = argument["text"]
    if text.startswith("$"):
        nodes = unwrap(match.capture(text))
        text = plain_string(nodes[0]) if len(nodes) == 1 else ""
    library = match.facts.library
    place = library.canonical(argument["in"])
    for name, known in library.classes.items():
        module, _, own = name.rpartition(".")
        if module == place and own.lower() == text.lower():
            texts = {argument["as"]: own}
            for given, parameter in argument.get("defaults", {}).items():
                found = known.parameter(parameter)
                if found is None or found.default is None:
                    return None
                texts[given] = found.default
            return match.with_texts(texts)
    return None


@predicate(CAPTURE_AND_CLASSES)
def isa_library(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x is proved to be an instance of one of the names, and of a class of the
    library.

    ::

        match: f($x)
        where: [{isa_library: [$x, tensorflow.keras.optimizers.Optimizer]}]
        holds:
          - |
            import tensorflow as tf
            f(tf.keras.optimizers.SGD())
        fails:
          - |
            import tensorflow as tf
            class Own(tf.keras.optimizers.Optimizer): pass
            f(Own())
          - |
            import tensorflow as tf
            f(tf.keras.optimizers.SGD() if a else b)
          - |
            import tensorflow as tf
            f(tf.keras.optimizers.SGD)
    """
    return isa(match, argument) if _is_of_library(match, argument) else None


@predicate(CAPTURE_AND_CLASSES)
def is_library_class(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x is proved to be a class of the library, one of the names or derived.

    ::

        match: f($x)
        where: [{is_library_class: [$x, tensorflow.keras.optimizers.Optimizer]}]
        holds:
          - |
            import tensorflow as tf
            f(tf.keras.optimizers.SGD)
        fails:
          - |
            import tensorflow as tf
            class Own(tf.keras.optimizers.Optimizer): pass
            f(Own)
          - |
            import tensorflow as tf
            f(tf.keras.Model)
          - |
            import tensorflow as tf
            f(tf.keras.optimizers.SGD())
    """
    return is_class(match, argument) if _is_of_library(match, argument) else None


def _is_of_library(match: Match, argument: Any) -> bool:
    """Whether $x is proved to be of one of the names, and nothing of the repository."""
    values = match.facts.evaluator.evaluate(match.capture(argument[0]), match.module)
    own = match.facts.evaluator.definitions
    if not values.complete or any(value.name in own for value in values.items):
        return False
    result = isa(match, argument) or is_class(match, argument)
    return result is not None and result.warnings == match.warnings


@predicate(CAPTURE_AND_NAMES)
def parameter(match: Match, argument: Any) -> Match | None:
    """``[$class, name]``: the constructor of the class has the parameter.

    ::

        match: $class($...given)
        where: [{parameter: [$class, learning_rate]}]
        holds:
          - |
            import tensorflow as tf
            tf.keras.optimizers.SGD(0.1)
          - |
            import tensorflow as tf
            class Own(tf.keras.optimizers.SGD): pass
            Own()
        fails:
          - |
            import tensorflow as tf
            tf.keras.layers.Dense(10)
          - |
            class Own:
                def __init__(self, learning_rate): pass
            Own(0.1)
    """
    capture, name = argument
    for found in match.facts.evaluator.names(match.capture(capture), match.module):
        for ancestor in match.facts.evaluator.hierarchy.ancestors(found):
            known = match.facts.library.classes.get(ancestor)
            if known is not None and any(p.name == name for p in known.parameters):
                return match
    return None


@predicate(CAPTURE_AND_MARKS)
def marked(match: Match, argument: Any) -> Match | None:
    """``[$class, mark, …]``: the class is one of the library, or derives from one, that does one of
    these: ``writes``, ``prints``, ``random``, ``collective``, ``creates_variables``.

    ::

        match: $class($...given)
        where: [{marked: [$class, writes, prints]}]
        holds:
          - |
            import tensorflow as tf
            tf.keras.callbacks.ModelCheckpoint('a')
          - |
            import tensorflow as tf
            class Own(tf.keras.callbacks.CSVLogger): pass
            Own('a')
        fails:
          - |
            import tensorflow as tf
            tf.keras.callbacks.History()
          - |
            class Own:
                def __init__(self):
                    print('made')
            Own()
    """
    capture, *marks = argument
    library, hierarchy = match.facts.library, match.facts.evaluator.hierarchy
    for name in match.facts.evaluator.names(match.capture(capture), match.module):
        for ancestor in hierarchy.ancestors(name):
            if library.marks(ancestor) & set(marks):
                return match
    return None
