"""parse: Python text to a fissix tree whose ``str()`` is that text.

fissix's own grammars are tried from the newest Python to the oldest: ``print`` and ``exec`` as
functions, ``exec`` as a statement, both as statements.
"""

from __future__ import annotations

from fissix import pygram, pytree
from fissix.pgen2 import driver, tokenize
from fissix.pgen2.parse import ParseError
from fissix.pytree import Node

_GRAMMARS = (
    pygram.python_grammar_no_print_and_exec_statement,
    pygram.python_grammar_no_print_statement,
    pygram.python_grammar,
)
_BOM = "\ufeff"
# Python's own parser takes 200 parentheses and 100 blocks inside one another.
_MAX_DEPTH = 400
_TOO_DEEP = "nested too deeply to be parsed"


class SyntaxProblem(Exception):
    """Text that is not Python as far as the grammar goes; ``line`` from 1, ``column`` from 0."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


def parse(source: str) -> Node:
    """Return the tree of ``source``; a missing final newline is added to it, nothing else.

    A leading byte-order mark becomes the first leaf's prefix. Raises SyntaxProblem.
    """
    if "\0" in source:
        line = source.count("\n", 0, source.index("\0")) + 1
        raise SyntaxProblem("NUL character in the source", line, 0)
    bom = source.startswith(_BOM)
    text = source[len(_BOM) :] if bom else source
    if not text.endswith(("\n", "\r")):
        text += "\n"
    tree = _parse(text)
    if bom:
        first = _first_leaf(tree)
        # Leaf.prefix marks every ancestor as changed, which the file is not.
        first._prefix = _BOM + first.prefix
        text = _BOM + text
    reproduced = _text(tree)
    if reproduced != text:
        line = _differs(reproduced, text)
        raise SyntaxProblem("the parser cannot reproduce this file exactly", line, 0)
    return tree


def _parse(text: str) -> Node:
    problem: SyntaxProblem | None = None
    for grammar in _GRAMMARS:
        try:
            tree = driver.Driver(grammar, convert=pytree.convert).parse_string(text)
        except ParseError as error:
            line, column = error.context[1] if error.context else (1, 0)
            found = f"unexpected {error.value!r}" if error.value else "unexpected end of a block"
            # The first grammar is the newest Python's: what it says is what the reader expects.
            problem = problem or SyntaxProblem(f"cannot be parsed: {found}", line, column)
        except tokenize.TokenError as error:
            reason, (line, column) = error.args
            problem = problem or SyntaxProblem(f"cannot be parsed: {reason}", line, column)
        except IndentationError as error:
            reason = f"cannot be parsed: {error.msg}"
            problem = problem or SyntaxProblem(reason, error.lineno or 1, error.offset or 0)
        except RecursionError:
            raise SyntaxProblem(_TOO_DEEP, 1, 0) from None
        else:
            return _as_node(tree)
    assert problem is not None
    raise problem


def _as_node(tree: pytree.Base) -> Node:
    # pytree.convert collapses a file of one bare token (an empty one) to a leaf.
    if isinstance(tree, Node):
        return tree
    root = Node(pygram.python_symbols.file_input, [tree])
    root.used_names = set()  # the parser leaves it there, and fixers ask for it
    return root


def _first_leaf(tree: Node) -> pytree.Leaf:
    node: pytree.Base = tree
    while node.children:
        node = node.children[0]
    return node


def _text(tree: Node) -> str:
    """``str(tree)`` without recursion; refuses depths at which recursive readers would fail."""
    parts: list[str] = []
    lines = 1
    stack: list[tuple[pytree.Base, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > _MAX_DEPTH:
            raise SyntaxProblem(_TOO_DEEP, lines, 0)
        if node.children:
            stack.extend((child, depth + 1) for child in reversed(node.children))
        else:
            part = str(node)
            parts.append(part)
            lines += part.count("\n")
    return "".join(parts)


def _differs(reproduced: str, text: str) -> int:
    common = 0
    for ours, theirs in zip(reproduced, text, strict=False):
        if ours != theirs:
            break
        common += 1
    return text.count("\n", 0, common) + 1
