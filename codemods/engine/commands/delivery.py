"""Delivery: what a run gives and tells in the end, also where a stream takes no more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.unforeseen import HINT, said

from ..console.exit_code import ExitCode
from ..console.streams import OutputError, flush_output
from .summary import Detail, print_problems, print_summary

if TYPE_CHECKING:
    from pinsetter.patterns.packs.pack import Pack

    from ..formatting.formatting import Formatting
    from ..hunks.hunk import Hunk
    from ..report.output import Report
    from ..running.run import Outcome


class Delivery:
    """A patch, unless there is a ``report``, which is all that is printed then; and a summary."""

    def __init__(self, report: Report | None, output: Path | None, detail: Detail) -> None:
        self.report = report
        self.output = output
        self.detail = detail
        self._unprinted: list[OutputError] = []

    def show(self, accepted: Sequence[Hunk], formatting: Formatting) -> None:
        """Print a patch of what was accepted."""
        if self.report is None:
            from ..running.patch import print_patch

            try:
                print_patch(accepted, formatting)
            except OutputError as error:
                self._unprinted.append(error)

    def of(self, outcome: Outcome, packs: Sequence[Pack]) -> int:
        """The exit code. Raises OutputError for what could not be printed, in the end."""
        problem: Problem | None = None
        try:
            problem = self.report.deliver(outcome, packs) if self.report is not None else None
            flush_output()
        except OutputError as error:
            self._unprinted.append(error)
        except Exception as error:
            # What was written is to be told all the same.
            reason = f"no report: internal error, {said(error)}"
            problem = Problem(self.output or Path("-"), reason, hint=HINT)
        if not any(error.quiet for error in self._unprinted) or outcome.written:
            print_summary(outcome, self.detail)
        if self._unprinted:
            raise self._unprinted[0]
        if problem is not None:
            print_problems([problem])
            return ExitCode.FAILED
        return int(outcome.exit_code)
