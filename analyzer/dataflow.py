"""follow: where the value of an expression goes, forward through names, calls and returns.

Within a function a use belongs to the binding that stands last before it in the source (or, in a
loop, to one after it); across functions values pass through arguments and returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from .module import Module
from .scopes import Binding, Scope, loop_parts
from .tree import LN, Argument, Call, Expression, ancestors, calls_in_power, dotted, is_name, walk
from .values import Definition, Evaluator


@dataclass(frozen=True, eq=False)
class Use:
    """One thing that happens to a followed value.

    ``kind`` is argument (of ``call``), receiver (of ``call``), iterate (by the ``for`` at
    ``node``), or lost (stored or returned to where the analysis cannot see).
    """

    kind: str
    node: LN
    module: Module
    call: Call | None = None
    argument: Argument | None = None


def follow(
    expression: Expression,
    module: Module,
    evaluator: Evaluator,
    stop: frozenset[str],
    elements: bool = True,
) -> Iterator[Use]:
    """Every use of the value; a call of a method named in ``stop`` ends that way, and so does a
    ``for`` statement unless the ``elements`` are followed, too."""
    seen: set[tuple[int, int]] = set()
    waiting: list[tuple[Expression, Module]] = [(expression, module)]
    while waiting:
        current, where = waiting.pop()
        key = (id(current[0]), id(current[-1]))
        if key in seen:
            continue
        seen.add(key)
        for step in _consume(current, where, evaluator, stop):
            if isinstance(step, Use):
                yield step
                if step.kind == "iterate" and not elements:
                    break
            else:
                waiting.append(step)


def _consume(
    expression: Expression, module: Module, evaluator: Evaluator, stop: frozenset[str]
) -> Iterator[Use | tuple[Expression, Module]]:
    node = expression[-1]
    parent = node.parent
    if parent is None:
        return
    kind = parent.type
    if kind == symbols.power:
        index = next(i for i, child in enumerate(parent.children) if child is node)
        if index + 1 == len(parent.children):
            yield (parent,), module
            return
        first = next(i for i, child in enumerate(parent.children) if child is expression[0])
        following = parent.children[index + 1]
        longer = (*parent.children[first : index + 2],)
        call = next((c for c in calls_in_power(parent) if c.receiver == expression), None)
        if call is not None:
            yield Use("receiver", parent, module, call)
            if call.method in stop:
                return
        if following.type == symbols.trailer or following.type == token.DOUBLESTAR:
            yield longer, module
        return
    if kind in (symbols.argument, symbols.arglist, symbols.trailer) and not _is_walrus(parent):
        yield from _argument(node, module, evaluator, stop)
    elif kind == symbols.expr_stmt or kind == symbols.annassign:
        yield from _assigned(node, parent, module, evaluator)
    elif kind == symbols.return_stmt:
        yield from _returned(node, module, evaluator)
    elif kind in (symbols.for_stmt, symbols.comp_for):
        if kind == symbols.for_stmt:
            yield Use("iterate", parent, module)
        yield from _loop_targets(node, parent, module)
    elif kind == symbols.with_item:
        yield from _uses_of(parent.children[2], module)
    elif kind == symbols.namedexpr_test or _is_walrus(parent):
        yield from _uses_of(parent.children[0], module)
        yield (parent,), module
    elif kind == symbols.lambdef or kind == symbols.yield_expr:
        yield Use("lost", node, module)
    elif kind in _TRANSPARENT:
        yield (parent,), module


def _is_walrus(node: LN) -> bool:
    """``x := y``; among arguments fissix keeps it as an ``argument``."""
    return len(node.children) == 3 and node.children[1].type == token.COLONEQUAL


_TRANSPARENT = {
    symbols.atom, symbols.listmaker, symbols.testlist_gexp, symbols.testlist,
    symbols.testlist_star_expr, symbols.star_expr, symbols.test, symbols.or_test,
    symbols.and_test, symbols.arith_expr, symbols.term, symbols.factor, symbols.dictsetmaker,
    symbols.exprlist, symbols.subscript, symbols.subscriptlist,
}  # fmt: skip


def _argument(
    node: LN, module: Module, evaluator: Evaluator, stop: frozenset[str]
) -> Iterator[Use | tuple[Expression, Module]]:
    trailer = next((n for n in ancestors(node) if n.type == symbols.trailer), None)
    if trailer is None or trailer.parent is None or trailer.children[0].type != token.LPAR:
        return
    call = next((c for c in calls_in_power(trailer.parent) if c.trailer is trailer), None)
    if call is None:
        return
    position, found = next(
        ((i, a) for i, a in enumerate(call.arguments) if a.value is node or a.node is node),
        (None, None),
    )
    yield Use("argument", node, module, call, found)
    if call.method in stop:
        return
    if call.method in ("append", "extend", "insert", "add") and call.receiver:
        # The container now holds the value: follow the container.
        names = dotted(call.receiver)
        if len(names) == 1:
            yield from _name_uses(names[0], module.scope_of(trailer), call.receiver[0], module)
    for name in evaluator.names(call.callee, module):
        definition = evaluator.definitions.get(name)
        if definition is not None and found is not None and position is not None:
            yield from _into_parameter(definition, found, position)
    yield call.expression, module


def _into_parameter(
    definition: Definition, argument: Argument, position: int
) -> Iterator[tuple[Expression, Module]]:
    scope = definition.scope
    if scope.kind == "class":
        return
    offset = 1 if scope.enclosing_class is not None else 0
    for bindings in list(scope.bindings.values()):
        for binding in bindings:
            if binding.kind == "parameter" and (
                binding.name == argument.name
                or (argument.name is None and binding.element == (position + offset,))
            ):
                yield from _name_uses(binding.name, scope, binding.node, definition.module)


def _assigned(
    node: LN, parent: LN, module: Module, evaluator: Evaluator
) -> Iterator[Use | tuple[Expression, Module]]:
    statement = parent.parent if parent.type == symbols.annassign else parent
    targets = statement.children[:1] if parent.type == symbols.annassign else (
        statement.children[:-1:2])  # fmt: skip
    if any(target is node for target in targets):
        return
    for target in targets:
        yield from _uses_of(target, module)
        names = dotted((target,))
        owner = module.scope_of(target).enclosing_class
        if len(names) == 2 and owner is not None:
            yield from _attribute_uses(names[1], owner, target, module)
        elif len(names) > 1:
            yield Use("lost", target, module)


def _attribute_uses(
    name: str, owner: Scope, target: LN, module: Module
) -> Iterator[tuple[Expression, Module]]:
    """Reads of ``self.name`` anywhere in the class."""
    for node in walk(owner.node):
        if node.type == symbols.power and node is not target and len(node.children) > 1:
            head = (node.children[0], node.children[1])
            names = dotted(head)
            if len(names) == 2 and names[1] == name:
                yield head, module


def _returned(
    node: LN, module: Module, evaluator: Evaluator
) -> Iterator[Use | tuple[Expression, Module]]:
    function = module.scope_of(node).function
    if function is None:
        return
    sites = list(evaluator.call_sites(Definition(module, function)))
    if not sites:
        yield Use("lost", node, module)
    for call, caller in sites:
        yield call.expression, caller


def _loop_targets(node: LN, parent: LN, module: Module) -> Iterator[tuple[Expression, Module]]:
    target, iterable = loop_parts(parent)
    if node is iterable:
        yield from _uses_of(target, module)


def _uses_of(target: LN, module: Module) -> Iterator[tuple[Expression, Module]]:
    """Uses of every name that an assignment target binds."""
    for leaf in walk(target, skip={symbols.power}):
        if is_name(leaf) and leaf.parent is not None and leaf.parent.type != symbols.trailer:
            yield from _name_uses(leaf.value, module.scope_of(leaf), leaf, module)


def _name_uses(
    name: str, scope: Scope, bound_at: LN, module: Module
) -> Iterator[tuple[Expression, Module]]:
    """Reads of ``name`` that the binding at ``bound_at`` may reach."""
    tree = module.tree
    bindings = scope.lookup(name)
    bound = {id(binding.node) for binding in bindings}
    mine = tree.start(bound_at)
    places = sorted(_takes_effect(binding, module) for binding in bindings)
    mine = max((p for p in places if p <= _effect_at(bound_at, module)), default=mine)
    home = bindings[0].scope if bindings else scope
    for leaf in walk(home.node):
        if not is_name(leaf) or leaf.value != name or id(leaf) in bound or not _is_read(leaf):
            continue
        reader = module.scope_of(leaf)
        if reader.lookup(name) is not bindings and reader.lookup(name) != bindings:
            continue
        start = tree.start(leaf)
        if reader.function is home.function and home.kind != "comprehension":
            before = [place for place in places if place <= start]
            if before and before[-1] != mine:
                continue
            if not before and not _share_a_loop(leaf, bound_at):
                continue
        yield (leaf,), module


def _takes_effect(binding: Binding, module: Module) -> int:
    return _effect_at(binding.node, module)


def _effect_at(node: LN, module: Module) -> int:
    """An assignment's target is bound after its right side was read."""
    for parent in ancestors(node):
        if parent.type == symbols.expr_stmt:
            return module.tree.end(parent)
        if parent.type in (symbols.suite, symbols.file_input, symbols.trailer):
            break
    return module.tree.start(node)


def _share_a_loop(left: LN, right: LN) -> bool:
    loops = {id(p) for p in ancestors(left) if p.type in (symbols.for_stmt, symbols.while_stmt)}
    return any(id(parent) in loops for parent in ancestors(right))


def _is_read(leaf: LN) -> bool:
    parent = leaf.parent
    if parent is None:
        return False
    if parent.type == symbols.trailer and parent.children[0].type == token.DOT:
        return False
    if parent.type == symbols.argument and parent.children[0] is leaf:
        return len(parent.children) != 3 or parent.children[1].type != token.EQUAL
    return parent.type not in (symbols.parameters, symbols.typedargslist, symbols.tname)
