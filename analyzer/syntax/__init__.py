"""parse: Python text, of any version from 2.7 to 3.14, to a fissix tree with that very text.

fissix's grammar stops before Python 3.10, while patterns, Bowler's selectors and its helpers are
written against fissix's trees. So the grammar is extended, not replaced, and the driver is new:

- grammar: fissix's rules as installed, additions.txt over them, through fissix's own pgen
- automaton: the tables, for whole chains of rules at once; the trees are the same, the work is not
- tokens, strings: one regular expression, and a scanner for what f-strings nest
- lookahead: soft keywords, and brackets that only what follows tells apart
- indents, depth, problem: blocks, deep trees, what went wrong and what was expected
- parsed: what trees consist of, fissix's nodes in less memory
- wildcards: patterns that stand for any nodes
- parser: the loop over all of these

Taken as facts: which constructs there are and what they are called, from CPython's grammar and the
PEPs that additions.txt names beside each rule; tab stops, line joining and where a string ends,
from the language reference's chapter on lexical analysis; where prefixes, INDENT and DEDENT leaves
go, from fissix's driver, whose trees the benchmark and the tests compare with ours.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Sequence

from fissix.pygram import python_symbols
from fissix.pytree import Node

from ..files.bounds import MOST_LEVELS
from . import depth, wildcards
from . import grammar as grammars
from .automaton import Automaton
from .parser import parse_with
from .syntax_problem import SyntaxProblem
from .tokens import count_lines, words

__all__ = ["SyntaxProblem", "parse"]

_grammar = grammars.load()
grammars.register(_grammar)
depth.install()
wildcards.install()
_automaton = Automaton(_grammar)
# print and exec are statements in a reading that names them and plain names in one that does not.
Reading = frozenset[str]
FUNCTIONS: Reading = frozenset()
EXEC_STATEMENT: Reading = frozenset({"exec"})
STATEMENTS: Reading = frozenset({"print", "exec"})
_WORDS = {
    reading: words(_grammar, STATEMENTS - reading)
    for reading in (FUNCTIONS, EXEC_STATEMENT, STATEMENTS)
}
# Not to be had from a function: Python 3 raises TypeError there.
_PRINT_TO = re.compile(r"(?:^|[\r\n])[ \t]*print[ \t]*>>")


def parse(source: str, readings: Sequence[Reading] = (), nesting: int = MOST_LEVELS) -> Node:
    """Return the tree of ``source``, in the first of ``readings`` in which it parses;
    ``nesting`` are the levels it may have, at most MOST_LEVELS.

    Without ``readings`` the newest Python comes first, and a ``print_function`` imported from
    ``__future__`` (PEP 3105) is heeded. Raises SyntaxProblem.
    """
    if "\0" in source:
        before = source[: source.index("\0")]
        column = len(before) - max(before.rfind("\n"), before.rfind("\r")) - 1
        raise SyntaxProblem("NUL character in the source", 1 + count_lines(before), column)
    enabled = gc.isenabled()
    gc.disable()  # nothing becomes garbage while a tree grows, and it would be searched for it
    try:
        return _parse(source, readings or _readings(source), nesting)
    finally:
        if enabled:
            gc.enable()


def _readings(source: str) -> list[Reading]:
    readings = [FUNCTIONS]
    if "exec" in source:
        readings.append(EXEC_STATEMENT)
    if "print" in source:
        certain = "print_function" not in source and _PRINT_TO.search(source)
        readings.insert(0 if certain else len(readings), STATEMENTS)
    return readings


def _parse(source: str, readings: Sequence[Reading], nesting: int) -> Node:
    problem: SyntaxProblem | None = None
    for reading in readings:
        try:
            tree = parse_with(_automaton, _WORDS[reading].copy(), source, nesting)
        except SyntaxProblem as error:
            # The reading that gets furthest is what was meant.
            if problem is None or (error.line, error.column) > (problem.line, problem.column):
                problem = error
        else:
            if problem is None or "print" not in reading or not _has_print_function(tree):
                return tree
    assert problem is not None
    raise problem


def _has_print_function(tree: Node) -> bool:
    """Whether ``from __future__ import print_function`` makes print a name (PEP 3105)."""
    for statement in tree.children:
        if statement.type == python_symbols.simple_stmt:
            words = [leaf.value for leaf in statement.children[0].leaves()]
            if words[:3] == ["from", "__future__", "import"] and "print_function" in words:
                return True
    return False
