"""Back ends by the type of a value: who takes over where one decides what happens next."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, Protocol

    from .signals import Left
    from .undefined import Maybe

    Block = Callable[[], Left] | None

    class Backend(Protocol):
        """What it does instead of Python where a test, or what is gone through, is its own, and it
        ``takes`` it."""

        overloads: Mapping[Any, Callable[..., Any]]

        def takes(self, value: Any) -> bool: ...

        def if_(
            self, test: Any, then: Callable[[], Left], rest: Sequence[Any], state: str | None
        ) -> Left: ...

        def while_(
            self,
            asked: Any,
            test: Callable[[], Any],
            body: Callable[[], Left],
            otherwise: Block,
            state: str | None,
            options: Mapping[str, Any] | None,
        ) -> Left: ...

        def for_(
            self,
            items: Any,
            body: Callable[[Any], Left],
            otherwise: Block,
            state: str | None,
            until: Callable[[], Any] | None,
            options: Mapping[str, Any] | None,
        ) -> Left: ...

        def rest_of_for(
            self,
            items: Iterator[Any],
            body: Callable[[Any], Left],
            otherwise: Block,
            state: str | None,
            until: Callable[[], Any],
        ) -> Left: ...

        def if_expression(
            self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]
        ) -> Any: ...

        def and_(self, value: Any, following: Callable[[], Any]) -> Any: ...

        def or_(self, value: Any, following: Callable[[], Any]) -> Any: ...

        def not_(self, value: Any) -> Any: ...

        def check(self, test: Any, message: Callable[[], Any] | None) -> None: ...

        def set_item(self, owner: Any, key: Any, value: Any) -> Any: ...

        def checked(self, value: Maybe) -> Any: ...

        def scope(self, name: str) -> AbstractContextManager[Any] | None: ...


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
        for base in kind.__mro__:
            module = _LATER.get(base.__module__.partition(".")[0])
            if module is not None:
                import_module(module, __package__)
        found = next((_registered[base] for base in kind.__mro__ if base in _registered), None)
        known[kind] = found
        return found


# What brings the back end along for the types of a library.
_LATER = {"tensorflow": ".tensors"}


_in_scope: ContextVar[bool] = ContextVar("in_scope", default=False)


class scope:
    """Inside of it, what a function makes in a graph has a name in front of its own."""

    __slots__ = ("_before", "_inner", "_name")

    def __init__(self, name: str) -> None:
        self._name = name

    @staticmethod
    def is_open() -> bool:
        return _in_scope.get()

    def __enter__(self) -> None:
        for library, module in _LATER.items():
            if library in sys.modules:
                import_module(module, __package__)
        found = (one.scope(self._name) for one in dict.fromkeys(_registered.values()))
        self._inner = [one for one in found if one is not None]
        for one in self._inner:
            one.__enter__()
        self._before = _in_scope.set(True)

    def __exit__(self, *raised: Any) -> None:
        _in_scope.reset(self._before)
        for one in reversed(self._inner):
            one.__exit__(*raised)
