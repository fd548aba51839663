"""The C back end, with the system's compiler: what programs give, and their derivatives."""

# Both branches of what is staged return.
# ruff: noqa: RET505

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from itertools import chain
from operator import mul
from shutil import which
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_staged_programs import RUN

from pinsetter.staging import (
    StagingError,
    compile_to_c,
    gradient,
    interpret,
    lms,
    maths,
    parsed,
    rep_fun,
    stage,
    stage_lambda,
)
from pinsetter.staging.sexpr import Symbol

pytestmark = pytest.mark.skipif(which("cc") is None, reason="there is no C compiler")


@pytest.mark.parametrize(("function", "given"), RUN)
def test_c_gives_what_python_gives(function: Callable[..., Any], given: list[Any]) -> None:
    staged = stage(function, backend=compile_to_c)
    for arguments in given:
        assert staged(*arguments) == function(*arguments)


def test_what_a_program_writes_into_a_list_is_written() -> None:
    @lms
    def doubled(xs: Any) -> Any:
        for i in range(len(xs)):
            xs[i] = xs[i] * 2
        return xs[0]

    values = [1.5, 2, 3]
    assert stage(doubled, backend=compile_to_c)(values) == 3.0
    assert values == [3.0, 4.0, 6.0]


def test_output(capfd: pytest.CaptureFixture[str]) -> None:
    @lms
    def said(x: Any) -> Any:
        if x > 1:
            print('100% "sure"', x, x + 0.5)
        return x

    assert stage(said, backend=compile_to_c)(2) == 2
    assert capfd.readouterr().out == '100% "sure" 2 2.5\n'


@lms
def mixed(x: Any, y: Any) -> Any:
    z = x * y + x
    i = 0
    while i < 3:
        if z > 4 and x > 0:
            z = z * x
        elif z < 0:
            z = -z / 2
        else:
            z = z + y
        i += 1
    return z / y - x**2


@rep_fun
@lms
def power(x: Any, n: Any) -> Any:
    if n == 0:
        return 1.0
    else:
        return x * power(x, n - 1)


@rep_fun
@lms
def product(values: Any, lefts: Any, rights: Any, i: Any) -> Any:
    """Over a tree that is given by lists, as the paper's ``tree_prod``."""
    if i < 0:
        return 1.0
    else:
        left = product(values, lefts, rights, lefts[i])
        right = product(values, lefts, rights, rights[i])
        return left * right * values[i]


def test_derivatives_with_control_flow() -> None:
    slope = gradient(stage(mixed).code)
    for x, y in ((1.5, 0.7), (-2.0, 3.0), (0.3, -1.2), (5.0, 1.0)):
        value, found = slope(x, y)
        assert value == pytest.approx(mixed(x, y))
        assert found == pytest.approx(numeric(mixed, x, y), rel=1e-4)


def test_derivatives_with_recursion() -> None:
    assert gradient(stage(lambda x: power(x, 5)).code)(2.0) == (32.0, (80.0,))
    tree = stage(lambda v, left, right: product(v, left, right, 0))
    lists = [2.0, 3.0, 5.0], [1, -1, -1], [2, -1, -1]
    assert compile_to_c(tree.code)(*map(list, lists)) == 30.0
    value, (by_value, *_) = gradient(tree.code)(*lists)
    assert (value, by_value) == (30.0, [15.0, 10.0, 6.0])


def test_a_lambda_has_a_derivative() -> None:
    program = stage(lambda x: stage_lambda(lambda y: y * y * x)(x + 1))
    assert compile_to_c(program.code)(2.0) == 18.0
    assert gradient(program.code)(2.0) == (18.0, (9.0 + 12.0,))


def numeric(function: Callable[..., float], *given: float, step: float = 1e-6) -> list[float]:
    found = []
    for at in range(len(given)):
        more, less = [*given], [*given]
        more[at] += step
        less[at] -= step
        found.append((function(*more) - function(*less)) / (2 * step))
    return found


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "**", "%"])
def test_derivatives_of_operators(sign: str) -> None:
    program = (Symbol("def"), Symbol("f"), (Symbol("a"), Symbol("b")),
               (Symbol("begin"), (Symbol(sign), Symbol("a"), Symbol("b"))))  # fmt: skip
    for given_ in ((1.3, 2.2), (7.1, 2.5)):
        value, found = gradient(program)(*given_)
        assert value == pytest.approx(interpret(program, *given_))
        wanted = numeric(lambda *a: interpret(program, *a), *given_)
        assert found == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize(
    "name", ["neg", "pos", "abs", "exp", "log", "sqrt", "tanh", "sin", "cos", "relu", "sigmoid"]
)
def test_derivatives_of_functions(name: str) -> None:
    program = parsed(f"(def f (a) (begin (let b ({name} a)) (* b b)))")
    for number in (0.4, 2.3):
        value, found = gradient(program)(number)
        assert value == pytest.approx(interpret(program, number))
        wanted = numeric(lambda a: interpret(program, a), number)
        assert found == pytest.approx(wanted, rel=1e-4)


OPERATIONS = st.lists(
    st.tuples(st.sampled_from("+-*"), st.integers(0, 9), st.integers(0, 9), st.booleans()),
    min_size=1, max_size=8,
)  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(OPERATIONS, st.floats(-2, 2), st.floats(-2, 2))
def test_random_programs(operations: list[Any], x: float, y: float) -> None:
    """Straight lines and branches: C gives what the interpreter gives, and its derivatives those
    of the same operations on numbers with derivatives."""
    names = [Symbol("a"), Symbol("b")]
    forms: list[Any] = []
    for number, (sign, one, other, branch) in enumerate(operations):
        left, right = names[one % len(names)], names[other % len(names)]
        form: Any = (Symbol(sign), left, right)
        if branch:
            less = (Symbol("begin"), (Symbol("*"), right, 0.5))
            form = (Symbol("if"), (Symbol("<"), left, right), (Symbol("begin"), form), less)
        names.append(Symbol(f"x{number}"))
        forms.append((Symbol("let"), names[-1], form))
    program = (Symbol("def"), Symbol("f"), (names[0], names[1]),
               (Symbol("begin"), *forms, names[-1]))  # fmt: skip
    wanted, *slopes = _forward(operations, x, y)
    assert interpret(program, x, y) == pytest.approx(wanted)
    assert compile_to_c(program)(x, y) == pytest.approx(wanted)
    assert gradient(program)(x, y) == (
        pytest.approx(wanted),
        pytest.approx(tuple(slopes)),
    )


def _forward(operations: list[Any], x: float, y: float) -> list[float]:
    known = [[x, 1.0, 0.0], [y, 0.0, 1.0]]
    for sign, one, other, branch in operations:
        a, b = known[one % len(known)], known[other % len(known)]
        if branch and not a[0] < b[0]:
            known.append([part * 0.5 for part in b])
        elif sign == "*":
            known.append([a[0] * b[0], *(p * b[0] + a[0] * q
                                         for p, q in zip(a[1:], b[1:], strict=True))])  # fmt: skip
        else:
            turn = 1 if sign == "+" else -1
            known.append([p + turn * q for p, q in zip(a, b, strict=True)])
    return known[-1]


# ---------------------------------------------------------------- vectors and matrices


@lms
def layer(w: Any, x: Any, b: Any) -> Any:
    found = maths.tanh(w @ x + b)
    scores = w[1] * found * 2 - found / 3
    return maths.sum_(scores * scores) + scores @ b + found[0] * len(b)


def layer_by_hand(w: list[list[float]], x: list[float], b: list[float]) -> float:
    found = [math.tanh(sum(map(mul, row, x)) + c) for row, c in zip(w, b, strict=True)]
    scores = [r * f * 2 - f / 3 for r, f in zip(w[1], found, strict=True)]
    return sum(map(mul, scores, scores)) + sum(map(mul, scores, b)) + found[0] * len(b)


W, X, B = [[0.1, -0.4, 0.9], [1.2, 0.3, -0.7], [0.2, 0.2, 0.5]], [1.0, -2.0, 0.5], [0.3, 0.1, -0.2]
KINDS = ("matrix", "vector", "vector")


def flat_slopes(function: Callable[..., float], *given: Any) -> list[float]:
    """Derivatives by all numbers in lists of lists."""
    flat = [one for part in (*given[0], *given[1:]) for one in part]

    def of_flat(*numbers: float) -> float:
        rows = [list(numbers[at : at + 3]) for at in range(0, len(numbers), 3)]
        return function(rows[: len(given[0])], *rows[len(given[0]) :])

    return numeric(of_flat, *flat)


def test_derivatives_of_vectors_and_matrices() -> None:
    value, (by_w, by_x, by_b) = gradient(stage(layer).code, KINDS)(W, X, B)
    assert value == pytest.approx(layer_by_hand(W, X, B))
    found = [one for part in (*by_w, by_x, by_b) for one in part]
    assert found == pytest.approx(flat_slopes(layer_by_hand, W, X, B), rel=1e-5, abs=1e-8)


def test_single_floats_and_arrays_where_they_are() -> None:
    given = [array("f", one) for one in (X, B)]
    code = stage(lambda x, b: maths.sum_(maths.exp(x * b)) + maths.sigmoid(x)[1]).code
    value, slopes = gradient(code, ("vector", "vector"), single=True)(*given)
    exact, exactly = gradient(code, ("vector", "vector"))(X, B)
    assert value == pytest.approx(exact, rel=1e-6)
    views = [memoryview(one) for one in given]
    assert gradient(code, ("vector", "vector"), single=True)(*views)[0] == value
    for one, other in zip(slopes, exactly, strict=True):
        assert isinstance(one, array)
        assert list(one) == pytest.approx(other, rel=1e-5)
    assert [list(one) for one in given] == [pytest.approx(X), pytest.approx(B)]


def test_products_of_matrices() -> None:
    code = stage(lambda a, b: maths.sum_((a @ b) * (b @ a))).code
    other = [[0.5, 1.0, -1.0], [0.0, 2.0, 0.3], [1.5, -0.2, 0.7]]

    def by_hand(*rows: Any) -> float:
        a, b = rows[0][:3], rows[0][3:]
        first, second = ([[sum(map(mul, row, column)) for column in zip(*right, strict=True)]
                          for row in left] for left, right in ((a, b), (b, a)))  # fmt: skip
        return sum(map(mul, chain(*first), chain(*second)))

    run = gradient(code, ("matrix", "matrix"))
    run(other, other)  # whose memory is used again
    value, slopes = run(W, other)
    assert value == pytest.approx(by_hand([*W, *other]))
    found = [one for part in slopes for row in part for one in row]
    assert found == pytest.approx(flat_slopes(by_hand, [*W, *other]), rel=1e-5, abs=1e-8)


def test_functions_that_give_several_arrays() -> None:
    def loss(w: Any, x: Any, left: Any, right: Any) -> Any:
        @rep_fun
        @lms
        def node(at: Any) -> Any:
            if left[at] < 0:
                state, below = maths.tanh(w @ x), 0.0
            else:
                one = node(left[at])
                other = node(right[at])
                state = maths.sigmoid(one[0] * other[0] + w @ other[0])
                below = one[1] + other[1]
            return state, below + maths.sum_(state * x)

        return node(0)[1]

    def by_hand(w: Any, x: Any) -> float:
        def times(v: list[float]) -> list[float]:
            return [sum(map(mul, row, v)) for row in w]

        def node(at: int) -> tuple[list[float], float]:
            if left[at] < 0:
                state, below = [math.tanh(one) for one in times(x)], 0.0
            else:
                (one, a), (other, b) = node(left[at]), node(right[at])
                state = [1 / (1 + math.exp(-p * q - r))
                         for p, q, r in zip(one, other, times(other), strict=True)]  # fmt: skip
                below = a + b
            return state, below + sum(map(mul, state, x))

        return node(0)[1]

    left, right = [1, -1, 3, -1, -1], [2, -1, 4, -1, -1]
    kinds = ("matrix", "vector", "vector", "vector")
    found = gradient(stage(loss).code, kinds)
    for _ in range(2):
        value, (by_w, by_x, *_) = found(W, X, left, right)
        assert value == pytest.approx(by_hand(W, X))
        flat = [one for part in (*by_w, by_x) for one in part]
        assert flat == pytest.approx(flat_slopes(by_hand, W, X), rel=1e-5, abs=1e-8)


def test_variables_that_are_vectors() -> None:
    @lms
    def power(w: Any, x: Any, n: Any) -> Any:
        i = 0
        while i < n:
            x = w @ x
            i += 1
        return maths.sum_(x)

    value, (_, by_x, by_n) = gradient(stage(power).code, ("matrix", "vector", "number"))(W, X, 3)

    def by_hand(w: Any, x: Any) -> float:
        for _ in range(3):
            x = [sum(map(mul, row, x)) for row in w]
        return sum(x)

    assert (value, by_n) == (pytest.approx(by_hand(W, X)), 0)
    assert by_x == pytest.approx(flat_slopes(by_hand, W, X)[9:], rel=1e-5)


@pytest.mark.parametrize(
    ("code", "kinds", "given", "reason"),
    [
        ("(sum (+ a b))", ("vector", "vector"), ([1], [1, 2]), "arrays of different lengths"),
        ("(sum (@ a b))", ("matrix", "vector"), ([[1]], [1, 2]), "arrays of different lengths"),
        ("(@ a b)", ("vector", "vector"), ([1], [1, 2]), "arrays of different lengths"),
        ("(sum (idx a b))", ("matrix", "number"), ([[1]], 1), "no such place"),
        ("(sum (@ b a))", ("matrix", "vector"), None, "'@' is not for a vector and a matrix"),
        ("(sum (+ a b))", ("vector", "matrix"), None, "'\\+' is not for a vector and a matrix"),
        ("(+ a b)", ("vector", "number"), None, "a program with a vector has no gradient"),
        ("(sum (% a b))", ("vector", "number"), None, "'%' is for numbers"),
        ("(sum b)", ("vector", "number"), None, "'sum' is for vectors and matrices"),
        ("(idx b 0)", ("vector", "number"), None, "b is a number, and has no items"),
        ("(idx (tuple b b) 2)", ("vector", "number"), None, "there is no 2 of 2 values"),
        ("(+ b (tuple b))", ("vector", "number"), None, "gets several values as one"),
        ("(if b a b)", ("vector", "number"), None, "is a vector on one way, and a number on"),
        ("(sum a)", ("vector",), None, "1 kinds for 2 parameters"),
        ("(sum a)", ("vector", "scalar"), None, "'scalar' is none of number, vector, matrix"),
        ("(sum a)", ("matrix", "number"), ([[1], [2, 3]], 1), "different lengths are no matrix"),
        ("(sum a)", ("vector", "number"), (1, 1), "a int, 1, is no vector of numbers"),
        ("(sum a)", ("vector", "number"), ("ab", 1), "a str, ab, is no vector of numbers"),
        ("(sum a)", ("vector", "number"), ([1], [2]), "a list, .2., is no number"),
        ("(sum a)", ("matrix", "number"), (array("d", [1]), 1), "shape .1,. is no matrix"),
    ],
)
def test_arrays_that_do_not_fit(code: str, kinds: Any, given: Any, reason: str) -> None:
    program = parsed(f"(def f (a b) (begin {code}))")
    with pytest.raises((StagingError, ValueError, IndexError), match=reason):
        gradient(program, kinds)(*(given or ()))


def test_what_goes_too_deep_says_so() -> None:
    @lms
    def many(x: Any, n: Any) -> Any:
        i = 0
        while i < n:
            x = x * 1.0000001
            i += 1
        return x

    slope = gradient(stage(many).code)
    assert slope(1.0, 20000.0)[1][0] == pytest.approx(1.0000001**20000)
    with pytest.raises(StagingError, match="too deep"):
        slope(1.0, 1e9)
    with pytest.raises(StagingError, match="too deep"):
        stage(lambda n: power(1.0, n), backend=compile_to_c)(-1.0)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("(def f (a) (begin (let b (call a g)) b))", "'call' cannot be compiled to C"),
        ('(def f (a) (begin "text"))', "'text' is no number"),
        ("(def f (a) (begin b))", "b cannot be compiled"),
        ("(def f (a) (begin (let g (lambda (b) b)) g))", "g cannot be compiled"),
        ("(def f (a) (begin (let g (lambda (b) b)) (g a a)))", "2 arguments instead of 1"),
    ],
)
def test_what_c_does_not_get_says_so(code: str, reason: str) -> None:
    with pytest.raises(StagingError, match=reason):
        compile_to_c(parsed(code))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("(def f (a) (begin (let b (call a g)) b))", "'call' has no derivative"),
        ("(def f (a) (begin (tuple a a)))", "several results"),
        ("(def f (a) (begin (let b (print a)) a))", "what prints"),
        ("(def f (a) (begin (let b (array-set a 0 1)) (idx a 0)))", "'array-set' has no"),
    ],
)
def test_what_has_no_derivative_says_so(code: str, reason: str) -> None:
    with pytest.raises(StagingError, match=reason):
        gradient(parsed(code))


def test_arguments_are_counted() -> None:
    with pytest.raises(StagingError, match="2 arguments instead of 1"):
        compile_to_c(parsed("(def f (a) (begin a))"))(1, 2)


@pytest.mark.parametrize("made", [compile_to_c, gradient], ids=["values", "derivatives"])
def test_what_python_refuses_c_refuses(made: Callable[..., Any]) -> None:
    item = made(parsed("(def f (xs i) (begin (idx xs i)))"))

    def first(found: Any) -> Any:
        return found[0] if made is gradient else found

    assert first(item([1.5, 2.5], -1)) == first(item([1.5, 2.5], 1)) == 2.5
    for place in (2, -3, 1e300, float("nan")):
        with pytest.raises(IndexError):
            item([1.5, 2.5], place)
    with pytest.raises(IndexError):
        item([], 0)
    for sign in ("/", "//", "%"):
        with pytest.raises(ZeroDivisionError):
            made(parsed(f"(def f (a b) (begin ({sign} a b)))"))(1, 0)


def test_a_loop_ends_when_something_is_wrong() -> None:
    @lms
    def endless(xs: Any) -> Any:
        while xs[5] < 1:
            xs[7] = 1.0
        return xs[0]

    with pytest.raises(IndexError):
        stage(endless, backend=compile_to_c)([0.0])
