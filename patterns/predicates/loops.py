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
    """``{as}``: the match stands in a ``for`` or ``while``; the outermost one of its function, or
    of the module's own statements, is captured as $as."""
    loop = _outermost_loop(match.node)
    return None if loop is None else match.with_captures({argument["as"]: (loop,)})


def _outermost_loop(node: LN) -> LN | None:
    found: LN | None = None
    for outer in ancestors(node):
        if outer.type in FUNCTIONS or outer.type == symbols.classdef:
            break
        if outer.type in _LOOPS:
            found = outer
    if found is not None and found.parent is not None and found.parent.type == symbols.async_stmt:
        return found.parent
    return found


@predicate(pair(CAPTURE, CAPTURE))
def bound_before(match: Match, argument: Any) -> Match | None:
    """``[$x, $place]``: the names and attributes of ``self`` that $x speaks of are bound before the
    statement $place, of the same function or module, and not again in it or behind it."""
    expression, place = (match.capture(capture) for capture in argument)
    if not expression or not place:
        return None
    parts = (part for node in expression for part in match.module.tree.nodes(node))
    return match if all(_is_bound(part, place[0], match) for part in parts) else None


def _is_bound(part: LN, place: LN, match: Match) -> bool:
    """Whether a name, and what follows it if that is an attribute of ``self``, is bound before a
    place once and for all; anything else is."""
    module = match.module
    if part.type != token.NAME or not is_variable(part):
        return True
    start = module.tree.start(place)
    here = module.scope_of(place)
    bindings = module.scope_of(part).lookup(part.value)
    return (
        bool(bindings)
        and all(
            _is_of_scope_itself(binding, module)
            and (binding.scope is not here or module.tree.start(binding.node) < start)
            for binding in bindings
        )
        and _is_attribute_bound(part, place, match)
    )


def _is_of_scope_itself(binding: Binding, module: Module) -> bool:
    """Whether no function inside the scope binds its name, by ``global`` or ``nonlocal``."""
    own = module.scope_of(binding.node).function is binding.scope.function
    return own or binding.kind == "parameter"


def _is_attribute_bound(leaf: LN, place: LN, match: Match) -> bool:
    """Whether ``name`` of ``self.name`` is bound by ``__init__``, or before a place."""
    module = match.module
    scope = module.scope_of(place)
    names = dotted((leaf, leaf.next_sibling)) if leaf.next_sibling is not None else ()
    owner = class_of_self(names[0], scope) if len(names) == 2 else None
    if owner is None:
        return True
    stored = match.facts.evaluator.attributes(Definition(module, owner)).get(names[1], [])
    return bool(stored) and all(
        module.tree.start(binding.node) < module.tree.start(place)
        if module.scope_of(binding.node) is scope
        else module.scope_of(binding.node).name == "__init__"
        for binding in stored
    )
