"""BlockEdits: the edits of one application that are about whole blocks and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pinsetter.analyzer.syntax.tree import LN

from ..edits.edit import Edit
from ..edits.fragment import Fragment
from ..edits.rendering import BLOCK, Filling, Misfit, Rendered
from ..edits.template import Kind
from .flagged_exits import Flagged
from .functional import Functional
from .lifts import Lift
from .substitutions import Substitution
from .unlifts import Unlift

if TYPE_CHECKING:
    from .application import Application
    from .module_rules import ModuleRules

Render = Callable[[str, Mapping[str, Filling], Kind], Rendered]
Lines = Callable[[str, Mapping[str, Filling]], list[Fragment]]


class BlockEdits:
    """``render`` fills in a template, with what it calls some of its captures, and ``lines`` one of
    several lines. ``after`` are the applications that the edits are written for."""

    def __init__(
        self, rules: ModuleRules, render: Render, lines: Lines, rank: tuple[int, ...]
    ) -> None:
        self.rules = rules
        self.render = render
        self.lines = lines
        self.rank = rank
        self.after: list[Application] = []
        self.unlifted: list[Unlift] = []
        self.substituted: dict[int, Substitution] = {}

    def made(self, node: LN, edit: Mapping[str, Any]) -> Sequence[Edit] | None:
        """What an edit does to a statement, or function; None if it is another kind of edit. Raises
        Misfit."""
        if "lift" in edit:
            lift = Lift(node, self.rules, self._expression, self.rank)
            self.after += lift.after
            return lift.edits()
        if "unlift" in edit:
            unlift = Unlift(node, self.rules, self.rank)
            edits = unlift.edits()
            self.after += unlift.after
            self.unlifted.append(unlift)
            return edits
        if "functional" in edit:
            return Functional(node, self.rules, self.render, edit, self.rank).edits()
        if "flagged" in edit:
            return Flagged(node, self.rules, self.render, edit, self.rank).edits()
        if "passed" in edit:
            return self._passed(node)
        if "substitute" in edit:
            return self._of(node).of_variables(edit)
        if "returns" in edit:
            return self._of(node).of_returns(edit["with"])
        if "enclose" in edit:
            body = {"body": Filling(Fragment(BLOCK), kind="block")}
            return self._of(node).enclosed(self.lines(edit["with"], body))
        return None

    def _passed(self, function: LN) -> Sequence[Edit]:
        file = self.rules.passed
        edits = [*file.edits(function, self.rank)]
        for alias in file.imports if edits else ():
            if self._expression(alias, {}).text != alias:
                raise Misfit(f"the file has another {alias}")
        return edits

    def _of(self, function: LN) -> Substitution:
        if id(function) not in self.substituted:
            made = Substitution(function, self.rules, self._code, self.rank)
            self.substituted[id(function)] = made
        return self.substituted[id(function)]

    def _expression(self, template: str, given: Mapping[str, Filling]) -> Fragment:
        return self.render(template, given, Kind.EXPRESSION).text

    def _code(self, template: str, given: Mapping[str, Filling]) -> Rendered:
        return self.render(template, given, Kind.CODE)
