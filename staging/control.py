"""if_, while_, for_: control flow as calls of functions that are its blocks.

A block is a function that returns None where it comes to its end, and a signal where it is left
otherwise. Where a test, or what is gone through, is of a type that a back end is registered for,
that decides; everything else is as Python has it.
"""

from __future__ import annotations

import operator

from .backends import backend_of
from .signals import BREAK, CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from .signals import Left

    Block: TypeAlias = Callable[[], Left]


def if_(test: Any, then: Block, *rest: Any, state: str | None = None) -> Left:
    """Run the block whose test is true: ``then``, or in ``rest`` that behind the first test, a
    function, which is, or the last one, which has none. What that returns. ``state`` names what the
    blocks change that is read later, `x, self.n`, None if that is not known."""
    at = 0
    while True:
        if test is True:
            return then()
        if test is not False:
            backend = backend_of(type(test))
            if backend is not None and backend.takes(test):
                return backend.if_(test, then, rest[at:], state)
            if test:
                return then()
        left = len(rest) - at
        if not left:
            return None
        if left == 1:
            return rest[at]()  # type: ignore[no-any-return]
        test, then = rest[at](), rest[at + 1]
        at += 2


def otherwise_of(rest: Sequence[Any], state: str | None = None) -> Callable[[], Left]:
    """What ``if_`` does with ``rest`` where the first test is false."""
    if len(rest) == 1:
        return rest[0]  # type: ignore[no-any-return]

    def otherwise() -> Left:
        return if_(rest[0](), *rest[1:], state=state) if rest else None

    return otherwise


def while_(
    test: Callable[[], Any],
    body: Block,
    otherwise: Block | None = None,
    *,
    state: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Left:
    """Run ``body`` as long as the test is true, and then ``otherwise``, unless the loop was left.
    What leaves more than the loop. ``state`` as in ``if_``; ``options`` are for the back end."""
    while True:
        asked = test()
        if asked is not True:
            backend = backend_of(type(asked))
            if backend is not None and backend.takes(asked):
                return backend.while_(asked, test, body, otherwise, state, options)
            if not asked:
                break
        signal = body()
        if signal is not None and signal is not CONTINUE:
            return None if signal is BREAK else signal
    return otherwise() if otherwise is not None else None


def for_(
    items: Iterable[Any],
    body: Callable[[Any], Left],
    otherwise: Block | None = None,
    *,
    state: str | None = None,
    until: Callable[[], Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Left:
    """Run ``body`` for each item, and then ``otherwise``, unless the loop was left, or ``until``
    was true at the end of a turn. What leaves more than the loop. ``state`` and ``options`` as in
    ``while_``."""
    backend = backend_of(type(items))
    if backend is not None and backend.takes(items):
        return backend.for_(items, body, otherwise, state, until, options)
    remaining = iter(items)
    for item in remaining:
        signal = body(item)
        if signal is not None and signal is not CONTINUE:
            return None if signal is BREAK else signal
        if until is not None:
            stopped = until()
            backend = None if stopped is False else backend_of(type(stopped))
            if backend is not None and backend.takes(stopped):
                return backend.rest_of_for(remaining, body, otherwise, state, until)
            if stopped:
                return None
    return otherwise() if otherwise is not None else None


def if_expression(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """The value of one of two functions."""
    backend = backend_of(type(test))
    if backend is not None and backend.takes(test):
        return backend.if_expression(test, then, otherwise)
    return then() if test else otherwise()


def and_(value: Any, *rest: Callable[[], Any]) -> Any:
    """The first value that is false, or the last; those of ``rest`` are asked for in order."""
    for number, following in enumerate(rest):
        backend = backend_of(type(value))
        if backend is not None and backend.takes(value):
            return backend.and_(value, _following(and_, rest[number:]))
        if not value:
            return value
        value = following()
    return value


def or_(value: Any, *rest: Callable[[], Any]) -> Any:
    """The first value that is true, or the last; those of ``rest`` are asked for in order."""
    for number, following in enumerate(rest):
        backend = backend_of(type(value))
        if backend is not None and backend.takes(value):
            return backend.or_(value, _following(or_, rest[number:]))
        if value:
            return value
        value = following()
    return value


def _following(connected: Callable[..., Any], rest: Sequence[Any]) -> Callable[[], Any]:
    first, *more = rest
    return lambda: connected(first(), *more)


def not_(value: Any) -> Any:
    """Whether a value is false."""
    backend = backend_of(type(value))
    return backend.not_(value) if backend is not None and backend.takes(value) else not value


def compare(value: Any, *rest: Any) -> Any:
    """A chain of comparisons: ``rest`` are signs, each with a function for what stands behind it,
    which is asked for once, and only as far as Python does."""
    sign, following, *more = rest
    right = following()
    found = SIGNS[sign](value, right)
    return and_(found, lambda: compare(right, *more)) if more else found


SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne, "is": operator.is_, "is not": operator.is_not,
    "in": lambda value, items: value in items, "not in": lambda value, items: value not in items,
}  # fmt: skip


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    """What ``assert test, message()`` does."""
    backend = backend_of(type(test))
    if backend is not None and backend.takes(test):
        backend.check(test, message)
    elif __debug__ and not test:
        raise AssertionError(*(() if message is None else (message(),)))


class At:
    """``at[key]`` is the key."""

    def __getitem__(self, key: Any) -> Any:
        return key


at = At()


def set_item(value: Any, owner: Any, key: Any) -> Any:
    """What has the item: ``owner`` itself, or a tensor that is like it."""
    backend = backend_of(type(owner))
    if backend is not None and backend.takes(owner):
        return backend.set_item(owner, key, value)
    owner[key] = value
    return owner
