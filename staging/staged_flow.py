"""Staged ``if`` and ``while``: both branches, and the body, are written into the program.

A block binds names of the function around it by ``nonlocal``; which ones is seen when it is
written, of a loop's body once for nothing. Each becomes a variable of the program: it is set before
the statement, and at the end of each block, and read where a block begins and behind the statement
(document 003, figures 8, 12 and 13).
"""

from __future__ import annotations

import dis
from types import CodeType, FunctionType, ModuleType

from .cells import NonLocalReturnValue, Raised, UnboundVariableError, Var
from .control import otherwise_of
from .errors import StagingError, error_in, warn_of_change
from .interpreter import OPERATORS
from .rep import Rep, begin, current, form_of, inside, reflect, reify, session, written
from .sexpr import Symbol
from .signals import BREAK, CONTINUE, Return

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CellType
    from typing import Any, TypeAlias

    from .sexpr import Form
    from .signals import Left

    Cells: TypeAlias = Mapping[int, "Shared"]
    Values: TypeAlias = Mapping[int, Any]

_UNBOUND = object()
_PURE = {*OPERATORS, "begin", "let", "if", "tuple", "get", "getattr"}


def staged_if(test: Any, then: Callable[[], Left], rest: Sequence[Any]) -> Left:
    """What ``if_`` does where the test is staged. Raises StagingError."""
    branches = (then, otherwise_of(rest))
    cells = _cells(then, *rest)
    _check_globals(then, *rest)
    before = _contents(cells)
    blocks: list[tuple[list[Form], Left, Values]] = []
    for branch in branches:
        states = _states(cells)
        block, signal = written(_tried, branch)
        _warn_of_changes(branch, cells, states)
        blocks.append((block, signal, _contents(cells)))
        _restore(cells, before)
    for branch, (_, signal, _) in zip(branches, blocks, strict=True):
        if signal is BREAK or signal is CONTINUE:
            raise error_in(branch, f"{signal!r} leaves a branch of a staged `if`".lower())
    returns = [isinstance(signal, Return) for _, signal, _ in blocks]
    if any(returns) and not all(returns):
        reason = "one branch of a staged `if` returns a value, and the other goes on"
        raise error_in(then, reason)
    changed = []
    for key, value in before.items():
        ends = [found[key] for _, _, found in blocks]
        if value is _UNBOUND and any(end is _UNBOUND for end in ends):
            # It is that branch's own, unless it is read later.
            reason = "gets a value in only one of the branches of a staged `if`"
            _note_unbound(cells[key], reason, then)
        elif any(_differ(value, end) for end in ends):
            changed.append(key)
    variables = _declared(changed, cells, before, then)
    forms = []
    for branch, (block, signal, found) in zip(branches, blocks, strict=True):
        inside(block, _set, cells, variables, before, found, branch)
        forms.append(begin(tuple(block), signal.value if isinstance(signal, Return) else None))
    result = reflect((Symbol("if"), form_of(test), *forms))
    _read(cells, variables)
    if any(isinstance(signal, Raised) for _, signal, _ in blocks):
        raise NonLocalReturnValue(result)
    return Return(result) if all(returns) else None


def staged_while(
    test: Callable[[], Any],
    body: Callable[[], Left],
    otherwise: Callable[[], Left] | None,
    *inner: Callable[..., Any],
) -> Left:
    """What ``while_`` does where the test is staged; ``inner`` are what the body calls that bind
    names. Raises StagingError."""
    cells = _cells(test, body, *inner)
    _check_globals(test, body, *inner)
    before = _contents(cells)
    changed: list[int] = []
    while True:
        # What a name that is staged now changes is seen in another turn.
        with _scratch():
            variables = _declared(changed, cells, before, body)
            _read(cells, variables)
            start = _contents(cells)
            test()
            asked_for, states = _contents(cells), _states(cells)
            left = _tried(body)
            now = _contents(cells)
            _warn_of_changes(body, cells, states)
        # What has no value before it, and gets none by the test, is the body's own: each turn binds
        # it before it is read, or writing the body has failed.
        found = [
            key for key in cells if key not in changed and (
                _differ(start[key], asked_for[key])
                or (before[key] is not _UNBOUND and _differ(start[key], now[key]))
            )
        ]  # fmt: skip
        _restore(cells, before)
        if not found:
            break
        changed += found
    if left is not None and left is not CONTINUE:
        what = "a value is returned" if isinstance(left, Return) else repr(left).lower()
        raise error_in(body, f"{what} in a staged `while`, which can only come to its end")
    for key, shared in cells.items():
        if before[key] is _UNBOUND and key not in changed:
            reason = "gets a value only in a staged loop, which may have no turn"
            _note_unbound(shared, reason, body)
    variables = _declared(changed, cells, before, body)
    condition, asked = reify(_turn, test, cells, variables)
    block, _ = reify(_turn, body, cells, variables)
    _restore(cells, before)
    reflect((Symbol("while"), begin(condition, asked), begin(block, None)))
    _read(cells, variables)
    return otherwise() if otherwise is not None else None


def has_effects(function: Callable[[], Any]) -> bool:
    """Whether what a function writes into the program does more than give a value."""
    with _scratch():
        block, _ = reify(function)
    waiting = [*block]
    for form in waiting:  # grows
        if isinstance(form, tuple) and form:
            if form[0] not in _PURE:
                return True
            waiting += form[1:]
    return False


def _check_globals(*blocks: Any) -> None:
    """Raises StagingError where a block binds a name of its module: whether it does, only the
    program knows."""
    waiting = [(block, block.__code__) for block in blocks if hasattr(block, "__code__")]
    for block, code in waiting:  # grows
        for one in dis.get_instructions(code):
            if one.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                reason = f"{one.argval!r} is the module's, and no variable of a staged program"
                raise error_in(block, reason)
        inner = (one for one in code.co_consts if isinstance(one, CodeType))
        waiting += ((block, one) for one in inner)


def _tried(block: Callable[[], Left]) -> Left:
    """What a block returns. Raises StagingError, also for what it raises: whether it would, only
    the program knows."""
    try:
        return block()
    except NonLocalReturnValue as left:
        return Raised(left.value)
    except StagingError:
        raise
    except Exception as error:
        known = unbound(error)
        if known is not None:
            raise known from None
        reason = f"a staged block raises {type(error).__name__}: {error}"
        raise error_in(block, reason) from error


def unbound(error: Exception) -> StagingError | None:
    """Why a name has no value that a staged block has bound, if an exception is about that."""
    here = session()
    if not isinstance(error, NameError) or here is None:
        return None
    said = str(error)
    if isinstance(error, UnboundVariableError):
        return here.unbound_variables.get(id(error.variable))
    return next((one for name, one in here.unbound.items() if f"'{name}'" in said), None)


def _note_unbound(shared: Shared, reason: str, block: Any) -> None:
    """Say why a name has no value, should it be read."""
    error = error_in(block, f"{shared.name!r} {reason}")
    if isinstance(shared.cell, Var):
        current().unbound_variables[id(shared.cell)] = error
    else:
        current().unbound[shared.name] = error


def _turn(function: Callable[[], Any], cells: Cells, variables: Values) -> Any:
    _read(cells, variables)
    start = _contents(cells)
    found = function()
    _set(cells, variables, start, _contents(cells), function)
    return found


def _set(cells: Cells, variables: Values, before: Values, after: Values, function: Any) -> None:
    """Give the variables of the program what a block has bound the names to."""
    for key, variable in variables.items():
        if _differ(before[key], after[key]):
            form = _form(cells[key].name, after[key], function)
            reflect((Symbol("set"), variable.form, form))


# ---------------------------------------------------------------- variables


class Shared:
    """A variable of the functions around, which blocks see."""

    __slots__ = ("cell", "name")

    def __init__(self, name: str, cell: CellType | Var) -> None:
        self.name, self.cell = name, cell


def _cells(*functions: Any) -> dict[int, Shared]:
    """The variables that functions share, by their cells' id(): names may be alike."""
    found: dict[int, Shared] = {}
    for function in functions:
        code = getattr(function, "__code__", None)
        if code is not None:
            for name, own in zip(code.co_freevars, function.__closure__ or (), strict=True):
                inner = _content(own)
                cell = inner if isinstance(inner, Var) else own
                found.setdefault(id(cell), Shared(name, cell))
    return found


def _declared(keys: Sequence[int], cells: Cells, before: Values, function: Any) -> dict[int, Any]:
    """A variable of the program for each that is shared, with the value that it has."""
    found = {}
    for key in keys:
        found[key] = reflect((Symbol("new"),))
        if before[key] is not _UNBOUND:
            form = _form(cells[key].name, before[key], function)
            reflect((Symbol("set"), found[key].form, form))
    return found


def _form(name: str, value: Any, function: Any) -> Form:
    try:
        return form_of(value)
    except StagingError as error:
        reason = f"{name!r} changes in a staged block, and {error.reason}"
        raise error_in(function, reason) from None


def _read(cells: Cells, variables: Values) -> None:
    for key, variable in variables.items():
        cells[key].cell.cell_contents = reflect((Symbol("get"), variable.form))


def _states(cells: Cells) -> dict[int, tuple[Any, Any]]:
    """What names stand for, and what that consists of, by the identities of its parts."""
    contents = _contents(cells)
    return {key: (value, _parts_of(value)) for key, value in contents.items()}


def _parts_of(value: Any) -> list[int]:
    if isinstance(value, dict):
        return [*map(id, value), *map(id, value.values())]
    if isinstance(value, list | set):
        return [*map(id, value)]
    if hasattr(value, "__dict__") and not isinstance(value, Rep | FunctionType | ModuleType):
        return _parts_of(dict(vars(value)))
    return []


def _warn_of_changes(block: Any, cells: Cells, before: Mapping[int, tuple[Any, Any]]) -> None:
    for key, (value, parts) in _states(cells).items():
        if value is before[key][0] and parts != before[key][1]:
            warn_of_change(block, cells[key].name)


def _content(cell: CellType | Var) -> Any:
    try:
        return cell.cell_contents
    except (ValueError, AttributeError):
        return _UNBOUND


def _contents(cells: Cells) -> dict[int, Any]:
    return {key: _content(shared.cell) for key, shared in cells.items()}


def _restore(cells: Cells, contents: Values) -> None:
    for key, shared in cells.items():
        if contents[key] is not _UNBOUND:
            shared.cell.cell_contents = contents[key]
        elif _content(shared.cell) is not _UNBOUND:
            del shared.cell.cell_contents


def _differ(one: Any, other: Any) -> bool:
    """Whether a name was bound to something else; equal numbers and texts are the same."""
    if one is other:
        return False
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return any(map(_differ, one, other))
    if type(one) is not type(other) or not isinstance(one, bool | int | float | str):
        return True
    return repr(one) != repr(other)


class _scratch:
    """A block that is forgotten, and the names that were used in it."""

    def __enter__(self) -> None:
        here = current()
        self._names, self._functions = here.names, dict(here.functions)
        here.blocks.append([])

    def __exit__(self, *_: object) -> None:
        here = session()
        if here is not None:
            here.blocks.pop()
            here.names, here.functions = self._names, self._functions
