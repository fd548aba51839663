"""show: a hunk on the screen: what it is, why, what depends on it, and its diff."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from pinsetter.analyzer.messages.visible import visible

from ..console.terminal import echo_document
from ..decide.decisions import Decisions
from ..hunks.diff import hunk_lines
from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from .marks import styled
from .screen import Screen

CONTEXT = 3
_NAMED = 4


def show(
    hunk: Hunk,
    plan: Plan,
    decisions: Decisions | None = None,
    head: str = "",
    context: int = CONTEXT,
    screen: Screen | None = None,
) -> None:
    """Print a hunk: place, rule, reason, warnings, what it depends on, and its diff."""
    screen = screen or Screen()
    edited = " (edited)" if hunk.edited else ""
    place = (visible(f"{head}{hunk.place}"), "bold")
    screen.line(Text.assemble(place, visible(f"  {hunk.rule}: {hunk.title}{edited}")))
    screen.prose(hunk.why, "dim")
    for warning in hunk.warnings:
        screen.prose(f"Warning: {warning}", "yellow")
    edits = list(hunk.edits)
    if decisions is not None:
        _show_decision(hunk, decisions, screen)
        _show_consequences(hunk, plan, decisions, screen)
        for other in plan.required_by(hunk):
            if other.follows and other.module is hunk.module and not decisions.verdict(other):
                edits.extend(other.edits)
    lines = hunk_lines(str(hunk.module.path), hunk.module.source.text, edits, context)
    show_diff(lines, screen)


def show_diff(lines: Sequence[str], screen: Screen | None = None, applied: bool = False) -> None:
    """Print a diff, in colours where there are any. If it may be ``applied`` by a program, the code
    in it is what it is, but on a terminal."""
    screen = screen or Screen()
    if not screen.is_terminal:
        for number, line in enumerate(line.rstrip("\r") for line in lines):
            if applied and number > 1:
                echo_document(f"{line}\n")
            else:
                screen.line(line)
        return
    for text in styled(lines):
        screen.line(text)


def say_along(
    hunk: Hunk, what: str, others: Sequence[Hunk], screen: Screen, done: bool = True
) -> None:
    """Say which hunks went, or would go, along with one."""
    asked = [other for other in others if not other.follows]
    if asked:
        style = "dim cyan" if done else "cyan"
        screen.prose(f"{what}: {listed(asked, hunk)}", style)


def listed(hunks: Sequence[Hunk], beside: Hunk) -> str:
    """The first few hunks by rule and place, and how many there are besides."""
    shown = ", ".join(named(hunk, beside) for hunk in hunks[:_NAMED])
    return f"{shown} and {len(hunks) - _NAMED} more" if len(hunks) > _NAMED else shown


def named(hunk: Hunk, beside: Hunk) -> str:
    if hunk.module is beside.module:
        return f"{hunk.rule} (line {hunk.line})"
    return f"{hunk.rule} ({hunk.place})"


def _show_decision(hunk: Hunk, decisions: Decisions, screen: Screen) -> None:
    verdict = decisions.verdict(hunk)
    if verdict is not None:
        screen.prose(f"{'Accepted' if verdict else 'Rejected'} before; an answer changes that.",
                     "magenta")  # fmt: skip


def _show_consequences(hunk: Hunk, plan: Plan, decisions: Decisions, screen: Screen) -> None:
    for other in plan.alternatives_of(hunk):
        verdict = decisions.verdict(other)
        state = "" if verdict is None else " (accepted)" if verdict else " (rejected)"
        screen.prose(f"Or instead: {named(other, hunk)}: {other.title}{state}", "magenta")
    required = [other for other in plan.required_by(hunk) if decisions.verdict(other)]
    say_along(hunk, "Requires what is accepted", required, screen)
    accepting = decisions.consequence(hunk, True)
    if accepting.obstacle:
        screen.prose(f"It cannot be accepted: {accepting.obstacle}.", "yellow")
    say_along(hunk, "Accepting it accepts", accepting.accepted, screen, done=False)
    say_along(hunk, "Accepting it rejects", accepting.rejected, screen, done=False)
    rejecting = decisions.consequence(hunk, False)
    say_along(hunk, "Rejecting it rejects", rejecting.rejected, screen, done=False)
