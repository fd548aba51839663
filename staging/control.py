"""if_, while_, for_: control flow as calls of functions that are its blocks.

A block is a function that returns None where it comes to its end, and a Signal where it is left
otherwise. A signal is no exception: ``try``, ``with`` and ``finally`` around see what they saw.
"""

from __future__ import annotations

# Programs may be modules that these import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    Left: TypeAlias = "Signal | None"
    Block: TypeAlias = Callable[[], Left]


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


def if_(test: Any, then: Block, *rest: Any) -> Left:
    """Run the block whose test is true: ``then``, or in ``rest`` that behind the first test, a
    function, which is, or the last one, which has none. What that returns."""
    if test:
        return then()
    pairs = iter(rest)
    for condition in pairs:
        block = next(pairs, None)
        if block is None:
            return condition()  # type: ignore[no-any-return]
        if condition():
            return block()  # type: ignore[no-any-return]
    return None


def while_(test: Callable[[], Any], body: Block, otherwise: Block | None = None) -> Left:
    """Run ``body`` as long as the test is true, and then ``otherwise``, unless the loop was left.
    What leaves more than the loop."""
    while test():
        signal = body()
        if signal is not None and signal is not CONTINUE:
            return None if signal is BREAK else signal
    return otherwise() if otherwise is not None else None


def for_(items: Iterable[Any], body: Callable[[Any], Left], otherwise: Block | None = None) -> Left:
    """Run ``body`` for each item, and then ``otherwise``, unless the loop was left. What leaves
    more than the loop."""
    for item in items:
        signal = body(item)
        if signal is not None and signal is not CONTINUE:
            return None if signal is BREAK else signal
    return otherwise() if otherwise is not None else None


def if_expression(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """The value of one of two functions."""
    return then() if test else otherwise()


def and_(value: Any, *rest: Callable[[], Any]) -> Any:
    """The first value that is false, or the last; those of ``rest`` are asked for in order."""
    for following in rest:
        if not value:
            return value
        value = following()
    return value


def or_(value: Any, *rest: Callable[[], Any]) -> Any:
    """The first value that is true, or the last; those of ``rest`` are asked for in order."""
    for following in rest:
        if value:
            return value
        value = following()
    return value


def not_(value: Any) -> Any:
    """Whether a value is false."""
    return not value
