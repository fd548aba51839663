"""Who averages gradients, and who has copied variables, so that neither is done twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.definition import Definition, class_of_method
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    Call,
    Expression,
    calls_in_power,
    flat,
    is_name,
    outer_call,
    walk,
)
from pinsetter.analyzer.values.questions import (
    Evaluator,
    Use,
    follow,
    is_super,
    origins,
    possible_calls,
    sources,
)
from pinsetter.analyzer.values.value import Value

from ...matching.match import Match
from ...predicates.arguments import CAPTURE_AND_FUNCTIONS, FLAG, NAMES
from ...predicates.conditions import function_names, program_modules
from ...predicates.registry import predicate
from ...predicates.uses_and_effects import method_calls

_COMPUTES = {"minimize", "compute_gradients", "get_gradients", "get_updates", "_compute_gradients"}
# What they give is no optimizer any more.
_APPLIES = ("apply_gradients", "apply")
_ASKED = frozenset({*_COMPUTES, *_APPLIES, "get_config", "get_weights", "variables"})


@predicate(NAMES)
def only_applies(match: Match, names: Any) -> Match | None:
    """The matched call makes an optimizer that computes no gradients: all that it applies, itself
    or in the ``train_step`` of the model that it is compiled into, was computed by one of the
    functions, or by the ``gradient()`` of what one of them makes.

    ::

        match: $make($...given)
        where: [{only_applies: [tensorflow.GradientTape]}]
        holds:
          - |
            import tensorflow as tf
            optimizer = tf.keras.optimizers.SGD()
            with tf.GradientTape() as tape:
                loss = f(w)
            optimizer.apply_gradients(zip(tape.gradient(loss, w), w))
        fails:
          - |
            import tensorflow as tf
            optimizer = tf.keras.optimizers.SGD()
            optimizer.minimize(loss, w)
          - |
            import tensorflow as tf
            optimizer = tf.keras.optimizers.SGD()
            optimizer.apply_gradients(zip(given, w))
          - |
            import tensorflow as tf
            optimizer = tf.keras.optimizers.SGD()
            print(optimizer.learning_rate)
    """
    computed = _computed(match, function_names(match, names))
    applied = False
    for use in follow(match.expression, match.module, match.facts.evaluator, _ASKED, False):
        call = use.call
        if use.kind == "receiver" and call is not None:
            if call.method in _COMPUTES or (call.method in _APPLIES and not computed.reaches(call)):
                return None
            applied = applied or call.method in _APPLIES
        elif use.kind == "iterate":
            continue  # not over itself, but over variables that it has
        elif use.kind != "argument" or call is None:
            return None
        elif not (_is_key(call, use) or _is_known(call, use.module, match)):
            steps = list(_train_steps(call, use.module, match))
            if not steps or not all(_applies(step, computed) for step in steps):
                return None
            applied = True
    return match if applied else None


@predicate(NAMES)
def own_step(match: Match, names: Any) -> Match | None:
    """The matched call compiles a model whose own ``train_step`` applies gradients that one of the
    functions, or ``gradient()`` of what one makes, has computed.

    ::

        match: $model.compile($...given)
        where: [{own_step: [tensorflow.GradientTape]}]
        holds:
          - |
            import tensorflow as tf
            class Own(tf.keras.Model):
                def train_step(self, data):
                    with tf.GradientTape() as tape:
                        loss = self(data)
                    slopes = tape.gradient(loss, self.weights)
                    self.optimizer.apply_gradients(zip(slopes, self.weights))
            model = Own()
            model.compile('sgd')
        fails:
          - |
            import tensorflow as tf
            model = tf.keras.Model()
            model.compile('sgd')
          - |
            import tensorflow as tf
            class Own(tf.keras.Model):
                def train_step(self, data):
                    self.optimizer.minimize(self(data), self.weights)
            model = Own()
            model.compile('sgd')
    """
    if match.call is None:
        return None
    computed = _computed(match, function_names(match, names))
    steps = list(_train_steps(match.call, match.module, match))
    return match if steps and all(_applies(step, computed) for step in steps) else None


@predicate(CAPTURE_AND_FUNCTIONS)
def shared_by(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: all that $x may hold, or what it is an attribute of, is an argument of one
    of the functions somewhere, or what follows from it is.

    ::

        match: f($x)
        where: [{shared_by: [$x, horovod.tensorflow.broadcast_variables]}]
        holds:
          - |
            import horovod.tensorflow as hvd
            model = make()
            hvd.broadcast_variables(model.variables, 0)
            f(model)
          - |
            import horovod.tensorflow as hvd
            weights = make()
            hvd.broadcast_variables(weights, 0)
            f(weights)
        fails:
          - |
            import horovod.tensorflow as hvd
            model, other = make(), make()
            hvd.broadcast_variables(model.variables, 0)
            f(other)
          - f(weights)
    """
    capture, *names = argument
    wanted = function_names(match, names)
    modules = tuple(map(id, program_modules(match)))
    known = match.facts.remembered(
        (_sources_of_arguments, wanted, modules), lambda: _sources_of_arguments(wanted, match)
    )
    shared = _is_shared(match.capture(capture), match.module, match, wanted, known)
    return match if shared else None


def _computed(match: Match, functions: frozenset[str]) -> _Computed:
    modules = tuple(map(id, program_modules(match)))
    return match.facts.remembered(
        (_Computed, functions, modules), lambda: _Computed(match, functions)
    )


class _Computed:
    """The calls that apply gradients which one of some functions has computed."""

    def __init__(self, match: Match, functions: frozenset[str]) -> None:
        self._reached: set[int] = set()
        facts = match.facts
        for module in program_modules(match):
            for made in possible_calls(module, functions, facts.evaluator):
                if facts.evaluator.names(made.callee, module) & functions:
                    for use in facts.uses(made.expression, module):
                        self._add(use)
                        if use.kind == "receiver" and use.call and use.call.method == "gradient":
                            for other in facts.uses(use.call.expression, use.module):
                                self._add(other)

    def _add(self, use: Use) -> None:
        if use.kind == "argument" and use.call is not None:
            self._reached.add(id(use.call.trailer))

    def reaches(self, call: Call) -> bool:
        return id(call.trailer) in self._reached


def _is_key(call: Call, use: Use) -> bool:
    """Whether it is a key of a dictionary there, of which nothing is asked."""
    return call.method == "setdefault" and use.argument in call.arguments[:1]


def _is_known(call: Call, module: Module, match: Match) -> bool:
    """Whether what a call does with its arguments is followed, or asks for no gradients."""
    evaluator = match.facts.evaluator
    if call.method == "add":
        made = list(origins(call.receiver, module, evaluator))
        if made and all("builtins.set" in evaluator.names(c.callee, at) for c, at in made):
            return True
    names = evaluator.names(call.callee, module)
    own = evaluator.definitions
    return bool(names) and all(
        name in own or name.rpartition(".")[2] in _HARMLESS or name.startswith("horovod.")
        for name in names
    )


_HARMLESS = {"Checkpoint", "CheckpointManager", "print", "id", "isinstance", "len", "list", "type"}


def _train_steps(call: Call, module: Module, match: Match) -> Iterator[Definition]:
    """The ``train_step`` of each class that a model which is compiled by ``call`` may be of;
    nothing if one of them has none of its own."""
    evaluator = match.facts.evaluator
    if call.method != "compile":
        return
    values = _of_super(call, module, evaluator)
    if values is None:
        values = evaluator.evaluate(call.receiver, module).items
    found = [evaluator.methods(value, "train_step") for value in values]
    if found and all(found):
        for definitions in found:
            yield from definitions


def _of_super(call: Call, module: Module, evaluator: Evaluator) -> frozenset[Value] | None:
    """Where a model's own method calls that of its base, what it is itself; nothing if its class
    does not say what a step is. None where it is no such call."""
    function = module.scope_of(call.trailer).function
    owner = None if function is None else class_of_method(function)
    if owner is None or not is_super(call.receiver, module, evaluator):
        return None
    name = Definition(module, owner).name
    above = (evaluator.definitions.get(one) for one in evaluator.hierarchy.ancestors(name))
    says = any(one is not None and "train_step" in one.scope.bindings for one in above)
    return frozenset({Value(name, instance=True)} if says else ())


def _applies(step: Definition, computed: _Computed) -> bool:
    """Whether a step applies computed gradients with ``self.optimizer``, and asks it for none."""
    applied = False
    for power in walk(step.scope.node):
        if power.type == symbols.power:
            for call in calls_in_power(power):
                if call.method in _COMPUTES:
                    return False
                if call.method in _APPLIES:
                    applied = True
                    if not computed.reaches(call):
                        return False
    return applied


def _sources_of_arguments(wanted: frozenset[str], match: Match) -> set[int]:
    """Where what the functions are given comes from, or what it is an attribute of."""
    evaluator = match.facts.evaluator
    found: set[int] = set()
    for module in program_modules(match):
        for call in possible_calls(module, wanted, evaluator):
            if evaluator.names(call.callee, module) & wanted:
                for argument in call.arguments[:1]:
                    given = outer_call((argument.value,))
                    nodes = given.callee if given is not None else flat((argument.value,))
                    if len(nodes) > 1 and nodes[-1].type == symbols.trailer:
                        owner = sources(nodes[:-1], module, evaluator)
                        found |= {id(source[-1]) for source, _ in owner}
    return found


def _is_shared(
    expression: Expression,
    module: Module,
    match: Match,
    wanted: frozenset[str],
    known: set[int],
    depth: int = 6,
) -> bool:
    if not expression or not depth:
        return False
    evaluator = match.facts.evaluator
    found = []
    for source, where in sources(expression, module, evaluator):
        call = outer_call(source)
        if call is not None and evaluator.names(call.callee, where) & evaluator.definitions.keys():
            if not _makes_instance(call, where, match):
                continue  # what it returns is among the sources
        given = id(source[-1]) in known or _is_given(source, where, match, wanted)
        found.append(given or _parts_are_shared(source, where, match, wanted, known, depth - 1))
    return bool(found) and all(found)


def _makes_instance(call: Call, module: Module, match: Match) -> bool:
    definitions = match.facts.evaluator.definitions
    names = match.facts.evaluator.names(call.callee, module)
    return any(name in definitions and definitions[name].scope.kind == "class" for name in names)


def _parts_are_shared(
    source: Expression,
    module: Module,
    match: Match,
    wanted: frozenset[str],
    known: set[int],
    depth: int,
) -> bool:
    """Whether what an attribute or a method is of is shared, or each item of a display or a sum."""
    nodes = tuple(source[0].children) if len(source) == 1 else source
    call = outer_call(source)
    if call is not None:
        return _is_shared(call.receiver, module, match, wanted, known, depth)
    if len(source) > 1 or source[0].type == symbols.power:
        return _is_shared(nodes[:-1], module, match, wanted, known, depth)
    parts = [node for node in nodes if node.type >= 256 or is_name(node)]
    return source[0].type in _TOGETHER and bool(parts) and all(
        _is_shared((part,), module, match, wanted, known, depth) for part in parts
    )  # fmt: skip


_TOGETHER = {symbols.atom, symbols.arith_expr, symbols.listmaker, symbols.testlist_gexp}


def _is_given(source: Expression, module: Module, match: Match, wanted: frozenset[str]) -> bool:
    """Whether a value is an argument of one of the functions; asked for many matches."""

    def find() -> tuple[Expression, bool]:
        def is_wanted(use: Use) -> bool:
            return _is_argument_of(use, wanted, match)

        return source, match.facts.leads_to(source, module, (_is_given, wanted), is_wanted)

    key = (_is_given, id(source[0]), id(source[-1]), wanted)
    return match.facts.remembered(key, find)[1]


def _is_argument_of(use: Use, wanted: frozenset[str], match: Match) -> bool:
    if use.kind != "argument" or use.call is None:
        return False
    return bool(match.facts.evaluator.names(use.call.callee, use.module) & wanted)


@predicate(FLAG)
def receives_gradients(match: Match, wanted: Any) -> Match | None:
    """Whether a gradient that some tape computed is followed to the matched call.

    ::

        match: $optimizer.apply_gradients($...given)
        where: [{receives_gradients: true}]
        holds:
          - |
            import tensorflow as tf
            with tf.GradientTape() as tape:
                loss = f(w)
            slopes = tape.gradient(loss, w)
            optimizer.apply_gradients(zip(slopes, w))
        fails:
          - optimizer.apply_gradients(zip(slopes, w))
          - |
            import tensorflow as tf
            with tf.GradientTape() as tape:
                loss = f(w)
            print(tape.gradient(loss, w))
            optimizer.apply_gradients(zip(slopes, w))
    """
    modules = program_modules(match)
    key = (_reached_by_gradients, *map(id, modules))
    lost, reached = match.facts.remembered(key, lambda: _reached_by_gradients(match, modules))
    found = lost or (match.call is not None and id(match.call.trailer) in reached)
    return match if found == wanted else None


def _reached_by_gradients(match: Match, modules: Sequence[Module]) -> tuple[bool, set[int]]:
    """Whether a gradient of some tape is lost sight of, and the calls that gradients get to."""
    tape = match.facts.library.canonical("tensorflow.GradientTape")
    argument = {"value": "$match", "through": ["gradient"]}
    lost, reached = False, set()
    for module in modules:
        for made in possible_calls(module, frozenset({tape}), match.facts.evaluator):
            if tape in match.facts.evaluator.names(made.callee, module):
                origin = replace(match, module=module, captures={"match": made.expression})
                for gradient, where in method_calls(origin, argument):
                    for use in match.facts.uses(gradient, where):
                        lost = lost or use.kind == "lost"
                        reached |= {id(use.call.trailer)} if use.call is not None else set()
    return lost, reached
