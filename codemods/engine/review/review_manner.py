"""manner: how a review asks, and how it may end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .agenda import Order


class End(Enum):
    """How a review ended. After ``quit`` (q) and ``unanswered`` (end of input) what was accepted is
    applied; after ``declined``, which a person said at the end, and ``abandoned`` (Ctrl-C) nothing
    is. After ``anew`` it begins again, with an option that was offered."""

    DONE = "done"
    QUIT = "quit"
    UNANSWERED = "unanswered"
    DECLINED = "declined"
    ABANDONED = "abandoned"
    ANEW = "anew"


@dataclass(frozen=True)
class Manner:
    """How a review asks: in which ``order``; whether each answer is a line, ended by ``enter``;
    whether it asks at its end before anything is written; and for how many seconds what is ahead
    is waited for before it is told."""

    order: Order = Order.HUNK
    enter: bool = False
    asks_to_write: bool = False
    patience: float = 0
