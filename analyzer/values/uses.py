"""follow: where the value of an expression goes, forward through names, calls and returns.

Within a function the name's reads are those that ``name_reads`` gives; across functions values pass
through arguments and returns. What is put into a tuple or list that is written out comes out of it
in its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.bound_names import captured_names, is_walrus, loop_parts
from ..names.definition import Definition, class_of_self
from ..names.module import Module
from ..names.passing import Passed
from ..names.scopes import Binding, Scope
from ..syntax.tree import (
    LN,
    Argument,
    Call,
    Expression,
    ancestors,
    calls_in_power,
    dotted,
    is_name,
    walk,
)
from .arguments import passed_at
from .evaluator import Evaluator
from .name_reads import reads_of
from .value import Value

# The places in tuples and lists around a value, the outermost first; where some are not known,
# none is. A step that ends with _MADE leads to what is made of the value, or has it somewhere.
_Path: TypeAlias = tuple[int, ...]
_MADE: _Path = (-1,)
_Way: TypeAlias = tuple[Expression, Module, _Path]
Waypoint: TypeAlias = tuple[int, int, _Path]
"""One expression on the way of a value, with the places in tuples that are around that."""


@dataclass(frozen=True, eq=False, slots=True)
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
    itself: bool = False,
) -> Iterator[Use]:
    """Every use of the value, and of what is made of it unless that is asked for ``itself``; a call
    of a method named in ``stop`` ends that way, and so does a ``for`` statement unless the
    ``elements`` are followed, too."""
    seen: set[Waypoint] = set()
    waiting: list[_Way] = [(expression, module, ())]
    while waiting:
        current, where, path = waiting.pop()
        key = (id(current[0]), id(current[-1]), path)
        if key in seen:
            continue
        seen.add(key)
        for step in _steps(current, where, path, evaluator, stop, itself):
            if isinstance(step, Use):
                yield step
                if step.kind == "iterate" and not elements:
                    break
            else:
                waiting.append(step)


def leads_to(
    expression: Expression,
    module: Module,
    evaluator: Evaluator,
    stop: frozenset[str],
    wanted: Callable[[Use], bool],
    never: set[Waypoint],
) -> bool:
    """Whether one of the uses that ``follow`` gives is wanted. ``never`` are the places from which
    none is; those that are found are added, so that what is asked of many values is not gone
    through for each."""
    seen: set[Waypoint] = set()
    waiting: list[_Way] = [(expression, module, ())]
    while waiting:
        current, where, path = waiting.pop()
        key = (id(current[0]), id(current[-1]), path)
        if key in seen or key in never:
            continue
        seen.add(key)
        for step in _steps(current, where, path, evaluator, stop):
            if not isinstance(step, Use):
                waiting.append(step)
            elif wanted(step):
                return True
    never |= seen
    return False


def _steps(
    expression: Expression,
    module: Module,
    path: _Path,
    evaluator: Evaluator,
    stop: frozenset[str],
    itself: bool = False,
) -> Sequence[Use | _Way]:
    """One step on the way of a value, worked out for the first that gets there."""
    key = (_steps, id(expression[0]), id(expression[-1]), path, stop, itself)
    if key not in evaluator.memo:
        # With the expression, so that its identity stays its own.
        found = tuple(_going_on(_consume(expression, module, path, evaluator, stop), path, itself))
        evaluator.memo[key] = (expression, found)
    steps: Sequence[Use | _Way] = evaluator.memo[key][1]
    return steps


def _going_on(steps: Iterator[Use | _Way], path: _Path, itself: bool) -> Iterator[Use | _Way]:
    """The steps of a value at a path; those of itself are uses of nothing that is around it."""
    for step in steps:
        if isinstance(step, Use):
            if not (itself and path):
                yield step
        elif step[2][-1:] != _MADE:
            yield step
        elif not itself:
            yield step[0], step[1], step[2][:-1]


def _consume(
    expression: Expression,
    module: Module,
    path: _Path,
    evaluator: Evaluator,
    stop: frozenset[str],
) -> Iterator[Use | _Way]:
    node = expression[-1]
    parent = node.parent
    if parent is None:
        return
    kind = parent.type
    if kind == symbols.power:
        index = next(i for i, child in enumerate(parent.children) if child is node)
        if index + 1 == len(parent.children):
            yield (parent,), module, path
            return
        first = next(i for i, child in enumerate(parent.children) if child is expression[0])
        following = parent.children[index + 1]
        longer = (*parent.children[first : index + 2],)
        call = next((c for c in calls_in_power(parent) if c.receiver == expression), None)
        if call is not None:
            yield Use("receiver", parent, module, call)
            if _is_stop(call, module, evaluator, stop):
                return
        if following.type == symbols.trailer or following.type == token.DOUBLESTAR:
            inside = _item_of(following, path)
            if inside is not None:
                yield longer, module, inside
        return
    if kind in (symbols.argument, symbols.arglist, symbols.trailer) and not is_walrus(parent):
        yield from _argument(node, module, path, evaluator, stop)
    elif kind == symbols.expr_stmt or kind == symbols.annassign:
        yield from _assigned(node, parent, module, path, evaluator)
    elif kind == symbols.return_stmt:
        yield from _returned(node, module, path, evaluator)
    elif kind in (symbols.for_stmt, symbols.comp_for):
        if kind == symbols.for_stmt:
            yield Use("iterate", parent, module)
        yield from _loop_targets(node, parent, module, path, evaluator)
    elif kind == symbols.with_item:
        yield from _uses_of(parent.children[2], module, (), evaluator)
    elif kind in (symbols.match_stmt, symbols.subject_expr):
        statement = parent if kind == symbols.match_stmt else parent.parent
        yield from _along(_MADE, _matched(statement, module))
    elif kind == symbols.namedexpr_test or is_walrus(parent):
        yield from _uses_of(parent.children[0], module, path, evaluator)
        yield (parent,), module, path
    elif kind == symbols.lambdef or kind == symbols.yield_expr:
        yield Use("lost", node, module)
    elif kind in _TRANSPARENT:
        yield (parent,), module, _path_in(node, parent, path, module)


_TRANSPARENT = {
    symbols.atom, symbols.listmaker, symbols.testlist_gexp, symbols.testlist,
    symbols.testlist_star_expr, symbols.star_expr, symbols.test, symbols.or_test,
    symbols.and_test, symbols.arith_expr, symbols.term, symbols.factor, symbols.dictsetmaker,
    symbols.exprlist, symbols.subscript, symbols.subscriptlist,
}  # fmt: skip
# Tuples in tuples are told apart so far.
_DEEPEST = 5
_DISPLAYS = {symbols.listmaker, symbols.testlist_gexp, symbols.testlist, symbols.testlist_star_expr}
# Their value is one of theirs.
_CHOICES = {symbols.test, symbols.or_test, symbols.and_test}


def _path_in(node: LN, parent: LN, path: _Path, module: Module) -> _Path:
    """The places around a value of ``node``, seen from what stands around that."""
    if parent.type == symbols.test and node is parent.children[2]:
        return (*path, *_MADE)  # which of the others it is
    if parent.type in _CHOICES or (parent.type == symbols.atom and not _is_list_of_one(parent)):
        return path if parent.children[0].type != token.LBRACE else _MADE
    if len(path) >= _DEEPEST:
        return _MADE  # a function that puts what it got from itself into a tuple goes on for ever
    if parent.type == symbols.atom:
        return (0, *path)
    if parent.type not in _DISPLAYS:
        return _MADE
    key = ("places in a display", id(parent))
    if key not in module.memo:
        module.memo[key] = _places_in(parent)
    at = module.memo[key].get(id(node))
    return _MADE if at is None else (at, *path)


def _places_in(display: LN) -> dict[int, int]:
    """The place of each item, by identity, that has no starred one before it."""
    items = [child for child in display.children if child.type != token.COMMA]
    if any(child.type == symbols.comp_for for child in items):
        return {}
    known = takewhile(lambda item: item.type != symbols.star_expr, items)
    return {id(item): place for place, item in enumerate(known)}


def _is_list_of_one(atom: LN) -> bool:
    """Whether brackets have one item, which is their only child."""
    opening, inner = atom.children[:2]
    return bool(opening.type == token.LSQB and inner.type != symbols.listmaker)


def _item_of(trailer: LN, path: _Path) -> _Path | None:
    """The places around a value behind ``[0]`` or another trailer; None if it is not in that."""
    if not path or trailer.type != symbols.trailer or trailer.children[0].type != token.LSQB:
        return _MADE
    index = trailer.children[1]
    if index.type != token.NUMBER or not index.value.isdigit():
        return _MADE
    return path[1:] if int(index.value) == path[0] else None


def _along(path: _Path, steps: Iterator[tuple[Expression, Module]]) -> Iterator[_Way]:
    for expression, module in steps:
        yield expression, module, path


def _argument(
    node: LN, module: Module, path: _Path, evaluator: Evaluator, stop: frozenset[str]
) -> Iterator[Use | _Way]:
    trailer = next((n for n in ancestors(node) if n.type == symbols.trailer), None)
    if trailer is None or trailer.parent is None or trailer.children[0].type != token.LPAR:
        return
    call = next((c for c in calls_in_power(trailer.parent) if c.trailer is trailer), None)
    if call is None:
        return
    found = next((a for a in call.arguments if a.value is node or a.node is node), None)
    yield Use("argument", node, module, call, found)
    is_key = call.method == "setdefault" and found is call.arguments[0]
    if is_key or _is_stop(call, module, evaluator, stop):
        return  # what a dictionary gives for a key is not that
    if call.method in ("append", "extend", "insert", "add") and call.receiver:
        # The container now holds the value: follow the container.
        names = dotted(call.receiver)
        if len(names) == 1:
            scope = module.scope_of(trailer)
            yield from _along(_MADE, _name_uses(names[0], scope, call.receiver[0], module))
        elif len(names) == 2:
            yield from _along(_MADE, own_attribute_uses(names, trailer.parent, module, evaluator))
    for name in evaluator.names(call.callee, module):
        definition = evaluator.definitions.get(name)
        if definition is None or found is None:
            continue
        functions = [definition]
        if definition.scope.kind == "class":
            functions = evaluator.methods(Value(name), "__init__")
        for function in functions:
            passed = passed_at(function, call, module, evaluator)
            parameters = list(_takers(found, passed, function.scope))
            for parameter in parameters:
                uses = _name_uses(parameter.name, function.scope, parameter.node, function.module)
                among = found.star or not parameter.takes_one
                yield from _along(_MADE if among else path, uses)
            if not parameters:
                yield Use("lost", node, module)
    yield call.expression, module, _MADE


def _is_stop(call: Call, module: Module, evaluator: Evaluator, stop: frozenset[str]) -> bool:
    """Whether a call is of a method that a way ends at, and not of one of the repository's own."""
    return call.method in stop and evaluator.definitions.keys().isdisjoint(
        evaluator.names(call.callee, module)
    )


def _takers(argument: Argument, passed: Passed[Argument], function: Scope) -> Iterator[Binding]:
    """The parameters that an argument may be for, ``*args`` and ``**kwargs`` among them."""
    taker = passed.taker(argument)
    if taker is not None:
        yield taker
        return
    by_name = argument.name is not None or argument.star == "**"
    if argument.name is None and not any(argument is one for one in passed.places):
        # Behind `*`, which nobody knows the length of.
        other = "position" if by_name else "keyword"
        yield from (parameter for parameter in passed.left if parameter.takes != other)
    rest = "names" if by_name else "places"
    yield from (parameter for parameter in function.parameters if parameter.takes == rest)


def _assigned(
    node: LN, parent: LN, module: Module, path: _Path, evaluator: Evaluator
) -> Iterator[Use | _Way]:
    statement = parent.parent if parent.type == symbols.annassign else parent
    targets = statement.children[:1] if parent.type == symbols.annassign else (
        statement.children[:-1:2])  # fmt: skip
    if any(target is node for target in targets):
        return
    for target in targets:
        yield from _uses_of(target, module, path, evaluator)


def _uses_of_place(
    target: LN, module: Module, path: _Path, evaluator: Evaluator
) -> Iterator[Use | _Way]:
    """Where a value stored in ``name[...]``, ``self.name`` or ``self.name[...]`` is read."""
    parts = list(target.children)
    while parts[-1].type == symbols.trailer and parts[-1].children[0].type == token.LSQB:
        parts.pop()
        path = _MADE
    names = dotted(tuple(parts))
    if len(names) == 1:
        scope = module.scope_of(target)
        yield from _along(path, _name_uses(names[0], scope, parts[0], module))
        return
    if len(names) != 2 or class_of_self(names[0], module.scope_of(target)) is None:
        yield Use("lost", target, module)
        return
    yield from _along(path, own_attribute_uses(names, target, module, evaluator))


def own_attribute_uses(
    names: tuple[str, ...], target: LN, module: Module, evaluator: Evaluator
) -> Iterator[tuple[Expression, Module]]:
    """Reads of ``self.name`` in the class, those that it derives from, and those that derive from
    it; nothing if the first of the names is no ``self``."""
    owner = class_of_self(names[0], module.scope_of(target))
    if owner is None:
        return
    mine = Definition(module, owner).name
    related = {*evaluator.hierarchy.ancestors(mine), *evaluator.hierarchy.descendants(mine)}
    for name in sorted(related & evaluator.definitions.keys()):
        definition = evaluator.definitions[name]
        yield from _attribute_uses(names[1], definition.scope, target, definition.module)


def _attribute_uses(
    name: str, owner: Scope, target: LN, module: Module
) -> Iterator[tuple[Expression, Module]]:
    """Reads of ``self.name`` anywhere in the class."""
    key = (_attribute_uses, id(owner))
    if key not in module.memo:
        module.memo[key] = _attributes_read(owner, module)
    for node, head in module.memo[key].get(name, ()):
        if node is not target:
            yield head, module


def _attributes_read(owner: Scope, module: Module) -> dict[str, list[tuple[LN, Expression]]]:
    """Reads of attributes of ``self`` and other names in a class, by the attribute's name: what
    they stand in, and themselves."""
    found: dict[str, list[tuple[LN, Expression]]] = defaultdict(list)
    for node in module.tree.nodes(owner.node):
        if node.type == symbols.power and len(node.children) > 1:
            head = (node.children[0], node.children[1])
            names = dotted(head)
            if len(names) == 2 and not _is_target(node, head):
                found[names[1]].append((node, head))
    return found


def _is_target(power: LN, head: Expression) -> bool:
    """Whether ``self.name`` is all of an assignment's target."""
    parent = power.parent
    return (
        len(head) == len(power.children)
        and parent is not None
        and parent.type == symbols.expr_stmt
        and parent.children[1].type == token.EQUAL
        and power is not parent.children[-1]
    )


def _returned(node: LN, module: Module, path: _Path, evaluator: Evaluator) -> Iterator[Use | _Way]:
    function = module.scope_of(node).function
    if function is None:
        return
    sites = list(evaluator.callers.sites(Definition(module, function)))
    if not sites:
        yield Use("lost", node, module)
    for call, caller in sites:
        yield call.expression, caller, path


def _loop_targets(
    node: LN, parent: LN, module: Module, path: _Path, evaluator: Evaluator
) -> Iterator[Use | _Way]:
    target, iterable = loop_parts(parent)
    if node is iterable:
        yield from _uses_of(target, module, path[1:] if path else _MADE, evaluator)


def _matched(statement: LN, module: Module) -> Iterator[tuple[Expression, Module]]:
    """Uses of the names that the cases of a ``match`` bind to its subject or a part of it."""
    for case in statement.children:
        if case.type == symbols.case_block:
            for name in captured_names(case.children[1]):
                yield from _name_uses(name.value, module.scope_of(name), name, module)


def _uses_of(target: LN, module: Module, path: _Path, evaluator: Evaluator) -> Iterator[Use | _Way]:
    """Uses of every name, attribute and container that an assignment target binds; of those in its
    place alone where a tuple is taken apart."""
    items = _items_of(target)
    if items and path and 0 <= path[0] < len(items):
        yield from _uses_of(items[path[0]], module, path[1:], evaluator)
        return
    if items:
        path = _MADE
    elif any(node.type == symbols.star_expr for node in walk(target, skip={symbols.power})):
        path = (*path, *_MADE) if path[-1:] != _MADE else path
    if target.type == symbols.power:
        yield from _uses_of_place(target, module, path, evaluator)
        return
    for node in walk(target, skip={symbols.power}):
        if node.type == symbols.power:
            yield from _uses_of_place(node, module, path, evaluator)
        elif is_name(node):
            uses = _name_uses(node.value, module.scope_of(node), node, module)
            yield from _along(path, uses)


def _items_of(target: LN) -> list[LN]:
    """The targets in a tuple or list of them; none if it is one target, or a starred one is among
    them."""
    while target.type == symbols.atom and len(target.children) == 3:
        if _is_list_of_one(target):
            return [target.children[1]]
        target = target.children[1]
    if target.type not in (*_DISPLAYS, symbols.exprlist):
        return []
    items = [child for child in target.children if child.type != token.COMMA]
    return [] if any(item.type == symbols.star_expr for item in items) else items


def _name_uses(
    name: str, scope: Scope, bound_at: LN, module: Module
) -> Iterator[tuple[Expression, Module]]:
    """Reads of ``name`` that the binding at ``bound_at`` may reach."""
    for leaf in reads_of(name, scope, module).of(bound_at):
        yield (leaf,), module
