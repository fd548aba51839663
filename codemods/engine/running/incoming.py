"""Arrivals: the hunks of a run as they come, all at once or while the first are reviewed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.unforeseen import HINT, said

from ..decide.decisions import Decisions
from ..hunks.proposed import Planned

if TYPE_CHECKING:
    from ..resume.live_session import LiveSession
    from ..stream.scan import Scan

_AGAIN = "run again with --resume to go on"
Hook = Callable[[str, list[str]], object]


class Arrivals:
    """What was found so far. New hunks are shown to the hooks, which may reject them for good, and
    get the decisions of an earlier run."""

    def __init__(self, hooks: Iterable[Hook], session: LiveSession | None, root: Path) -> None:
        """``root`` is the folder of the run."""
        self._root = root
        self.planned = Planned()
        self.decisions = Decisions(self.planned.plan)
        self._hooks = list(dict.fromkeys(hooks))
        self._session = session

    def take(self, planned: Planned) -> None:
        hunks = self.planned.add(planned)
        self.decisions.extend(hunks)
        for hunk in hunks:
            if self._hooks and not hunk.follows:
                from ..hunks.hunk import BowlerHunk

                lines = BowlerHunk(hunk)
                if any(hook(str(hunk.module.path), lines) is False for hook in self._hooks):
                    self.decisions.reject(hunk, final=True)
        if self._session is not None and hunks:
            self._session.restore(self.decisions, hunks)

    def first_of(self, scan: Scan) -> None:
        """Wait for something to review, or the end."""
        while not scan.done and not self.planned.plan.slots:
            self.more_of(scan, True)

    def more_of(self, scan: Scan, wait: bool) -> bool:
        """Take what has come; whether there may be more."""
        try:
            found = scan.take(wait)
        except ChildProcessError as error:
            # As when memory runs out: what was read can be reviewed.
            reason = f"not all files were read: {error}"
            self.planned.problems.append(Problem(self._root, reason, hint=_AGAIN))
            found = []
        except Exception as error:
            reason = f"not all files were read: internal error, {said(error)}"
            self.planned.problems.append(Problem(self._root, reason, hint=HINT))
            found = []
        for planned in found:
            self.take(planned)
        return not scan.done
