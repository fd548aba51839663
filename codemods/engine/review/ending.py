"""ending: what will be written, and whether it is to be, at the end of a review."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from ..console.terminal import echo_table
from ..decide.decisions import Decisions
from .keys import UNANSWERED
from .preview import decided_parts, preview
from .screen import Screen

# Rows that the table takes at least, and that stand around it.
_FEWEST, _REST = 6, 4
PROMPT = "Write [y,n,b,v,?]? "
_HELP = {
    "y": "write this",
    "n": "write nothing; the answers are kept for --resume",
    "b": "go back to the hunks",
    "v": "show the whole patch",
    "?": "show help",
}


class Choice(Enum):
    """What is to become of what was accepted."""

    WRITE = "y"
    NOTHING = "n"
    BACK = "b"


def ask_to_write(
    decisions: Decisions, ask: Callable[[str], str], screen: Screen, context: int
) -> Choice:
    """Show which files will be written, and ask. Where nothing will be, nothing is asked.

    Raises EOFError and KeyboardInterrupt, as ``ask`` does.
    """
    rows = []
    for module, parts in decided_parts(decisions, 0):
        marks = [line.mark for part in parts for line in part.lines]
        rows.append((str(module.path), f"+{marks.count('+')}", f"-{marks.count('-')}"))
    if not rows:
        return Choice.WRITE
    screen.prose(f"To be written: {len(rows)} file{'s' * (len(rows) > 1)}", "bold", indent=0)
    room = max(_FEWEST, screen.height - _REST)
    shown = rows if len(rows) <= room else rows[: room - 1]
    echo_table(("file", "new", "old"), shown)
    if len(shown) < len(rows):
        screen.prose(f"… and {len(rows) - len(shown)} more (v shows the whole patch)", "dim")
    while True:
        key = ask(PROMPT).strip().lower()
        if key in ("y", "n", "b"):
            return Choice(key)
        if key == "v":
            screen.page(preview(decisions, context))
            continue
        if key != "?":
            screen.prose(f'invalid response "{key}"' if key else UNANSWERED, indent=0)
        for name, text in _HELP.items():
            screen.prose(f"{name} - {text}", "bold red", indent=0)
