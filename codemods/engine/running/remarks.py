"""remarks: what a run tells about files and places besides its hunks, each once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..console.terminal import echo, echo_problem

if TYPE_CHECKING:
    from ..hunks.proposed import Planned


@dataclass
class Remarks:
    """Notes, problems and refusals are told before a review, and what comes later at its end."""

    _told: set[str] = field(default_factory=set)

    def tell(self, planned: Planned) -> None:
        """Print on standard error what was not told yet: notes, then what failed or was refused.
        What is said of several places is said once, with all of them."""
        self.tell_notes(planned)
        self.tell_problems(planned)

    def tell_notes(self, planned: Planned) -> None:
        places: dict[str, list[str]] = defaultdict(list)
        for report in planned.reports:
            place = report.module.source.place(report.line)
            said = f"{report.rule.id}: {report.text}"
            if self._is_new(f"{place}: {said}"):
                places[said].append(place)
        for said, (first, *others) in places.items():
            echo(f"{first}: note: {said}", fg="yellow", err=True)
            for place in others:
                echo(f"  also {place}", fg="yellow", err=True)
        for note in planned.notes:
            if self._is_new(f"note {note}"):
                echo_problem(replace(note, reason=f"note: {note.reason}"), fg="yellow")

    def tell_problems(self, planned: Planned) -> None:
        for problem in (*planned.problems, *planned.faults, *planned.refused):
            if self._is_new(f"problem {problem}"):
                echo_problem(problem)

    def _is_new(self, said: str) -> bool:
        if said in self._told:
            return False
        self._told.add(said)
        return True
