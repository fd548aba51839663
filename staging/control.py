"""if_, while_, for_: control flow as calls of functions that are its blocks.

A block is a function that returns None where it comes to its end, and a signal where it is left
otherwise. Where a test, or what is gone through, is of a type that a back end is registered for,
that decides; everything else is as Python has it.
"""

from __future__ import annotations

from .backends import backend_of
from .signals import BREAK, CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from .signals import Left

    Block: TypeAlias = Callable[[], Left]


def if_(test: Any, then: Block, *rest: Any) -> Left:
    """Run the block whose test is true: ``then``, or in ``rest`` that behind the first test, a
    function, which is, or the last one, which has none. What that returns."""
    at = 0
    while True:
        if test is True:
            return then()
        if test is not False:
            backend = backend_of(type(test))
            if backend is not None:
                return backend.if_(test, then, rest[at:])
            if test:
                return then()
        left = len(rest) - at
        if not left:
            return None
        if left == 1:
            return rest[at]()  # type: ignore[no-any-return]
        test, then = rest[at](), rest[at + 1]
        at += 2


def while_(test: Callable[[], Any], body: Block, otherwise: Block | None = None) -> Left:
    """Run ``body`` as long as the test is true, and then ``otherwise``, unless the loop was left.
    What leaves more than the loop."""
    while True:
        asked = test()
        if asked is not True:
            backend = backend_of(type(asked))
            if backend is not None:
                return backend.while_(test, body, otherwise)
            if not asked:
                break
        signal = body()
        if signal is not None and signal is not CONTINUE:
            return None if signal is BREAK else signal
    return otherwise() if otherwise is not None else None


def for_(items: Iterable[Any], body: Callable[[Any], Left], otherwise: Block | None = None) -> Left:
    """Run ``body`` for each item, and then ``otherwise``, unless the loop was left. What leaves
    more than the loop."""
    backend = backend_of(type(items))
    if backend is not None:
        return backend.for_(items, body, otherwise)
    for item in items:
        signal = body(item)
        if signal is not None and signal is not CONTINUE:
            return None if signal is BREAK else signal
    return otherwise() if otherwise is not None else None


def if_expression(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """The value of one of two functions."""
    backend = backend_of(type(test))
    if backend is not None:
        return backend.if_expression(test, then, otherwise)
    return then() if test else otherwise()


def and_(value: Any, *rest: Callable[[], Any]) -> Any:
    """The first value that is false, or the last; those of ``rest`` are asked for in order."""
    for number, following in enumerate(rest):
        backend = backend_of(type(value))
        if backend is not None:
            return backend.and_(value, rest[number:])
        if not value:
            return value
        value = following()
    return value


def or_(value: Any, *rest: Callable[[], Any]) -> Any:
    """The first value that is true, or the last; those of ``rest`` are asked for in order."""
    for number, following in enumerate(rest):
        backend = backend_of(type(value))
        if backend is not None:
            return backend.or_(value, rest[number:])
        if value:
            return value
        value = following()
    return value


def not_(value: Any) -> Any:
    """Whether a value is false."""
    backend = backend_of(type(value))
    return not value if backend is None else backend.not_(value)
