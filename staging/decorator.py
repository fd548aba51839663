"""lms: a function is virtualized when it is defined (document 003, section 3)."""

from __future__ import annotations

import functools
from importlib import import_module
from types import FunctionType

from .errors import StagingError
from .source import made_function, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_STYLES = ("signals", "cells")


def lms(function: Callable[..., Any] | None = None, *, style: str = "signals") -> Any:
    """A decorator: what the pack ``virtualize`` would write into the file, in the one or the other
    ``style``, is compiled instead of the function, with its closure, defaults, annotations and
    lines. ``original_source`` and ``source`` of the result are the code before and after.

    Raises StagingError where there is no source, or something cannot be virtualized.
    """
    if style not in _STYLES:
        raise StagingError(f"style={style!r}: it is one of {', '.join(_STYLES)}")
    if function is None:
        return functools.partial(lms, style=style)
    if not isinstance(function, FunctionType):
        raise StagingError(f"{function!r} is no function of Python")
    if hasattr(function, "__wrapped__"):
        code = function.__code__
        reason = f"{function.__name__!r} is decorated already; put @lms next to its `def`"
        raise StagingError(reason, code.co_filename, code.co_firstlineno)
    if function.__name__ == "<lambda>":
        code = function.__code__
        raise StagingError("a lambda is no `def`", code.co_filename, code.co_firstlineno)
    text, first, filename = source_of(function)
    made = _rewritten(text, style)
    if made.left:
        line, reason = made.left[0]
        raise StagingError(reason, filename, first + line - 1)
    found = made_function(function, made.text, made.lines, first, filename)
    found.original_source, found.source = text, made.text  # type: ignore[attr-defined]
    return found


@functools.lru_cache(maxsize=256)
def _rewritten(text: str, style: str) -> Any:
    # Programs that were rewritten before need none of this.
    engine = import_module("pinsetter.codemods.engine.running.function_text")
    try:
        return engine.virtualized(text, style)
    except ValueError as error:
        raise StagingError(str(error)) from None
