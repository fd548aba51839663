"""maths: functions of numbers, of arrays of NumPy, of tensors of PyTorch, and of what is staged."""

from __future__ import annotations

from .interpreter import OPERATORS
from .rep import is_staged, reflect
from .sexpr import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["cos", "exp", "log", "relu", "sigmoid", "sin", "sqrt", "sum_", "tanh"]


def _function(name: str) -> Callable[[Any], Any]:
    def function(value: Any) -> Any:
        if is_staged(value):
            return reflect((Symbol(name), value.form))
        # Tensors of PyTorch have them all.
        method = getattr(value, name, None)
        return OPERATORS[name](value) if method is None else method()

    function.__doc__ = f"``{name}``, item by item of arrays." if name != "sum" else "Of all items."
    return function


cos, exp, log, relu = map(_function, ("cos", "exp", "log", "relu"))
sigmoid, sin, sqrt, sum_ = map(_function, ("sigmoid", "sin", "sqrt", "sum"))
tanh = _function("tanh")
