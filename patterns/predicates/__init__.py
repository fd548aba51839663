"""The closed registry of predicates that a rule's ``where`` may use.

Each takes the match so far and its argument from the pack, and returns the match, possibly with
more captures or warnings, or None. What is only possible, not proved, holds with a warning.
"""

from .conditions import resolves
from .registry import PREDICATES, load_all, satisfies

__all__ = ["PREDICATES", "resolves", "satisfies"]

load_all()
