"""offers: options with which one hunk would do for many, offered at the first of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pinsetter.patterns.applying.application import Report

from ..hunks.hunk import Hunk
from ..hunks.proposed import Planned
from .screen import Screen


class Offers:
    """What is offered in a plan that may grow; ``taken`` is the option that a person chose."""

    def __init__(self, planned: Planned | None = None) -> None:
        self._planned = planned or Planned()
        self.taken = ""

    def show(self, hunks: Sequence[Hunk], screen: Screen) -> None:
        """Print what could be instead of hunks, and of others like them."""
        for report in self._at(hunks):
            screen.prose(f"Or instead: {report.text} O begins again with that.", "magenta")

    def choose(self, hunks: Sequence[Hunk], sure: Callable[[str], bool], screen: Screen) -> bool:
        """Ask whether the option that is offered at hunks, or else in this plan, is taken."""
        found = [*self._at(hunks), *self._all()]
        if not found:
            screen.prose("No option is offered here.")
            return False
        if sure(f"Begin again with --option {found[0].option}, and with what is decided"):
            self.taken = found[0].option
        return bool(self.taken)

    def _all(self) -> list[Report]:
        return [report for report in self._planned.reports if report.option]

    def _at(self, hunks: Sequence[Hunk]) -> list[Report]:
        offering = self._all()
        if not offering:
            return []
        places = {(hunk.rule, hunk.module.path, hunk.line) for hunk in hunks}
        return [r for r in offering if (r.rule.id, r.module.path, r.line) in places]
