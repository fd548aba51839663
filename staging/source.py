"""The code of a function that is there already, and a function of code that is written anew, with
its closure, defaults, annotations and lines."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
from importlib import import_module
from types import CellType, CodeType, FunctionType

from .errors import StagingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

OWN = "_virtualized"


def source_of(function: FunctionType) -> tuple[str, int, str]:
    """The code of a function without its decorators, its first line, and its file; of a lambda that
    of a function which returns the same. Raises StagingError."""
    code = function.__code__
    if function.__name__ == "<lambda>":
        return _source_of_lambda(function)
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


def _source_of_lambda(function: FunctionType) -> tuple[str, int, str]:
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    found = [
        node for node in ast.walk(_parsed(text))
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
        and _names(node.args) == code.co_varnames[: len(_names(node.args))]
        and _compiled_as(node, code)
    ]  # fmt: skip
    if len(found) != 1:
        reason = "a lambda's source is not known, or there are several like it in a line"
        raise StagingError(reason, code.co_filename, code.co_firstlineno)
    (node,) = found
    body = ast.get_source_segment(text, node.body) or ast.unparse(node.body)
    if "\n" in body:
        body = ast.unparse(node.body)
    return f"def {OWN}({ast.unparse(node.args)}): return {body}\n", node.lineno, code.co_filename


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])


def _names(arguments: ast.arguments) -> tuple[str, ...]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return tuple(one.arg for one in every)


def _compiled_as(node: ast.Lambda, code: CodeType) -> bool:
    """Whether a lambda is the one of some code, as far as its place and its constants tell."""
    places = getattr(code, "co_positions", None)
    if places is not None:
        # What begins a function has places without width.
        own = [(line, begin) for line, _, begin, end in places() if begin != end]
        ends = (node.body.end_lineno or 0, node.body.end_col_offset or 0)
        starts = (node.body.lineno, node.body.col_offset)
        inside = [one for one in own if starts <= one < ends]
        return len(inside) == len(own)
    made = compile(ast.fix_missing_locations(ast.Expression(node)), "", "eval")
    return any(isinstance(c, CodeType) and c.co_code == code.co_code for c in made.co_consts)


def made_function(
    function: FunctionType, text: str, lines: Sequence[int], first: int, filename: str
) -> FunctionType:
    """The function whose code is ``text``: its line n was line ``lines[n - 1]`` of what ``first``
    begins, in the file."""
    code = _compiled(text, lines, first, filename, function)
    found = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__,
        tuple(_cells(code, function, _runtime(text))),
    )  # fmt: skip
    functools.update_wrapper(found, function)
    del found.__wrapped__  # type: ignore[attr-defined]
    found.__kwdefaults__ = function.__kwdefaults__
    found.__annotations__ = function.__annotations__
    return found


def _compiled(
    text: str, lines: Sequence[int], first: int, filename: str, function: FunctionType
) -> CodeType:
    """The code of a function that is written anew, in a function that has its free names."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        # `Load` is one object for all trees, and others may have given it a line.
        if "lineno" in node._attributes:
            _move(node, lines, first)
    own = next(n for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    own.decorator_list = []
    # What it calls itself is the name that it has where it stands.
    own.name = OWN
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
    found = _named(code, OWN)
    # Python 3.10 has no qualified names in code.
    return found.replace(**{name: one for name, one in names.items() if hasattr(found, name)})


def _move(node: Any, lines: Sequence[int], first: int) -> None:
    """Put a node where its code comes from."""
    begin, end = (
        lines[min(found or 1, len(lines)) - 1] + first - 1
        for found in (node.lineno, node.end_lineno)
    )
    # What is put around code ends where it begins.
    node.lineno, node.end_lineno = begin, max(begin, end)
    if begin >= end:
        node.end_col_offset = max(node.col_offset, node.end_col_offset or 0)


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
    own = (one.asname for node in imports for one in node.names if one.name == _RUNTIME)
    return next(filter(None, own), OWN)


def _cells(code: CodeType, function: FunctionType, runtime: str) -> Sequence[CellType]:
    known = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    known[runtime] = CellType(import_module(_RUNTIME))
    return [known[name] for name in code.co_freevars]


_RUNTIME = "pinsetter.staging"
