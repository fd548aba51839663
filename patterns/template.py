"""Templates: code with ``$captures`` and import aliases, rendered for one place of one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.source import LINE_END
from pinsetter.analyzer.syntax import SyntaxProblem, parse
from pinsetter.analyzer.tree import LN, Expression, leaves, unwrap, walk

_CAPTURE = re.compile(r"\$(?:\.\.\.)?(?:\{(\w+)\}|(\w+))")
_SLOT = "__slot__"

# How tightly a node's operator binds; what is not here needs no parentheses anywhere.
_PRECEDENCE = {
    symbols.namedexpr_test: 0, symbols.lambdef: 1, symbols.test: 1, symbols.or_test: 2,
    symbols.and_test: 3, symbols.not_test: 4, symbols.comparison: 5, symbols.expr: 6,
    symbols.xor_expr: 7, symbols.and_expr: 8, symbols.shift_expr: 9, symbols.arith_expr: 10,
    symbols.term: 11, symbols.factor: 12, symbols.power: 13, symbols.testlist: 0,
    symbols.testlist_star_expr: 0, symbols.yield_expr: 0, symbols.star_expr: 0,
}  # fmt: skip
_AWAIT, _NUMBER, _PRIMARY = 14, 15, 16
# What may stand in these without parentheses binds tighter than that.
_TAKES = {
    **_PRECEDENCE, symbols.star_expr: 5, symbols.comp_for: 1, symbols.comp_if: 1,
    symbols.argument: 0,
}  # fmt: skip
_TAKE_ANYTHING = {
    symbols.file_input, symbols.simple_stmt, symbols.expr_stmt, symbols.return_stmt,
    symbols.for_stmt,
}  # fmt: skip


def captures_in(template: str) -> set[str]:
    return {braced or plain for braced, plain in _CAPTURE.findall(template)}


def aliases_in(template: str, imports: Iterable[str]) -> set[str]:
    """The pack's import aliases that a template uses."""
    return {alias for alias in imports if _alias(alias).search(template)}


def calls_in(template: str, names: Iterable[str]) -> list[str]:
    """Those of the names that a template calls."""
    return [name for name in names if re.search(rf"(?<![\w.$]){name}\(", template)]


def render(template: str, captured: Mapping[str, str], aliases: Mapping[str, str]) -> str:
    """The template with captures and local aliases filled in."""
    text = template
    for alias, local in aliases.items():
        if alias != local:
            text = _alias(alias).sub(local, text)
    return _CAPTURE.sub(lambda m: captured[m[1] or m[2]], text)


def around(template: str) -> tuple[str, str]:
    """What a wrapping template puts before and after ``$it``."""
    before, after = re.split(r"\$\{?it\}?", template, maxsplit=1)
    return before, after


def needs_parentheses(template: str, expression: Expression) -> bool:
    """Whether an expression changes its meaning, or the template's, without parentheses."""
    nodes = unwrap(expression)
    awaited = nodes[0].type == token.AWAIT
    if nodes != expression or (len(nodes) > 1 and not awaited):
        return False
    slot, parent = _slot(template)
    inner = _AWAIT if awaited else _binding(nodes[0])
    if parent is None or parent.type not in _TAKES:
        return inner == 0
    outer = _TAKES[parent.type]
    first = slot is parent.children[0]
    if parent.type == symbols.power and first:
        raised = parent.children[1].type == token.DOUBLESTAR
        return inner < (_AWAIT if raised else _PRIMARY)
    if parent.type == symbols.test:
        return inner <= outer
    return inner < outer if first else inner <= outer


def result_needs_parentheses(template: str, expression: Expression) -> bool:
    """Whether the rendered whole must be parenthesised where the expression stood."""
    parent = expression[-1].parent
    whole = _binding(_root(template))
    if parent is not None and parent.type == symbols.power:
        following = expression[-1].next_sibling
        if following is not None:
            return whole < (_AWAIT if following.type == token.DOUBLESTAR else _PRIMARY)
        if parent.children[0].type == token.AWAIT and expression[0] is not parent.children[0]:
            return whole < _PRIMARY
        parent = parent.parent
    if parent is None or parent.type in _TAKE_ANYTHING:
        return False
    return whole <= _TAKES.get(parent.type, 0)


def breaks_off(expression: Expression) -> bool:
    """Whether a line ends inside the expression where no bracket of its own is open."""
    depth = 0
    for index, leaf in enumerate(leaf for node in expression for leaf in leaves(node)):
        if leaf.type in (token.RPAR, token.RSQB, token.RBRACE):
            depth -= 1
        if index and not depth and LINE_END.search(leaf.prefix):
            return True
        if leaf.type in (token.LPAR, token.LSQB, token.LBRACE):
            depth += 1
    return False


def _binding(node: LN) -> int:
    """How tightly the parts of an expression hold together; 0 needs parentheses nearly anywhere."""
    if node.type == symbols.argument:
        return 0
    if node.type == symbols.power:
        if any(child.type == token.DOUBLESTAR for child in node.children):
            return _PRECEDENCE[symbols.power]
        return _AWAIT if node.children[0].type == token.AWAIT else _PRIMARY
    if node.type == token.NUMBER:
        return _NUMBER
    return _PRECEDENCE.get(node.type, _PRIMARY)


@cache
def _slot(template: str) -> tuple[LN | None, LN | None]:
    for node in walk(_parsed(template)):
        if node.type == token.NAME and node.value == _SLOT:
            return node, node.parent
    return None, None


def _root(template: str) -> LN:
    return _parsed(template).children[0].children[0]


@cache
def _parsed(template: str) -> LN:
    try:
        return parse(
            _CAPTURE.sub(lambda m: _SLOT if "it" in m.groups() else f"_{m[1] or m[2]}", template)
        )
    except SyntaxProblem as problem:
        raise ValueError(f"template {template!r} is not Python: {problem.reason}") from None


def _alias(alias: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.$]){re.escape(alias)}(?=\.)")
