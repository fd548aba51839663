"""StagingError: why something cannot be staged, with the place in the user's file; StagingWarning:
what may not be meant."""

from __future__ import annotations

import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class StagingError(Exception):
    """``filename`` and ``lineno`` are those of the user's source, None where they are not known."""

    def __init__(self, reason: str, filename: str | None = None, lineno: int | None = None) -> None:
        self.reason = reason
        self.filename = filename
        self.lineno = lineno
        place = f"{filename}:{lineno}: " if filename is not None else ""
        super().__init__(place + reason)


class StagingTypeError(StagingError, TypeError):
    """Something is of different types on different ways."""


class StagingValueError(StagingError, ValueError):
    """Something has no value, or none of the right shape, on some way."""


class StagingWarning(UserWarning):
    """Something happens when a program is written, and not when it runs."""


def error_in(function: Callable[..., Any], reason: str) -> StagingError:
    """An error at the beginning of a function, or a block."""
    code = getattr(function, "__code__", None)
    if code is None:
        return StagingError(reason)
    return StagingError(reason, code.co_filename, code.co_firstlineno)


def warn_of_change(function: Any, name: str) -> None:
    """A warning that a block does something to a value of Python's own."""
    text = f"a staged block changes what {name!r} names: now, and not when the program runs"
    warn_in(function, text)


def warn_in(function: Callable[..., Any], text: str) -> None:
    """A warning at the beginning of a function, or a block."""
    code = function.__code__
    warnings.warn_explicit(text, StagingWarning, code.co_filename, code.co_firstlineno)
