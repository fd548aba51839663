"""answers: the list of answers so far, of which any can be undone."""

from __future__ import annotations

from collections.abc import Callable

from pinsetter.analyzer.messages.visible import visible

from ..decide.decisions import Change, Decisions
from .screen import Screen

_VERBS = {"accept": "accepted", "reject": "rejected", "split": "split", "edit": "edited",
          "ignore": "ignored"}  # fmt: skip


def choose_answer(decisions: Decisions, ask: Callable[[str], str], screen: Screen) -> int | None:
    """Print the answers, the last one first, and ask for one; its number in ``answers``, or None.

    Raises EOFError and KeyboardInterrupt, as ``ask`` does.
    """
    told = [(number, change) for number, change in enumerate(decisions.answers)
            if change.verdicts or change.removed]  # fmt: skip
    if not told:
        screen.prose("There is no answer to undo.")
        return None
    for number, change in reversed(told):
        screen.line(visible(f"{number + 1:>5}  {_said(change)}"))
    given = ask("Undo which answer (its number)? ").strip()
    if not given:
        return None
    found = next((n for n, _ in told if str(n + 1) == given), None)
    if found is None:
        screen.prose(f'There is no answer with the number "{given}".')
    return found


def _said(change: Change) -> str:
    hunk = change.hunks[0]
    others = len({h.id for h in change.hunks} | change.verdicts.keys()) - 1
    more = f" and {others} more" if others else ""
    return f"{_VERBS.get(change.kind, change.kind)}: {hunk.rule} ({hunk.place}){more}"
