"""What the tests of the parser ask of a text and of its tree, ours or fissix's."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from fissix import pygram, pytree
from fissix.pgen2 import driver, token
from fissix.pgen2.grammar import Grammar
from fissix.pytree import Base, Leaf, Node

from pinsetter.analyzer.syntax import SyntaxProblem, parse

FUNCTIONS: Grammar = pygram.python_grammar_no_print_and_exec_statement
EXEC_STATEMENT: Grammar = pygram.python_grammar_no_print_statement
STATEMENTS: Grammar = pygram.python_grammar

NEWLINES = re.compile(r"\r\n?|\n")
_SHOWN = {
    token.NEWLINE: "NEWLINE",
    token.INDENT: "INDENT",
    token.DEDENT: "DEDENT",
    token.ENDMARKER: "ENDMARKER",
}


def tree_of(text: str) -> Node:
    """The tree of ``text``, which has that very text."""
    tree = parse(text)
    assert str(tree) == text
    return tree


def problem_of(text: str) -> SyntaxProblem:
    """Why ``text`` is refused; a problem has a reason and a place in the text."""
    with pytest.raises(SyntaxProblem) as raised:
        parse(text)
    problem = raised.value
    assert problem.reason
    lines = NEWLINES.split(text)
    # The end of the file is on the line after the last one.
    assert 1 <= problem.line <= len(lines) + 1
    here = lines[problem.line - 1] if problem.line <= len(lines) else ""
    assert 0 <= problem.column <= len(here)
    return problem


def nodes(tree: Base) -> Iterator[Base]:
    """All nodes and leaves in the order of the text, without recursion."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def leaves(tree: Base) -> Iterator[Leaf]:
    return (node for node in nodes(tree) if isinstance(node, Leaf))


def type_name(node: Base) -> str:
    """``funcdef`` or ``NAME``."""
    if isinstance(node, Leaf):
        return str(token.tok_name[node.type])
    return str(pytree.type_repr(node.type))


def found(tree: Base) -> set[str]:
    """The names of all symbols and tokens in ``tree``, and the values of its leaves."""
    values = {str(leaf.value) for leaf in leaves(tree)}
    return {type_name(node) for node in nodes(tree)} | values


def shape(node: Base) -> str:
    """``(expr_stmt x = 1)``: a node with its symbol and children, a leaf as its value."""
    if isinstance(node, Leaf):
        return _SHOWN.get(node.type, str(node.value))
    return f"({' '.join([type_name(node), *map(shape, node.children)])})"


def shapes(text: str, symbol: str) -> list[str]:
    """The shapes of the nodes of ``symbol`` in the tree of ``text``."""
    return [shape(node) for node in nodes(tree_of(text)) if type_name(node) == symbol]


def check_places(text: str) -> None:
    """Each leaf of the tree of ``text`` has the line and column of its offset in ``text``."""
    ends = [match.end() for match in NEWLINES.finditer(text)]
    # A byte-order mark takes no column.
    marked = text.startswith("\ufeff")
    offset = 0
    for leaf in leaves(tree_of(text)):
        offset += len(leaf.prefix)
        if leaf.value and leaf.type != token.INDENT:
            line = bisect_right(ends, offset)
            start = ends[line - 1] if line else int(marked)
            assert (leaf.lineno, leaf.column) == (line + 1, offset - start), repr(leaf)
        else:
            assert 1 <= leaf.lineno <= len(ends) + 2
        offset += len(leaf.value)
    assert offset == len(text)


def flat(tree: Base) -> Iterator[tuple[object, ...]]:
    """All nodes in order: symbol, and for leaves value, prefix, line and column."""
    for node in nodes(tree):
        if isinstance(node, Leaf):
            yield type_name(node), node.value, node.prefix, node.lineno, node.column
        else:
            yield type_name(node), len(node.children)


def fissix_tree(text: str, *tables: Grammar) -> Base | None:
    """The tree that fissix makes with the first of ``tables`` that take ``text``."""
    for grammar in tables or (FUNCTIONS, EXEC_STATEMENT, STATEMENTS):
        try:
            return driver.Driver(grammar, convert=pytree.convert).parse_string(text)
        except Exception:  # fissix raises many kinds
            continue
    return None


def symbol_names(symbols: SimpleNamespace | object) -> set[str]:
    return {name for name, number in vars(symbols).items() if isinstance(number, int)}
