"""review: ask about each hunk with Bowler's keys, y n q a d ?."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import click
from bowler.tool import PROMPT_HELP

from .diff import hunk_lines
from .hunk import Decisions, Hunk, Plan

_KEYS = "ynqad"


class End(Enum):
    """How a review ended. After ``quit`` (q) and ``unanswered`` (end of input) what was accepted is
    applied; after ``abandoned`` (Ctrl-C) nothing is."""

    DONE = "done"
    QUIT = "quit"
    UNANSWERED = "unanswered"
    ABANDONED = "abandoned"


def review(plan: Plan, decisions: Decisions) -> End:
    """Ask about every undecided hunk, file by file; the decisions stay closed all the time."""
    asked = [hunk for hunk in plan.hunks if not hunk.follows]
    for number, hunk in enumerate(asked, 1):
        if decisions.verdict(hunk) is not None:
            continue
        show(hunk, plan, decisions, f"[{number}/{len(asked)}] ")
        try:
            answer = _ask()
        except EOFError:
            click.echo()
            return End.UNANSWERED
        except KeyboardInterrupt:
            click.echo()
            return End.ABANDONED
        rest = [h for h in asked[number - 1 :] if h.module is hunk.module]
        if answer == "q":
            return End.QUIT
        if answer in "ya":
            for chosen in rest if answer == "a" else [hunk]:
                if decisions.verdict(chosen) is None:
                    along = [h for h in decisions.accept(chosen) if not h.follows]
                    _say_along(hunk, "Accepted too", along)
        else:
            for chosen in rest if answer == "d" else [hunk]:
                if decisions.verdict(chosen) is None:
                    _say_along(hunk, "Rejected too", decisions.reject(chosen))
    return End.DONE


def show(hunk: Hunk, plan: Plan, decisions: Decisions | None = None, head: str = "") -> None:
    """Print a hunk: place, rule, reason, warnings, what it depends on, and its diff."""
    click.secho(f"{head}{hunk.place}", bold=True, nl=False)
    click.echo(f"  {hunk.rule}: {hunk.title}")
    click.secho(f"  {hunk.why}", dim=True)
    for warning in hunk.warnings:
        click.secho(f"  Warning: {warning}", fg="yellow")
    if decisions is not None:
        along = [h for h in plan.required_by(hunk) if decisions.verdict(h) is None]
        asked = [h for h in along if not h.follows]
        _say_along(hunk, "Accepting it accepts", asked, only=True)
        against = [h for h in plan.dependents_of(hunk) if decisions.verdict(h) is not False]
        _say_along(hunk, "Rejecting it rejects", against, only=True)
    lines = hunk.lines
    if decisions is not None:
        imports = [h for h in along if h.follows and h.module is hunk.module]
        edits = [edit for other in (*imports, hunk) for edit in other.edits]
        lines = hunk_lines(str(hunk.module.path), hunk.module.source.text, edits)
    show_diff(lines)


def show_diff(lines: Sequence[str]) -> None:
    for line in lines:
        text = line.rstrip("\r")
        if line.startswith("---"):
            click.secho(text, fg="red", bold=True)
        elif line.startswith("+++"):
            click.secho(text, fg="green", bold=True)
        elif line.startswith("-"):
            click.secho(text, fg="red")
        elif line.startswith("+"):
            click.secho(text, fg="green")
        else:
            click.echo(text)


def _ask() -> str:
    prompt = f"Apply this hunk [{','.join('N' if key == 'n' else key for key in _KEYS)},?]? "
    while True:
        answer = input(prompt).strip().lower()
        if answer == "?":
            for key, text in PROMPT_HELP.items():
                click.secho(f"{key} - {text}", fg="red", bold=True)
        elif not answer:
            return "n"
        elif len(answer) == 1 and answer in _KEYS:
            return answer
        else:
            click.echo(f'invalid response "{answer}"')


def _say_along(hunk: Hunk, what: str, others: Sequence[Hunk], only: bool = False) -> None:
    if not others:
        return
    shown = [_named(other, hunk) for other in others[:4]]
    more = f" and {len(others) - 4} more" if len(others) > 4 else ""
    click.secho(f"  {what}: {', '.join(shown)}{more}", fg="cyan", dim=not only)


def _named(other: Hunk, hunk: Hunk) -> str:
    if other.module is hunk.module:
        return f"{other.rule} (line {other.line})"
    return f"{other.rule} ({other.place})"
