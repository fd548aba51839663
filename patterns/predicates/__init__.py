"""The closed registry of predicates that a rule's ``where`` may use.

Each takes the match so far and its argument from the pack, and returns the match, possibly with
more captures or warnings, or None. What is only possible, not proved, holds with a warning.
"""

from . import averaging, derived, flow, graphs, kinds, loops, making, named, place, shape, version
from .common import resolves
from .registry import PREDICATES, satisfies

__all__ = [
    "PREDICATES", "averaging", "derived", "flow", "graphs", "kinds", "loops", "making", "named",
    "place", "resolves", "satisfies", "shape", "version",
]  # fmt: skip
