"""Depth: how deep a tree may be, so that those who read it recursively come to an end.

fissix's own ``str()``, ``pre_order`` and ``clone`` call themselves for each level, and so does much
that works on trees. Legal code goes deeper than Python's usual limit of 1000 calls: 200 calls
inside one another, which Python's own parser takes, are 800 levels of fissix's tree.
"""

from __future__ import annotations

import sys

from fissix.pytree import Base, Leaf, Node

from ..files.bounds import MOST_LEVELS
from .syntax_problem import SyntaxProblem

# Levels for which the usual limit is enough; hardly a file needs more.
ROOM = 80
# Parts of one chain of calls and attributes that are too many: fissix has them side by side, Python
# inside one another, up to 3.12 about as many.
MOST_PARTS = 3_000
# Calls that a recursive reader may need for each level.
_CALLS = 12


def more_room(room: int, most: int, leaf: Leaf) -> int:
    """Make room for trees of ``most`` levels, at most MOST_LEVELS, and return that; raise
    SyntaxProblem if it is not enough.

    ``leaf`` is where the tree gets deeper than ``room``. The recursion limit is raised, not lowered
    again: the tree will be read after it has been made.
    """
    if room == most:
        reason = f"nested too deeply to be parsed: more than {most} levels"
        raise SyntaxProblem(reason, leaf.lineno, leaf.column)
    allow_recursion()
    return most


def too_long(leaf: Leaf) -> SyntaxProblem:
    """A chain of more than MOST_PARTS ends before ``leaf``."""
    reason = f"nested too deeply to be parsed: a chain of more than {MOST_PARTS} calls and names"
    return SyntaxProblem(reason, leaf.lineno, leaf.column)


def allow_recursion() -> None:
    """Let what calls itself for each level of a tree come to its end."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), MOST_LEVELS * _CALLS))


def text_of(node: Base) -> str:
    """``str(node)`` without recursion."""
    parts: list[str] = []
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, Leaf):
            parts += (node.prefix, str(node.value))
        else:
            stack.extend(reversed(node.children))
    return "".join(parts)


def install() -> None:
    """Let ``str()`` of any fissix node be text_of.

    Python 3.12 has a limit of its own, which cannot be raised, to calls that pass through C, as
    those of fissix's ``str()`` do; about 300 levels exceed it.
    """
    Node.__str__ = text_of
