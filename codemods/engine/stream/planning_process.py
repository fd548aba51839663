"""in_background: a plan that is made by a process of its own while a person reviews its parts;
in_turn: one that is made here, of files that a process read meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..propose.plan_options import PlanOptions
from ..propose.planning import plans
from .forked import CAN_FORK, Forked
from .read_ahead import Ahead

if TYPE_CHECKING:
    from ..hunks.proposed import Planned
    from ..propose.wanted_pack import Wanted

_USUAL = PlanOptions()


def in_background(
    queries: Sequence[Wanted],
    paths: Sequence[Path] | Ahead,
    skip: frozenset[str],
    loaded: Callable[[Path], None] | None,
    options: PlanOptions = _USUAL,
) -> Iterable[tuple[Planned, bool]]:
    """The parts of the plan, from a process of their own where that can be."""

    def make(tell: Callable[[Path], None] | None) -> Iterator[tuple[Planned, bool]]:
        files = paths.components() if isinstance(paths, Ahead) else paths
        for part in plans(queries, files, skip, tell, options):
            for hunk in part[0].plan.hunks:
                _ = hunk.surroundings  # a key that decides many hunks would have to wait for them
            yield part

    if not CAN_FORK:
        return make(loaded)
    return Forked(make, loaded, [rule for query in queries for rule in query.pack.rules])


def in_turn(
    queries: Sequence[Wanted],
    ahead: Ahead,
    skip: frozenset[str],
    loaded: Callable[[Path], None] | None,
    options: PlanOptions = _USUAL,
) -> Iterator[tuple[Planned, bool]]:
    """The parts of the plan, which nobody waits for before all are there."""
    yield from plans(queries, ahead.components(), skip, loaded, options, early=False)
