"""What stands around a match, in it, and in which file."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from snippets import load_text, pack_data

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.applying import module_rules
from pinsetter.patterns.matching.match import Match
from pinsetter.patterns.packs.pack import Pack
from pinsetter.patterns.predicates import resolves
from pinsetter.patterns.reading.pattern import Pattern

EDIT = {"replace": "$match", "with": "found()"}


def is_found(code: str, *where: dict[str, Any], match: str = "f($...args)") -> bool:
    data = pack_data(match=match, where=[*where], edit=EDIT)
    pack = load_text(yaml.safe_dump(data))
    assert isinstance(pack, Pack), pack
    return "found()" in outcome_of(pack, pack.rules[0], code).text


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ("f(1)\n", {"within": "g($...all)"}),
        ("g(1)\nf(1)\n", {"within": "g($...all)"}),
        ("with a:\n    pass\nf(1)\n", {"within": "with $lock: $...body"}),
        ("h(f(1))\n", {"within": "g($...all)"}),
        ("f(1)\n", {"has": {"$args": "g($y)"}}),
        ("f(1)\ng(2)\n", {"has": {"$args": "g($y)"}}),
        ("f(1)\n", {"items": {"of": "$args", "least": 2}}),
        ("f(1, 2)\n", {"items": {"of": "$args", "most": 1}}),
        ("f()\n", {"items": {"of": "$args", "least": 1}}),
        ("f(1)\n", {"named": ["$args", ".*"]}),
        ("f(bc)\n", {"named": ["$args", "b"]}),
        ("f(bc())\n", {"named": ["$args", "bc"]}),
        ("f(1)\n", {"in_file": ["other.py"]}),
        ("# file: a/main.py\nf(1)\n", {"in_file": ["main.py"]}),
        ("# file: amain.py\nf(1)\n", {"in_file": ["(.*/)?main.py"]}),
    ],
)
def test_what_does_not_hold(code: str, where: dict[str, Any]) -> None:
    assert not is_found(code, where)


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ("g(f(1))\n", {"within": "g($...all)"}),
        ("g(h(f(1)))\n", {"within": "g($...all)"}),
        ("with a:\n    if b:\n        f(1)\n", {"within": "with $lock: $...body"}),
        ("f(h(g(2)))\n", {"has": {"$args": "g($y)"}}),
        ("f(1, g(2))\n", {"has": {"$args": "g($y)"}}),
        ("f(1, 2)\n", {"items": {"of": "$args", "least": 2}}),
        ("f(1, 2)\n", {"items": {"of": "$args", "most": 2}}),
        ("f()\n", {"items": {"of": "$args", "most": 0}}),
        ("f(bc)\n", {"named": ["$args", "x", "b."]}),
        ("f(a.bc)\n", {"named": ["$args", "bc"]}),
        ("f(1)\n", {"in_file": ["other.py", "main.py"]}),
        ("# file: a/migrations/b.py\nf(1)\n", {"in_file": ["(.*/)?migrations/.*"]}),
    ],
)
def test_what_holds(code: str, where: dict[str, Any]) -> None:
    assert is_found(code, where)


def test_captures_of_what_is_around_and_inside() -> None:
    same = {"same": ["$x", "$y"]}
    around = {"within": "g($x, $...rest)"}
    inside = {"has": {"$args": "h($y)"}}
    assert is_found("g(1, f(h(1)))\n", around, inside, same)
    assert not is_found("g(1, f(h(2)))\n", around, inside, same)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"within": "with $x"}, "not Python"),
        ({"has": {"$args": "g("}}, "not Python"),
        ({"has": {"$other": "g()"}}, "nothing is called $other"),
        ({"named": ["$args", "("]}, "not a regular expression"),
        ({"in_file": ["("]}, "not a regular expression"),
        ({"in_function": {"named": "("}}, "not a regular expression"),
        ({"program_spells": ["("]}, "not a regular expression"),
        ({"resists": {"of": "$match", "as": "a", "in_place": "("}}, "not a regular expression"),
        ({"computed_by": {"$args": "g("}}, "not Python"),
        ({"items": {"of": "$args", "least": -1}}, "-1"),
    ],
)
def test_mistakes(where: dict[str, Any], said: str) -> None:
    found = load_text(yaml.safe_dump(pack_data(match="f($...args)", where=[where], edit=EDIT)))
    assert isinstance(found, list)
    assert any(said in problem.reason for problem in found), found


IN_METHOD = {"in_method": {"class": "around", "first": "own"}}


@pytest.mark.parametrize(("code", "names"), [
    ("class C(B):\n    def m(self): f(C)\n", True),
    ("class C(B):\n    m = lambda self: f(C)\n", True),
    ("class C(B):\n    def m(self): f(B)\n", False),
    ("class C(B):\n    def m(self):\n        def g(): f(C)\n", False),
    ("class O:\n    class C(B):\n        def m(self): f(C)\n", False),
    ("class C: pass\nclass O:\n    class C(B):\n        def m(self): f(C)\n", False),
    ("class O:\n    class C(B):\n        def m(self): f(O.C)\n", True),
    ("class C(B):\n    def m(self): f(C)\nC = decorate(C)\n", False),
    ("@decorate\nclass C(B):\n    def m(self): f(C)\n", True),
    ("def g(C):\n    f(C)\n", False),
    ("f(C)\n", False),
])  # fmt: skip
def test_the_class_around_a_method(code: str, names: bool) -> None:
    assert is_found(code, {"own_class": "$c"}, match="f($c)") is names


def test_a_lambda_in_a_class_is_a_method() -> None:
    assert is_found("class C:\n    m = lambda self: f(1)\n", IN_METHOD)
    assert not is_found("class C:\n    m = lambda: f(1)\n", IN_METHOD)


@pytest.mark.parametrize(("code", "inside"), [
    ("async def g():\n    f()\n", True), ("def g():\n    f()\n", False),
    ("async def g():\n    def h():\n        f()\n", False), ("async def g(a=f()): pass\n", True),
    ("def g():\n    async def h():\n        f()\n", True),
    ("async def g():\n    async with a:\n        lambda: f()\n", False),
    ("async def g():\n    class C:\n        f()\n", True),
])  # fmt: skip
def test_a_function_in_an_async_one_is_not(code: str, inside: bool) -> None:
    assert is_found(code, {"inside": ["async"]}) is inside


@pytest.mark.parametrize(("code", "inside"), [
    ("x: f() = 1\n", True), ("x: A = f()\n", False), ("x: A[f()]\n", True), ("x = f()\n", False),
    ("def g(a: f()): pass\n", True), ("def g(a=f()): pass\n", False), ("f()\n", False),
    ("def g(*, a: A = f()): pass\n", False), ("def g(*a: f(), **b: A): pass\n", True),
    ("def g() -> f(): pass\n", True), ("def g() -> A: f()\n", False), ("lambda a: f()\n", False),
    ("class C(f()):\n    x: A\n", False), ("class C:\n    x: f()\n", True),
    ("@f()\ndef g(a: A): pass\n", False), ("x[f():A]\n", False), ("{f(): A, B: f()}\n", False),
])  # fmt: skip
def test_annotations(code: str, inside: bool) -> None:
    assert is_found(code, {"in_annotation": True}) is inside
    assert is_found(code, {"in_annotation": False}) is not inside


def test_a_decorator_is_an_expression_as_a_whole() -> None:
    for code in ("@f(a=1, b=2)\ndef g(): pass\n", "@x.f(b=2, a=1)\nclass C: pass\n"):
        where = {"matches": {"$match": "$any(a=1, b=2)"}}
        assert is_found(code, where, match="$g($...args)")
        assert not is_found(code, {"matches": {"$match": "$any(a=1)"}}, match="$g($...args)")


def test_names_are_not_followed_where_no_match_can_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Following them can take all files around."""
    followed = []

    def recorded(match: Match, pattern: Pattern) -> Match | None:
        followed.append(match.module.tree.line_of(match.node))
        return resolves(match, pattern)

    monkeypatch.setattr(module_rules, "resolves", recorded)
    code = "f(1)\n@f(2)\ndef g(): return f(3)\n"
    assert is_found(code, {"not": {"named": ["$args", "x"]}}, {"is_decorator": True})
    assert {*followed} == {2}
