"""unforeseen: errors that nobody expected, in words, and what can be told of where they arose."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from .visible import visible

if TYPE_CHECKING:
    from .module import Module

HINT = "please report it; PINSETTER_DEBUG=1 shows more"
_VARIABLE = "PINSETTER_DEBUG"
_LONGEST = 300
# How functions call the module that they look at, or what knows it.
_SPEAKING = ("module", "source", "frame", "self")
# What the loader of libraries, and Python's threads, say of it.
_NO_MEMORY = ("failed to map segment", "cannot allocate memory", "can't start new thread")
_T = TypeVar("_T")


def said(error: BaseException) -> str:
    """An error on one line. Where it was raised goes to standard error, if that is wanted."""
    error = cause_of(error)
    if os.environ.get(_VARIABLE):
        # In one piece: another process may have something to say, too.
        lines = "".join(traceback.format_exception(error)).splitlines()
        sys.stderr.write("".join(f"{visible(line)}\n" for line in lines))
    if isinstance(error, RecursionError):
        return "RecursionError: the code is nested too deeply"
    if isinstance(error, MemoryError):
        return "MemoryError: there is not enough memory"
    lines = str(error).split("\n")
    text = lines[0][:_LONGEST]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def blamed(error: BaseException) -> Module | None:
    """The module that was looked at where an error was raised, as far as can be told."""
    found: Module | None = None
    error = cause_of(error)
    for frame, _ in traceback.walk_tb(error.__traceback__):
        found = _named_in(frame) or found
    return found


def looked_at(frame: FrameType | None) -> Module | None:
    """The module that is looked at while a function runs, as far as can be told."""
    while frame is not None:
        found = _named_in(frame)
        if found is not None:
            return found
        frame = frame.f_back
    return None


def _named_in(frame: FrameType) -> Module | None:
    from .module import Module

    variables = frame.f_locals
    for name in _SPEAKING:
        value = variables.get(name)
        value = value if isinstance(value, Module) else getattr(value, "module", None)
        if isinstance(value, Module):
            return value
    return None


def lacks_memory(error: BaseException) -> bool:
    """Whether the machine, or a limit, is to blame for an error: memory ran out."""
    error = cause_of(error)
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, ImportError | RuntimeError):
        text = str(error)
        return any(words in text.lower() for words in _NO_MEMORY)
    return isinstance(error, MemoryError)


class AnalysisError(Exception):
    """What an analysis of a whole project failed with is its ``__cause__``: no rule is to blame."""


def cause_of(error: BaseException) -> BaseException:
    """The error itself, or the one that an analysis failed with."""
    return error.__cause__ or error if isinstance(error, AnalysisError) else error


class once(Generic[_T]):
    """``cached_property`` for an analysis of a whole project: an error is kept, too, and raised
    again as an AnalysisError."""

    def __init__(self, make: Callable[[Any], _T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> once[_T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> _T: ...

    def __get__(self, instance: object, owner: type) -> once[_T] | _T:
        if instance is None:
            return self
        failures = vars(instance).setdefault("_failures", {})
        if self._name in failures:
            raise AnalysisError(self._name) from failures[self._name]
        try:
            value = self._make(instance)
        except Exception as error:
            failures[self._name] = cause_of(error)
            raise AnalysisError(self._name) from failures[self._name]
        vars(instance)[self._name] = value
        return value
