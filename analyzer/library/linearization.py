"""linearized: a class and those it derives from, in the order in which Python looks into them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def linearized(cls: _T, bases_of: Callable[[_T], Iterable[_T]]) -> tuple[list[_T], bool]:
    """The C3 linearization, and whether there is one. Where classes seem to derive from themselves,
    or orders contradict each other, what comes first in the first of them comes first."""
    orders: dict[_T, list[_T]] = {}
    bases: dict[_T, list[_T]] = {}
    consistent = True
    way = [cls]  # down from the class, each a base of the one before
    while way:
        current = way[-1]
        if current not in bases:
            found = [*bases_of(current)]
            bases[current] = [base for base in found if base not in way]
            consistent = consistent and len(found) == len(bases[current])
        below = next((base for base in bases[current] if base not in orders), None)
        if below is not None:
            way.append(below)
            continue
        above = bases[current]
        merged, agree = _merged([*(orders[base] for base in above), above])
        orders[current] = [current, *merged]
        consistent = consistent and agree
        way.pop()
    return orders[cls], consistent


def _merged(orders: Iterable[Sequence[_T]]) -> tuple[list[_T], bool]:
    """Each class before its bases and in the order of every list, and whether there is such an
    order; where there is none, what comes first in the first list comes first."""
    found: list[_T] = []
    consistent = True
    waiting = [list(order) for order in orders if order]
    if len(waiting) < 3:  # of one base, and itself
        return (waiting[0] if waiting else []), True
    while waiting:
        heads = [order[0] for order in waiting]
        after = [set(order[1:]) for order in waiting]
        head = next((h for h in heads if not any(h in rest for rest in after)), None)
        if head is None:
            head, consistent = heads[0], False
        found.append(head)
        waiting = [kept for order in waiting if (kept := [c for c in order if c != head])]
    return found, consistent
