"""The review: shows every hunk and asks about it."""

from .closing import Closing
from .loop import End, review
from .marks import prepare
from .show import show, show_diff

__all__ = ["Closing", "End", "prepare", "review", "show", "show_diff"]
