"""stage, rep_fun, stage_lambda: programs, and functions in them (document 003, sections 4 to 6)."""

from __future__ import annotations

import functools

from .errors import StagingError, error_in
from .interpreter import WORDS, interpret
from .rep import Rep, begin, current, form_of, is_staged, opened, reflect, reify, session
from .sexpr import Symbol, printed
from .staged_flow import unbound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .sexpr import Form


class Staged:
    """A program that a function has written. It is called as the function is: ``backend`` makes
    something that can be called of ``code``, once."""

    def __init__(
        self, function: Callable[..., Any], backend: Callable[[Form], Callable[..., Any]]
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._backend = backend
        self._made: Callable[..., Any] | None = None
        self.code = program_of(function)

    def __str__(self) -> str:
        return printed(self.code)

    def __call__(self, *arguments: Any) -> Any:
        if self._made is None:
            self._made = self._backend(self.code)
        return self._made(*arguments)


def program_of(function: Callable[..., Any]) -> Form:
    """``(def name (in1 …) block)``: what a function does with arguments that are not known yet.
    Raises StagingError."""
    parameters = [Symbol(f"in{number + 1}") for number in range(_positional(function))]
    with opened():
        try:
            block, value = reify(function, *map(Rep, parameters))
        except NameError as error:
            raise unbound(error) or error from None
        try:
            body = begin(block, value)
        except StagingError as error:
            raise error_in(function, f"its result: {error.reason}") from None
    name = "".join(c if c.isalnum() else "_" for c in function.__name__)
    name += "_" if name in WORDS else ""
    return (Symbol("def"), Symbol(name), tuple(parameters), body)


def interpreted(code: Form) -> Callable[..., Any]:
    """The back end that needs nothing: the program is interpreted."""
    return lambda *arguments: interpret(code, *arguments)


def stage(
    function: Callable[..., Any] | None = None,
    *,
    backend: Callable[[Form], Callable[..., Any]] = interpreted,
) -> Any:
    """A decorator: the function is called once, with staged arguments, and what it writes is the
    program. Raises StagingError."""
    if function is None:
        return functools.partial(stage, backend=backend)
    return Staged(function, backend)


class RepFun:
    """A function that is one in the program, too, and may call itself there."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *arguments: Any) -> Any:
        here = session()
        if here is None:
            return self.function(*arguments)
        name = self._defined(len(arguments))
        return reflect((name, *map(form_of, arguments)))

    def __staged__(self) -> Form:
        return self._defined(_positional(self.function))

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return functools.partial(self, owner) if owner is not None else self

    def _defined(self, count: int) -> Symbol:
        """Its name in the program, in which it is defined now unless it is already."""
        here = current()
        known = here.functions.get(id(self))
        if known is not None:
            return known[0]
        name = Symbol(f"{self.function.__name__}{here.names}")
        here.names += 1
        # Blocks deeper than this one can call it, and it can call itself.
        here.functions[id(self)] = (name, len(here.blocks))
        parameters = tuple(here.fresh() for _ in range(count))
        block, value = reify(self.function, *map(Rep, parameters))
        body = begin(block, value)
        if always_calls(body, name):
            reason = f"{self.function.__name__!r} calls itself whatever happens, without an end"
            raise error_in(self.function, reason)
        here.blocks[-1].append((Symbol("def"), name, parameters, body))
        return name


def rep_fun(function: Callable[..., Any]) -> RepFun:
    """A decorator: where the function is called by a staged program, it becomes one of that."""
    return RepFun(function)


def stage_lambda(function: Callable[..., Any]) -> Rep:
    """A function as a value of the program. Raises StagingError."""
    here = current()
    parameters = tuple(here.fresh() for _ in range(_positional(function)))
    block, value = reify(function, *map(Rep, parameters))
    return reflect((Symbol("lambda"), parameters, begin(block, value)))


def always_calls(form: Form, name: Symbol) -> bool:
    """Whether a form calls a function on every way through it."""
    if not isinstance(form, tuple) or not form:
        return False
    head, *parts = form
    if head == name:
        return True
    if head == "if":
        test, *branches = parts
        return always_calls(test, name) or all(always_calls(one, name) for one in branches)
    if head == "while":
        return always_calls(parts[0], name)
    if head in ("def", "lambda"):
        return False
    return any(always_calls(part, name) for part in parts)


def _positional(function: Callable[..., Any]) -> int:
    code = getattr(function, "__code__", None)
    if code is None:
        wrapped = getattr(function, "__wrapped__", None)
        if wrapped is None:
            raise StagingError(f"{function!r} is no function of Python")
        return _positional(wrapped)
    return int(code.co_argcount)


__all__ = [
    "RepFun", "Staged", "always_calls", "interpreted", "is_staged", "program_of", "rep_fun",
    "stage", "stage_lambda",
]  # fmt: skip
