"""telling: what went along with an answer, or followed from one for hunks that came later."""

from __future__ import annotations

from collections.abc import Sequence

from ..decide.decisions import Change, Decisions
from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from .screen import Screen
from .show import say_along


def tell(
    change: Change, hunk: Hunk, asked: Sequence[Hunk], decisions: Decisions, screen: Screen
) -> None:
    """Say what went along with an answer to the hunks that were ``asked`` about."""
    mine = {h.id for h in (*asked, *change.removed, *change.added)}
    along = [h for h in hunks_of(change, decisions.plan) if h.id not in mine]
    for text, verdict in (("Accepted too", True), ("Rejected too", False),
                          ("Undecided again", None)):  # fmt: skip
        found = [h for h in along if decisions.verdict(h) is verdict]
        say_along(hunk, text, found, screen)


def say_arrived(change: Change, decisions: Decisions, screen: Screen) -> None:
    """Say what earlier answers decided of what has come."""
    for hunk in hunks_of(change, decisions.plan):
        verb = "Accepted" if decisions.verdict(hunk) else "Rejected"
        if not hunk.follows:
            screen.prose(f"{verb} because of an earlier answer: {hunk.rule} ({hunk.place})", "cyan")


def hunks_of(change: Change, plan: Plan) -> list[Hunk]:
    """The hunks that a change decided, in the order of the plan."""
    return plan.ordered(filter(None, map(plan.get, change.verdicts)))
