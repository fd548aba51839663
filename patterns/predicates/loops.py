"""Loops around a match, and what means the same before them."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.definition import Definition, class_of_self
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import Binding
from pinsetter.analyzer.syntax.tree import FUNCTIONS, LN, ancestors, dotted, is_variable

from ..matching.match import Match
from .arguments import CAPTURE, GIVEN, keys, pair
from .registry import predicate

_LOOPS = {symbols.for_stmt, symbols.while_stmt}


@predicate(keys({"as": GIVEN}))
def in_loop(match: Match, argument: Any) -> Match | None:
    """``{as}``: the match stands in the block of a ``for`` or ``while``; the outermost one of
    its function, or of the module's own statements, is captured as $as."""
    loop = outermost_loop(match.node)
    return None if loop is None else match.with_captures({argument["as"]: (loop,)})


def outermost_loop(node: LN) -> LN | None:
    """The outermost ``for`` or ``while`` of a node's function in whose block it stands."""
    found: LN | None = None
    child = node
    for outer in ancestors(node):
        if outer.type in FUNCTIONS or outer.type == symbols.classdef:
            break
        if outer.type in _LOOPS and child is _body(outer):
            found = outer
        child = outer
    if found is not None and found.parent is not None and found.parent.type == symbols.async_stmt:
        return found.parent
    return found


def _body(loop: LN) -> LN:
    """What a loop does in each turn, without its head."""
    colon = next(child for child in loop.children if child.type == token.COLON)
    body: LN = colon.next_sibling
    return body


@predicate(pair(CAPTURE, CAPTURE))
def bound_before(match: Match, argument: Any) -> Match | None:
    """``[$x, $place]``: the names and attributes of ``self`` that $x speaks of are bound before the
    statement $place, of the same function or module, and not again in it or behind it."""
    expression, place = (match.capture(capture) for capture in argument)
    if not expression or not place:
        return None
    parts = [part for node in expression for part in match.module.tree.nodes(node)]
    bound = (
        is_bound_once(part, _attribute_of(part), place[0], match)
        for part in parts
        if is_variable(part)
    )
    return match if all(bound) else None


def _attribute_of(leaf: LN) -> str:
    """``name`` of ``leaf.name``."""
    names = dotted((leaf, leaf.next_sibling)) if leaf.next_sibling is not None else ()
    return names[1] if len(names) == 2 else ""


def is_bound_once(leaf: LN, attribute: str, place: LN, match: Match) -> bool:
    """Whether a variable, and the ``attribute`` that is asked of it, is bound before the statement
    at ``place`` once and for all."""
    module = match.module
    here = module.scope_of(place)
    bindings = module.scope_of(leaf).lookup(leaf.value)
    return all(
        _is_of_scope_itself(binding, module)
        and (
            binding.scope is not here or module.tree.start(binding.node) < module.tree.start(place)
        )
        for binding in bindings
    ) and (not attribute or _is_kept(leaf, attribute, place, match))


def _is_of_scope_itself(binding: Binding, module: Module) -> bool:
    """Whether no function inside the scope binds its name, by ``global`` or ``nonlocal``."""
    own = module.scope_of(binding.node).function is binding.scope.function
    return own or binding.kind == "parameter"


def _is_kept(leaf: LN, attribute: str, place: LN, match: Match) -> bool:
    """Whether an attribute of ``self`` is bound by ``__init__`` or before a place, and that of
    another object not assigned in it."""
    module = match.module
    scope = module.scope_of(place)
    owner = class_of_self(leaf.value, scope)
    if owner is None:
        parts = module.tree.nodes(place)
        return not any(part.type == token.NAME and _is_set(part, attribute) for part in parts)
    stored = match.facts.evaluator.attributes(Definition(module, owner)).get(attribute, [])
    return bool(stored) and all(
        module.tree.start(binding.node) < module.tree.start(place)
        if module.scope_of(binding.node) is scope
        else module.scope_of(binding.node).name == "__init__"
        for binding in stored
    )


def _is_set(leaf: LN, attribute: str) -> bool:
    """Whether ``….attribute`` at this leaf is assigned."""
    trailer = leaf.parent
    if leaf.value != attribute or trailer is None or trailer.type != symbols.trailer:
        return False
    power = trailer.parent
    statement = power.parent if power is not None and trailer.next_sibling is None else None
    assigns = statement is not None and statement.type == symbols.expr_stmt
    return assigns and power is not statement.children[-1]
