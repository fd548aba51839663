"""unforeseen: errors that nobody expected, in words."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from .visible import visible

HINT = "please report it; PINSETTER_DEBUG=1 shows more"
_VARIABLE = "PINSETTER_DEBUG"
_LONGEST = 300
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
        return made_once(vars(instance), failures, self._name, lambda: self._make(instance))


def made_once(
    made: dict[Any, Any], failures: dict[Any, BaseException], key: Any, make: Callable[[], _T]
) -> _T:
    """What ``make`` gives, kept in ``made``; what it fails with is kept in ``failures``, and
    raised, again and again, as an AnalysisError."""
    if key in made:
        found: _T = made[key]
        return found
    if key in failures:
        raise AnalysisError(str(key)) from failures[key]
    try:
        made[key] = value = make()
    except Exception as error:
        failures[key] = cause_of(error)
        raise AnalysisError(str(key)) from failures[key]
    return value
