"""check: where code goes beyond the ten restrictions of the rules, and which of those places the
analysis copes with all the same.

A violation is *lifted* where the rules do what they would do without it: nothing is refused, left
out or merely assumed because of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....facts import Facts
from ....messages.finding import Finding
from . import (
    checkpoints,
    conditions,
    global_optimizers,
    late_imports,
    made_objects,
    prints,
    reassignments,
    updates,
)
from . import library_names as names
from .checked_code import Code, codes_of
from .titles import TITLES

__all__ = ["TITLES", "check"]

_CHECKS: tuple[Callable[[Code], Iterator[Finding]], ...] = (
    late_imports.check,
    names.check_module,
    names.check_members,
    prints.check,
    made_objects.check,
    reassignments.check,
    conditions.check,
    updates.check,
    global_optimizers.check,
    checkpoints.check,
)


def check(facts: Facts) -> list[Finding]:
    """The violations in the given files that use TensorFlow or belong to a training program,
    sorted by path and place."""
    found = {finding for code in codes_of(facts) for run in _CHECKS for finding in run(code)}
    return sorted(found, key=lambda finding: finding.key)
