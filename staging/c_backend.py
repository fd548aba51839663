"""The C back end: a staged program is compiled with the system's compiler, and called by ctypes."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
import threading
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

_TOO_DEEP, _NO_PLACE, _BY_ZERO = 1, 2, 3
# What runs in C may go so deep; one that needs more is stopped, and says so.
_STACK = 256 * 1024 * 1024
_SPARE = 4 * 1024 * 1024
# A recursion without an end is to be seen as one, and not to become a loop.
_FLAGS = ("-std=c99", "-O2", "-fno-optimize-sibling-calls", "-shared", "-fPIC", "-w")


class _Array(ctypes.Structure):
    _fields_ = (
        ("v", ctypes.POINTER(ctypes.c_double)), ("d", ctypes.POINTER(ctypes.c_double)),
        ("n", ctypes.c_long),
    )  # fmt: skip


class Compiled:
    """A program in C, ``source``; it takes numbers and lists of numbers, and gives a float, or a
    tuple of them. What the program writes into a list is written."""

    def __init__(self, program: Form, source: str) -> None:
        self.source = source
        self._arrays = kinds_of(program)[program[1]]
        last = program[3][-1] if isinstance(program[3], tuple) else program[3]
        self._results = len(last) - 1 if isinstance(last, tuple) and last[0] == "tuple" else 0
        self._library = _loaded(source)

    def __call__(self, *arguments: Any) -> Any:
        given = _Given(self._arrays, arguments)
        results = (ctypes.c_double * max(self._results, 1))()
        self._run(given, results)
        given.write_back()
        return tuple(results) if self._results else results[0]

    def _run(self, given: _Given, results: Any) -> None:
        size = ctypes.c_long(_STACK - _SPARE)
        reason = _with_stack(
            lambda: self._library.run_on_stack(given.numbers, given.arrays, results, size)
        )
        if reason == _TOO_DEEP:
            raise StagingError("the program calls itself too deep for the memory that it has")
        if reason == _NO_PLACE:
            raise IndexError("a list of the program has no such place")
        if reason == _BY_ZERO:
            raise ZeroDivisionError("the program divides by zero")


class Gradient(Compiled):
    """As ``Compiled``, but what is given is the value and, for each argument, the derivative by
    it: a float, or a list of them."""

    def __call__(self, *arguments: Any) -> Any:
        given = _Given(self._arrays, arguments)
        results = (ctypes.c_double * (1 + given.count))()
        self._run(given, results)
        return results[0], given.derivatives(results)


class _Given:
    """The arguments of one call, as C has them."""

    def __init__(self, are_arrays: Sequence[bool], arguments: Sequence[Any]) -> None:
        if len(arguments) != len(are_arrays):
            wanted = f"{len(arguments)} arguments instead of {len(are_arrays)}"
            raise StagingError(f"the program gets {wanted}")
        self._are_arrays = are_arrays
        self._arguments = arguments
        numbers = [float(a) for a, is_array in zip(arguments, are_arrays, strict=True)
                   if not is_array]  # fmt: skip
        self.count = len(numbers)
        self.numbers = (ctypes.c_double * max(self.count, 1))(*numbers)
        self._values: list[Any] = []
        self._slopes: list[Any] = []
        arrays = []
        for argument, is_array in zip(arguments, are_arrays, strict=True):
            if is_array:
                kind = ctypes.c_double * max(len(argument), 1)
                self._values.append(kind(*map(float, argument)))
                self._slopes.append(kind())
                arrays.append(_Array(self._values[-1], self._slopes[-1], len(argument)))
        self.arrays = (_Array * max(len(arrays), 1))(*arrays)

    def write_back(self) -> None:
        values = iter(self._values)
        for argument, is_array in zip(self._arguments, self._are_arrays, strict=True):
            if is_array:
                for place, value in enumerate(next(values)[: len(argument)]):
                    if argument[place] != value:
                        argument[place] = value

    def derivatives(self, results: Any) -> tuple[Any, ...]:
        numbers, slopes = iter(results[1:]), iter(self._slopes)
        return tuple(
            list(next(slopes))[: len(argument)] if is_array else next(numbers)
            for argument, is_array in zip(self._arguments, self._are_arrays, strict=True)
        )


def compile_to_c(program: Form) -> Compiled:
    """A program as a function of C. Raises StagingError for what C does not get, or where there is
    no compiler."""
    return Compiled(program, c_code(program))


def gradient(program: Form) -> Gradient:
    """A program with one number as its result, and its derivatives by its arguments, by reverse
    mode through continuations (document 003, section 7; Lantern). Raises StagingError."""
    return Gradient(program, gradient_code(program))


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
        done = subprocess.run(
            [compiler, *_FLAGS, path, "-o", library, "-lm"], capture_output=True, text=True
        )
        if done.returncode:
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
