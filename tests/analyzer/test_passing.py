"""passing: which parameter takes which argument; what Python itself says is right."""

from __future__ import annotations

import inspect
import random
from typing import Any

import pytest
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.passing import Passed, passed, passed_by
from pinsetter.analyzer.names.scope_tree import Scopes
from pinsetter.analyzer.names.scopes import Scope
from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax.tree import Argument, Tree


def function(parameters: str) -> Scope:
    root = parse(f"def f({parameters}): pass\n")
    return next(scope for scope in Scopes(root) if scope.name == "f")


def by_name(found: Passed[Any]) -> dict[str, Any]:
    return {parameter.name: one for parameter, one in found.given.items()}


def given(parameters: str, arguments: str, bound: bool | None = False) -> Passed[Argument]:
    text = f"f({arguments})\n"
    (call,) = Tree(parse(text), text).calls
    return passed_by(call, function(parameters), bound)


def texts(found: Passed[Argument]) -> dict[str, str]:
    return {name: str(one.value).strip() for name, one in by_name(found).items()}


@pytest.mark.parametrize(
    ("parameters", "arguments", "expected"),
    [
        ("", "", {}),
        ("", "1, a=2", {}),
        ("a", "", {}),
        ("a", "b=1", {}),
        ("a, /", "a=1", {}),
        ("*, a", "1", {}),
        ("*a", "1, 2", {}),
        ("**a", "a=1", {}),
        ("(a, b)", "(1, 2)", {}),
        ("a, b", "*x", {}),
        ("a, b", "*x, 1", {}),
        ("a, b", "**x", {}),
        ("a, b", "1, *x, b=2", {"a": "1", "b": "2"}),
        ("a, b", "1, **x", {"a": "1"}),
        ("a, b", "b=1, a=2", {"a": "2", "b": "1"}),
        ("a, /, b, *, c", "1, 2, c=3", {"a": "1", "b": "2", "c": "3"}),
        ("a, *b, c", "1, 2, 3, c=4", {"a": "1", "c": "4"}),
        ("(a, b), c", "(1, 2), 3", {"c": "3"}),
        ("a", "x for x in y", {"a": "x for x in y"}),
    ],
)
def test_what_one_argument_is_for(
    parameters: str, arguments: str, expected: dict[str, str]
) -> None:
    assert texts(given(parameters, arguments)) == expected


@pytest.mark.parametrize(
    ("bound", "expected"),
    [(False, {"self": "1", "b": "3"}), (True, {"a": "1", "b": "3"}), (None, {"b": "3"})],
)
def test_a_receiver_is_no_argument(bound: bool | None, expected: dict[str, str]) -> None:
    assert texts(given("self, a, b", "1, b=3", bound)) == expected


@pytest.mark.parametrize(
    ("arguments", "bound", "unseen"),
    [("1, a=2", True, False), ("*x", True, True), ("**x", False, True), ("1", None, True)],
)
def test_whether_there_may_be_more(arguments: str, bound: bool | None, unseen: bool) -> None:
    assert given("a", arguments, bound).unseen is unseen


def test_what_is_left_for_the_rest() -> None:
    scope = function("self, a, *b, c=1, **d")
    found = passed(scope, [1, 2, 3], {"c": 4, "e": 5}, bound=True)
    to = {parameter.name: list(found.to(parameter)) for parameter in scope.parameters}
    assert to == {"self": [], "a": [1], "b": [2, 3], "c": [4], "d": [5]}


@pytest.mark.parametrize(("bound", "left"), [(False, ["b", "c"]), (True, ["c"])])
def test_what_may_get_one_that_is_not_seen(bound: bool, left: list[str]) -> None:
    scope = function("a, b, *d, c=1, **e")
    found = passed(scope, [1], {}, bound)
    assert [parameter.name for parameter in found.left] == left


def test_the_parameter_that_takes_an_argument() -> None:
    text = "f(1, 2, c=3, d=4)\n"
    (call,) = Tree(parse(text), text).calls
    found = passed_by(call, function("a, *b, c"), False)
    takers = [found.taker(argument) for argument in call.arguments]
    assert [taker.name if taker else None for taker in takers] == ["a", None, "c", None]


def test_python_says_the_same_of_functions_and_calls_by_chance() -> None:
    """As ``inspect.signature`` binds what may be passed; many calls, of which most are wrong."""
    chance = random.Random(7)
    right = 0
    for _ in range(2000):
        names = list("abcd")
        by_place, both, by_keyword = (
            [names.pop(0) for _ in range(chance.randint(0, 1))] for _ in range(3)
        )
        both += [names.pop(0) for _ in range(chance.randint(0, len(names)))]
        default = [name for name in both if chance.random() < 0.5][-1:]
        rest, others = chance.random() < 0.5, chance.random() < 0.5
        parts = [*by_place, *(["/"] if by_place else []), *both]
        if default:
            parts[-1] += "=None"
        parts += ["*rest"] if rest else ["*"] * bool(by_keyword)
        parts += by_keyword + ["**others"] * others
        parameters = ", ".join(parts)
        positional = list(range(chance.randint(0, 4)))
        keywords = {name: name.upper() for name in "abcdef" if chance.random() < 0.3}
        space: dict[str, Any] = {}
        exec(f"def f({parameters}): pass", space)
        try:
            bound = inspect.signature(space["f"]).bind(*positional, **keywords).arguments
        except TypeError:
            continue
        right += 1
        found = passed(function(parameters), positional, keywords)
        assert tuple(bound.pop("rest", ())) == tuple(found.places), parameters
        assert bound.pop("others", {}) == found.names, parameters
        assert dict(bound) == by_name(found), (parameters, positional, keywords)
    assert right > 200


def test_lambdas_take_arguments_too() -> None:
    root = parse("f = lambda a, *b, c=1: 0\n")
    scope = next(scope for scope in Scopes(root) if scope.node.type == symbols.lambdef)
    found = passed(scope, [1, 2, 3], {"c": 4})
    assert (by_name(found), list(found.places)) == ({"a": 1, "c": 4}, [2, 3])
