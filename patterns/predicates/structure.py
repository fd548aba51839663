"""Where a match stands in the classes and functions around it."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.syntax.tree import LN, ancestors, is_name, leaves, same_code

from ..matching.match import Match
from .arguments import CAPTURE, FLAG, GIVEN, keys, list_of, one_of, pair
from .registry import predicate


@predicate(keys({"class": GIVEN, "first": GIVEN}))
def in_method(match: Match, argument: Any) -> Match | None:
    """``{class, first}``: the match stands in a method, and in no function, lambda or comprehension
    inside it; the name of the class, and that of the first parameter, are captured."""
    scope = match.module.scope_of(match.node)
    around = scope.parent
    if scope.kind != "function" or around is None or around.kind != "class":
        return None
    first, name = _first_parameter(scope.node), _name_of(around.node)
    if first is None or name is None:
        return None
    return match.with_captures({argument["class"]: (name,), argument["first"]: (first,)})


_KINDS = {
    "class": {symbols.classdef}, "function": {symbols.funcdef, symbols.lambdef},
    "if": {symbols.if_stmt}, "for": {symbols.for_stmt}, "while": {symbols.while_stmt},
    "with": {symbols.with_stmt}, "try": {symbols.try_stmt},
    "async": {symbols.async_stmt, symbols.async_funcdef},
}  # fmt: skip


@predicate(list_of(one_of(*_KINDS)))
def inside(match: Match, kinds: Any) -> Match | None:
    """The match stands inside one of these: a class, function, if, for, while, with, try, or
    something that is async."""
    wanted = set[int]().union(*(_KINDS[kind] for kind in kinds))
    return match if any(node.type in wanted for node in ancestors(match.node)) else None


@predicate(pair(CAPTURE, CAPTURE))
def same(match: Match, argument: Any) -> Match | None:
    """``[$x, $y]``: $x and $y are the same code."""
    one, other = map(match.capture, argument)
    return match if one and other and same_code(one, other) else None


@predicate(FLAG)
def is_decorator(match: Match, wanted: Any) -> Match | None:
    """Whether the match is all of a decorator."""
    tree = match.module.tree
    around = (node for node in ancestors(match.node) if node.type == symbols.decorator)
    decorator = next(around, None)
    found = decorator is not None and tree.span(match.expression) == tree.span(
        tuple(child for child in decorator.children[1:] if child.type != token.NEWLINE)
    )
    return match if found is wanted else None


@predicate(FLAG)
def is_base(match: Match, wanted: Any) -> Match | None:
    """Whether the match is one of the bases of a class."""
    node: LN = match.node
    if node.parent is not None and node.parent.type == symbols.power:
        node = node.parent
    while node.parent is not None and (
        node.parent.type == symbols.arglist
        or (node.parent.type == symbols.atom and node.parent.children[0].type == token.LPAR)
    ):
        node = node.parent
    parent = node.parent
    found = (
        parent is not None and parent.type == symbols.classdef and node is not parent.children[-1]
    )
    return match if found is wanted else None


def _first_parameter(function: LN) -> LN | None:
    """The name of the first parameter, if it takes the instance."""
    parameters = next((c for c in function.children if c.type == symbols.parameters), None)
    if parameters is None or len(parameters.children) < 3:
        return None
    inside = parameters.children[1]
    first = inside.children[0] if inside.type == symbols.typedargslist else inside
    if first.type == symbols.tname:
        first = first.children[0]
    return first if is_name(first) else None


def _name_of(definition: LN) -> LN | None:
    found = (leaf for leaf in leaves(definition) if is_name(leaf) and leaf.value != "class")
    return next(found, None)
