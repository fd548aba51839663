"""accepted_edits: what the hunks that are accepted make of their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pinsetter.analyzer.names.module import Module
    from pinsetter.patterns.edits.edit import Edit

    from .decisions import Decisions


class Decided(Protocol):
    """What hunks are accepted of."""

    decisions: Decisions


def accepted_edits(outcome: Decided) -> dict[Module, list[Edit]]:
    """The edits of the accepted hunks, by module."""
    found: dict[Module, list[Edit]] = {}
    for hunk in outcome.decisions.accepted:
        found.setdefault(hunk.module, []).extend(hunk.edits)
    return found
