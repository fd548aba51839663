"""ParsedLeaf, ParsedNode: what trees of files consist of; fissix's nodes, in less memory.

A run has millions of them. Each has a place for all that the parser sets, and for nothing else;
what is set later on, as by fixers of Bowler's, goes to a dictionary as in any other node.
"""

from __future__ import annotations

from functools import cached_property

from fissix.pgen2 import token
from fissix.pytree import Leaf, Node

# Leaf() and Node() check what is known here, at twice the price.
_new = object.__new__


class ParsedLeaf(Leaf):  # type: ignore[misc]
    """A leaf; the parser sets what it has, without a call."""

    __slots__ = ("_prefix", "column", "lineno", "parent", "type", "value")
    __hash__ = None  # type: ignore[assignment]
    # fissix gives each a list of its own; wherever it adds to one, it replaces an empty one first.
    fixers_applied = ()

    def __eq__(self, other: object) -> bool:
        """As a leaf that was made otherwise has it."""
        return bool(self._eq(other)) if isinstance(other, Leaf) else NotImplemented


class ParsedNode(Node):  # type: ignore[misc]
    """A node that is no leaf."""

    __slots__ = ("children", "parent", "type")
    __hash__ = None  # type: ignore[assignment]
    fixers_applied = None

    @cached_property
    def used_names(self) -> set[str]:
        """The names of a file, at its root; fixers of fissix's may ask for them."""
        return {leaf.value for leaf in self.leaves() if leaf.type == token.NAME}

    def __eq__(self, other: object) -> bool:
        return bool(self._eq(other)) if isinstance(other, Node) else NotImplemented


def layout(kind: int, value: str, prefix: str, line: int, column: int) -> ParsedLeaf:
    """A leaf that is no token of the text: where a block, or the file, begins or ends."""
    leaf: ParsedLeaf = _new(ParsedLeaf)
    leaf.type, leaf.value, leaf._prefix = kind, value, prefix
    leaf.lineno, leaf.column = line, column
    return leaf


def root_of(kind: int, children: list[ParsedLeaf | ParsedNode]) -> ParsedNode:
    """The node of a file."""
    root: ParsedNode = _new(ParsedNode)
    root.type, root.children, root.parent = kind, children, None
    for child in children:
        child.parent = root
    return root
