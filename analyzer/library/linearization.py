"""merged: C3's merge, by which Python orders the bases of a class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def merged(orders: Iterable[Sequence[_T]]) -> tuple[list[_T], bool]:
    """Each class before its bases and in the order of every list, and whether there is such an
    order; where there is none, what comes first in the first list comes first."""
    found: list[_T] = []
    consistent = True
    waiting = [list(order) for order in orders if order]
    while waiting:
        heads = [order[0] for order in waiting]
        after = [set(order[1:]) for order in waiting]
        head = next((h for h in heads if not any(h in rest for rest in after)), None)
        if head is None:
            head, consistent = heads[0], False
        found.append(head)
        waiting = [kept for order in waiting if (kept := [c for c in order if c != head])]
    return found, consistent
