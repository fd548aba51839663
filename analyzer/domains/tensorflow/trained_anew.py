"""TrainedAnew: the loops of which each turn makes what it trains, as folds, seeds or settings do.

A loop over trainings is no loop over the rounds of one: with fewer turns some trainings would not
be made at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pygram import python_symbols as symbols

from ...names.definition import Definition, items_of
from ...names.module import Module
from ...programs.programs import Programs
from ...syntax.tree import (
    LN,
    Call,
    Expression,
    ancestors,
    calls_in_power,
    dotted,
    flat,
    outer_call,
    walk,
)
from ...values.questions import Evaluator, Place, callees, sources

_VARIABLES = {"trainable_variables", "trainable_weights", "variables", "weights"}
# What gives a new object the weights that another one had.
_RESTORES = {("load_model",), ("load_weights",), ("restore",), ("set_weights",)}
# Who is told of a folder goes on from what is in there.
_FOLDERS = ("model_dir", "checkpoint_dir", "logdir")
_SESSIONS = {("Session",), ("InteractiveSession",)}
_CALLS = 64


class TrainedAnew:
    """For the steps of one project."""

    def __init__(self, programs: Programs) -> None:
        self.programs = programs
        self.evaluator: Evaluator = programs.evaluator
        self._made: dict[tuple[int, frozenset[int]], list[tuple[Call, Module]]] = {}
        self._inside: dict[tuple[int, int], bool] = {}

    def in_each_turn(self, loop: LN, at: Module, step: LN, module: Module) -> bool:
        """Whether each turn of a loop, in a module ``at``, makes the model, variables or session
        that a step trains, if all is known that they may be, and gives them no older weights.
        """
        # What others give the same code, as its tests do, is no matter of this loop.
        together = frozenset(id(m) for program in self.programs.of(at) for m in program.modules)
        key = (id(step), together)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._makers(step, module, together)
        return (
            bool(made)
            and all(self._is_inside(call, where, loop) for call, where in made)
            and not self._restores(loop, at)
        )

    def _restores(self, loop: LN, module: Module) -> bool:
        """Whether a loop, or what it calls, gives what is made the weights of something else."""
        waiting = [(loop, module)]
        seen: set[int] = set()
        while waiting and len(seen) < _CALLS:
            node, where = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            powers = (part for part in walk(node) if part.type == symbols.power)
            calls = (call for power in powers for call in calls_in_power(power))
            if any(dotted(call.callee)[-1:] in _RESTORES for call in calls):
                return True
            called = callees(node, where, self.evaluator)
            waiting += [(found.scope.node, found.module) for found in called]
        return False

    def _makers(
        self, step: LN, module: Module, together: frozenset[int]
    ) -> list[tuple[Call, Module]]:
        """The calls in some modules that make what a step trains, the outermost ones; none if not
        all are known."""
        call = next((c for c in calls_in_power(step.parent) if c.trailer is step), None)
        if call is None:
            return []
        found: list[Place] = []
        for owner, where in self._trained_by(call, module):
            places = sources(owner, where, self.evaluator)
            found += [place for place in places if id(place[1]) in together]
        calls = [(made, where) for nodes, where in found if (made := outer_call(nodes))]
        if len(calls) < len(found) or not all(_is_new(one, call.method) for one, _ in calls):
            return []
        factories = {
            id(definition.scope)
            for made, where in calls
            for name in self.evaluator.names(made.callee, where)
            if (definition := self.evaluator.definitions.get(name)) is not None
            and definition.scope.kind == "function"
        }
        outer = []
        for made, where in calls:
            scope = where.scope_of(made.trailer).function
            if scope is None or id(scope) not in factories:
                outer.append((made, where))
            elif _is_at_times(made.trailer, scope.node):
                return []
        return outer

    def _trained_by(self, call: Call, module: Module) -> Iterator[Place]:
        """What holds the variables that a step changes."""
        if call.method in ("fit", "fit_generator", "train_on_batch", "run"):
            yield call.receiver, module
        elif call.method == "apply" and len(call.arguments) > 1:
            for last, there in sources((call.arguments[1].value,), module, self.evaluator):
                yield from _owners(last, there)
        elif call.method == "apply_gradients" and call.arguments:
            for nodes, where in sources((call.arguments[0].value,), module, self.evaluator):
                pairs = outer_call(nodes)
                if pairs is None or not pairs.arguments:
                    continue
                for last, there in sources((pairs.arguments[-1].value,), where, self.evaluator):
                    yield from _owners(last, there)

    def _is_inside(self, call: Call, module: Module, loop: LN) -> bool:
        """Whether whatever makes the call is a turn of the loop, each of which does."""
        key = (id(call.trailer), id(loop))
        if key not in self._inside:
            self._inside[key] = self._leads_inside(call, module, loop)
        return self._inside[key]

    def _leads_inside(self, call: Call, module: Module, loop: LN) -> bool:
        waiting: list[tuple[LN, Module]] = [(call.trailer, module)]
        seen: set[int] = set()
        while waiting:
            node, where = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            function = where.scope_of(node).function
            around = function.node if function is not None else where.tree.root
            is_inside = any(above is loop for above in ancestors(node)) and _is_in_body(node, loop)
            if _is_at_times(node, loop if is_inside else around):
                return False
            if is_inside:
                continue
            if function is None or len(seen) > _CALLS:
                return False
            sites = list(self.evaluator.callers.sites(Definition(where, function)))
            if not sites:
                return False
            waiting += [(site.trailer, there) for site, there in sites]
        return True


def _is_new(made: Call, method: str | None) -> bool:
    """Whether what a call makes goes on from nothing that is on disk; what a method ``run`` is
    called on is a plain session."""
    if method == "run":
        return dotted(made.callee)[-1:] in _SESSIONS
    return all(made.argument(folder) is None for folder in _FOLDERS)


def _owners(expression: Expression, module: Module) -> Iterator[Place]:
    """What the variables of an expression belong to, or each of those that it lists."""
    nodes = flat(expression)
    last = nodes[-1]
    if len(nodes) > 1 and last.type == symbols.trailer and len(last.children) == 2:
        if last.children[1].value in _VARIABLES:
            yield nodes[:-1], module
            return
    items = items_of(expression)
    yield from (((item,), module) for item in items) if items else ((expression, module),)


def _is_in_body(node: LN, loop: LN) -> bool:
    body = loop.children[5 if loop.type == symbols.for_stmt else 3]
    return any(above is body for above in ancestors(node))


def _is_at_times(node: LN, around: LN) -> bool:
    """Whether an ``if`` without ``else`` stands between the two: what is made for the first turn,
    or where there is none yet."""
    for above in ancestors(node):
        if above is around:
            return False
        if above.type == symbols.if_stmt:
            words = {child.value for child in above.children if not child.children}
            if "else" not in words:
                return True
    return False
