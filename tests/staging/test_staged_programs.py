"""Staged programs: what is written, against the programs of document 003, and what they do."""

# Both branches of what is staged return.
# ruff: noqa: RET505

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinsetter.staging import (
    Rep,
    StagingError,
    StagingWarning,
    and_,
    interpret,
    lms,
    not_,
    or_,
    parsed,
    printed,
    reflect,
    rep_fun,
    stage,
    stage_lambda,
)
from pinsetter.staging.sexpr import Symbol

PURE = {"+", "-", "*", "/", "<", ">", "<=", ">=", "==", "!=", "get"}
# `0 < n` is asked of n where that is staged.
TURNED = {">": "<", ">=": "<="}


def canonical(form: Any) -> Any:
    """A program with names in the order of their appearance, and without what is computed for
    nothing: the condition of a loop is asked once to see whether it is staged."""
    return _renamed(_without_unused(form), {})


def _without_unused(form: Any) -> Any:
    if not isinstance(form, tuple):
        return form
    parts = [_without_unused(part) for part in form]
    while parts and parts[0] == "begin":
        used = [one for part in parts for one in _reads(part)]
        kept = [
            part for part in parts
            if not (isinstance(part, tuple) and part[0] == "let" and part[1] not in used
                    and part[2][0] in PURE)
        ]  # fmt: skip
        if len(kept) == len(parts):
            break
        parts = kept
    return tuple(parts)


def _reads(form: Any) -> list[Any]:
    if isinstance(form, tuple):
        inner = form[2:] if form[:1] == ("let",) else form
        return [one for part in inner for one in _reads(part)]
    return [form]


def _renamed(form: Any, names: dict[str, str]) -> Any:
    if isinstance(form, tuple):
        if len(form) == 3 and form[0] in TURNED:
            form = (TURNED[form[0]], form[2], form[1])
        return tuple(_renamed(part, names) for part in form)
    if isinstance(form, Symbol) and form[:1] in "xi" and form[-1:].isdigit():
        return names.setdefault(form, f"n{len(names)}")
    return form


def power1(b: Any, x: int) -> Any:
    if x == 0:
        return 1
    return b * power1(b, x - 1)


@lms
def power2(b: Any, x: int) -> Any:
    if x == 0:
        return 1
    else:
        return b * power2(b, x - 1)


@lms
def foobar1(x: Any) -> Any:
    if x == 0:
        print("yes")
    else:
        print("no")
    return x


@lms
def foobar2(x: Any) -> Any:
    if x == 0:
        return "yes"
    else:
        return "no"


@lms
def loop1(n: Any) -> Any:
    x = 0
    while x < n:
        x = x + 1
    return x


# The programs and outputs of the paper's own tests.
GOLDEN: list[tuple[Callable[..., Any], str]] = [
    (lambda x: power1(x, 3),
     "(begin (let x0 (* in1 1)) (let x1 (* in1 x0)) (let x2 (* in1 x1)) x2)"),
    (lambda x: power2(x, 3),
     "(begin (let x0 (* in1 1)) (let x1 (* in1 x0)) (let x2 (* in1 x1)) x2)"),
    (lambda _: foobar1(7), "(begin 7)"),
    (foobar1,
     '(begin (let x0 (== in1 0)) (let x1 (if x0 (begin (let x2 (print "yes")) None)'
     ' (begin (let x3 (print "no")) None))) in1)'),
    (foobar2, '(begin (let x0 (== in1 0)) (let x1 (if x0 (begin "yes") (begin "no"))) x1)'),
    (loop1,
     "(begin (let x7 (new)) (let x8 (set x7 0)) (let x9 (get x7)) (let x10 (< x9 in1))"
     " (let x11 (while (begin (let x12 (get x7)) (let x13 (< x12 in1)) x13)"
     " (begin (let x14 (get x7)) (let x15 (+ x14 1)) (let x16 (set x7 x15)) None)))"
     " (let x17 (get x7)) x17)"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "code"), GOLDEN)
def test_programs_of_the_paper(function: Callable[..., Any], code: str) -> None:
    assert canonical(stage(function).code[3]) == canonical(parsed(code))


def test_they_run_without_staging() -> None:
    assert (power2(2, 3), foobar2(7), foobar2(0), loop1(7)) == (8, "no", "yes", 7)


def test_staged_programs_do_what_the_functions_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert stage(loop1)(7) == 7
    assert [stage(foobar2)(x) for x in (0, 1)] == ["yes", "no"]
    assert stage(foobar1)(0) == 0
    assert stage(foobar1)(1) == 1
    assert capsys.readouterr().out == "yes\nno\n"


@lms
def collatz(n: Any, most: Any) -> Any:
    steps, highest = 0, n
    while n != 1 and steps < most:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
        highest = n if n > highest else highest
    return steps, highest


@lms
def sums(n: Any) -> Any:
    total = 0
    for i in range(n):
        for j in range(i, n, 2):
            if not i == j or i > 3:  # noqa: SIM201 -- `not` is what is tried
                total += j
            elif i == 2:
                total -= 1
    return total


@lms
def products(xs: Any, n: Any) -> Any:
    found = 1
    for x in xs:
        found = found * (x + n)
    else:
        found = -found
    return found


@rep_fun
@lms
def ackermann(m: Any, n: Any) -> Any:
    if m == 0:
        return n + 1
    elif n == 0:
        return ackermann(m - 1, 1)
    else:
        return ackermann(m - 1, ackermann(m, n - 1))


@lms
def nested(a: Any, b: Any) -> Any:
    x = y = 0
    if a > 0:
        x = 1
        if b > 0:
            y = a + x
        x = x + y
    elif b > 10:
        x, y = b, a
    return x * 100 + y


RUN: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (collatz, [(1, 9), (6, 100), (27, 200), (7, 3)]),
    (sums, [(0,), (1,), (5,), (8,)]),
    (products, [([], 1), ([1, 2, 3], 4)]),
    (lambda m, n: ackermann(m, n), [(0, 0), (1, 3), (2, 3)]),
    (nested, [(0, 0), (1, 0), (2, 3), (0, 11), (-1, 5)]),
    (lambda x: stage_apply(x), [(2,), (5,)]),
]


def stage_apply(x: Any) -> Any:
    if not isinstance(x, Rep):
        return x + x * 3
    return stage_lambda(lambda y: y + x)(x * 3)


@pytest.mark.parametrize(("function", "given"), RUN)
def test_the_interpreter_gives_what_python_gives(
    function: Callable[..., Any], given: list[tuple[Any, ...]]
) -> None:
    staged = stage(function)
    assert parsed(printed(staged.code)) == staged.code
    for arguments in given:
        assert staged(*arguments) == function(*arguments)


def test_a_function_is_defined_where_it_is_seen() -> None:
    """In each of two branches, and behind them; once where all are inside of its block."""

    @lms
    def each(x: Any) -> Any:
        if x > 5:
            y = ackermann(1, x)
        else:
            y = ackermann(0, x) + ackermann(0, x)
        return y + ackermann(0, y)

    staged = stage(each)
    assert str(staged).count("(def ackermann") == 3
    assert [staged(x) for x in (1, 7)] == [each(x) for x in (1, 7)]


def test_a_branch_is_written_once() -> None:
    seen = []

    @lms
    def noted(x: Any) -> Any:
        if x > 0:
            seen.append("then")
            x = x + 1
        else:
            seen.append("otherwise")
        return x

    with pytest.warns(StagingWarning, match="changes what 'seen' names") as told:
        stage(noted)
    assert seen == ["then", "otherwise"]
    assert {one.filename for one in told} == {__file__}


def test_what_python_has_is_changed_with_a_warning() -> None:
    class Owner:
        count = 0

    @lms
    def counted(x: Any, owner: Any) -> Any:
        while x > 0:
            owner.count = x
            x = x - 1
        return x

    def with_owner(owner: Any) -> Callable[..., Any]:
        return lambda x: counted(x, owner)

    for owner in (Owner, Owner()):
        with pytest.warns(StagingWarning, match="changes what 'owner' names"):
            stage(with_owner(owner))
    staged = stage(counted)
    own = Owner()
    assert staged(3, own) == 0
    assert own.count == 1


NUMBER = 0


def test_names_of_the_module_are_no_variables_of_a_program() -> None:
    @lms
    def changed(x: Any) -> Any:
        global NUMBER
        if x > 0:
            NUMBER = 1
        return NUMBER

    @lms
    def turned(x: Any) -> Any:
        global NUMBER
        while x > 0:
            if x > 1:
                NUMBER = 1
            x -= 1
        return x

    assert changed(0) == 0
    for function in (changed, turned):
        with pytest.raises(StagingError, match="'NUMBER' is the module's") as caught:
            stage(function)
        assert caught.value.filename == __file__


@lms
def walked(x: Any) -> Any:
    while (y := x - 1) > 0:
        x = y
    return x, y


@lms
def walked_behind(x: Any) -> Any:
    y = 100
    while (y := x - 1) > 0:
        if (z := y - 7) > 0:
            x = z
        elif (w := y + 0) > 0:
            x = w
    return x, y


@lms
def asked(n: Any, xs: Any) -> Any:
    while ticked(xs) < n:
        n = n - 1
    return n, xs[0]


def ticked(xs: Any) -> Any:
    xs[0] = xs[0] + 1
    return xs[0]


@pytest.mark.parametrize("n", [-1, 0, 1, 7, 20])
def test_what_a_test_does_it_does_as_often_as_in_python(n: int) -> None:
    assert stage(asked)(n, [0]) == asked(n, [0])


@lms
def paired(x: Any, y: Any) -> Any:
    pair = (x, 1)
    if x > 0:
        pair = (y, 1)
    last = 99
    for last in range(x):  # noqa: B007 -- it is read behind the loop
        pass
    return pair, last


@lms
def halved(x: Any, y: Any) -> Any:
    k = 0
    while (x := x // 2) > y:
        k += 1
    return k, x


@pytest.mark.parametrize("function", [walked, walked_behind, paired, halved])
def test_names_that_tests_bind(function: Callable[..., Any]) -> None:
    count = function.__code__.co_argcount
    staged = stage(function)
    for x in (-3, 0, 1, 2, 9, 30):
        given = (x, 5)[:count]
        assert staged(*given) == function(*given)


def test_a_function_may_be_called_as_a_form_is() -> None:
    def idx(i: Any, xs: Any) -> Any:
        return xs[i]

    staged = stage(idx)
    assert staged.code[1] == "idx_"
    assert staged(1, [5, 6]) == 6


def test_a_staged_value_has_no_truth_outside() -> None:
    with pytest.raises(StagingError, match="truth"):
        stage(lambda x: 1 if x else 2)
    with pytest.raises(StagingError, match="nothing is staged"):
        reflect((Symbol("+"), 1, 2))
    with pytest.raises(StagingError, match="how many items"):
        stage(lambda x: [*x])


def test_members_and_places() -> None:
    staged = stage(lambda x: (x.real + x.conjugate(), x[0] if False else -x))
    assert printed(staged.code, 1000) == (
        "(def _lambda_ (in1) (begin (let x0 (getattr in1 real)) (let x2 (call in1 conjugate))"
        " (let x3 (+ x0 x2)) (let x4 (neg in1)) (tuple x3 x4)))"
    )
    assert staged(2.0) == (4.0, -2.0)


def test_functions_of_numbers() -> None:
    code = parsed("(def f (x) (begin (let a (exp x)) (let b (tanh a)) (let c (sigmoid b)) c))")
    found = 1 / (1 + math.exp(-math.tanh(math.exp(0.5))))
    assert interpret(code, 0.5) == pytest.approx(found)


@given(st.lists(st.sampled_from([0, 1, 2, "", "a", None, [], [1]]), min_size=1, max_size=4))
def test_and_or_not_are_pythons(values: list[Any]) -> None:
    first, *rest = values
    asked: list[int] = []

    def lazy(number: int) -> Callable[[], Any]:
        return lambda: (asked.append(number), rest[number])[1]

    both = first
    for one in rest:
        both = both and one
    assert and_(first, *map(lazy, range(len(rest)))) is both
    either = first
    for one in rest:
        either = either or one
    assert or_(first, *map(lazy, range(len(rest)))) is either
    assert not_(first) is (not first)


FORMS = st.recursive(
    st.one_of(
        st.integers(), st.booleans(), st.none(), st.text(), st.floats(allow_nan=False),
        st.from_regex(r"[a-z*<=][a-z0-9]*|[+-]", fullmatch=True)
        .filter(lambda name: name not in ("inf", "nan")).map(Symbol),
    ),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
)  # fmt: skip


@given(FORMS, st.integers(1, 100))
def test_what_is_printed_is_read_again(form: Any, width: int) -> None:
    assert repr(parsed(printed(form, width))) == repr(form)


@pytest.mark.parametrize("text", ["", "(", ")", "(a", "a b", '("a', "(a))"])
def test_what_is_no_form_says_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"form|unexpected"):
        parsed(text)
