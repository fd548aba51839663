"""file_states: what a person should know of a file before deciding on its hunks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..console.terminal import echo
from ..git import uncommitted

if TYPE_CHECKING:
    from ..hunks.hunk import Hunk
    from ..hunks.plan import Plan


class FileStates:
    """Says of each file, before its first hunk, if it has changes that are not committed, or cannot
    be written."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._told: set[Path] = set()
        self._asked: set[Path] = set()
        self._changed: set[Path] = set()

    def tell(self, hunks: Sequence[Hunk]) -> None:
        """Print on standard error what is to be known of the files of hunks."""
        files = dict.fromkeys(hunk.module.path for hunk in hunks)
        new = [path for path in files if path not in self._told]
        if not new:
            return
        self._told.update(new)
        self._ask_git(new)
        for path in new:
            if path in self._changed:
                _warn(f"{path} has uncommitted changes ({uncommitted.HINT})")
            if path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
                _warn(f"{path} cannot be written: it, or its folder, is read-only")

    def _ask_git(self, new: Sequence[Path]) -> None:
        """Ask about all files of the plan at once, as far as there are any that were not asked
        about."""
        if self._asked.issuperset(new):
            return
        files = [module.path for module in self._plan.by_module()]
        unasked = [path for path in files if path not in self._asked]
        self._asked.update(unasked)
        found = uncommitted.changes(unasked)
        self._changed.update(found.uncommitted)
        uncommitted.warn_unknown(found)


def _warn(text: str) -> None:
    echo(f"warning: {text}", fg="yellow", err=True)
