"""expressions_in: the expressions inside an f-string, which fissix keeps as one leaf.

Their nodes hang below the leaf's parent without being its children, so that names in them resolve
where the string stands while the tree's text stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pytree import Leaf

from . import syntax
from .tree import LN

_OPENING, _CLOSING = "([{", ")]}"


def is_fstring(node: LN) -> bool:
    if node.type != token.STRING:
        return False
    prefix = node.value[: min(node.value.find(quote) for quote in "\"'" if quote in node.value)]
    return "f" in prefix.lower()


def expressions_in(leaf: Leaf) -> list[LN] | None:
    """The replacement fields' expressions; None if one of them cannot be understood."""
    found: list[LN] = []
    for text in _fields(leaf.value):
        try:
            tree = syntax.parse(f"({text})")
        except syntax.SyntaxProblem:
            return None
        expression = tree.children[0].children[0]
        expression.remove()
        expression.parent = leaf.parent
        found.append(expression)
    return found


def _fields(literal: str) -> Iterator[str]:
    """The texts between braces, up to the conversion or format; those of nested formats too."""
    at = 0
    while at < len(literal):
        if literal[at] == "{" and literal[at : at + 2] != "{{":
            end, inner = _field(literal, at + 1)
            yield inner.rstrip().removesuffix("=")
            at = end
        else:
            at += 2 if literal[at : at + 2] == "{{" else 1


def _field(literal: str, start: int) -> tuple[int, str]:
    """Where the expression that begins at ``start`` ends, and its text."""
    depth, at, quote = 0, start, ""
    while at < len(literal):
        char = literal[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif depth and char in _CLOSING:
            depth -= 1
        elif depth == 0 and (char in "}:" or (char == "!" and literal[at + 1 : at + 2] != "=")):
            break
        at += 1
    return at, literal[start:at]
