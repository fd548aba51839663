"""The loops that a match stands in."""

from __future__ import annotations

from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.tree import LN, ancestors

from ..match import Match
from .registry import predicate


@predicate
def in_counted_loop(match: Match, wanted: Any) -> Match | None:
    """Whether the match stands in a ``for`` whose number of steps or rounds is shared among the
    workers."""
    loops = (outer for outer in ancestors(match.node) if outer.type == symbols.for_stmt)
    return match if any(_is_counted(loop, match) for loop in loops) == wanted else None


def _is_counted(loop: LN, match: Match) -> bool:
    tree = match.module.tree
    start, end = tree.span((loop.children[3],))
    return any(
        start <= tree.start(call.trailer) < end and match.facts.loops.counts(call) is not None
        for call in tree.calls
    )
