"""``lms``: a function is virtualized when it is defined, and is what it was."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from pinsetter.staging import StagingError, lms, rep_fun, stage

OFFSET = 10


def numbers(start: int) -> Callable[..., int]:
    @lms
    def total(n: int, *, step: int = 1) -> int:
        """It adds."""
        found = start
        for number in range(0, n, step):
            if number == 77:
                raise ValueError(
                    "that is too much")  # fmt: skip
            if number % 2:
                continue
            found += number
        return found + OFFSET

    return total  # type: ignore[no-any-return]


class Counter:
    def __init__(self) -> None:
        self.__count = 0

    @lms
    def count(self, most: int) -> int:
        while self.__count < most:
            self.__count += 1
        return self.__count


class Other(Counter):
    @lms
    def count(self, most: int) -> int:
        found = super().count(most)
        if found > 2:
            return -found
        return found


def test_it_is_the_function_that_it_was() -> None:
    total = numbers(5)
    assert (total(5), total(5, step=4)) == (5 + 6 + OFFSET, 5 + 4 + OFFSET)
    assert total.__doc__ == "It adds."
    assert total.__kwdefaults__ == {"step": 1}
    assert total.__annotations__ == {"n": "int", "step": "int", "return": "int"}
    assert total.__qualname__ == "numbers.<locals>.total"
    assert total.__module__ == __name__
    assert "_staging.for_(" in total.source  # type: ignore[attr-defined]
    assert "for number in" in total.original_source  # type: ignore[attr-defined]


def test_methods_keep_their_private_names_and_super() -> None:
    assert (Counter().count(3), Other().count(3), Other().count(2)) == (3, -3, 2)


def test_an_exception_shows_the_lines_of_the_source() -> None:
    with pytest.raises(ValueError, match="too much") as caught:
        numbers(0)(100)
    own = [one for one in traceback.extract_tb(caught.value.__traceback__)
           if one.filename == __file__][1:]  # fmt: skip
    _, first = inspect.getsourcelines(numbers)
    assert [one.lineno - first for one in own if one.lineno] == [5, 6, 7]


def _refused(source: str, argument: str = "g") -> StagingError:
    names: dict[str, Any] = {"lms": lms, "stage": stage}
    with pytest.raises(StagingError) as caught:
        exec(source, names)
    return caught.value


def test_what_has_no_source_says_so() -> None:
    error = _refused("@lms\ndef g(x):\n    return x\n")
    assert "the source of 'g' is not known" in str(error)
    with pytest.raises(StagingError, match="is no `def`"):
        lms(lambda x: x)
    with pytest.raises(StagingError, match="is no function"):
        lms(print)


def test_what_cannot_be_virtualized_says_why_and_where() -> None:
    def generator(x: Any) -> Any:
        y = 1
        if x:
            yield y

    with pytest.raises(StagingError, match="`yield` is for the function") as caught:
        lms(generator)
    assert caught.value.filename == __file__
    assert caught.value.lineno == inspect.getsourcelines(generator)[1] + 2


def test_what_cannot_be_staged_says_why_and_where() -> None:
    @lms
    def only_one(x: Any) -> Any:
        if x > 0:
            y = 1
        return y

    @lms
    def mixed(x: Any) -> Any:
        if x > 0:
            return 1
        return 2

    @lms
    def returned(x: Any) -> Any:
        while x > 0:
            return x
        return 0

    @lms
    def left(x: Any) -> Any:
        while x > 0:
            if x == 3:
                break
            x -= 1
        return x

    @lms
    def raised(x: Any) -> Any:
        if x > 0:
            raise ValueError("no")
        return x

    @lms
    def kinds(x: Any) -> Any:
        y = [1]
        if x > 0:
            y = [2]
        return y

    wanted = {
        only_one: "'y' gets a value in only one of the branches", mixed: "the other goes on",
        returned: "a value is returned in a staged `while`", left: "break leaves a branch",
        raised: "a staged block raises ValueError: no", kinds: "a list cannot stand",
    }  # fmt: skip
    for function, reason in wanted.items():
        with pytest.raises(StagingError, match=reason) as caught:
            stage(function)
        assert caught.value.filename == __file__, function
        first = inspect.getsourcelines(function)[1]
        assert first < (caught.value.lineno or 0) < first + 8, (function, caught.value)


def test_recursion_without_an_end_says_so() -> None:
    @rep_fun
    def endless(n: Any) -> Any:
        return endless(n - 1)

    with pytest.raises(StagingError, match="calls itself whatever happens") as caught:
        stage(lambda n: endless(n))
    assert caught.value.filename == __file__


def test_another_decorator_is_not_left_out() -> None:
    def twice(function: Callable[[Any], int]) -> Callable[[Any], int]:
        @functools.wraps(function)
        def doubled(x: Any) -> int:
            return 2 * function(x)

        return doubled

    def one(x: Any) -> int:
        return 1 if x else 3

    with pytest.raises(StagingError, match="decorated already"):
        lms(twice(one))
    assert twice(lms(one))(0) == 6


def test_the_name_of_the_runtime_may_be_taken() -> None:
    @lms
    def named(_staging: Any) -> str:
        if _staging:
            return "yes"
        return "no"

    assert (named(1), named(0)) == ("yes", "no")
