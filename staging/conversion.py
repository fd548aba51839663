"""convert: a function, and what it calls if that is asked for, is made one for tensors when it is
defined (document 004)."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
import weakref
from importlib import import_module
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

from .backends import backend_of, scope
from .errors import StagingError, StagingWarning
from .slots import OF_TENSORS
from .source import made_function, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# What is run as it is, with what Python has.
_LEFT_ALONE = OF_TENSORS | sys.stdlib_module_names


def convert(function: Any = None, *, recursive: bool = False, scopes: bool = False) -> Any:
    """A decorator: what the packs of ``autograph`` would write into the file is compiled instead of
    the function, with its closure, defaults, annotations and lines; ``recursive``: what it calls is
    made so, too, when it is called; ``scopes``: operations have the functions' names in front of
    theirs.

    Raises StagingError where there is no source, or something cannot be converted.
    """
    if function is None:
        return functools.partial(convert, recursive=recursive, scopes=scopes)
    options = {"calls": recursive, "scopes": scopes}
    return _convert(function, tuple(name for name, is_chosen in options.items() if is_chosen))


def _convert(function: Any, options: tuple[str, ...]) -> Any:
    if isinstance(function, MethodType):
        return MethodType(_convert(function.__func__, options), function.__self__)
    if isinstance(function, functools.partial):
        inner = _convert(function.func, options)
        return functools.partial(inner, *function.args, **function.keywords)
    if isinstance(function, staticmethod | classmethod):
        return type(function)(_convert(function.__func__, options))
    if not isinstance(function, FunctionType):
        called = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(called, FunctionType) and not isinstance(function, type):
            return _convert(MethodType(called, function), options)
        raise StagingError(f"{function!r} is no function of Python")
    if is_converted(function):
        return function
    if hasattr(function, "__wrapped__"):
        code = function.__code__
        reason = f"{function.__name__!r} is decorated already; put @convert next to its `def`"
        raise StagingError(reason, code.co_filename, code.co_firstlineno)
    return _converted(function, options)


def to_code(function: Any, *, recursive: bool = False, scopes: bool = False) -> str:
    """What ``convert`` compiles, as text. Raises StagingError."""
    found = function
    if not is_converted(function):
        found = convert(function, recursive=recursive, scopes=scopes)
    return str(getattr(found, "__func__", found).source)


def do_not_convert(function: Any = None) -> Any:
    """A decorator: what calls the function runs it as it is."""
    if function is None:
        return do_not_convert
    target = getattr(function, "__func__", function)
    target.__pinsetter_left_alone__ = True
    return function


def set_loop_options(**options: Any) -> None:
    """As the first statement of a loop: how it is to be run where a tensor decides.
    ``maximum_iterations``, ``parallel_iterations``, ``swap_memory`` and ``shape_invariants``, pairs
    of a variable and its shape."""


def is_converted(function: Any) -> bool:
    """Whether a function was made by ``convert``, or by one that was."""
    target = getattr(function, "__func__", function)
    return getattr(target, "__code__", None) in _codes


_codes: set[CodeType] = set()
# Of functions that were called, in a scope or not.
_made: dict[bool, weakref.WeakKeyDictionary[Any, Any]] = {
    in_scope: weakref.WeakKeyDictionary() for in_scope in (False, True)
}
_texts: dict[tuple[CodeType, tuple[str, ...]], Any] = {}


def _converted(function: FunctionType, options: tuple[str, ...]) -> FunctionType:
    text, first, filename = source_of(function)
    _check(function, first, filename)
    modules = _modules(function)
    key = (function.__code__, options)
    if key not in _texts:
        _texts[key] = _rewritten(modules + text, options)
    made = _texts[key]
    if made.left:
        line, reason = made.left[0]
        raise StagingError(reason, filename, first + line - 2)
    # The imports have a line of their own in front of the function.
    found = made_function(function, made.text, made.lines, first - 1, filename)
    found.original_source, found.source = text, made.text  # type: ignore[attr-defined]
    vars(found)["autograph_info__"] = {}
    _codes.update(_inside(found.__code__))
    return found


def _inside(code: CodeType) -> list[CodeType]:
    found = [code]
    for one in found:  # grows
        found.extend(inner for inner in one.co_consts if isinstance(inner, CodeType))
    return found


def _check(function: FunctionType, first: int, filename: str) -> None:
    kinds = {
        "a generator": inspect.isgeneratorfunction, "a coroutine": inspect.iscoroutinefunction,
        "an asynchronous generator": inspect.isasyncgenfunction,
    }  # fmt: skip
    for what, holds in kinds.items():
        if holds(function):
            reason = f"{function.__name__!r} is {what}, which no graph can have"
            raise StagingError(reason, filename, first)


def _modules(function: FunctionType) -> str:
    """Imports, in one line, of the modules that the function's names mean."""
    names = dict.fromkeys(_all_names(function.__code__))
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    found = []
    for name in names:
        value = function.__globals__.get(name)
        if name in cells:
            try:
                value = cells[name].cell_contents
            except ValueError:
                continue
        if not name.isidentifier():
            continue
        if isinstance(value, ModuleType) and value.__name__.replace(".", "_").isidentifier():
            found.append(f"import {_spelled(value.__name__)} as {name}")
        elif value is set_loop_options:
            found.append(f"from pinsetter.staging import set_loop_options as {name}")
    return "; ".join(found or ["pass"]) + "\n"


def _spelled(module: str) -> str:
    """TensorFlow's modules have other names inside than those that are written."""
    return "tensorflow" if module.partition(".")[0] == "tensorflow" else module


def _all_names(code: CodeType) -> list[str]:
    found = [*code.co_names, *code.co_freevars]
    for one in code.co_consts:
        if isinstance(one, CodeType):
            found += _all_names(one)
    return found


def _rewritten(text: str, options: tuple[str, ...]) -> Any:
    # Programs that were rewritten before need none of this.
    engine = import_module("pinsetter.codemods.engine.running.function_text")
    try:
        return engine.converted(text, options)
    except ValueError as error:
        raise StagingError(str(error)) from None


# ---------------------------------------------------------------- calls


def call(function: Any) -> Any:
    """What is called instead of a function: the same, converted if it is of the user's own, or what
    a builtin one is for tensors."""
    if isinstance(function, BuiltinFunctionType | type):
        return _builtin(function)
    if isinstance(function, functools.partial):
        inner = call(function.func)
        if inner is function.func:
            return function
        return functools.partial(inner, *function.args, **function.keywords)
    target = function.__func__ if isinstance(function, MethodType) else function
    if not isinstance(target, FunctionType):
        return _object(function)
    if not _is_users(target):
        return function
    known = _made[scope.is_open()]
    try:
        made = known[target]
    except KeyError:
        made = known[target] = _tried(target)
    if made is target:
        return function
    return MethodType(made, function.__self__) if isinstance(function, MethodType) else made


def _is_users(function: FunctionType) -> bool:
    if is_converted(function) or hasattr(function, "__pinsetter_left_alone__"):
        return False
    if getattr(function, "__wrapped__", None) is not None:
        return False
    module = str(getattr(function, "__module__", None) or "")
    filename = function.__code__.co_filename
    return module.partition(".")[0] not in _LEFT_ALONE and not filename.startswith("<frozen")


def _object(function: Any) -> Any:
    """Something with ``__call__``: converted if its class is of the user's own."""
    called = inspect.getattr_static(type(function), "__call__", None)
    if isinstance(called, FunctionType) and _is_users(called):
        return call(MethodType(called, function))
    return function


def _tried(function: FunctionType) -> FunctionType:
    try:
        return _converted(function, ("calls", "scopes") if scope.is_open() else ("calls",))
    except StagingError as error:
        where = (function.__code__.co_filename, function.__code__.co_firstlineno)
        if not inspect.isgeneratorfunction(function):
            text = f"{function.__name__!r} is run as it is: {error.reason}"
            warnings.warn_explicit(text, StagingWarning, *where)
        return function


def _builtin(function: Any) -> Any:
    if getattr(function, "__module__", None) != "builtins":
        return function

    def chosen(*values: Any, **more: Any) -> Any:
        for value in (*values, *more.values()):
            backend = backend_of(type(value))
            if backend is not None and backend.takes(value) and function in backend.overloads:
                return backend.overloads[function](*values, **more)
        return function(*values, **more)

    vars(chosen)["autograph_info__"] = {}
    return chosen


for _own in (call, set_loop_options):
    vars(_own)["autograph_info__"] = {}
