"""Sessions of TensorFlow 1: where variables get their values, and which graph is meant."""

from __future__ import annotations

from functools import partial
from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    LN,
    Expression,
    ancestors,
    attribute_name,
    is_name,
    outer_call,
    statement_of,
    unwrap,
)
from pinsetter.analyzer.values.questions import possible_calls, sources

from ...matching.match import Match
from ...predicates.arguments import (
    CAPTURE,
    CAPTURE_AND_FUNCTIONS,
    CAPTURE_AND_NAMES,
    FLAG,
    GIVEN,
    keys,
)
from ...predicates.conditions import function_names, mentions, program_modules
from ...predicates.registry import predicate
from .variable_starts import (
    Start,
    entered,
    following,
    is_entered,
    is_session,
    is_supervised,
    is_told_before,
    last_place,
    only_evaluates,
    place_of,
    program_starts,
    start_of,
    started_before,
)

_SESSIONS = ("tensorflow.compat.v1.Session", "tensorflow.compat.v1.InteractiveSession")
_GRAPHS = {
    "tensorflow.Graph", "tensorflow.compat.v1.Graph", "tensorflow.compat.v1.reset_default_graph",
}  # fmt: skip
_RESETS = {"tensorflow.compat.v1.reset_default_graph"}
_FUNCTIONS = {symbols.funcdef, symbols.lambdef, symbols.classdef}


@predicate(keys({"as": GIVEN, "after": GIVEN}))
def starts_variables(match: Match, argument: Any) -> Match | None:
    """``{as, after}``: the matched call gives the variables of a session their first values, or
    those of a checkpoint. $as is the session, if one is named, $after the statement after which
    all of them have values and nothing has trained yet. Of several such calls before that place
    the last one holds.

    ::

        match: $f($...given)
        where: [{starts_variables: {as: session, after: started}}]
        holds:
          - |
            import tensorflow as tf
            sess.run(tf.global_variables_initializer())
            sess.run(train)
          - |
            import tensorflow as tf
            if path:
                tf.train.Saver().restore(sess, path)
            else:
                sess.run(tf.global_variables_initializer())
        captures: {session: sess, started: sess.run(tf.global_variables_initializer())}
        fails:
          - |
            import tensorflow as tf
            sess.run(tf.local_variables_initializer())
          - |
            import tensorflow as tf
            def test(path):
                with tf.Session() as sess:
                    tf.train.Saver().restore(sess, path)
                    print(sess.run('accuracy:0'))
    """
    call = match.call
    start = start_of(call, match.module, match) if call is not None else None
    if start is None or not start.whole or only_evaluates(start, match):
        return None
    place = last_place(start, match)
    if place is None:
        return None
    captured: dict[str, Expression] = {argument["after"]: (place,)}
    if start.session:
        captured[argument["as"]] = start.session
    return match.with_captures(captured)


@predicate(FLAG)
def starts_unseen(match: Match, wanted: Any) -> Match | None:
    """Whether the matched call gives variables their values where nothing can follow it.

    ::

        match: $f($...given)
        where: [{starts_unseen: true}]
        holds:
          - |
            import tensorflow as tf
            make().run(tf.global_variables_initializer())
          - |
            import tensorflow as tf
            start = lambda: sess.run(tf.global_variables_initializer())
        fails:
          - |
            import tensorflow as tf
            sess.run(tf.global_variables_initializer())
          - |
            import tensorflow as tf
            make().run(train)
    """
    call = match.call
    start = start_of(call, match.module, match) if call is not None else None
    found = (
        start is not None
        and start.whole
        and not only_evaluates(start, match)
        and place_of(start, match) is None
    )
    return match if found == wanted else None


@predicate(CAPTURE)
def supervised(match: Match, capture: Any) -> Match | None:
    """$x is a session that a Supervisor manages: it has initialised the variables already, and
    closed the graph.

    ::

        match: f($x)
        where: [{supervised: $x}]
        holds:
          - |
            import tensorflow as tf
            supervisor = tf.train.Supervisor()
            with supervisor.managed_session() as sess:
                f(sess)
        fails:
          - |
            import tensorflow as tf
            with tf.Session() as sess:
                f(sess)
          - f(sess)
    """
    session = match.capture(capture)
    return match if is_supervised(session, match.node, match.module, match) else None


@predicate(FLAG)
def starts_again(match: Match, wanted: Any) -> Match | None:
    """Whether the matched call restores a checkpoint into a session whose variables the function
    has given values before, and after which all workers can get those of worker 0; before that
    nothing asks for a value, or does something else where there is no checkpoint.

    ::

        match: $f($...given)
        where: [{starts_again: true}]
        holds:
          - |
            import tensorflow as tf
            sess.run(tf.global_variables_initializer())
            tf.train.Saver().restore(sess, path)
        fails:
          - |
            import tensorflow as tf
            tf.train.Saver().restore(sess, path)
          - |
            import tensorflow as tf
            sess.run(tf.global_variables_initializer())
            tf.train.Saver().save(sess, path)
    """
    call = match.call
    start = start_of(call, match.module, match) if call is not None else None
    found = (
        start is not None
        and call is not None
        and call.method == "restore"
        and not only_evaluates(start, match)
        and (place := place_of(start, match)) is not None
        and started_before(start, call.trailer, match)
        and not is_told_before(start, place)
    )
    return match if found == wanted else None


@predicate(FLAG)
def program_starts_variables(match: Match, wanted: Any) -> Match | None:
    """Whether some module of the match's programs gives the variables of a session that trains
    their values, with a call that ``starts_variables`` finds.

    ::

        match: f()
        where: [{program_starts_variables: true}]
        holds:
          - |
            import tensorflow as tf
            f()
            sess.run(tf.global_variables_initializer())
        fails:
          - f()
          - |
            import tensorflow as tf
            f()
            make().run(tf.global_variables_initializer())
    """

    def trains(start: Start) -> bool:
        return not only_evaluates(start, match) and place_of(start, match) is not None

    found = any(
        match.facts.remembered((program_starts_variables, id(start)), partial(trains, start))
        for start in program_starts(match)
    )
    return match if found == wanted else None


@predicate(FLAG)
def program_only_evaluates(match: Match, wanted: Any) -> Match | None:
    """Whether all sessions of the match's programs in which variables get their values are seen to
    evaluate only, and there is one.

    ::

        match: f()
        where: [{program_only_evaluates: true}]
        holds:
          - |
            import tensorflow as tf
            f()
            def test(path):
                with tf.Session() as sess:
                    tf.train.Saver().restore(sess, path)
                    print(sess.run('accuracy:0'))
        fails:
          - |
            import tensorflow as tf
            f()
            sess.run(tf.global_variables_initializer())
          - f()
    """
    starts = program_starts(match)
    trains = match.facts.programs.trains(match.module.tree.root, match.module)
    found = bool(starts) and not trains and all(
        match.facts.remembered((program_only_evaluates, id(s)), partial(only_evaluates, s, match))
        for s in starts
    )  # fmt: skip
    return match if found == wanted else None


@predicate(CAPTURE)
def in_default_graph(match: Match, capture: Any) -> Match | None:
    """What is made where the match stands is made in the graph of session $x: its program has one
    graph, or the place is inside the session's ``with``.

    ::

        match: f($sess)
        where: [{in_default_graph: $sess}]
        holds:
          - |
            import tensorflow as tf
            sess = tf.Session()
            f(sess)
          - |
            import tensorflow as tf
            graph = tf.Graph()
            with tf.Session(graph=graph) as sess:
                f(sess)
        fails:
          - |
            import tensorflow as tf
            graph = tf.Graph()
            sess = tf.Session(graph=graph)
            f(sess)
          - |
            import tensorflow as tf
            sess = tf.Session()
            with tf.Graph().as_default():
                f(sess)
    """
    session = match.capture(capture)
    if not session or is_entered(session, match.node) or _made_beside(session, match):
        return match
    for module in program_modules(match):
        for call in possible_calls(module, frozenset(_GRAPHS), match.facts.evaluator):
            if match.facts.evaluator.names(call.callee, module) & _GRAPHS:
                return None
    return match


@predicate(CAPTURE_AND_NAMES)
def receives(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: the program assigns to ``.name…`` of what the call $x makes.

    ::

        match: $make($...given)
        where: [{receives: [$match, options, size]}]
        holds:
          - |
            config = make()
            config.options.size = 2
        fails:
          - |
            config = make()
            config.size = 2
          - |
            config = make()
            print(config.options.size)
          - |
            config = make()
            other.options.size = 2
    """
    capture, *names = argument
    made = outer_call(match.capture(capture))
    if made is None:
        return None
    for module in program_modules(match):
        for binding in module.scopes.attributes:
            parts = tuple(binding.node.children)
            owner, last = parts[: -len(names)], parts[-len(names) :]
            if owner and [attribute_name((part, part)) for part in last] == names:
                for source, _ in sources(owner, module, match.facts.evaluator):
                    call = outer_call(source)
                    if call is not None and call.trailer is made.trailer:
                        return match
    return None


def _made_beside(session: Expression, match: Match) -> bool:
    """Whether the session is made by the same function, and under the same ``with``."""
    evaluator, module = match.facts.evaluator, match.module
    nodes = unwrap(session)
    if len(nodes) != 1 or not is_name(nodes[0]):
        return False
    scope = module.scope_of(match.node)
    for binding in scope.lookup(nodes[0].value):
        call = outer_call(binding.value) if binding.value else None
        if binding.kind != "assign" or call is None or call.argument("graph", 1) is not None:
            return False
        if module.scope_of(binding.node).function is not scope.function:
            return False
        if not any(evaluator.isa(binding.value, name, module) for name in _SESSIONS):
            return False
        if _default_graph(binding.node, module, match) != _default_graph(match.node, module, match):
            return False
    around = scope.function.node if scope.function is not None else module.tree.root
    start, end = module.tree.span((around,))
    return not any(
        start <= module.tree.start(call.trailer) < end
        and evaluator.names(call.callee, module) & _RESETS
        for call in possible_calls(module, frozenset(_RESETS), evaluator)
    )


def _default_graph(node: LN, module: Module, match: Match) -> int | None:
    """The innermost ``with`` around a place that may set a graph as default; those that only set a
    session, a name or a device are left out."""
    for parent in ancestors(node):
        if parent.type in _FUNCTIONS:
            return None
        if parent.type == symbols.with_stmt:
            for manager, _ in entered(parent):
                call = outer_call((manager,))
                if call is None:
                    return id(parent)
                if call.method == "as_default" and not is_session(call.receiver, module, match):
                    return id(parent)
                if any(match.facts.evaluator.isa((manager,), name, module) for name in _SESSIONS):
                    return id(parent)
    return None


@predicate(CAPTURE_AND_FUNCTIONS)
def follows(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: after the statement of $x and before anything trains, the block mentions
    one of the functions, or a name for what it gives.

    ::

        match: start($x)
        where: [{follows: [$match, horovod.tensorflow.broadcast_global_variables]}]
        holds:
          - |
            import horovod.tensorflow as hvd
            start(sess)
            sess.run(hvd.broadcast_global_variables(0))
          - |
            import horovod.tensorflow as hvd
            share = hvd.broadcast_global_variables(0)
            start(sess)
            sess.run(share)
        fails:
          - |
            import horovod.tensorflow as hvd
            sess.run(hvd.broadcast_global_variables(0))
            start(sess)
          - |
            import horovod.tensorflow as hvd
            if a:
                start(sess)
            sess.run(hvd.broadcast_global_variables(0))
    """
    capture, *names = argument
    wanted = function_names(match, names)
    for statement in following(statement_of(match.capture(capture)[0])):
        if mentions((statement,), match.module, match, wanted, 2):
            return match
        if match.facts.programs.trains(statement, match.module):
            return None
    return None
