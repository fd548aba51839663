"""StepLoops: which loops count a program's training steps, so that workers can share them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ...facts import Facts
from ...names.definition import Definition
from ...names.module import Module
from ...programs.programs import Programs
from ...syntax.tree import (
    LN,
    Call,
    Expression,
    ancestors,
    calls_in_power,
    dotted,
    is_name,
    leaves,
    main_guards,
    outer_call,
    plain_string,
    statement_of,
    unwrap,
    walk,
)
from ...values.questions import Evaluator, sources
from .data_pointers import adds, begins_anew
from .switched_off import is_switched_off
from .trained_anew import TrainedAnew
from .uneven_exits import is_left_by_figures

STEPS = "steps"
ROUNDS = "rounds"

_RANGES = {
    "builtins.range", "builtins.xrange", "six.moves.range", "six.moves.xrange", "tensorflow.range",
    "tqdm.trange", "tqdm.auto.trange", "tqdm.notebook.trange", "numpy.arange",
}  # fmt: skip
# Below this a count is one of rounds, or of steps that an algorithm asks for.
_FEW = 16
_PATHS = 500
_LOOPS = {symbols.for_stmt, symbols.while_stmt}
_DECLARE = {"add_argument", "DEFINE_integer"}
_DEPTH = 12


@dataclass(frozen=True, eq=False)
class _Loop:
    """A loop around a training step. What is ``counted`` makes a number of rounds that may be
    divided, by ``range`` if it is not by calls of ``take``; ``few`` says that the number is a small
    one."""

    node: LN
    module: Module
    counted: bool
    few: bool = False
    range: LN | None = None
    ends_itself: bool = False
    takes: frozenset[int] = frozenset()


def step_loops(facts: Facts) -> StepLoops:
    """The loops around a project's training steps; ``facts.of(step_loops)`` makes them once."""
    return StepLoops(facts.programs)


class StepLoops:
    """The loops of a project around its training steps."""

    def __init__(self, programs: Programs) -> None:
        self.programs = programs
        self.evaluator: Evaluator = programs.evaluator
        self._anew = TrainedAnew(programs)
        self._loops: dict[int, _Loop] = {}
        self._looping: dict[int, set[int]] = {}

    def counts(self, call: Call) -> str | None:
        """What a ``for`` counts by a call of ``range`` that is to be shared among workers: single
        ``steps``, or ``rounds``, as epochs, of an inner loop; None if it counts none, or another
        loop of its steps does."""
        return self._counting.get(id(call.trailer))

    def is_shared(self, step: LN) -> bool:
        """Whether a loop counts a training step, or the step itself says how often it is made; of a
        loop whose steps are not counted, only the first one is meant."""
        return id(step) not in self._unshared

    def is_seen(self, module: Module, modules: Set[int]) -> bool:
        """Whether a module has a training step in a loop, there or where some of ``modules``, by
        their identity, calls it, or one that says itself how often it is made."""
        looping = self._looping.get(id(module))
        if looping is None:
            looping = self._looping[id(module)] = set(self._modules_with_loops(module))
        return not looping.isdisjoint(modules)

    def _modules_with_loops(self, module: Module) -> Iterator[int]:
        """The modules that have loops around a module's training steps; itself where one of these
        says how often it is made."""
        for step in self.programs.updates_in(module):
            if self._counts_itself(step, module):
                yield id(module)
            yield from (id(loop.module) for path in self._paths(step, module) for loop in path)

    @cached_property
    def _unshared(self) -> set[int]:
        """The first step of each loop that shares none of its steps."""
        found: dict[int, LN] = {}
        for step, path in self._all_paths:
            if path and self._choice(path) is None:
                first = found.setdefault(id(path[0].node), step)
                if (step.get_lineno() or 0) < (first.get_lineno() or 0):
                    found[id(path[0].node)] = step
        return {id(step) for step in found.values()}

    @cached_property
    def _all_paths(self) -> list[tuple[LN, tuple[_Loop, ...]]]:
        """The training steps that are in loops, each with the loops around it, inner ones first."""
        return [
            (step, self._of_one_training(path, step, module))
            for module in self.evaluator.modules
            for step in self.programs.updates_in(module)
            if not self._counts_itself(step, module)
            for path in self._paths(step, module)
            if not any(loop.ends_itself for loop in path)
        ]

    def _of_one_training(
        self, path: tuple[_Loop, ...], step: LN, module: Module
    ) -> tuple[_Loop, ...]:
        """The loops of a path but for those of which each turn trains something new."""
        return tuple(
            itertools.takewhile(
                lambda loop: not self._anew.in_each_turn(loop.node, loop.module, step, module), path
            )
        )

    def counts_take(self, call: Call) -> bool:
        """Whether a call of ``take`` counts the steps of a loop, and no other loop of its steps is
        the one to be shared among workers."""
        return any(id(call.trailer) in loop.takes for loop in self._chosen.values())

    @cached_property
    def _chosen(self) -> dict[int, _Loop]:
        """The loop to be shared, of each of the paths that have one."""
        paths = [path for _, path in self._all_paths]
        chosen = {at: choice for at, path in enumerate(paths) if (choice := self._choice(path))}
        # Steps that an outer loop counts already, for the sake of others, are not divided twice.
        for _ in range(_DEPTH):
            loops = {id(loop.node) for loop in chosen.values()}
            moved = {
                at: next((o for o in reversed(paths[at]) if id(o.node) in loops), loop)
                for at, loop in chosen.items()
            }
            if moved == chosen:
                break
            chosen = moved
        return chosen

    @cached_property
    def _counting(self) -> dict[int, str]:
        paths = [path for _, path in self._all_paths]
        passes = [_is_pass(step) for step, _ in self._all_paths]
        found: dict[int, str] = {}
        for at, loop in self._chosen.items():
            kind = STEPS if paths[at][0] is loop and not passes[at] else ROUNDS
            if found.setdefault(id(loop.range), kind) != kind:
                found[id(loop.range)] = ROUNDS
        return found

    def _choice(self, path: tuple[_Loop, ...]) -> _Loop | None:
        """The one loop of a path whose number is divided: the innermost that makes many rounds, or
        few as the outermost of all. Rounds for each item of an inner loop, and few ones inside
        other loops, are asked for by an algorithm."""
        for at, loop in enumerate(path):
            outer = path[at + 1 :]
            inside = list(itertools.dropwhile(lambda other: other.counted, outer))
            if loop.counted and not loop.few and not any(other.counted for other in inside):
                # The length of an episode does not bound a training that goes on until it is good.
                whiles = [other.node for other in outer if other.node.type == symbols.while_stmt]
                if any(_is_budget(node) for node in whiles):
                    break  # with fewer steps in each of its turns, it makes more turns
                if not (whiles and is_left_by_figures(loop.node)):
                    return loop
        return next((loop for loop in path[-1:] if loop.counted), None)

    def _paths(self, step: LN, module: Module) -> Iterator[tuple[_Loop, ...]]:
        waiting: list[tuple[LN, Module, tuple[_Loop, ...], frozenset[int]]] = [
            (step, module, (), frozenset())
        ]
        for _ in range(_PATHS):
            if not waiting:
                return
            node, where, loops, seen = waiting.pop()
            found = [*loops, *self._around(node, where)]
            function = where.scope_of(node).function
            sites = list(self._callers(where, node)) if function is not None else []
            new = [site for site in sites if id(site[0].trailer) not in seen]
            if function is None or not new or len(seen) > _DEPTH:
                yield tuple(found)
                continue
            made = Definition(where, function)
            for call, caller in new:
                if is_switched_off(node, made, call, caller, self.evaluator):
                    continue
                waiting.append((call.trailer, caller, tuple(found), seen | {id(call.trailer)}))

    def _callers(self, module: Module, node: LN) -> Iterable[tuple[Call, Module]]:
        function = module.scope_of(node).function
        if function is None:
            return ()
        callers, definition = self.evaluator.callers, Definition(module, function)
        found = list(callers.sites(definition))
        if not found and (handed := callers.handed(definition)) is not None:
            found.append(handed)
        return found

    def _around(self, node: LN, module: Module) -> Iterator[_Loop]:
        """The loops around a node in its own function, inner ones first."""
        child = node
        for parent in ancestors(node):
            if parent.type in (symbols.funcdef, symbols.lambdef):
                return
            if parent.type in (symbols.for_stmt, symbols.while_stmt):
                body = parent.children[5 if parent.type == symbols.for_stmt else 3]
                if child is body:
                    known = self._loops.get(id(parent))
                    if known is None:
                        known = self._loops[id(parent)] = self._loop(parent, module)
                    yield known
            child = parent

    def _loop(self, node: LN, module: Module) -> _Loop:
        if node.type == symbols.while_stmt:
            ends = any(leaf.value == "should_stop" for leaf in leaves(node.children[1]))
            return _Loop(node, module, counted=False, ends_itself=ends)
        iterable = (node.children[3],)
        call = self._range(iterable, module)
        if call is not None:
            few = bool(call.arguments) and self._few(call.arguments[-1].value, module)
            counted = _is_divisible(call) and not _picks(node)
            counted = counted and not begins_anew(node, module, self.evaluator)
            return _Loop(node, module, counted, few, call.trailer)
        takes = self._takes(iterable, module, _DEPTH, {})
        return _Loop(node, module, bool(takes), takes=takes)

    def _range(self, iterable: Expression, module: Module) -> Call | None:
        """The call of ``range`` that a loop goes through, perhaps inside others, as ``tqdm``."""
        call = outer_call(iterable)
        for _ in range(_DEPTH):
            if call is None:
                return None
            if self.evaluator.names(call.callee, module) & _RANGES:
                return call
            call = outer_call((call.arguments[0].value,)) if call.arguments else None
        return None

    def _takes(
        self, expression: Expression, module: Module, depth: int, seen: dict[tuple[int, ...], int]
    ) -> frozenset[int]:
        """The calls of ``take`` that cut a data set on the way to the expression; what was ``seen``
        at the depth already is not followed again."""
        key = tuple(id(node) for node in expression)
        if depth <= seen.get(key, 0):
            return frozenset()
        seen[key] = depth
        found: frozenset[int] = frozenset()
        for source, where in sources(expression, module, self.evaluator):
            call = outer_call(source)
            if call is None:
                continue
            if call.method == "take" and not _is_limit(call):
                found |= {id(call.trailer)}
                continue
            inner = call.receiver if call.method else ()
            passed = (call.arguments[0].value,) if call.arguments and not call.method else ()
            for part in (inner, passed):
                if part:
                    found |= self._takes(part, where, depth - 1, seen)
        return found

    def _few(self, count: LN, module: Module) -> bool:
        """Whether all that a count may be, options of the program by default, is a small number."""
        found = [nodes for nodes, _ in sources((count,), module, self.evaluator)]
        numbers = [
            number if (number := _number(nodes)) is not None else self._option(nodes)
            for nodes in found
        ]
        return bool(numbers) and all(n is not None and n < _FEW for n in numbers)

    def _option(self, expression: Expression) -> int | None:
        """The default of the option that ``args.name`` or ``FLAGS.name`` is for."""
        names = dotted(expression)
        found = self._options.get(names[-1], set()) if len(names) == 2 else set()
        return max(found, default=None)

    @cached_property
    def _options(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for module in self.evaluator.modules:
            for call in module.tree.calls:
                if call.method in _DECLARE and call.arguments:
                    name = plain_string(call.arguments[0].value).lstrip("-").replace("-", "_")
                    default = call.argument("default", 1 if call.method != "add_argument" else None)
                    number = _number((default.value,)) if default is not None else None
                    if name and number is not None:
                        found[name].add(number)
        return found

    def _counts_itself(self, step: LN, module: Module) -> bool:
        """Whether the step's own arguments say how much is done, as ``fit(epochs=10)`` does."""
        call = next((c for c in calls_in_power(step.parent) if c.trailer is step), None)
        if call is None or call.method not in ("fit", "fit_generator", "train"):
            return call is not None and call.method == "train_and_evaluate"
        for name in ("epochs", "nb_epoch", "steps_per_epoch", "steps", "max_steps"):
            called = self.evaluator.names(call.callee, module)
            given = call.argument(name, self.evaluator.library.position(called, name))
            if given is not None and "".join(map(str, leaves(given.value))).strip() != "1":
                return True
        return any(argument.star for argument in call.arguments)


def _number(expression: Expression) -> int | None:
    nodes = unwrap(expression)
    if len(nodes) != 1 or nodes[0].type != token.NUMBER or not nodes[0].value.isdigit():
        return None
    return int(nodes[0].value)


def _is_pass(step: LN) -> bool:
    """Whether a call that trains passes over all of its data, as an Estimator's train() does if it
    is not given a number of steps."""
    call = next((c for c in calls_in_power(step.parent) if c.trailer is step), None)
    if call is None or call.method not in ("fit", "fit_generator", "train"):
        return False
    return not any(call.argument(name) for name in ("steps", "max_steps", "steps_per_epoch"))


def _is_limit(call: Call) -> bool:
    """Whether a data set is cut under a condition only: ``if limit: data = data.take(limit)``."""
    statement = statement_of(call.trailer)
    if statement.type != symbols.expr_stmt or not dotted(call.receiver):
        return False
    if dotted(call.receiver) != dotted((statement.children[0],)):
        return False
    outer = list(ancestors(statement))
    inside = list(itertools.takewhile(lambda node: node.type != symbols.funcdef, outer))
    guards = main_guards(outer[-1])
    return any(node.type == symbols.if_stmt and node not in guards for node in inside)


def _is_budget(loop: LN) -> bool:
    """Whether a ``while`` compares with something that its own turns do not count."""
    condition = loop.children[1]
    if condition.type != symbols.comparison:
        return False
    compared = {leaf.value for leaf in leaves(condition) if is_name(leaf)}
    return not any(
        node.type == symbols.expr_stmt
        and is_name(node.children[0])
        and node.children[0].value in compared
        and adds(node)
        and next((p for p in ancestors(node) if p.type in _LOOPS), None) is loop
        for node in walk(loop.children[3])
    )


def _is_divisible(call: Call) -> bool:
    """Whether ``range`` counts by one."""
    plain = all(argument.name is None and not argument.star for argument in call.arguments)
    return plain and len(call.arguments) in (1, 2)


def _picks(loop: LN) -> bool:
    """Whether the loop's variable picks items, as ``x[i * 32:]``: with fewer rounds some of them
    would never be seen."""
    names = {leaf.value for leaf in leaves(loop.children[1]) if is_name(leaf)}
    for statement in walk(loop.children[5]):
        if statement.type == symbols.expr_stmt and statement.children[1].type == token.EQUAL:
            if names & {leaf.value for leaf in leaves(statement.children[-1])}:
                names |= {t.value for t in statement.children[:-1:2] if is_name(t)}
    return any(
        names & {leaf.value for leaf in leaves(part)}
        for part in walk(loop.children[5])
        if part.type == symbols.trailer and part.children[0].type == token.LSQB
        and not _is_stored(part)
    )  # fmt: skip


def _is_stored(subscript: LN) -> bool:
    """Whether an item is assigned to, and not read."""
    power = subscript.parent
    return (
        power is not None
        and power.children[-1] is subscript
        and power.parent is not None
        and power.parent.type == symbols.expr_stmt
        and power is not power.parent.children[-1]
        and power.parent.children[1].type == token.EQUAL
    )
