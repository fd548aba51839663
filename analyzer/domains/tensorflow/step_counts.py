"""Counts: names that hold a number of training steps, or of rounds, and what else is made of them.

Where each worker makes its share of the steps, whatever means the number of steps of one worker
must see that number: an average over the loop, a comparison with its variable, what is printed
beside it, a schedule that counts steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ...facts import Facts
from ...names.definition import Definition, class_of_self
from ...names.module import Module
from ...names.scopes import Binding, Scope
from ...syntax.tree import (
    LN,
    Call,
    Expression,
    ancestors,
    dotted,
    flat,
    is_name,
    leaves,
    outer_call,
    same_code,
    statement_of,
    walk,
)
from ...values.questions import Evaluator, LaterReads
from .step_loops import ROUNDS, STEPS, StepLoops, step_loops

_FITS = {"fit", "fit_generator"}
_STEPS_OF_FIT = "steps_per_epoch"
_EPOCHS = {"epochs", "nb_epoch"}
_PRINTERS = {"builtins.print", "pprint.pprint", "tensorflow.print", "tensorflow.Print"}
_LOGGERS = ("logging.", "absl.logging.", "tensorflow.logging.", "tensorflow.compat.v1.logging.")
_LOG_METHODS = {"info", "debug", "warning", "warn", "log"}
_PROGRESS = {"tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm"}
_SCHEDULE = "tensorflow.keras.optimizers.schedules.LearningRateSchedule"
_DECAY = "_decay"
_DIVISIONS = {token.SLASH, token.DOUBLESLASH, token.PERCENT}
_ADDS = {token.PLUSEQUAL, token.MINEQUAL}
_FUNCTIONS = {symbols.funcdef, symbols.lambdef}


@dataclass(frozen=True, eq=False)
class Bound:
    """An expression that says how many steps, or rounds, a training makes; ``loop`` is the ``for``
    around them, if there is one."""

    node: LN
    kind: str
    loop: LN | None


def step_counts(facts: Facts) -> Counts:
    """The numbers of training steps in a project; ``facts.of(step_counts)`` finds them once."""
    return Counts(facts.of(step_loops), facts.later_reads)


class Counts:
    """The counts of one project."""

    def __init__(self, loops: StepLoops, later: LaterReads) -> None:
        self.loops = loops
        self.later = later
        self.evaluator: Evaluator = loops.evaluator
        self._bounds: dict[int, list[Bound]] = {}
        self._set: dict[int, dict[int, tuple[Binding, str] | None]] = {}

    def set_at(self, name: LN, module: Module) -> tuple[Binding, str] | None:
        """The one assignment that gives a name, or an attribute of ``self``, its number, and what
        it counts, if all that reads it means the steps, or rounds, of one worker, and something
        besides the loop does."""
        found = self._set.get(id(module))
        if found is None:
            found = self._set[id(module)] = {}
            for bound in self._in(module):
                binding = self._only_binding(bound.node, module)
                if binding is not None and id(binding.node) not in found:
                    kind = self._kind(binding, module)
                    found[id(binding.node)] = None if kind is None else (binding, kind)
        binding = self._only_binding(name, module)
        return found.get(id(binding.node)) if binding is not None else None

    def _kind(self, binding: Binding, module: Module) -> str | None:
        if binding.scope.kind == "module" and self.later.is_read_elsewhere(binding.name, module):
            return None
        found = self._reads(binding, module)
        reads = {id(read): read for read in found or ()}
        bounds = [bound for bound in self._in(module) if id(bound.node) in reads]
        kinds = {bound.kind for bound in bounds}
        loops = [bound.loop for bound in bounds if bound.loop is not None]
        others = [read for key, read in reads.items() if key not in {id(b.node) for b in bounds}]
        means = all(self._means_own(read, loops, module) for read in others)
        return kinds.pop() if len(kinds) == 1 and others and means else None

    def elsewhere(self, count: Expression, module: Module) -> list[int]:
        """The lines where else a count is read, as a name, or an attribute; as the same code, if it
        is computed, where that means a number of steps."""
        nodes = flat(count)
        names = dotted(nodes)
        bounds = self._in(module)
        own = {id(bound.node) for bound in bounds} | {id(node) for node in (*count, *nodes)}
        around: LN = module.tree.root
        loop: LN | None = None
        if not names:
            loop = next((bound.loop for bound in bounds if bound.node is count[0]), None)
            if loop is None or count[0].type == token.NUMBER:
                return []
            around = loop.parent or loop
        found = set()
        for node in module.tree.nodes(around):
            if id(node) in own or not self._is_same(node, nodes, module):
                continue
            if names or (loop is not None and self._means_own(node, [loop], module)):
                found.add(module.tree.line_of(node))
        return sorted(found)

    def _only_binding(self, node: LN, module: Module) -> Binding | None:
        """The plain assignment that alone binds a name, or an attribute of ``self``."""
        if is_name(node):
            bindings = module.scope_of(node).lookup(node.value)
        else:
            names, owner = self._of_self(node, module)
            stored = self.evaluator.members.of_self(Definition(module, owner)) if owner else {}
            bindings = stored.get(names[1], []) if owner else []
        if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].element:
            return None
        binding = bindings[0]
        statement = binding.statement
        plain = (
            binding.scope.kind in ("module", "function")
            and statement.type == symbols.expr_stmt
            and len(statement.children) == 3
            and statement.children[0] is binding.node
            and statement.children[1].type == token.EQUAL
        )
        return binding if plain else None

    def _of_self(self, node: LN, module: Module) -> tuple[tuple[str, ...], Scope | None]:
        names = dotted((node,))
        owner = class_of_self(names[0], module.scope_of(node)) if len(names) == 2 else None
        return names, owner

    def _reads(self, binding: Binding, module: Module) -> list[LN] | None:
        """All that reads what a binding binds; None if something does that is not seen as such."""
        if is_name(binding.node):
            return list(_reads_of_name(binding, module))
        names, owner = self._of_self(binding.node, module)
        found = []
        for other in self.evaluator.modules:
            if names[1] not in other.tree.text:
                continue
            for node in other.tree.nodes():
                if node is binding.node or not _ends_in(node, names[1]):
                    continue
                if other is not module or self._of_self(node, other)[1] is not owner:
                    return None
                found.append(node)
        return found

    def _is_same(self, node: LN, count: Expression, module: Module) -> bool:
        if is_name(node):
            if len(count) > 1 or not same_code((node,), count) or not _is_read(node):
                return False
            mine = module.scope_of(count[0]).lookup(node.value)
            return module.scope_of(node).lookup(node.value) == mine
        if node.type == symbols.power:
            head = tuple(node.children[: len(count)])
            return len(count) > 1 and not _is_target(node) and same_code(head, count)
        return len(count) == 1 and node.type == count[0].type and same_code((node,), count)

    def _in(self, module: Module) -> list[Bound]:
        found = self._bounds.get(id(module))
        if found is None:
            found = [b for call in module.tree.calls for b in self._of(call, module)]
            self._bounds[id(module)] = found
        return found

    def _of(self, call: Call, module: Module) -> Iterator[Bound]:
        kind = self.loops.counts(call)
        if kind is not None:
            count = _count_of_range(call)
            if count is not None:
                yield Bound(count, kind, _loop_over(call.trailer))
        elif self.loops.counts_take(call) and call.arguments:
            yield Bound(call.arguments[0].value, STEPS, _loop_over(call.trailer))
        elif call.method in _FITS and any(call.trailer is step for step in self._steps(module)):
            names = {argument.name for argument in call.arguments}
            for argument in call.arguments:
                if argument.name == _STEPS_OF_FIT:
                    yield Bound(argument.value, STEPS, None)
                elif argument.name in _EPOCHS and _STEPS_OF_FIT not in names:
                    yield Bound(argument.value, ROUNDS, None)

    def _steps(self, module: Module) -> list[LN]:
        return self.loops.programs.steps_in(module)

    def _means_own(self, read: LN, loops: list[LN], module: Module) -> bool:
        """Whether a read of the name means the number of steps that one worker makes."""
        if self._is_shown(read, module) or self._is_schedule(read, module):
            return True
        changed = {name for loop in loops for name in _bound_in(loop)}
        operands = _compared_with(read)
        if operands and _is_added(read, loops):
            return True
        return any(changed & {leaf.value for leaf in leaves(node) if is_name(leaf)}
                   for node in operands)  # fmt: skip

    def _is_shown(self, read: LN, module: Module) -> bool:
        return any(
            names & (_PRINTERS | _PROGRESS)
            or any(name.startswith(_LOGGERS) for name in names)
            or (call.method in _LOG_METHODS and not names)
            for call, names in self._calls_around(read, module)
        )

    def _is_schedule(self, read: LN, module: Module) -> bool:
        isa = self.evaluator.hierarchy.isa
        return any(
            name.startswith("tensorflow.")
            and (name.rpartition(".")[2].endswith(_DECAY) or isa(name, _SCHEDULE))
            for _, names in self._calls_around(read, module)
            for name in names
        )

    def _calls_around(self, read: LN, module: Module) -> Iterator[tuple[Call, frozenset[str]]]:
        """The calls of its statement that a read is an argument of, with what they mean."""
        statement = statement_of(read)
        for parent in ancestors(read):
            if parent is statement.parent:
                return
            if parent.type == symbols.trailer and parent.children[0].type == token.LPAR:
                power = parent.parent
                assert power is not None
                at = next(i for i, child in enumerate(power.children) if child is parent)
                call = outer_call(tuple(power.children[: at + 1]))
                if call is not None:
                    yield call, self.evaluator.names(call.callee, module)


def _reads_of_name(binding: Binding, module: Module) -> Iterator[LN]:
    for leaf in module.tree.nodes(binding.scope.node):
        if is_name(leaf) and leaf.value == binding.name and leaf is not binding.node:
            found = module.scope_of(leaf).lookup(leaf.value)
            if _is_read(leaf) and len(found) == 1 and found[0] is binding:
                yield leaf


def _ends_in(node: LN, name: str) -> bool:
    """Whether a node has an attribute of the name."""
    return node.type == symbols.power and any(
        child.type == symbols.trailer
        and child.children[0].type == token.DOT
        and child.children[1].value == name
        for child in node.children
    )


def _is_read(leaf: LN) -> bool:
    before, parent = leaf.prev_sibling, leaf.parent
    if before is not None and before.type == token.DOT:
        return False
    if parent is None or parent.type == symbols.global_stmt:
        return False
    is_keyword = parent.type == symbols.argument and parent.children[0] is leaf
    return not (is_keyword and parent.children[1].type == token.EQUAL) and not _is_target(leaf)


def _is_target(node: LN) -> bool:
    parent = node.parent
    return (
        parent is not None
        and parent.type == symbols.expr_stmt
        and parent.children[1].type == token.EQUAL
        and node is not parent.children[-1]
    )


def _count_of_range(call: Call) -> LN | None:
    """``n`` of ``range(n)``, ``range(0, n)`` and ``range(1, n + 1)``."""
    values = [argument.value for argument in call.arguments]
    if len(values) == 1:
        return values[0]
    if len(values) != 2 or values[0].type != token.NUMBER:
        return None
    if values[0].value == "0":
        return values[1]
    last = values[1]
    plain = last.type == symbols.arith_expr and len(last.children) == 3
    if values[0].value == "1" and plain and last.children[1].type == token.PLUS:
        one = last.children[2]
        if one.type == token.NUMBER and one.value == "1":
            return last.children[0]
    return None


def _loop_over(trailer: LN) -> LN | None:
    """The ``for`` statement whose head has the call."""
    child = trailer
    for parent in ancestors(trailer):
        if parent.type == symbols.for_stmt:
            return parent if child is parent.children[3] else None
        child = parent
    return None


def _bound_in(loop: LN) -> set[str]:
    """The names that a loop binds, its own variable among them."""
    found = {leaf.value for leaf in leaves(loop.children[1]) if is_name(leaf)}
    for node in walk(loop.children[5], skip=_FUNCTIONS):
        if node.type == symbols.expr_stmt and len(node.children) > 2:
            for target in node.children[:-1:2]:
                found |= {leaf.value for leaf in leaves(target) if is_name(leaf)}
        elif node.type in (symbols.for_stmt, symbols.with_item):
            found |= {leaf.value for leaf in leaves(node.children[1]) if is_name(leaf)}
    return found


def _is_added(read: LN, loops: list[LN]) -> bool:
    """Whether a read is in what each turn of a loop adds to something, as a part of an average."""
    statement = statement_of(read)
    around = {id(node) for node in ancestors(statement)}
    added = statement.type == symbols.expr_stmt and statement.children[1].type in _ADDS
    return added and any(id(loop.children[5]) in around for loop in loops)


def _compared_with(read: LN) -> list[LN]:
    """What a number is compared with, what it divides, and of what it takes the rest."""
    node = _without_conversion(read)
    parent = node.parent
    if parent is None:
        return []
    if parent.type == symbols.term:
        at = next(i for i, child in enumerate(parent.children) if child is node)
        if at and parent.children[at - 1].type in _DIVISIONS:
            return list(parent.children[:at])
    if parent.type == symbols.expr_stmt and parent.children[1].type in (
        token.SLASHEQUAL,
        token.DOUBLESLASHEQUAL,
    ):
        return [parent.children[0]]
    if parent.type == symbols.arith_expr and parent.parent is not None:
        node, parent = parent, parent.parent  # `i == n - 1`
    if parent.type == symbols.comparison:
        return [child for child in parent.children if child is not node]
    return []


def _without_conversion(read: LN) -> LN:
    """``float(n)`` or ``(n)`` around a read of ``n``; ``(n // 10)`` in ``i % (n // 10)``."""
    node = read
    for parent in ancestors(read):
        if parent.type == symbols.term and parent.children[0] is node:
            around = parent.parent
            if around is None or around.type != symbols.atom:
                return node
            node = parent
        elif parent.type == symbols.atom and len(parent.children) == 3:
            node = parent
        elif parent.type == symbols.trailer and parent.prev_sibling is not None:
            if not is_name(parent.prev_sibling) or parent.prev_sibling.value not in _CONVERSIONS:
                return node
            node = parent
        elif parent.type == symbols.power and node.parent is parent and len(parent.children) == 2:
            node = parent
        else:
            return node
    return node


_CONVERSIONS = {"float", "int", "max"}
