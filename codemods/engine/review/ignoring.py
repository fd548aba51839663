"""ignoring: the hunk that writes a comment which keeps a rule away from a place."""

from __future__ import annotations

from dataclasses import replace

from pinsetter.analyzer.messages.problem import Problem

from ..hunks.hunk import IGNORED, Hunk
from ..hunks.suppression import comment_edit


def comment_hunk(hunk: Hunk, reason: str) -> Hunk | Problem:
    """What is written instead of ``hunk`` so that later runs leave its place alone; the Problem
    says why it cannot be."""
    edit = comment_edit(hunk.module, hunk, reason)
    if isinstance(edit, Problem):
        return edit
    return replace(
        hunk,
        id=f"{hunk.id}{IGNORED}",
        rule=f"ignore-{hunk.rule}",
        title="Suppress it here",
        why=f"{hunk.rule} is to leave this place alone: {reason}",
        edits=(edit,),
        warnings=(),
        requires=frozenset(),
        alternatives=frozenset({hunk.id}),
        application=None,
        edited=False,
    )
