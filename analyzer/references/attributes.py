"""attribute_leaves: a name behind a dot, with what it is an attribute of."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..names.module import Module
from ..syntax.tree import LN, Call, Expression, ancestors, calls_in_power, is_name
from ..values.questions import Evaluator
from ..values.value import Values

_IMPORTS = {symbols.import_name, symbols.import_from}


def attribute_leaves(module: Module, name: str) -> Iterator[Leaf]:
    """The places of a name behind a dot; those of imports are the names of modules."""
    for leaf in module.leaves_of(name):
        before = leaf.prev_sibling
        if before is not None and before.type == token.DOT:
            if not any(parent.type in _IMPORTS for parent in ancestors(leaf)):
                yield leaf


def owner_values(leaf: Leaf, module: Module, evaluator: Evaluator) -> Values:
    """What a name behind a dot is an attribute of."""
    expression = owner_expression(leaf)
    if expression:
        return evaluator.evaluate(expression, module)
    parent = leaf.parent  # of a decorator or a case's pattern, where there is no expression
    before = parent.children[: parent.children.index(leaf)] if parent is not None else []
    parts = [str(child.value) for child in before if is_name(child)]
    return evaluator.meaning(parts, leaf, module)


def owner_expression(leaf: Leaf) -> Expression:
    """``a.b`` for the ``c`` of ``a.b.c``; empty where that is no expression."""
    trailer = leaf.parent
    if trailer is None or trailer.type != symbols.trailer or trailer.parent is None:
        return ()
    chain = trailer.parent.children
    nodes = tuple(chain[: chain.index(trailer)])
    return nodes[1:] if nodes and nodes[0].type == token.AWAIT else nodes


def call_around(argument: LN) -> Call | None:
    """The call that a node is an argument of by itself."""
    parent = argument.parent
    if parent is not None and parent.type == symbols.arglist:
        parent = parent.parent
    if parent is None or parent.parent is None or parent.children[0].type != token.LPAR:
        return None
    return next((c for c in calls_in_power(parent.parent) if c.trailer is parent), None)
