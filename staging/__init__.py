"""What virtualized programs call: ``if``, ``while`` and ``for`` as functions.

Nothing else of Pinsetter is imported when a program runs that was rewritten.
"""

from __future__ import annotations

from .control import BREAK, CONTINUE, Return, Signal, Unbound, for_, if_, while_

__all__ = ["BREAK", "CONTINUE", "Return", "Signal", "Unbound", "for_", "if_", "while_"]
