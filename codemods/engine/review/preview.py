"""preview: the files as they are decided so far."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from pinsetter.analyzer.messages.visible import visible
from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.edits.edit import Edit

from ..decide.decisions import Decisions
from ..hunks.line_diff import Part, line_diff
from .rows import numbered, rows


def decided_parts(
    decisions: Decisions, context: int, only: Module | None = None
) -> Iterator[tuple[Module, list[Part]]]:
    """The files that accepted hunks change, each with what they change there."""
    edits: dict[Module, list[Edit]] = {}
    for hunk in decisions.accepted:
        if only is None or hunk.module is only:
            edits.setdefault(hunk.module, []).extend(hunk.edits)
    for module, made in edits.items():
        yield module, numbered(module, line_diff(module.source.text, made, context))


def preview(decisions: Decisions, context: int, only: Module | None = None) -> list[Text]:
    """The lines to show of these files."""
    found: list[Text] = []
    for module, parts in decided_parts(decisions, context, only):
        found.append(Text(visible(str(module.path)), style="bold"))
        found += [row.text for row in rows(parts)]
    return found
