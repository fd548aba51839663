"""parse: Python text, of any version from 2.7 to 3.14, to a fissix tree with that very text."""

from __future__ import annotations

import gc
import re

from fissix.pytree import Node

from . import depth
from . import grammar as grammars
from .automaton import Automaton
from .parser import parse_with
from .problem import SyntaxProblem
from .tokens import words

__all__ = ["SyntaxProblem", "parse"]

_grammar = grammars.load()
grammars.register(_grammar)
depth.install()
_automaton = Automaton(_grammar)
# Words that are keywords only where print and exec are statements; the newest Python first.
_VARIANTS = tuple(
    words(_grammar, without)
    for without in (frozenset({"print", "exec"}), frozenset({"print"}), frozenset[str]())
)
_PRINT_FUNCTION = re.compile(r"(?m)^from\s+__future__\s+import\b[^#\n]*\bprint_function\b")


def parse(source: str) -> Node:
    """Return the tree of ``source``. Raises SyntaxProblem."""
    if "\0" in source:
        line = source.count("\n", 0, source.index("\0")) + 1
        raise SyntaxProblem("NUL character in the source", line, 0)
    enabled = gc.isenabled()
    gc.disable()
    try:
        return _parse(source)
    finally:
        if enabled:
            gc.enable()


def _parse(source: str) -> Node:
    problem: SyntaxProblem | None = None
    for known in _VARIANTS:
        try:
            return parse_with(_automaton, known.copy(), source)
        except SyntaxProblem as error:
            if problem is None or (error.line, error.column) > (problem.line, problem.column):
                problem = error
    assert problem is not None
    raise problem
