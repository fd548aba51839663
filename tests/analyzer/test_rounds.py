"""Rounds: equations that refer to each other, and how often each is worked out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress

import pytest

from pinsetter.analyzer.values.least_solutions import Rounds

Least = frozenset[str]


class Equations:
    """``name: (own, others)``: a set of texts, and those of others."""

    def __init__(self, **given: tuple[str, str]) -> None:
        self.given = given
        self.rounds = Rounds()
        self.asked: Counter[str] = Counter()
        self.depths: list[int] = []

    def of(self, name: str, counted: bool = True) -> Least:
        return self.rounds.solve(
            name, lambda: self.computed(name), frozenset.union, frozenset(), counted
        )

    def computed(self, name: str) -> Least:
        self.asked[name] += 1
        self.depths.append(self.rounds.depth)
        own, others = self.given[name]
        if own == "!":
            raise ValueError(name)
        return frozenset(own).union(*map(self.of, others))


def test_what_refers_to_nothing_is_worked_out_once() -> None:
    equations = Equations(a=("1", ""))
    assert "a" not in equations.rounds
    assert equations.of("a") == equations.of("a") == {"1"}
    assert "a" in equations.rounds
    assert equations.asked == {"a": 1}


def test_a_way_without_a_circle_is_gone_once() -> None:
    equations = Equations(a=("1", "bc"), b=("2", "d"), c=("3", "d"), d=("4", ""))
    assert equations.of("a") == set("1234")
    assert set(equations.asked.values()) == {1}


def test_what_only_asks_for_itself_adds_nothing() -> None:
    equations = Equations(a=("", "a"), b=("1", "b"))
    assert equations.of("a") == set()
    assert equations.of("b") == {"1"}


@pytest.mark.parametrize("start", "abc")
def test_those_of_a_circle_hold_the_same(start: str) -> None:
    equations = Equations(a=("1", "b"), b=("2", "c"), c=("3", "a"))
    assert equations.of(start) == set("123")
    assert all(equations.of(name) == set("123") for name in "abc")


@pytest.mark.parametrize("start", "abcde")
def test_circles_in_circles(start: str) -> None:
    equations = Equations(a=("1", "bd"), b=("2", "cb"), c=("3", "bae"), d=("4", "e"), e=("5", "d"))
    assert equations.of(start) >= set("45")
    assert [equations.of(name) for name in "abc"] == [set("12345")] * 3
    assert equations.of("d") == equations.of("e") == set("45")


def test_what_a_circle_leads_to_is_not_worked_out_again() -> None:
    equations = Equations(a=("1", "bx"), b=("2", "ax"), x=("3", "y"), y=("4", ""))
    assert equations.of("a") == set("1234")
    assert equations.asked["x"] == equations.asked["y"] == 1
    assert equations.asked["a"] > 1


def test_what_leads_to_a_circle_waits_for_it() -> None:
    equations = Equations(x=("0", "a"), a=("1", "b"), b=("2", "a"))
    assert equations.of("x") == set("012")
    assert equations.asked["x"] == 1


def test_a_long_circle_takes_as_many_rounds_as_it_needs() -> None:
    names = [chr(number) for number in range(ord("a"), ord("a") + 26)]
    given = {
        name: (name, names[number + 1] if number < 25 else "a") for number, name in enumerate(names)
    }
    equations = Equations(**given)
    assert equations.of("a") == set(names)
    assert max(equations.asked.values()) <= 3


def test_after_an_error_nothing_is_known_of_what_was_open() -> None:
    equations = Equations(a=("1", "bc"), b=("2", "a"), c=("!", ""))
    with pytest.raises(ValueError, match="c"):
        equations.of("a")
    assert not any(name in equations.rounds for name in "abc")
    assert equations.rounds.depth == 0
    equations.given["c"] = ("3", "")
    assert equations.of("b") == set("123")


def test_who_catches_an_error_goes_on() -> None:
    rounds = Rounds()

    def failing() -> Least:
        raise ValueError

    def solve(key: str, compute: Callable[[], Iterable[str]]) -> Least:
        return rounds.solve(key, lambda: frozenset(compute()), frozenset.union, frozenset())

    def careful() -> Least:
        with suppress(ValueError):
            solve("b", failing)
        return solve("a", careful) | {"1"}

    assert solve("a", careful) == {"1"}
    assert "b" not in rounds


def test_all_is_forgotten() -> None:
    equations = Equations(a=("1", ""))
    equations.of("a")
    equations.rounds.forget()
    assert "a" not in equations.rounds
    equations.given["a"] = ("2", "")
    assert equations.of("a") == {"2"}


def test_what_does_not_count_adds_no_depth() -> None:
    equations = Equations(a=("1", "b"), b=("2", ""))
    equations.of("a")
    assert equations.depths == [1, 2]
    equations = Equations(a=("1", "b"), b=("2", ""))
    equations.of("a", counted=False)
    assert equations.depths == [0, 1]
