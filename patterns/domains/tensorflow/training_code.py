"""Code that trains, and how code runs: eagerly, or as a graph; before its program has started."""

from __future__ import annotations

from typing import Any

from pinsetter.analyzer.domains.tensorflow.training import TrainingSites
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.syntax.tree import (
    LN,
    flat,
    outer_call,
)

from ...matching.match import Match
from ...matching.start import needs_library
from ...predicates.arguments import CAPTURE, FLAG, list_of, one_of
from ...predicates.conditions import whole
from ...predicates.registry import predicate


@predicate(one_of("eager", "traced", "graph"))
def runs(match: Match, when: Any) -> Match | None:
    """``eager``, ``traced`` (while a graph is made of it) or ``graph`` (as a part of one): how the
    place runs.

    ::

        match: f($x)
        where: [{runs: eager}]
        holds:
          - f(a)
          - |
            import tensorflow as tf
            def g(a):
                f(a)
            tf.py_function(g, [a], tf.int32)
        fails:
          - |
            import tensorflow as tf
            @tf.function
            def g(a):
                f(a)
          - |
            import tensorflow as tf
            def g(a):
                return f(a)
            tf.data.Dataset.range(3).map(g)
    """
    return match if match.facts.runs(match.node, match.module) == when else None


@predicate(CAPTURE)
def trains(match: Match, capture: Any) -> Match | None:
    """$x makes training steps, itself or through what it calls; or it names a function that does.

    ::

        match: f($x)
        where: [{any: [{trains: $match}, {trains: $x}]}]
        holds:
          - |
            import tensorflow as tf
            def f(model):
                model.fit(a, epochs=2)
            f(tf.keras.Model())
          - |
            import tensorflow as tf
            class A:
                def g(self):
                    tf.keras.Model().fit(a)
            f(A().g)
        fails:
          - |
            import tensorflow as tf
            def f(model):
                model.predict(a)
            f(tf.keras.Model())
          - |
            import tensorflow as tf
            def g():
                tf.keras.Model().fit(a)
            f(tf.function(g))
          - |
            from sklearn.svm import SVC
            def f(model):
                model.fit(a, b)
            f(SVC())
    """
    programs = match.facts.programs
    expression, evaluator = match.capture(capture), match.facts.evaluator
    if any(programs.trains(node, match.module) for node in whole(expression)):
        return match
    if outer_call(expression) is not None:
        return None  # what it gives may be called later, or not
    named = (value.name for value in evaluator.evaluate(expression, match.module).items)
    functions = (evaluator.definitions.get(name) for name in named)
    found = any(f and programs.trains(f.scope.node, f.module) for f in functions)
    return match if found else None


@predicate(CAPTURE)
def training_step(match: Match, capture: Any) -> Match | None:
    """$x as a whole is a call that makes a training step, as ``fit`` and ``apply_gradients``.

    ::

        match: f($x)
        where: [{training_step: $x}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            f(model.fit(a))
          - |
            import tensorflow as tf
            optimizer = tf.keras.optimizers.SGD()
            f(optimizer.apply_gradients(pairs))
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            f(model.evaluate(a))
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            f(model.fit(a).history)
    """
    call = outer_call(match.capture(capture))
    steps = match.facts.programs.steps_in(match.module)
    return match if call is not None and any(step is call.trailer for step in steps) else None


@predicate(FLAG)
def leaves_training(match: Match, wanted: Any) -> Match | None:
    """Whether the function, or the module, around the match makes training steps or calls a
    collective.

    ::

        match: return $x
        where: [{leaves_training: true}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            def f(data):
                if not data:
                    return None
                model.fit(data)
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            def f(data):
                return model.predict(data)
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            def f(data):
                def prepared():
                    return data
                model.fit(prepared())
    """
    function = match.module.scope_of(match.node).function
    node = function.node if function is not None else match.module.tree.root
    trains = match.facts.programs.trains(node, match.module)
    waits = "collective" in match.facts.effects.of(node, match.module).kinds
    return match if (trains or waits) == wanted else None


@predicate(FLAG)
def may_precede_start(match: Match, wanted: Any) -> Match | None:
    """Whether the match may run where the start code of an entry script has not: other
    programs, that the pack is not for or that are not rewritten, run it too; or its module needs
    none of the domain's libraries, so that it may be imported before.

    ::

        match: f()
        where: [{may_precede_start: true}]
        holds:
          - |
            # file: train.py
            import settings
            import tensorflow as tf
            tf.keras.Model().fit(settings.data)
            # file: settings.py
            data = f()
        fails:
          - |
            import tensorflow as tf
            tf.keras.Model().fit(f())
          - |
            # file: train.py
            import settings
            import tensorflow as tf
            tf.keras.Model().fit(settings.data)
            # file: settings.py
            import tensorflow as tf
            data = f()
    """
    return match if may_precede(match, match.node) == wanted else None


def may_precede(match: Match, node: LN) -> bool:
    """The same of a node of the match's module."""
    module, left = match.module, match.facts.programs_left
    programs = match.facts.programs.of(module)
    known = match.facts.kinds
    kinds = {p: match.pack.is_for(known.of(p)) and p not in left for p in programs}
    if len({*kinds.values()}) == 2:
        start = module.tree.start(node)
        kinds = {p: kind for p, kind in kinds.items() if p.may_run(module, start)}
    entry = any(program.entry is module for program in programs)
    early = bool(programs) and not entry and not needs_library(module, match.facts)
    return len({*kinds.values()}) == 2 or early


def training_sites(facts: Facts) -> TrainingSites:
    return TrainingSites(facts.evaluator)


@predicate(FLAG)
def run_by_fit(match: Match, wanted: Any) -> Match | None:
    """Whether the matched call stands in a ``train_step`` that ``fit()`` of Keras runs, or in what
    only such methods call.

    ::

        match: $optimizer.apply_gradients($pairs)
        where: [{run_by_fit: true}]
        holds:
          - |
            import tensorflow as tf
            class Own(tf.keras.Model):
                def train_step(self, data):
                    self.optimizer.apply_gradients(f(data))
        fails:
          - |
            import tensorflow as tf
            class Own(tf.keras.Model):
                def my_step(self, data):
                    self.optimizer.apply_gradients(f(data))
          - optimizer.apply_gradients(pairs)
    """
    sites = match.facts.of(training_sites)
    found = match.call is not None and sites.by_fit.runs(match.call, match.module)
    return match if found == wanted else None


@predicate(FLAG)
def of_optimizer(match: Match, wanted: Any) -> Match | None:
    """Whether the match stands in a method of an optimizer: that is how it makes a step, and who
    calls it trains.

    ::

        match: $x.apply_gradients($pairs)
        where: [{of_optimizer: true}]
        holds:
          - |
            import tensorflow as tf
            class Own(tf.keras.optimizers.Optimizer):
                def apply_gradients(self, pairs):
                    self.inner.apply_gradients(pairs)
        fails:
          - |
            class Own:
                def apply_gradients(self, pairs):
                    self.inner.apply_gradients(pairs)
          - |
            import tensorflow as tf
            tf.keras.optimizers.SGD().apply_gradients(pairs)
    """
    sites = match.facts.of(training_sites)
    return match if sites.is_of_optimizer(match.node, match.module) == wanted else None


@predicate(FLAG)
def trains_unnamed(match: Match, wanted: Any) -> Match | None:
    """Whether the match reads a method that trains, as ``fit`` of a Keras model, and does not call
    it by that name, so that what it is given is not seen.

    ::

        match: $model.fit
        where: [{trains_unnamed: true}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            start = model.fit
            start(a)
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            model.fit(a)
          - |
            start = model.fit
            start(a)
    """
    read = {id(site.node) for site in match.facts.of(training_sites).read_in(match.module)}
    found = any(id(node) in read for node in flat(match.expression))
    return match if found == wanted else None


@predicate(FLAG)
def may_run_step(match: Match, wanted: Any) -> Match | None:
    """Whether the matched call makes a session that runs something of which it is not known whether
    that is a training step.

    ::

        match: $make($...given)
        where: [{may_run_step: true}]
        holds:
          - |
            import tensorflow as tf
            def go(op):
                with tf.Session() as sess:
                    sess.run(op)
        fails:
          - |
            import tensorflow as tf
            def go():
                with tf.Session() as sess:
                    sess.run(tf.global_variables_initializer())
          - make(op)
    """
    sites = match.facts.of(training_sites)
    found = match.call is not None and sites.sessions.may_run_step(match.call, match.module)
    return match if found == wanted else None


@predicate(list_of(one_of("estimator", "gradient_tape", "keras", "monitored_session", "session")))
def trains_by(match: Match, apis: Any) -> Match | None:
    """A program that the match is part of trains by one of these: estimator, gradient_tape, keras,
    monitored_session, session.

    ::

        match: f()
        where: [{trains_by: [keras, gradient_tape]}]
        holds:
          - |
            import tensorflow as tf
            f()
            tf.keras.Model().fit(a)
        fails:
          - f()
          - |
            import tensorflow as tf
            f()
            tf.keras.Model().predict(a)
          - |
            import tensorflow as tf
            f()
            tf.estimator.Estimator(model).train(a)
    """
    used = {api for program in match.facts.programs.of(match.module) for api in program.apis}
    return match if used & set(apis) else None
