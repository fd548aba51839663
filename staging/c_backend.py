"""The C back end: a staged program is compiled with the system's compiler, and called by ctypes."""

from __future__ import annotations

import ctypes
import math
import os
import subprocess
import tempfile
import threading
from copy import copy
from shutil import which

from .c_code import c_code
from .c_gradient import gradient_code
from .c_names import kinds_of
from .errors import StagingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .sexpr import Form

_KINDS = ("number", "vector", "matrix")
_ERRORS = {
    1: (StagingError, "the program calls itself too deep for the memory that it has"),
    2: (IndexError, "a list of the program has no such place"),
    3: (ZeroDivisionError, "the program divides by zero"),
    4: (MemoryError, "the program's arrays need more memory than there is"),
    5: (ValueError, "the program puts arrays of different lengths together"),
}
# What runs in C may go so deep; one that needs more is stopped, and says so.
_STACK = 256 * 1024 * 1024
_SPARE = 4 * 1024 * 1024
# A recursion without an end is to be seen as one, and not to become a loop.
# What Python rounds twice must not be rounded once.
_FLAGS = (
    "-std=c99", "-O2", "-ffp-contract=off", "-fno-optimize-sibling-calls", "-shared", "-fPIC", "-w",
)  # fmt: skip
# What is compiled runs here, and only now; a compiler may not know of it.
_FAST = ("-O3", "-march=native")


def _array(item: Any) -> Any:
    class Array(ctypes.Structure):
        _fields_ = (
            ("v", ctypes.POINTER(item)), ("d", ctypes.POINTER(item)), ("n", ctypes.c_long),
            ("m", ctypes.c_long),
        )  # fmt: skip

    return Array


_ITEMS = {single: (item, _array(item)) for single, item in
          ((False, ctypes.c_double), (True, ctypes.c_float))}  # fmt: skip


class Compiled:
    """A program in C, ``source``; it takes numbers and lists of numbers, and gives a float, or a
    tuple of them. What the program writes into a list is written."""

    def __init__(self, program: Form, source: str) -> None:
        self.source = source
        self._kinds: Sequence[Any] = [int(one) for one in kinds_of(program)[program[1]]]
        last = program[3][-1] if isinstance(program[3], tuple) else program[3]
        self._results = len(last) - 1 if isinstance(last, tuple) and last[0] == "tuple" else 0
        self._library = _loaded(source)

    def __call__(self, *arguments: Any) -> Any:
        given = _Given(self._kinds, arguments)
        results = (ctypes.c_double * max(self._results, 1))()
        self._run(given, results)
        given.write_back()
        return tuple(results) if self._results else results[0]

    def _run(self, given: _Given, results: Any) -> None:
        size = ctypes.c_long(_STACK - _SPARE)
        reason = _with_stack(
            lambda: self._library.run_on_stack(given.numbers, given.arrays, results, size)
        )
        if reason:
            kind, text = _ERRORS[reason]
            raise kind(text)


class Gradient(Compiled):
    """As ``Compiled``, but what is given is the value and, for each argument, the derivative by
    it: a float, a list, or what is like the array that was given."""

    def __init__(self, program: Form, kinds: Sequence[int] | None, single: bool) -> None:
        super().__init__(program, gradient_code(program, kinds, single))
        self._kinds = self._kinds if kinds is None else kinds
        self._single = single

    def __call__(self, *arguments: Any) -> Any:
        given = _Given(self._kinds, arguments, self._single)
        results = (ctypes.c_double * (1 + given.count))()
        self._run(given, results)
        return results[0], given.derivatives(results)


class _Given:
    """The arguments of one call, as C has them."""

    def __init__(
        self, kinds: Sequence[Any], arguments: Sequence[Any], single: bool = False
    ) -> None:
        if len(arguments) != len(kinds):
            raise StagingError(
                f"the program gets {len(arguments)} arguments instead of {len(kinds)}"
            )
        item, array = _ITEMS[single]
        numbers = [_number(a) for a, kind in zip(arguments, kinds, strict=True) if not kind]
        self.count = len(numbers)
        self.numbers = (ctypes.c_double * max(self.count, 1))(*numbers)
        self._given = [
            (_Items if _is_buffer(a, item) else _Copied)(a, kind, item) if kind else None
            for a, kind in zip(arguments, kinds, strict=True)
        ]
        arrays = [array(*one.pointers) for one in self._given if one is not None]
        self.arrays = (array * max(len(arrays), 1))(*arrays)

    def write_back(self) -> None:
        for one in self._given:
            if one is not None:
                one.write_back()

    def derivatives(self, results: Any) -> tuple[Any, ...]:
        numbers = iter(results[1:])
        return tuple(next(numbers) if one is None else one.derivative() for one in self._given)


def _number(argument: Any) -> float:
    try:
        return float(argument)
    except (TypeError, ValueError):
        raise _none_of(argument, "number") from None


def _none_of(argument: Any, kind: str) -> StagingError:
    return StagingError(f"a {type(argument).__name__}, {str(argument)[:40]}, is no {kind}")


def _is_buffer(argument: Any, item: Any) -> bool:
    """Whether C can have an array where it is, and there can be another such."""
    if isinstance(argument, memoryview):
        return False
    try:
        view = memoryview(argument)
    except TypeError:
        return False
    return (
        view.format == item._type_ and view.c_contiguous and not view.readonly and view.nbytes > 0
    )


class _Items:
    """An array of numbers of C, where it is; its derivative is another such array."""

    def __init__(self, argument: Any, kind: int, item: Any) -> None:
        shape = memoryview(argument).shape or ()
        if len(shape) != kind:
            raise StagingError(f"an array of shape {shape} is no {_KINDS[kind]}")
        self._slopes = copy(argument)
        size = item * math.prod(shape)
        values, slopes = (size.from_buffer(one) for one in (argument, self._slopes))
        ctypes.memset(slopes, 0, ctypes.sizeof(slopes))
        self.pointers = (values, slopes, *shape, *[1] * (2 - kind))

    def write_back(self) -> None:
        """It is there."""

    def derivative(self) -> Any:
        return self._slopes


class _Copied:
    """A list of numbers, or of rows of them."""

    def __init__(self, argument: Any, kind: int, item: Any) -> None:
        self._argument, self._kind = argument, kind
        values = argument.tolist() if hasattr(argument, "tolist") else argument
        try:
            rows = [values] if kind == 1 else [*values]
            self._columns = len(rows[0]) if rows else 0
            numbers = [float(one) for row in rows for one in row]
        except (TypeError, ValueError):
            raise _none_of(argument, f"{_KINDS[kind]} of numbers") from None
        if any(len(row) != self._columns for row in rows):
            raise StagingError("rows of different lengths are no matrix")
        size = item * max(len(numbers), 1)
        self._values, self._slopes = size(*numbers), size()
        shape = (self._columns, 1) if kind == 1 else (len(rows), self._columns)
        self.pointers = (self._values, self._slopes, *shape)

    def write_back(self) -> None:
        for place, value in enumerate(self._values[: len(self._argument)]):
            if self._argument[place] != value:
                self._argument[place] = value

    def derivative(self) -> list[Any]:
        count = len(self._argument)
        if self._kind == 1:
            return list(self._slopes[:count])
        n = self._columns
        return [list(self._slopes[at * n : at * n + n]) for at in range(count)]


def compile_to_c(program: Form) -> Compiled:
    """A program as a function of C. Raises StagingError for what C does not get, or where there is
    no compiler."""
    return Compiled(program, c_code(program))


def gradient(program: Form, kinds: Sequence[str] | None = None, single: bool = False) -> Gradient:
    """A program with one number as its result, and its derivatives by its arguments, by reverse
    mode through continuations (document 003, section 7; Lantern). ``kinds`` says of each argument
    whether it is a "number", "vector" or "matrix"; without them, what is asked for items is a
    vector. ``single``: items of these are single floats. Raises StagingError."""
    unknown = [one for one in kinds or () if one not in _KINDS]
    if unknown:
        raise StagingError(f"{unknown[0]!r} is none of {', '.join(_KINDS)}")
    given = None if kinds is None else [_KINDS.index(one) for one in kinds]
    return Gradient(program, given, single)


_ENTRY = """
int run_on_stack(double *numbers, struct array *arrays, double *results, long size)
{
    char base;
    return run(numbers, arrays, results, &base, size);
}
"""


def _loaded(source: str) -> Any:
    compiler = next(filter(None, map(which, (os.environ.get("CC", "cc"), "gcc", "clang"))), None)
    if compiler is None:
        raise StagingError("there is no C compiler; install one, or name it in CC")
    with tempfile.TemporaryDirectory() as folder:
        path, library = os.path.join(folder, "program.c"), os.path.join(folder, "program.so")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source + _ENTRY)
        for more in (_FAST, ()):
            done = subprocess.run(
                [compiler, *_FLAGS, *more, path, "-o", library, "-lm"],
                capture_output=True, text=True,
            )  # fmt: skip
            if not done.returncode:
                break
        else:
            raise StagingError(f"{compiler} does not compile the program: {done.stderr[:500]}")
        return ctypes.CDLL(library)


_ONE_AT_A_TIME = threading.Lock()


def _with_stack(work: Callable[[], int]) -> int:
    """What something gives that runs on a stack which is large."""
    found: list[int] = []
    with _ONE_AT_A_TIME:
        before = threading.stack_size(_STACK)
        try:
            thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
        thread.join()
    return found[0]
