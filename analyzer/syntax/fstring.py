"""fields_of: the expressions inside an f- or t-string, which fissix keeps as one leaf.

Their nodes have the leaf as their parent without being its children, so that names in them resolve
where the string stands while the tree's text stays what it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fissix.pgen2 import token
from fissix.pytree import Leaf

from .. import syntax
from .strings import fields

if TYPE_CHECKING:
    from .tree import LN


def prefix_of(string: Leaf) -> str:
    """The letters before the quotes of a literal, in lower case."""
    text = str(string.value)
    return text[: min(text.find(quote) for quote in "\"'" if quote in text)].lower()


def is_fstring(node: LN) -> bool:
    """Whether evaluating a node formats something: f-strings, and t-strings, whose fields are
    evaluated as well."""
    if node.type != token.STRING or node.value[0] in "\"'":
        return False
    return bool({"f", "t"} & set(prefix_of(node)))


def fields_of(leaf: Leaf) -> list[tuple[int, int, LN]] | None:
    """The replacement fields, those of nested formats too: where in the literal each expression
    begins and ends, and the expression in parentheses; None if one cannot be understood."""
    found: list[tuple[int, int, LN]] = []
    for start, end in fields(leaf.value):
        text = leaf.value[start:end].rstrip().removesuffix("=")
        try:
            # A comment at the end of the text would swallow a parenthesis on its line.
            tree = syntax.parse(f"({text}\n)")
        except syntax.SyntaxProblem:
            return None
        expression = tree.children[0].children[0]
        expression.remove()
        expression.parent = leaf
        found.append((start, start + len(text), expression))
    return found
