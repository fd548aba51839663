"""PackQuery: a pack as a Bowler Query that can be run as any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..propose.rule_query import RuleQuery
from .mode import Mode
from .run import run


class PackQuery(RuleQuery):
    """Any Bowler ``process()`` hook works on it and sees one hunk for each application of a rule;
    a hook that returns False rejects the hunk."""

    def execute(
        self, *, write: bool = False, interactive: bool = True, silent: bool = False, **_: Any
    ) -> PackQuery:
        """What ``diff()``, ``idiff()``, ``write()`` and ``silent()`` of any Query call; the exit
        code is left in ``retcode``."""
        if silent and not write:
            mode = Mode.CHECK
        elif interactive and not write:
            mode = Mode.REVIEW
        else:
            mode = Mode.WRITE if write else Mode.DIFF
        self.retcode = int(run([self], [Path(p) for p in self.paths], mode).exit_code)
        return self
