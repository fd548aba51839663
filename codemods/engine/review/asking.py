"""asking: what an answer to a hunk asks for besides: another text, or a reason to leave it out."""

from __future__ import annotations

from collections.abc import Callable

import click

from pinsetter.analyzer.messages.problem import Problem

from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from . import editing
from .editor import ask_editor
from .ignoring import comment_hunk
from .screen import Screen


def ask_for_text(
    hunk: Hunk, plan: Plan, screen: Screen, sure: Callable[[str], bool]
) -> Hunk | None:
    """The hunk with the text that a person gave it in an editor; None if it stays as it was, which
    is said."""
    form = editing.form_of(hunk)
    text = form.text
    while True:
        try:
            written = ask_editor(text)
        except click.ClickException as error:
            screen.prose(f"{error.format_message()} The hunk stays as it was; $VISUAL or $EDITOR "
                         "names the editor.", "yellow")  # fmt: skip
            return None
        result = None if written is None else editing.edited(form, written, plan)
        if result is None or written is None:
            screen.prose("The hunk stays as it was.")
            return None
        if isinstance(result, Hunk):
            return result
        screen.prose(f"Not taken: {result}.", "yellow")
        if not sure("Edit again (no leaves the hunk as it was)"):
            return None
        text = written


def ask_for_reason(
    hunk: Hunk, reason: str, ask: Callable[[str], str], screen: Screen
) -> Hunk | None:
    """The hunk that writes a comment, with a reason, in the place of ``hunk``; None if there is to
    be none, which is said."""
    if hunk.is_comment:
        screen.prose("This comment is what ignores the other hunk; skip it instead.")
        return None
    reason = reason or ask(f"Why is {hunk.rule} to be ignored here? ").strip()
    if not reason:
        screen.prose("Nothing is ignored without a reason.")
        return None
    if not reason.isprintable():
        screen.prose("Not ignored: there are control characters in the reason; type it again.",
                     "yellow")  # fmt: skip
        return None
    made = comment_hunk(hunk, reason)
    if isinstance(made, Problem):
        hint = f" ({made.hint})" if made.hint else ""
        screen.prose(f"Not ignored: {made.reason}{hint}.", "yellow")
        return None
    return made
