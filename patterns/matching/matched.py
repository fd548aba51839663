"""Matched: what a pack's own Python is given of a match."""

from __future__ import annotations

import ast
from pathlib import Path

from pinsetter.analyzer.syntax.own_reading import expression_of
from pinsetter.analyzer.syntax.tree import Expression, plain_string, unwrap
from pinsetter.analyzer.values.value import Certainty

from .match import Match


class Matched:
    """A match of a rule. Names of captures are as in the rule, ``$x``; ``$match`` is all of it."""

    def __init__(self, match: Match) -> None:
        self._match = match

    @property
    def path(self) -> Path:
        """The file."""
        return self._match.module.path

    @property
    def line(self) -> int:
        """The line, from 1, in which the match begins."""
        return self._match.module.tree.line_of(self._match.node)

    @property
    def module(self) -> str:
        """The dotted name of the file's module."""
        return self._match.module.name

    def code(self, capture: str = "$match") -> str:
        """The code that a capture stands for; "" if it stands for nothing."""
        return self._match.source(self._code(capture))

    def parsed(self, capture: str = "$match") -> ast.expr | None:
        """The same as an expression of Python's own ``ast``; None where it is none."""
        try:
            return expression_of(self.code(capture))
        except ValueError:
            return None

    def text(self, capture: str) -> str | None:
        """The text of a literal string; None for all else."""
        nodes = unwrap(self._code(capture))
        found = plain_string(nodes[0]) if len(nodes) == 1 else ""
        return found or ("" if self.code(capture).strip() in ("''", '""') else None)

    def names(self, capture: str) -> frozenset[str]:
        """The qualified names that a capture may mean; empty if that is not known."""
        code = self._code(capture)
        return self._match.facts.names(code, self._match.module) if code else frozenset()

    def isa(self, capture: str, cls: str) -> bool:
        """Whether a capture may be an instance of a class, or is the class."""
        return self._isa(capture, cls) is not Certainty.NO

    def surely(self, capture: str, cls: str) -> bool:
        """The same, if nothing has to be assumed for it."""
        return self._isa(capture, cls) is Certainty.PROVED

    def _isa(self, capture: str, cls: str) -> Certainty:
        code = self._code(capture)
        if not code:
            return Certainty.NO
        return self._match.facts.evaluator.isa(code, cls, self._match.module)

    def _code(self, capture: str) -> Expression:
        return self._match.capture(capture)
