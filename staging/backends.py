"""Back ends by the type of a value: who takes over where one decides what happens next."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from .signals import Left

    class Backend(Protocol):
        """What it does instead of Python where a test, or what is gone through, is its own."""

        def if_(self, test: Any, then: Callable[[], Left], rest: Sequence[Any]) -> Left: ...

        def while_(
            self,
            test: Callable[[], Any],
            body: Callable[[], Left],
            otherwise: Callable[[], Left] | None,
        ) -> Left: ...

        def for_(
            self,
            items: Any,
            body: Callable[[Any], Left],
            otherwise: Callable[[], Left] | None,
        ) -> Left: ...

        def if_expression(
            self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]
        ) -> Any: ...

        def and_(self, value: Any, rest: Sequence[Callable[[], Any]]) -> Any: ...

        def or_(self, value: Any, rest: Sequence[Callable[[], Any]]) -> Any: ...

        def not_(self, value: Any) -> Any: ...


_registered: dict[type, Backend] = {}
# Also of types that have none: this is asked whenever a program branches.
known: dict[type, Backend | None] = {bool: None, int: None, type(None): None}


def register(kind: type, backend: Backend) -> None:
    """Let a back end take over for values of a type, and of those that derive from it."""
    _registered[kind] = backend
    known.clear()


def backend_of(kind: type) -> Backend | None:
    """The back end for values of a type; None for plain Python."""
    try:
        return known[kind]
    except KeyError:
        found = next((_registered[base] for base in kind.__mro__ if base in _registered), None)
        known[kind] = found
        return found
