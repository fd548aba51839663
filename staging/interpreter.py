"""interpret: what a staged program does, form by form. Every back end is measured by it."""

from __future__ import annotations

import math
import operator

from .errors import StagingError
from .sexpr import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .sexpr import Form


def relu(number: float) -> float:
    return max(number, 0.0)


def sigmoid(number: float) -> float:
    """Without an overflow far below 0."""
    if number >= 0:
        return 1.0 / (1.0 + math.exp(-number))
    small = math.exp(number)
    return small / (1.0 + small)


def _of_items(name: str, function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of numbers that takes arrays of NumPy, too, item by item."""

    def each(value: Any) -> Any:
        if not hasattr(value, "__array_ufunc__") or not value.shape:
            return function(value)
        import numpy

        found = getattr(numpy, name, None)
        return numpy.vectorize(function)(value) if found is None else found(value)

    return each


def _sum(value: Any) -> Any:
    return value.sum() if hasattr(value, "sum") else sum(value)


OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "neg": operator.neg,
    "pos": operator.pos, "invert": operator.invert, "abs": abs, "not": operator.not_,
    "len": len, "idx": operator.getitem, "sum": _sum,
    **{name: _of_items(name, function) for name, function in {
        "exp": math.exp, "log": math.log, "sqrt": math.sqrt, "tanh": math.tanh, "sin": math.sin,
        "cos": math.cos, "relu": relu, "sigmoid": sigmoid}.items()},
}  # fmt: skip


class Variable:
    """What ``new`` makes."""

    def __init__(self) -> None:
        self.value: Any = None


class Function:
    """A ``def`` or ``lambda`` with the names around it."""

    def __init__(self, parameters: tuple[Form, ...], body: Form, around: dict[str, Any]) -> None:
        self.parameters, self.body, self.around = parameters, body, around

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) != len(self.parameters):
            given = f"{len(arguments)} arguments instead of {len(self.parameters)}"
            raise StagingError(f"a staged function gets {given}")
        return evaluated(self.body, {**self.around, **dict(zip(self.parameters, arguments,
                                                               strict=True))})  # fmt: skip


def interpret(program: Form, *arguments: Any, names: Mapping[str, Any] | None = None) -> Any:
    """The result of a program, ``(def name (parameter …) block)``, for some arguments; ``names``
    are what it may call besides."""
    around = dict(names or {})
    evaluated(program, around)
    return around[program[1]](*arguments)


def evaluated(form: Form, names: dict[str, Any]) -> Any:
    """The value of a form where names have values. Raises StagingError for what is no form."""
    if isinstance(form, Symbol):
        if form not in names:
            raise StagingError(f"there is no {form} in the program")
        return names[form]
    if not isinstance(form, tuple):
        return form
    head, *parts = form
    special = _SPECIAL.get(head) if isinstance(head, Symbol) else None
    if special is not None:
        return special(parts, names)
    values = [evaluated(part, names) for part in parts]
    if head in OPERATORS:
        return OPERATORS[head](*values)
    return evaluated(head, names)(*values)


def _begin(parts: list[Form], names: dict[str, Any]) -> Any:
    inside, value = dict(names), None
    for part in parts:
        value = evaluated(part, inside)
    return value


def _let(parts: list[Form], names: dict[str, Any]) -> Any:
    value = names[parts[0]] = evaluated(parts[1], names)
    return value


def _def(parts: list[Form], names: dict[str, Any]) -> None:
    name, parameters, body = parts
    function = Function(parameters, body, names)
    names[name] = function


def _lambda(parts: list[Form], names: dict[str, Any]) -> Any:
    return Function(parts[0], parts[1], names)


def _if(parts: list[Form], names: dict[str, Any]) -> Any:
    return evaluated(parts[1] if evaluated(parts[0], names) else parts[2], names)


def _while(parts: list[Form], names: dict[str, Any]) -> None:
    while evaluated(parts[0], names):
        evaluated(parts[1], names)


def _new(parts: list[Form], names: dict[str, Any]) -> Any:
    return Variable()


def _set(parts: list[Form], names: dict[str, Any]) -> None:
    evaluated(parts[0], names).value = evaluated(parts[1], names)


def _get(parts: list[Form], names: dict[str, Any]) -> Any:
    return evaluated(parts[0], names).value


def _tuple(parts: list[Form], names: dict[str, Any]) -> Any:
    return tuple(evaluated(part, names) for part in parts)


def _array_set(parts: list[Form], names: dict[str, Any]) -> None:
    array, place, value = (evaluated(part, names) for part in parts)
    array[place] = value


def _getattr(parts: list[Form], names: dict[str, Any]) -> Any:
    return getattr(evaluated(parts[0], names), str(parts[1]))


def _setattr(parts: list[Form], names: dict[str, Any]) -> None:
    setattr(evaluated(parts[0], names), str(parts[1]), evaluated(parts[2], names))


def _call(parts: list[Form], names: dict[str, Any]) -> Any:
    owner, name, *arguments = parts
    method = getattr(evaluated(owner, names), str(name))
    return method(*(evaluated(one, names) for one in arguments))


def _print(parts: list[Form], names: dict[str, Any]) -> None:
    print(*(evaluated(part, names) for part in parts))


_SPECIAL: dict[Any, Callable[[list[Form], dict[str, Any]], Any]] = {
    "begin": _begin, "let": _let, "def": _def, "lambda": _lambda, "if": _if, "while": _while,
    "new": _new, "set": _set, "get": _get, "tuple": _tuple, "array-set": _array_set,
    "getattr": _getattr, "setattr": _setattr, "call": _call, "print": _print,
}  # fmt: skip
# What no function of a program can be called.
WORDS = frozenset({*_SPECIAL, *OPERATORS})
