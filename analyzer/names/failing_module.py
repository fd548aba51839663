"""blame: which module was looked at when something went wrong, as far as can be told."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from types import FrameType

from ..messages.unforeseen import cause_of
from .module import Module

# How functions call the module that they look at, or what knows it.
_SPEAKING = ("module", "source", "frame", "self")


def blamed(error: BaseException) -> Module | None:
    """The module that was looked at where an error was raised, as far as can be told."""
    found: Module | None = None
    error = cause_of(error)
    for frame, _ in traceback.walk_tb(error.__traceback__):
        found = _named_in(frame) or found
    return found


def looked_at(frame: FrameType | None) -> Module | None:
    """The module that is looked at while a function runs, as far as can be told."""
    while frame is not None:
        found = _named_in(frame)
        if found is not None:
            return found
        frame = frame.f_back
    return None


def _named_in(frame: FrameType) -> Module | None:
    variables = frame.f_locals
    for name in _SPEAKING:
        value = variables.get(name)
        value = value if isinstance(value, Module) else _attributes(value).get("module")
        # A timer may ask while a module is being made.
        if isinstance(value, Module) and "source" in _attributes(value):
            return value
    return None


def _attributes(value: object) -> Mapping[str, object]:
    """What an object has of its own: to ask it for more could run code of it, which needs what is
    not there yet, or room on the stack."""
    found: Mapping[str, object] = getattr(value, "__dict__", {})
    return found
