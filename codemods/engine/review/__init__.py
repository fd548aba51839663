"""The review: shows every hunk and asks about it."""

from .agenda import Order
from .closing import Closing
from .loop import review
from .manner import End, Manner
from .marks import prepare
from .offers import Offers
from .show import show_diff

__all__ = ["Closing", "End", "Manner", "Offers", "Order", "prepare", "review", "show_diff"]
