"""heading: what stands above a step's diff: number and place, rules, reasons and warnings."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.text import Text

from pinsetter.analyzer.messages.visible import visible

from ..decide.decisions import Decisions
from .agenda import Agenda, Step
from .offered_options import Offers
from .screen import Screen

CONTEXT = 3


@dataclass
class View:
    """How steps are shown: ``context`` lines around a change; ``explained`` are the rules whose
    reason was shown, ``offers`` what could be instead."""

    screen: Screen
    offers: Offers
    context: int = CONTEXT
    explained: set[tuple[str, str]] = field(default_factory=set)


def show_heading(step: Step, agenda: Agenda, decisions: Decisions, view: View, more: bool) -> None:
    """Print what the hunks of a step are: of equal ones once, of a joint each rule of it."""
    screen, hunk = view.screen, step.first
    edited = " (edited)" if hunk.edited else ""
    screen.line(
        Text.assemble(
            (visible(f"{agenda.label(hunk)} {_where(step)}"), "bold"),
            visible(f"  {hunk.rule}: {hunk.title}{edited}"),
            (f"  [{progress(decisions, more)}]", "dim"),
        )
    )
    for other in list(step.rules.values())[1:]:
        screen.prose(f"and {other.rule}: {other.title}", indent=4)
    if agenda.is_joint(step):
        screen.prose(f"{len(step.hunks)} neighbours with the same condition; s decides them one "
                     "by one.", "dim")  # fmt: skip
    for said in dict.fromkeys((h.rule, h.why) for h in step.hunks):
        if said not in view.explained:
            view.explained.add(said)
            screen.prose(said[1], "dim")
    for warning in dict.fromkeys(w for h in step.hunks for w in h.warnings):
        screen.prose(f"Warning: {warning}", "yellow")
    view.offers.show(step.hunks, screen)


def progress(decisions: Decisions, more: bool) -> str:
    """How many hunks are decided and left."""
    left = len(decisions.undecided)
    asked = sum(map(len, decisions.plan.slots))
    reading = ", still reading" if more else ""
    return f"{asked - left} decided, {left} left{reading}"


def _where(step: Step) -> str:
    """The place of the first hunk, and of a group how many more there are where."""
    if not step.is_group:
        return step.first.place
    files = len({hunk.module for hunk in step.hunks})
    inside = f" in {files} files" if files > 1 else ""
    return f"{step.first.place} and {len(step.hunks) - 1} more{inside}"
