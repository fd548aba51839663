"""lms: a function is virtualized when it is defined (document 003, section 3)."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from importlib import import_module
from types import CellType, CodeType, FunctionType

from .errors import StagingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_OWN = "_virtualized"
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
    text, first, filename = _source(function)
    made = _rewritten(text, style)
    if made.left:
        line, reason = made.left[0]
        raise StagingError(reason, filename, first + line - 1)
    code = _compiled(made.text, made.lines, first, filename, function)
    found = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__,
        tuple(_cells(code, function, _runtime(made.text))),
    )  # fmt: skip
    functools.update_wrapper(found, function)
    del found.__wrapped__  # type: ignore[attr-defined]
    found.__kwdefaults__ = function.__kwdefaults__
    found.__annotations__ = function.__annotations__
    found.original_source, found.source = text, made.text  # type: ignore[attr-defined]
    return found


def _source(function: FunctionType) -> tuple[str, int, str]:
    """The code of a function without its decorators, its first line, and its file."""
    code = function.__code__
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        reason = f"the source of {function.__name__!r} is not known"
        raise StagingError(reason, code.co_filename, code.co_firstlineno) from None
    text = textwrap.dedent("".join(lines))
    try:
        tree = ast.parse(text)
    except SyntaxError:
        tree = ast.Module([], [])
    node = tree.body[0] if tree.body else None
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        reason = f"the source of {function.__name__!r} is no `def`"
        raise StagingError(reason, code.co_filename, code.co_firstlineno)
    kept = text.splitlines(keepends=True)[node.lineno - 1 :]
    return "".join(kept), first + node.lineno - 1, code.co_filename


@functools.lru_cache(maxsize=256)
def _rewritten(text: str, style: str) -> Any:
    # Programs that were rewritten before need none of this.
    engine = import_module("pinsetter.codemods.engine.running.function_text")
    try:
        return engine.rewritten(text, "virtualize", ("builtins", "expressions"), {"style": style})
    except ValueError as error:
        raise StagingError(str(error)) from None


def _compiled(
    text: str, lines: Sequence[int], first: int, filename: str, function: FunctionType
) -> CodeType:
    """The code of a function that is written anew, in a function that has its free names."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        line = 0
        for name in ("lineno", "end_lineno"):
            found = getattr(node, name, None)
            if found is not None:
                # What is put around code ends where it begins.
                line = max(line, lines[min(found, len(lines)) - 1] + first - 1)
                setattr(node, name, line)
    own = next(n for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    own.decorator_list = []
    # What it calls itself is the name that it has where it stands.
    own.name = _OWN
    free = dict.fromkeys([*function.__code__.co_freevars, _runtime(text)])
    outer = ast.parse(f"def _outer({', '.join(free)}): pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body = [own]
    *_, owner, _ = ["", *function.__qualname__.split(".")]
    if owner.isidentifier():
        # A method's private names are those of its class.
        holder = ast.parse(f"class {owner}: pass").body[0]
        assert isinstance(holder, ast.ClassDef)
        outer.body, holder.body = [holder], [own]
    whole = ast.Module([outer], [])
    code = compile(whole, filename, "exec", dont_inherit=True, flags=_flags(function))
    names: dict[str, Any] = {"co_name": function.__name__, "co_qualname": function.__qualname__}
    found = _named(code, _OWN)
    # Python 3.10 has no qualified names in code.
    return found.replace(**{name: one for name, one in names.items() if hasattr(found, name)})


def _named(code: CodeType, name: str) -> CodeType:
    """The code of a function of this name, inside another."""
    waiting = [code]
    for one in waiting:  # grows
        if one.co_name == name:
            return one
        waiting.extend(inner for inner in one.co_consts if isinstance(inner, CodeType))
    raise StagingError(f"there is no {name}")


def _flags(function: FunctionType) -> int:
    """What the function's file imports from __future__."""
    features = import_module("__future__")
    every = [getattr(features, name).compiler_flag for name in features.all_feature_names]
    return int(function.__code__.co_flags & functools.reduce(int.__or__, every))


def _runtime(text: str) -> str:
    """What a function that is written anew calls the runtime."""
    imports = (node for node in ast.parse(text).body if isinstance(node, ast.Import))
    return next((str(node.names[0].asname) for node in imports), _OWN)


def _cells(code: CodeType, function: FunctionType, runtime: str) -> Sequence[CellType]:
    known = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    known[runtime] = CellType(import_module("pinsetter.staging"))
    return [known[name] for name in code.co_freevars]
