"""Place: which statement a line of a file means."""

from __future__ import annotations

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..syntax.tree import LN, walk
from .module import Module

_BETWEEN = {token.NEWLINE, token.INDENT, token.DEDENT, token.ENDMARKER, token.SEMI}


def statement_at(module: Module, line: int) -> tuple[LN, bool]:
    """The statement from which a line is seen, and whether it is seen from behind it.

    A line of a simple statement is seen from behind it, the head of a block from before the
    block's first statement, an empty line from behind the last statement above it in its block.
    """
    tree = module.tree
    block: LN = tree.root
    while True:
        statements = [child for child in block.children if child.type not in _BETWEEN]
        above = [found for found in statements if tree.line_of(found) <= line]
        if not above:
            return (statements[0], False) if statements else (block, True)
        last = above[-1]
        inner = [node for node in walk(last, skip={symbols.suite}) if node.type == symbols.suite]
        ahead = [suite for suite in inner if tree.line_of(suite) > line]
        reached = [suite for suite in inner if suite not in ahead]
        end = tree.line(max(tree.start(last), tree.end(last) - 1))
        if line > end or not inner:
            return last, True
        if reached and line <= tree.line(tree.end(reached[-1]) - 1):
            block = reached[-1]
        elif ahead:
            block = ahead[0]
            line = tree.line_of(block) - 1
        else:
            return last, True
