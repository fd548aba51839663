"""PackQuery: a pack as a Bowler Query that can be run as any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..propose.rule_query import RuleQuery
from .function_text import passed
from .mode import Mode
from .run import RunRequest, run


def mode_of(write: bool, interactive: bool, silent: bool) -> Mode:
    """What Bowler's ``execute`` is told, as one of the ways to run."""
    if silent and not write:
        return Mode.CHECK
    if interactive and not write:
        return Mode.REVIEW
    return Mode.WRITE if write else Mode.DIFF


class PackQuery(RuleQuery):
    """Any Bowler ``process()`` hook works on it and sees one hunk for each application of a rule;
    a hook that returns False rejects the hunk."""

    passed = staticmethod(passed)

    def execute(
        self, *, write: bool = False, interactive: bool = True, silent: bool = False, **_: Any
    ) -> PackQuery:
        """What ``diff()``, ``idiff()``, ``write()`` and ``silent()`` of any Query call; the exit
        code is left in ``retcode``."""
        mode = mode_of(write, interactive, silent)
        self.retcode = int(run(RunRequest([self], [Path(p) for p in self.paths], mode)).exit_code)
        return self
