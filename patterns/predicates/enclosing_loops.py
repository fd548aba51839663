"""The loops that a match stands in."""

from __future__ import annotations

from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.domains.tensorflow.step_counts import step_counts
from pinsetter.analyzer.domains.tensorflow.step_loops import step_loops
from pinsetter.analyzer.domains.tensorflow.uneven_exits import deciding_figure, loops_left
from pinsetter.analyzer.syntax.tree import LN, ancestors, is_name, unwrap
from pinsetter.analyzer.values.varying import varies as is_varied

from ..matching.match import Match
from ..matching.start import start_of
from .context import may_precede_start
from .registry import predicate

_SHOWN = 5


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
        start <= tree.start(call.trailer) < end
        and match.facts.of(step_loops).counts(call) is not None
        for call in tree.calls
    )


@predicate
def set_for(match: Match, argument: Any) -> Match | None:
    """``[$x, kind]``: $x is a name that one plain assignment gives the number of ``steps``, or of
    ``rounds``, of loops that train, and all that reads it means those of one worker: averages over
    such a loop, comparisons with what it computes, what is printed, schedules."""
    capture, kind = argument
    nodes = unwrap(match.capture(capture))
    found = match.facts.of(step_counts).set_at(nodes[0], match.module) if len(nodes) == 1 else None
    if found is None or found[1] != kind:
        return None
    binding = found[0]
    if binding.scope.kind == "module":
        start = match.module.tree.start(binding.node)
        early = start < start_of(match.module, match.facts)
        return None if early or may_precede_start(match, True) is not None else match
    return match


@predicate
def holds_count(match: Match, argument: Any) -> Match | None:
    """``[$x, kind, …]``: $x speaks of a name or attribute that ``set_for`` holds of."""
    capture, *kinds = argument
    for part in (part for node in match.capture(capture) for part in match.module.tree.nodes(node)):
        if is_name(part) or part.type == symbols.power:
            found = match.with_captures({"": (part,)})
            if any(set_for(found, ["$", kind]) is not None for kind in kinds):
                return match
    return None


@predicate
def read_elsewhere(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the number of steps, $of, is read elsewhere, too, as a name or an attribute, or
    computed again; $as says on which lines."""
    lines = match.facts.of(step_counts).elsewhere(match.capture(argument["of"]), match.module)
    if not lines:
        return None
    shown = [str(line) for line in lines[:_SHOWN]] + ["…"] * (len(lines) > _SHOWN)
    text = f"line {shown[0]}" if len(shown) == 1 else f"lines {', '.join(shown)}"
    return match.with_texts({argument["as"]: text})


@predicate
def varies(match: Match, capture: Any) -> Match | None:
    """$x differs from turn to turn of a loop around it, or around a call that hands it over."""
    found = is_varied(match.capture(capture), match.module, match.facts.evaluator)
    return match if found else None


@predicate
def ends_by_figures(match: Match, argument: Any) -> Match | None:
    """``{as}``: the match is a ``break``, ``return`` or ``while`` that may end a loop that trains
    at another step on each worker, for its condition, captured as $as, speaks of what the loop
    computes."""
    for loop in loops_left(match.node):
        if match.facts.programs.trains(loop, match.module):
            condition = deciding_figure(match.node, loop)
            return (
                None if condition is None else match.with_captures({argument["as"]: (condition,)})
            )
    return None
