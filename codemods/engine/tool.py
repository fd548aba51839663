"""Tool: Bowler's own tool with our parser in it, for every Bowler script.

Importing this module puts it in the place that ``bowler.Query`` takes its tool from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bowler import query
from bowler.tool import BowlerTool
from fissix import pygram
from fissix.pgen2.grammar import Grammar
from fissix.pytree import Node
from fissix.refactor import _detect_future_features

from pinsetter.analyzer import syntax
from pinsetter.analyzer.problem import Problem
from pinsetter.analyzer.source import line_of


class Driver:
    """What fissix and Bowler use of ``fissix.pgen2.driver.Driver``.

    ``grammar`` says whether print is a statement, which scripts choose by ``python_version``; exec
    is one wherever it can be, as in fissix, and a name where it cannot.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    def parse_string(self, text: str, debug: bool = False) -> Node:
        """Raises SyntaxProblem."""
        keywords = self.grammar.keywords
        if "print" in keywords:
            return syntax.parse(text, [syntax.STATEMENTS])
        if "exec" in keywords:
            return syntax.parse(text, [syntax.EXEC_STATEMENT, syntax.FUNCTIONS])
        return syntax.parse(text, [syntax.FUNCTIONS])


class Tool(BowlerTool):  # type: ignore[misc]
    """Reads every Python; a file that is none makes the run fail, with its place and line."""

    def __init__(self, fixers: Sequence[Any], *args: Any, **options: Any) -> None:
        super().__init__(fixers, *args, **options)
        self.driver = Driver(self.grammar)

    def refactor_string(self, data: str, name: str) -> Node | None:
        features = _detect_future_features(data)
        if "print_function" in features:
            self.driver.grammar = pygram.python_grammar_no_print_statement
        try:
            tree = self.driver.parse_string(data)
        except syntax.SyntaxProblem as error:
            line = line_of(data, error.line)
            problem = Problem(Path(name), error.reason, error.line, error.column, text=line)
            self.log_error("%s", problem)
            self.errors.append((str(problem), (), {}))  # RefactoringTool.run fails if there are any
            return None
        finally:
            self.driver.grammar = self.grammar
        tree.future_features = features
        self.refactor_tree(tree, name)
        return tree


def _with_type_parameters(pattern: str) -> str:
    """A selector's pattern that finds generic functions and classes (PEP 695) too."""
    optional = "[type_params< any* >]"
    pattern = re.sub(r"(function_name='\{name\}')(\s+function_parameters=parameters<)",
                     rf"\1 {optional}\2", pattern)  # fmt: skip
    return re.sub(r"('class' class_name=any) '\('", rf"\1 {optional} '('", pattern)


query.BowlerTool = Tool
for _name, _pattern in query.SELECTORS.items():
    query.SELECTORS[_name] = _with_type_parameters(_pattern)
