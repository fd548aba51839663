"""What may stand where without parentheses: how tightly code holds together, what a place takes.

Both are asked of trees: of a template, whose captures stand at places of their own, and of a file,
in which the result takes the place of what was matched.
"""

from __future__ import annotations

from dataclasses import dataclass

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.syntax.tree import LN, Expression, is_name

# How tightly an operator binds; a lambda and a conditional expression bind least.
LAMBDA, TEST, OR, AND, NOT, COMPARISON, BIT_OR, XOR, BIT_AND, SHIFT, SUM, TERM, FACTOR = range(13)
POWER, AWAIT, NUMBER, PRIMARY = range(13, 17)
_OPERATORS = {
    symbols.lambdef: LAMBDA, symbols.old_lambdef: LAMBDA, symbols.test: TEST, symbols.or_test: OR,
    symbols.and_test: AND, symbols.not_test: NOT, symbols.comparison: COMPARISON,
    symbols.expr: BIT_OR, symbols.xor_expr: XOR, symbols.and_expr: BIT_AND,
    symbols.shift_expr: SHIFT, symbols.arith_expr: SUM, symbols.term: TERM, symbols.factor: FACTOR,
    symbols.power: POWER, token.NUMBER: NUMBER,
}  # fmt: skip
# What no operator holds together, and few places take as it is.
TUPLE, YIELD, WALRUS, GENERATOR, STARRED = "tuple", "yield", "walrus", "generator", "starred"
AWAITED = "await"
# One item of a call or a display that is no expression: `k=v`, `**k`, `k: v`, `a:b`.
ITEM = "item"
_TUPLES = {
    symbols.testlist, symbols.testlist_gexp, symbols.testlist_star_expr, symbols.exprlist,
    symbols.subscriptlist, symbols.testlist_safe, symbols.testlist1,
}  # fmt: skip


@dataclass(frozen=True)
class Code:
    """An expression: how tightly it binds, or that it is of a kind that no operator binds."""

    binding: int = PRIMARY
    kind: str = ""


TIGHT = Code()


@dataclass(frozen=True)
class Place:
    """What may stand somewhere without parentheses: code that binds at least as tightly as
    ``binding``, and some ``kinds``."""

    binding: int
    kinds: frozenset[str] = frozenset()

    def takes(self, code: Code) -> bool:
        return code.kind in self.kinds if code.kind else code.binding >= self.binding


_ANY = frozenset({TUPLE, YIELD, WALRUS})


def code_of(expression: Expression) -> Code:
    """What an expression is; of several nodes, which are parts of a chain, as a whole."""
    first = expression[0]
    if len(expression) > 1:
        if first.type in (token.STAR, token.DOUBLESTAR) or any(
            node.type == token.COLON for node in expression
        ):
            return Code(kind=ITEM)  # of a dictionary's display
        if any(node.type == token.COMMA for node in expression):
            return Code(kind=TUPLE)
        if any(node.type == token.DOUBLESTAR for node in expression):
            return Code(POWER)
        return Code(AWAIT if first.type == token.AWAIT else PRIMARY)
    if first.type == symbols.power:
        return code_of(tuple(first.children))
    if first.type in _TUPLES:
        if any(child.type == symbols.comp_for for child in first.children):
            return Code(kind=GENERATOR)
        slices = first.type == symbols.subscriptlist and any(
            child.type == symbols.subscript for child in first.children
        )
        return Code(kind=ITEM if slices else TUPLE)
    if first.type == symbols.yield_expr or (is_name(first) and first.value == "yield"):
        return Code(kind=YIELD)
    if first.type == symbols.namedexpr_test:
        return Code(kind=WALRUS)
    if first.type == symbols.star_expr:
        return Code(kind=STARRED)
    if first.type == symbols.subscript:
        return Code(kind=ITEM)
    if first.type == symbols.argument:
        return Code(kind=_argument(first))
    return Code(_OPERATORS.get(first.type, PRIMARY))


def _argument(node: LN) -> str:
    children = node.children
    if children[0].type == token.STAR:
        return STARRED
    if any(child.type == token.COLONEQUAL for child in children):
        return WALRUS
    return GENERATOR if any(child.type == symbols.comp_for for child in children) else ITEM


def place_of(first: LN, last: LN) -> Place:
    """The place of neighbours in a tree, which are an expression or the beginning of a chain."""
    parent = first.parent
    while parent is not None and parent.type == symbols.power:
        before, following = first.prev_sibling, last.next_sibling
        if following is not None:
            return Place(AWAIT if following.type == token.DOUBLESTAR else PRIMARY)
        if before is not None:
            return Place(FACTOR if before.type == token.DOUBLESTAR else PRIMARY)
        first = last = parent
        parent = parent.parent
    if parent is None:
        return Place(LAMBDA, _ANY)
    kind = parent.type
    if kind in _LISTS:
        return _in_list(first, parent)
    if kind in (symbols.for_stmt, symbols.comp_for) and _follows(first, "for"):
        return Place(PRIMARY, frozenset({TUPLE}))
    if kind in _WITHIN:
        return _WITHIN[kind]
    if kind in _OPERATORS:
        return _operand(first, parent)
    if kind == symbols.atom:
        return _in_brackets(parent)
    if kind == symbols.trailer:
        sole = {WALRUS, GENERATOR} if parent.children[0].type == token.LPAR else {TUPLE}
        return Place(LAMBDA, frozenset(sole))
    if kind == symbols.expr_stmt:
        target = first.next_sibling is not None and first is not parent.children[-1]
        return Place(PRIMARY) if target else Place(LAMBDA, frozenset({TUPLE, YIELD}))
    if kind == symbols.for_stmt:
        return Place(LAMBDA, frozenset({TUPLE})) if _follows(first, "in") else Place(PRIMARY)
    if kind == symbols.dotted_name:  # of a decorator
        return Place(PRIMARY)
    if kind == symbols.decorator:
        return Place(PRIMARY if _follows(first, "@") else LAMBDA)
    return Place(LAMBDA)


def is_target(first: LN, last: LN) -> bool:
    """Whether neighbours in a tree, which are an expression, are assigned to or deleted there."""
    parent = first.parent
    if parent is not None and parent.type == symbols.power:
        if first is not parent.children[0] or last is not parent.children[-1]:
            return False
        first, parent = parent, parent.parent
    while parent is not None and parent.type in _PACKED:
        first, parent = parent, parent.parent
    if parent is None:
        return False
    following = first.next_sibling
    if parent.type == symbols.expr_stmt:
        return following is not None and (first is parent.children[0] or following.value == "=")
    if parent.type == symbols.for_stmt or parent.type == symbols.comp_for:
        return _follows(first, "for")
    if parent.type == symbols.with_item:
        return _follows(first, "as")
    if parent.type == symbols.namedexpr_test or parent.type == symbols.argument:
        return following is not None and str(following).strip() == ":="
    return bool(parent.type == symbols.del_stmt)


def _operand(node: LN, parent: LN) -> Place:
    """The place of an operand; those that stand alone on their side may bind as tightly."""
    binding = _OPERATORS[parent.type]
    first = node is parent.children[0]
    if parent.type in (symbols.lambdef, symbols.old_lambdef):
        # `lambda: a if b else c` is read twice.
        return Place(OR) if node is parent.children[-1] else Place(LAMBDA)
    if parent.type == symbols.test:
        return Place(OR)
    if parent.type in (symbols.not_test, symbols.factor):
        return Place(binding)
    if parent.type == symbols.comparison:
        return Place(BIT_OR)  # `a == (b == c)` and `(a == b) == c` are no chains
    return Place(binding if first else binding + 1)


def _in_list(node: LN, parent: LN) -> Place:
    """The place of one of several items."""
    if parent.type == symbols.dictsetmaker:
        if _follows(node, "**"):
            return Place(BIT_OR)
        pairs = any(child.type == token.COLON for child in parent.children)
        return Place(LAMBDA) if pairs else Place(LAMBDA, frozenset({WALRUS}))
    if parent.type in (symbols.arglist, symbols.listmaker, symbols.testlist_gexp):
        return Place(LAMBDA, frozenset({WALRUS}))
    return Place(LAMBDA)


def _in_brackets(atom: LN) -> Place:
    opening = atom.children[0].value
    if opening == "(" and atom.parent is not None and atom.parent.type == token.STRING:
        # The braces of an f-string: a colon begins its format.
        return Place(TEST, frozenset({TUPLE, YIELD}))
    if opening == "(":
        return Place(LAMBDA, _ANY | {GENERATOR})
    return Place(LAMBDA, frozenset({TUPLE} if opening == "`" else {WALRUS}))


def _follows(node: LN, word: str) -> bool:
    before = node.prev_sibling
    return before is not None and not before.children and before.value == word


# What is assigned to together.
_PACKED = {*_TUPLES, symbols.atom, symbols.listmaker, symbols.star_expr}
_LISTS = {
    symbols.arglist, symbols.listmaker, symbols.testlist_gexp, symbols.dictsetmaker,
    symbols.testlist, symbols.testlist_star_expr, symbols.exprlist, symbols.subscriptlist,
    symbols.testlist_safe, symbols.testlist1,
}  # fmt: skip
_WITHIN = {
    symbols.file_input: Place(LAMBDA, _ANY),
    symbols.simple_stmt: Place(LAMBDA, frozenset({TUPLE, YIELD})),
    symbols.return_stmt: Place(LAMBDA, frozenset({TUPLE})),
    symbols.yield_expr: Place(LAMBDA, frozenset({TUPLE})),
    symbols.if_stmt: Place(LAMBDA, frozenset({WALRUS})),
    symbols.while_stmt: Place(LAMBDA, frozenset({WALRUS})),
    symbols.annassign: Place(LAMBDA, frozenset({YIELD})),
    symbols.star_expr: Place(BIT_OR),
    symbols.comp_for: Place(OR),
    symbols.comp_if: Place(OR),
}  # fmt: skip
