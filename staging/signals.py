"""Signals: how a block was left. They are no exceptions: ``try``, ``with`` and ``finally`` around a
block see what they saw."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Left: TypeAlias = "Signal | None"


class Signal:
    """How a block was left."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


BREAK = Signal("BREAK")
CONTINUE = Signal("CONTINUE")


class Return(Signal):
    """It was left by ``return``, with a value."""

    __slots__ = ("value",)

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Return({self.value!r})"


class Unbound:
    """The annotation of a name that is a function's own, and that only its blocks bind."""
