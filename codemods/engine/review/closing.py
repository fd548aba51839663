"""closing: what a review asks before it ends: about programs that would not be written whole."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ..decide.decisions import Decisions
from ..decide.lacking import Lacking
from ..hunks.hunk import Hunk
from .keys import UNANSWERED
from .screen import Screen

PROMPT = "Write it all the same, go back, or write nothing of it [w,b,n,?]? "
_HELP = {
    "w": "write what is accepted, without that",
    "b": "go back to the hunk that is missing",
    "n": "write nothing of this program; the answers are kept for --resume",
}


class Closing:
    """Asks about each program that lacks something. The entry scripts of those that are written all
    the same get into ``allowed``, of those that are not, into ``declined``."""

    def __init__(
        self,
        lacking: Callable[[], Sequence[Lacking]],
        allowed: set[Path],
        declined: set[Path],
        written: Callable[[], Decisions],
    ) -> None:
        """``written`` gives what is decided without the programs that will not be written."""
        self._lacking = lacking
        self.written = written
        self._chosen = {"w": allowed, "n": declined}

    def ask(self, ask: Callable[[str], str], screen: Screen) -> Hunk | None:
        """The hunk to go back to; None if the review may end.

        Raises EOFError and KeyboardInterrupt, as ``ask`` does.
        """
        for one in self._lacking():
            entry = str(one.entry)
            screen.prose(f"{entry} would be written without what is essential for it:", "yellow", 0)
            for reason in one.reasons:
                screen.prose(reason, "yellow")
            key = _key(ask, screen)
            if key == "b":
                return one.missing[0][0]
            if key:
                self._chosen[key].add(one.entry)
        return None


def _key(ask: Callable[[str], str], screen: Screen) -> str:
    while True:
        key = ask(PROMPT).strip().lower()
        if key in _HELP:
            return key
        if not sys.stdin.isatty():
            return ""  # nobody sees what is wrong with it
        if key != "?":
            screen.prose(f'invalid response "{key}"' if key else UNANSWERED, indent=0)
        for key, text in _HELP.items():
            screen.prose(f"{key} - {text}", "bold red", indent=0)
