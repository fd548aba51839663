"""Names without a value: where a tensor decides whether a name gets one, that is known only when
the program runs; ``ld`` is a read of such a name."""

from __future__ import annotations

from .backends import backend_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Undefined:
    """What stands for no value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED = Undefined()


class Maybe:
    """A value, and a staged boolean that says whether the name has it. Whoever reads the name asks
    ``ld``."""

    __slots__ = ("bound", "name", "value")

    def __init__(self, name: str, value: Any, bound: Any) -> None:
        self.name, self.value, self.bound = name, value, bound

    def __repr__(self) -> str:
        return f"Maybe({self.name})"

    def __getattr__(self, name: str) -> NoReturn:
        # Reads that are not seen, as those of a function inside, must not compute with it.
        raise unbound(self.name)


class Gone:
    """What stands where a staged block has put something of its graph: who reads it is told."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"Gone({self._name})"

    def __getattr__(self, name: str) -> NoReturn:
        from .errors import StagingError

        raise StagingError(
            f"{self._name!r} was changed in a staged block, and what it has is not known here"
        )


def unbound(name: str) -> UnboundLocalError:
    """The error of a name that has no value on some way."""
    return UnboundLocalError(f"{name!r} may have no value here: only some ways lead to one")


def ld(value: Any) -> Any:
    """The value of a name. Raises UnboundLocalError, now or when the program runs."""
    if value.__class__ is Maybe:
        backend = backend_of(type(value.bound))
        assert backend is not None
        return backend.checked(value)
    if value is UNDEFINED:
        raise UnboundLocalError("a name is read that has no value")
    return value


def returned(value: Any, flag: Any = True) -> Any:
    """What a function returns whose ``return`` statements set a value and a flag; ``flag`` is given
    where it may come to its end without one. Raises UnboundLocalError, when the program runs, where
    it does, and other ways have a staged value."""
    if value is UNDEFINED:
        return None
    backend = backend_of(type(flag))
    if value.__class__ is not Maybe:
        if backend is None or value is None or not backend.takes(flag):
            return value if flag else None
        return backend.checked(Maybe("the result", value, flag))
    return value.value if flag is True else ld(value)
