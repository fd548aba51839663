"""Templates: code with ``$captures`` and import aliases, rendered for one place of one file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.syntax import SyntaxProblem, parse
from pinsetter.analyzer.tree import LN, Expression, unwrap, walk

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


def captures_in(template: str) -> set[str]:
    return {braced or plain for braced, plain in _CAPTURE.findall(template)}


def aliases_in(template: str, imports: Mapping[str, str]) -> set[str]:
    """The pack's import aliases that a template uses."""
    return {alias for alias in imports if _alias(alias).search(template)}


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
    if nodes != expression:
        return False
    node = nodes[0]
    if len(nodes) > 1:
        return False
    slot, parent = _slot(template)
    inner = _PRECEDENCE.get(node.type, 99)
    if parent is None or parent.type not in _PRECEDENCE:
        return inner == 0 or any(child.type == symbols.comp_for for child in node.children)
    outer = _PRECEDENCE[parent.type]
    if parent.type == symbols.test:
        return inner <= outer
    return inner < outer if slot is parent.children[0] else inner <= outer


def result_needs_parentheses(template: str, expression: Expression) -> bool:
    """Whether the rendered whole must be parenthesised where the expression stood."""
    parent = expression[-1].parent
    whole = _PRECEDENCE.get(_root(template).type, 99)
    if parent is not None and parent.type == symbols.power:
        if expression[-1] is not parent.children[-1]:
            return whole < _PRECEDENCE[symbols.power]
        parent = parent.parent
    if parent is None or parent.type not in _PRECEDENCE:
        return False
    if parent.type in (symbols.testlist, symbols.testlist_star_expr):
        return whole == 0
    return whole <= _PRECEDENCE[parent.type]


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
            _CAPTURE.sub(lambda m: _SLOT if "it" in m.groups() else m[1] or m[2], template)
        )
    except SyntaxProblem as problem:
        raise ValueError(f"template {template!r} is not Python: {problem.reason}") from None


def _alias(alias: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.$]){re.escape(alias)}(?=\.)")
