"""The review: shows every hunk and asks about it."""

from .agenda import Order
from .closing import Closing
from .loop import review
from .marks import prepare
from .offered_options import Offers
from .review_manner import End, Manner
from .show import show_diff

__all__ = ["Closing", "End", "Manner", "Offers", "Order", "prepare", "review", "show_diff"]
