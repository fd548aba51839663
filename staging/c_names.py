"""What programs are in C: spellings of names and numbers, kinds of parameters, free names."""

from __future__ import annotations

from .errors import StagingError
from .sexpr import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .sexpr import Form

OPERATORS = {
    "+": "{0} + {1}", "-": "{0} - {1}", "*": "{0} * {1}", "/": "py_div({0}, {1})",
    "**": "pow({0}, {1})", "//": "floor(py_div({0}, {1}))", "%": "py_mod({0}, {1})",
    "==": "{0} == {1}", "!=": "{0} != {1}", "<": "{0} < {1}", "<=": "{0} <= {1}",
    ">": "{0} > {1}", ">=": "{0} >= {1}", "neg": "-{0}", "pos": "{0}", "not": "!{0}",
    "abs": "fabs({0})", "exp": "exp({0})", "log": "log({0})", "sqrt": "sqrt({0})",
    "tanh": "tanh({0})", "sin": "sin({0})", "cos": "cos({0})", "relu": "py_relu({0})",
    "sigmoid": "py_sigmoid({0})",
}  # fmt: skip

HEAD = """\
#include <math.h>
#include <stdio.h>

struct array { real *v; real *d; long n, m; };

static char *stack_base;
static long stack_size;
/* What went wrong first: 1 too deep, 2 no such place, 3 divided by zero. */
static int failed;
static void fail(int reason) { if (!failed) failed = reason; }
static long distance(char *here) {
    long n = stack_base - here;
    return n < 0 ? -n : n;
}
#define CHECK_STACK(result) char here_; \\
    if (failed || distance(&here_) > stack_size) { fail(1); return result; }
static long py_at(struct array *a, double i) {
    long n = i > -1e15 && i < 1e15 ? (long) i : a->n;
    if (n < 0) n += a->n;
    if (n >= 0 && n < a->n) return n;
    fail(2);
    return 0;
}
static double py_div(double a, double b) {
    if (b == 0) fail(3);
    return a / b;
}
static double py_mod(double a, double b) {
    double r = fmod(a, b);
    if (b == 0) fail(3);
    return r && (r < 0) != (b < 0) ? r + b : r;
}
static double py_relu(double a) { return a > 0 ? a : 0; }
static double py_sigmoid(double a) {
    double e = exp(-fabs(a));
    return a >= 0 ? 1 / (1 + e) : e / (1 + e);
}
"""
RUN = "int run(double *numbers, struct array *arrays, double *results, char *base, long size)"


def spelled(name: Form) -> str:
    """A name that clashes with none of C."""
    return "n_" + "".join(c if c.isalnum() else "_" for c in str(name))


def number(form: Form) -> str:
    """A number in C. Raises StagingError for what is none."""
    if isinstance(form, bool):
        return "1.0" if form else "0.0"
    if isinstance(form, int | float):
        text = repr(float(form))
        if text in ("inf", "-inf", "nan"):
            return {"inf": "INFINITY", "-inf": "(-INFINITY)", "nan": "NAN"}[text]
        return f"({text})" if text.startswith("-") else text
    raise StagingError(f"{form!r} is no number, and cannot be compiled to C")


def arrays_of(parameters: tuple[Form, ...], body: Form, known: dict[Any, list[bool]]) -> list[bool]:
    """Which parameters are arrays: those of which an item or the length is asked, or that are given
    to a function that asks."""
    asked: set[Any] = set()
    waiting = [body]
    while waiting:
        form = waiting.pop()
        if not isinstance(form, tuple) or not form:
            continue
        head = form[0]
        if head in ("idx", "array-set", "len") and isinstance(form[1], Symbol):
            asked.add(form[1])
        for given, is_array in zip(form[1:], known.get(head, ()), strict=False):
            if is_array:
                asked.add(given)
        waiting.extend(form)
    return [one in asked for one in parameters]


def kinds_of(program: Form) -> dict[Any, list[bool]]:
    """For each function of a program which of its parameters are arrays."""
    functions: list[tuple[Any, tuple[Form, ...], Form]] = []
    waiting = [program]
    while waiting:
        form = waiting.pop()
        if isinstance(form, tuple) and form:
            if form[0] == "def":
                functions.append((form[1], form[2], form[3]))
            elif form[0] == "let" and isinstance(form[2], tuple) and form[2][:1] == ("lambda",):
                functions.append((form[1], form[2][1], form[2][2]))
            waiting.extend(form)
    found: dict[Any, list[bool]] = {}
    while True:
        now = {name: arrays_of(given, body, found) for name, given, body in functions}
        if now == found:
            return found
        found = now
