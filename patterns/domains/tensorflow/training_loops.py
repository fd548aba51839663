"""The loops that train: what they go through, what counts their steps."""

from __future__ import annotations

from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.domains.tensorflow.step_counts import step_counts
from pinsetter.analyzer.domains.tensorflow.step_loops import step_loops
from pinsetter.analyzer.domains.tensorflow.uneven_exits import (
    deciding_figure,
    is_asked_alike,
    loops_left,
)
from pinsetter.analyzer.names.definition import Definition
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    LN,
    Expression,
    ancestors,
    is_name,
    outer_call,
    unwrap,
)
from pinsetter.analyzer.values.questions import Use, possible_calls
from pinsetter.analyzer.values.questions import varies as is_varied

from ...matching.inert_modules import is_inert
from ...matching.match import Match
from ...matching.start import start_of
from ...predicates.arguments import (
    CAPTURE,
    FLAG,
    FUNCTIONS,
    GIVEN,
    keys,
    list_of,
    one_of,
    pair,
)
from ...predicates.conditions import function_names, of_some_module, program_modules
from ...predicates.registry import predicate
from .training_code import may_precede

_SHOWN = 5
_FITS = {"fit", "fit_generator"}
_DATA = {"x", "generator"}
_DEPTH = 4


@predicate(FLAG)
def in_counted_loop(match: Match, wanted: Any) -> Match | None:
    """Whether the match stands in a ``for`` whose number of steps or rounds is shared among the
    workers.

    ::

        match: f($x)
        where: [{in_counted_loop: true}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            for i in range(steps):
                model.train_on_batch(a)
                f(i)
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            for i in data:
                model.train_on_batch(i)
                f(i)
          - |
            for i in range(steps):
                f(i)
    """
    loops = (outer for outer in ancestors(match.node) if outer.type == symbols.for_stmt)
    return match if any(_is_counted(loop, match) for loop in loops) == wanted else None


def _is_counted(loop: LN, match: Match) -> bool:
    tree = match.module.tree
    start, end = tree.span((loop.children[3],))
    return any(
        start <= tree.start(call.trailer) < end
        and match.facts.of(step_loops).counts(call) is not None
        for call in tree.calls
    )


@predicate(pair(CAPTURE, one_of("steps", "rounds")))
def set_for(match: Match, argument: Any) -> Match | None:
    """``[$x, kind]``: $x is a name that one plain assignment gives the number of ``steps``, or of
    ``rounds``, of loops that train; something else reads it, too, and all that does means those of
    one worker: averages over such a loop, comparisons with what it computes, what is printed,
    schedules.

    ::

        match: $x = $n
        where: [{set_for: [$x, steps]}]
        holds:
          - |
            import tensorflow as tf
            def train(model):
                steps = 100
                for i in range(steps):
                    model.train_on_batch(a)
                print(steps)
            train(tf.keras.Model())
        fails:
          - |
            import tensorflow as tf
            def train(model):
                steps = 100
                for i in range(steps):
                    model.predict(a)
            train(tf.keras.Model())
          - |
            import tensorflow as tf
            def train(model):
                steps = 100
                for i in range(steps):
                    model.train_on_batch(a)
                write(steps)
            train(tf.keras.Model())
    """
    capture, kind = argument
    nodes = unwrap(match.capture(capture))
    found = match.facts.of(step_counts).set_at(nodes[0], match.module) if len(nodes) == 1 else None
    if found is None or found[1] != kind:
        return None
    binding = found[0]
    if binding.scope.kind == "module":
        start = match.module.tree.start(binding.node)
        module, facts = match.module, match.facts
        early = start < start_of(module, facts) or (
            # What only defines may be imported before the start.
            not facts.programs.is_entry(module) and is_inert(module, facts)
        )
        return None if early or may_precede(match, binding.node) else match
    return match


@predicate(list_of(one_of("steps", "rounds"), first=CAPTURE))
def holds_count(match: Match, argument: Any) -> Match | None:
    """``[$x, kind, …]``: $x speaks of a name or attribute that ``set_for`` holds of.

    ::

        match: write($...given)
        where: [{holds_count: [$...given, steps, rounds]}]
        holds:
          - |
            import tensorflow as tf
            def train(model):
                steps = 100
                for i in range(steps):
                    model.train_on_batch(a)
                print(write(steps + 1))
            train(tf.keras.Model())
        fails:
          - write(steps)
          - |
            import tensorflow as tf
            def train(model):
                steps = 100
                for i in range(steps):
                    model.train_on_batch(a)
                write(i)
            train(tf.keras.Model())
    """
    capture, *kinds = argument
    for part in (part for node in match.capture(capture) for part in match.module.tree.nodes(node)):
        if is_name(part) or part.type == symbols.power:
            found = match.with_captures({"": (part,)})
            if any(set_for(found, ["$", kind]) is not None for kind in kinds):
                return match
    return None


@predicate(keys({"of": CAPTURE, "as": GIVEN}))
def read_elsewhere(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the number of steps, $of, is read elsewhere, too, as a name or an attribute, or
    computed again; $as says on which lines.

    ::

        match: range($n)
        where: [{read_elsewhere: {of: $n, as: lines}}]
        holds:
          - |
            import tensorflow as tf
            def train(model, steps):
                for i in range(steps):
                    model.train_on_batch(a)
                print(steps)
            train(tf.keras.Model(), 5)
        captures: {lines: line 5}
        fails:
          - |
            import tensorflow as tf
            def train(model, steps):
                for i in range(steps):
                    model.train_on_batch(a)
            train(tf.keras.Model(), 5)
          - "for i in range(3): f(i)"
    """
    lines = match.facts.of(step_counts).elsewhere(match.capture(argument["of"]), match.module)
    if not lines:
        return None
    shown = [str(line) for line in lines[:_SHOWN]] + ["…"] * (len(lines) > _SHOWN)
    text = f"line {shown[0]}" if len(shown) == 1 else f"lines {', '.join(shown)}"
    return match.with_texts({argument["as"]: text})


@predicate(CAPTURE)
def varies(match: Match, capture: Any) -> Match | None:
    """$x speaks of what a loop around it, or around a call that hands it over, gives another value
    in each turn: its variable, what is made of that, or added to.

    ::

        match: f($x)
        where: [{varies: $x}]
        holds:
          - |
            for x in a:
                f(x)
          - |
            def g(x):
                f(x)
            for i in a:
                g(i)
        fails:
          - |
            x = g()
            for i in a:
                f(x)
          - |
            def g(x):
                f(x)
            g(a)
    """
    found = is_varied(match.capture(capture), match.module, match.facts.evaluator)
    return match if found else None


@predicate(keys({"as": GIVEN}, {"alike": FLAG}))
def decided_by_figures(match: Match, argument: Any) -> Match | None:
    """``{as, alike?}``: the match is a ``break``, ``return`` or ``while`` that may end a loop that
    trains at another step on each worker, or something else in such a loop that not all may do in
    the same turn, for its condition, captured as $as, speaks of what the loop computes. With
    ``alike`` every worker asks for it as often, or need not, and it compares figures: a flag may be
    that of an environment, whose episodes are each worker's own.

    ::

        match: break
        where: [{decided_by_figures: {as: condition}}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            for x in data:
                loss = model.train_on_batch(x)
                if loss < 0.1:
                    break
        captures: {condition: loss < 0.1}
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            for step, x in enumerate(data):
                loss = model.train_on_batch(x)
                if step > 100:
                    break
          - |
            for x in data:
                loss = f(x)
                if loss < 0.1:
                    break
    """
    for loop in loops_left(match.node):
        if match.facts.programs.trains(loop, match.module):
            condition = deciding_figure(match.node, loop)
            wanted = argument.get("alike")
            if condition is None or wanted not in (None, is_asked_alike(match.node, loop)):
                return None
            return match.with_captures({argument["as"]: (condition,)})
    return None


@predicate(CAPTURE)
def drives_training(match: Match, capture: Any) -> Match | None:
    """The value is the data of training steps: a ``for`` whose body trains goes through it, or a
    ``fit`` gets it to train with; what it only validates with, does not count.

    ::

        match: load($...given)
        where: [{drives_training: $match}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            model.fit(load(a))
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            data = load(a)
            for x in data:
                model.train_on_batch(x)
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            model.fit(a, validation_data=load(b))
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            model.predict(load(a))
    """
    return match if _drives(match.capture(capture), match.module, match) else None


@predicate(FUNCTIONS)
def trained_on(match: Match, names: Any) -> Match | None:
    """A call of one of these functions gives some training steps of the match's programs their
    data.

    ::

        match: f()
        where: [{trained_on: [tensorflow.data.Dataset.range]}]
        holds:
          - |
            import tensorflow as tf
            f()
            tf.keras.Model().fit(tf.data.Dataset.range(5))
          - |
            # file: main.py
            import tensorflow as tf
            import other
            f()
            for x in other.data().batch(2):
                tf.keras.Model().train_on_batch(x)
            # file: other.py
            import tensorflow as tf
            def data():
                return tf.data.Dataset.range(5)
        fails:
          - |
            import tensorflow as tf
            f()
            tf.keras.Model().fit(a, validation_data=tf.data.Dataset.range(5))
          - |
            import tensorflow as tf
            f()
            data = tf.data.Dataset.range(5)
            for x in rows:
                tf.keras.Model().train_on_batch(x)
    """
    wanted = function_names(match, names)
    evaluator = match.facts.evaluator

    def gives(module: Module) -> bool:
        return any(
            evaluator.names(call.callee, module) & wanted
            and _drives(call.expression, module, match)
            for call in possible_calls(module, wanted, evaluator)
        )

    return match if of_some_module(match, (trained_on, wanted), gives) else None


@predicate(FLAG)
def made_for_training(match: Match, wanted: Any) -> Match | None:
    """Whether the function around the match, if what it returns drives training, is called for that
    alone: a function that makes the validation data, too, is not.

    ::

        match: load($...given)
        where: [{made_for_training: true}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            def made(path):
                return load(path)
            model.fit(made(a))
          - load(a)
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            def made(path):
                return load(path)
            model.fit(made(a), validation_data=made(b))
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            def made(path):
                return load(path)
            for x in made(a):
                model.train_on_batch(x)
            model.evaluate(made(b))
    """
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
    sites = list(match.facts.evaluator.callers.sites(Definition(module, function)))
    driving = [_drives(call.expression, caller, match) for call, caller in sites]
    if any(driving) and not all(driving):
        return False
    return not any(driving) or all(
        _only_for_training(call.trailer, caller, match, depth - 1) for call, caller in sites
    )


@predicate(pair(CAPTURE, one_of("steps", "rounds")))
def counts(match: Match, argument: Any) -> Match | None:
    """``[$x, kind]``: a ``for`` goes through $x, a call of ``range``, whose number of ``steps``, or
    of ``rounds`` of an inner loop (as epochs), bounds the training; one loop of those around a step
    does.

    ::

        match: range($...given)
        where: [{counts: [$match, rounds]}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            for epoch in range(10):
                for x in data:
                    model.train_on_batch(x)
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            for step in range(10):
                model.train_on_batch(next(data))
          - |
            for epoch in range(10):
                for x in data:
                    f(x)
    """
    capture, kind = argument
    call = outer_call(match.capture(capture))
    return match if call is not None and match.facts.of(step_loops).counts(call) == kind else None


@predicate(FLAG)
def counts_take(match: Match, wanted: Any) -> Match | None:
    """Whether the matched call of ``take`` cuts the data that a ``for`` goes through, and so counts
    its training steps; one loop of those around a step does.

    ::

        match: $data.take($n)
        where: [{counts_take: true}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            data = tf.data.Dataset.range(100)
            for x in data.take(10):
                model.train_on_batch(x)
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            data = tf.data.Dataset.range(100)
            for x in data.take(10):
                model.predict(x)
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            data = tf.data.Dataset.range(100)
            model.fit(data.take(10))
    """
    call = match.call
    found = call is not None and match.facts.of(step_loops).counts_take(call)
    return match if found == wanted else None


@predicate(FLAG)
def shared_steps(match: Match, wanted: Any) -> Match | None:
    """Whether each loop around the matched call, which trains, is one that counts its steps.

    ::

        match: $model.train_on_batch($x)
        where: [{shared_steps: true}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            for step in range(100):
                model.train_on_batch(next(data))
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            for x in data:
                model.train_on_batch(x)
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            while going():
                model.train_on_batch(x)
    """
    call = match.call
    shared = call is None or match.facts.of(step_loops).is_shared(call.trailer)
    return match if shared == wanted else None


@predicate(FLAG)
def steps_seen(match: Match, wanted: Any) -> Match | None:
    """Whether a training step of the program stands in a loop, or says how often it is made.

    ::

        match: f()
        where: [{steps_seen: true}]
        holds:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            f()
            for x in data:
                model.train_on_batch(x)
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            f()
            model.fit(data, epochs=3)
        fails:
          - f()
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            f()
            model.train_on_batch(x)
    """
    loops = match.facts.of(step_loops)
    modules = program_modules(match)
    known = {id(module) for module in modules}
    seen = any(loops.is_seen(module, known) for module in modules)
    return match if seen == wanted else None
