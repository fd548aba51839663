"""What virtualized programs call: ``if``, ``while`` and ``for`` as functions.

Nothing else of Pinsetter is imported when a program runs that was rewritten.
"""

from __future__ import annotations

from .control import (
    BREAK,
    CONTINUE,
    Return,
    Signal,
    Unbound,
    and_,
    for_,
    if_,
    if_expression,
    not_,
    or_,
    while_,
)

__all__ = [
    "BREAK", "CONTINUE", "Return", "Signal", "Unbound", "and_", "for_", "if_", "if_expression",
    "not_", "or_", "while_",
]  # fmt: skip
