"""Cells: variables of a function that its blocks share, and a return by an exception (document 003,
figure 3)."""

from __future__ import annotations

import operator

from .signals import Return

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class Var:
    """A variable, which has no value before one is assigned. Its attribute is called as that of
    Python's own cells."""

    __slots__ = ("cell_contents",)
    cell_contents: Any

    def __repr__(self) -> str:
        return f"Var({getattr(self, 'cell_contents', '')!r})"


class NonLocalReturnValue(BaseException):
    """A function returns, from inside its blocks. No ``except Exception`` is for that."""

    def __init__(self, value: Any = None) -> None:
        super().__init__(value)
        self.value = value


class UnboundVariableError(UnboundLocalError):
    """A variable is read that has no value."""

    def __init__(self, variable: Var) -> None:
        super().__init__("a variable is read that has no value yet")
        self.variable = variable


class Raised(Return):
    """A block was left by this exception, which the statement around has to raise again."""

    __slots__ = ()


def var() -> Var:
    """A variable without a value."""
    return Var()


def assign(variable: Var, value: Any) -> None:
    variable.cell_contents = value


def read(variable: Var) -> Any:
    """Raises UnboundVariableError."""
    try:
        return variable.cell_contents
    except AttributeError:
        raise UnboundVariableError(variable) from None


def update(variable: Var, sign: str, value: Any) -> None:
    """What ``variable += value`` does; the sign may be another one."""
    variable.cell_contents = _UPDATES[sign](read(variable), value)


def return_(value: Any) -> NoReturn:
    """Return from the function around."""
    raise NonLocalReturnValue(value)


_UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "@=": operator.imatmul,
    "/=": operator.itruediv, "//=": operator.ifloordiv, "%=": operator.imod, "**=": operator.ipow,
    ">>=": operator.irshift, "<<=": operator.ilshift, "&=": operator.iand, "^=": operator.ixor,
    "|=": operator.ior,
}  # fmt: skip
