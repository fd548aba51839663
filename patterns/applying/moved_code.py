"""shifted: parentheses and spaces by which it can be told, of code that was put elsewhere, which it
had.

A tuple needs some where it is an argument, and may have had some before. Each of these functions
says what is put around a node, so that another number of them was there for each that is there.
"""

from __future__ import annotations

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.syntax.tree import LN

Pair = tuple[str, str]


def as_argument(node: LN) -> Pair:
    """Around what a ``for`` goes through: a pair that is there already says that it was there, and
    two that there was none."""
    depth, inner = _inside(node)
    if inner.type not in _TUPLES:
        return "", ""
    return _pairs({0: 2, 1: 0}.get(depth, 1))


def as_returned(node: LN) -> Pair:
    """Around the value of a ``return``: what is a tuple gets one pair."""
    return _pairs(int(_inside(node)[1].type in _TUPLES))


def as_value(node: LN) -> Pair:
    """Around the test of an ``elif`` or ``while`` that is returned: what binds a name gets one."""
    return _pairs(int(_inside(node)[1].type == symbols.namedexpr_test))


def inside_argument(node: LN) -> LN:
    """What a ``for`` goes through, of what ``as_argument`` has made of it."""
    depth, inner = _inside(node)
    if inner.type not in _TUPLES or depth < 2:
        return node
    return inner if depth == 2 else _unwrapped(node)


def inside_returned(node: LN) -> LN:
    """The value of a ``return``, of what ``as_returned`` has made of it."""
    depth, inner = _inside(node)
    return _unwrapped(node) if depth and inner.type in _TUPLES else node


def inside_value(node: LN) -> LN:
    """A test, of what ``as_value`` has made of it."""
    depth, inner = _inside(node)
    return _unwrapped(node) if depth and inner.type == symbols.namedexpr_test else node


def spaced(space: str) -> str:
    """White space beside a word as it is in parentheses, where one space less is needed; and the
    other way round."""
    return {" ": "", "": " "}.get(space, space)


def _unwrapped(node: LN) -> LN:
    return node.children[1]


def _pairs(number: int) -> Pair:
    return "(" * number, ")" * number


def _inside(node: LN) -> tuple[int, LN]:
    """In how many parentheses code stands, and what stands in them."""
    depth = 0
    while node.type == symbols.atom and len(node.children) == 3:
        if node.children[0].type != token.LPAR:
            break
        node, depth = node.children[1], depth + 1
    is_generator = node.children and node.children[-1].type == symbols.comp_for
    return (depth, node.children[0]) if is_generator else (depth, node)


_TUPLES = {symbols.testlist, symbols.testlist_gexp, symbols.testlist_star_expr, symbols.exprlist}
