"""The registry of predicates is the one that the schema describes."""

import json
from typing import Any

import pytest
from snippets import rewritten

from pinsetter.patterns.predicates import PREDICATES
from pinsetter.patterns.predicates.documented import said_of
from pinsetter.patterns.reading.yaml_file import schema


def test_the_schema_knows_every_predicate_and_no_other() -> None:
    assert set(schema()["$defs"]["condition"]["properties"]) == set(PREDICATES)


def test_every_predicate_says_what_it_asks() -> None:
    assert [name for name, function in PREDICATES.items() if not said_of(function)] == []


HVD = "import horovod.tensorflow as hvd\n"


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ({"constant": "$x"}, "f(f'{a}')"),
        ({"constant": "$x"}, "f(t'a')"),
        ({"repeatable": "$x"}, "f(f'{next(a)}')"),
        ({"repeatable": "$x"}, "f(a[b := 1])"),
        ({"one_object": "$x"}, "for a in b: f(a)"),
        ({"one_object": "$x"}, "match b:\n    case [a]: f(a)"),
        ({"one_object": "$x"}, "while b:\n    a = 1\nf(a)"),
        ({"one_object": "$x"}, "def g():\n    global a\n    a = 1\nf(a)"),
        ({"one_object": "$x"}, "import main\na = 1\nf(a)\nmain.a, b = 2, 3"),
        ({"one_object": "$x"}, "[a := b for b in c]\nf(a)"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\n"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\nm()\nm()"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\nm(m)"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\nfor b in c: m()"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\nwhile m(): pass"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\nx = [m() for b in c]"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\ndef n(): m()\nn()"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\nstart(m)"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\n    m()\nm()"),
        ({"one_object": "$x"}, "def m():\n    for b in c:\n        a = 1\n        f(a)\nm()"),
        ({"one_object": "$x"}, "def m(a):\n    f(a)\nm(1)"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    a = 2\n    f(a)\nm()"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    yield f(a)\nm()"),
        ({"one_object": "$x"}, "@b\ndef m():\n    a = 1\n    f(a)\nm()"),
        ({"one_object": "$x"}, "class A:\n    def m(self):\n        a = 1\n        f(a)\nA().m()"),
        ({"one_object": "$x"}, "def m():\n    def n():\n        a = 1\n        f(a)\n    n()\nm()"),
        ({"is_class": "$x"}, "class A: pass\na = A()\nf(a)"),
        ({"is_class": "$x"}, "def a(): pass\nf(a)"),
        ({"proved": {"number": "$x"}}, "f(a)"),
        ({"proved": {"number": "$x"}}, "f('a')"),
        ({"not": {"guarded": ["hvd.rank"]}}, "match hvd.rank():\n    case 0: f(a)"),
        ({"not": {"guarded": ["hvd.rank"]}}, "match b:\n    case _ if hvd.rank() == 0: f(a)"),
        ({"not": {"guarded": ["hvd.rank"]}}, "if (r := hvd.rank()): pass\nif r == 0: f(a)"),
        ({"signed": ["$x", "positive"]}, "f(0)"),
        ({"signed": ["$x", "positive"]}, "f(-1)"),
        ({"signed": ["$x", "negative"]}, "f(1)"),
        ({"signed": ["$x", "positive"]}, "f(1.5)"),
        ({"signed": ["$x", "positive"]}, "f(a)"),
        ({"signed": ["$x", "positive"]}, "def g(a=1): f(a)"),
        ({"signed": ["$x", "positive"]}, "a = 1\na -= 2\nf(a)"),
        ({"signed": ["$x", "positive"]}, "a = 1 if b else -1\nf(a)"),
        ({"collection": {"of": "$x"}}, "f(a)"),
        ({"collection": {"of": "$x"}}, "f(a * 2)"),
        ({"collection": {"of": "$x"}}, "f(a[1:])"),
        ({"collection": {"of": "$x"}}, "f(a.chunk(2))"),
        ({"guarded": ["hvd.rank"]}, "match b:\n    case 1: f(a)"),
        ({"guarded": ["hvd.rank"]}, "match f(a):\n    case 1: hvd.rank()"),
        ({"guarded": ["hvd.rank"]}, "match b:\n    case 1 if f(a): hvd.rank()"),
    ],
)
def test_newer_syntax_that_a_condition_refuses(where: Any, code: str) -> None:
    rule = {
        "match": "f($x)",
        "where": [expand(where)],
        "edit": {"replace": "$match", "with": "g()"},
    }
    assert rewritten(HVD + code + "\n", **rule) == HVD + code + "\n"


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ({"constant": "$x"}, "f(rb'a')"),
        ({"repeatable": "$x"}, "f(a[1])"),
        ({"one_object": "$x"}, "a = 1\nf(a)"),
        ({"one_object": "$x"}, "if b:\n    a = 1\nf(a)\nmain.b = 2"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    f(a)\nm()"),
        ({"one_object": "$x"}, "def m():\n    a = 1\n    def n(): f(a)\n    n()\n    n()\nm()"),
        (
            {"one_object": "$x"},
            "from absl import app\ndef m(_):\n    a = 1\n    f(a)\nif __name__ == '__main__':\n"
            "    app.run(m)",
        ),
        ({"is_class": "$x"}, "class A: pass\na = A if b else A()\nf(a)"),
        ({"proved": {"number": "$x"}}, "a = 1\nf(a * 2)"),
        ({"guarded": ["hvd.rank"]}, "match hvd.rank():\n    case 0: f(a)"),
        ({"guarded": ["hvd.rank"]}, "match b:\n    case _ if hvd.rank() == 0:\n        f(a)"),
        (
            {"present": {"code": "h()", "in": "block"}},
            "match b:\n    case 1:\n        f(a)\n        h()",
        ),
    ],
)
def test_newer_syntax_that_a_condition_takes(where: Any, code: str) -> None:
    rule = {
        "match": "f($x)",
        "where": [expand(where)],
        "edit": {"replace": "$match", "with": "g()"},
    }
    assert "g()" in rewritten(HVD + code + "\n", **rule)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("f(a)", "expression"),
        ("x = f(a)", "assignment"),
        ("b and f(a)", "optional"),
        ("b or g(f(a))", "optional"),
        ("x = f(a) if b else None", "optional"),
        ("x = b < c < f(a)", "optional"),
        ("x = [f(a) for b in c]", "optional"),
        ("assert b, f(a)", "optional"),
        ("assert f(a)", "part"),
        ("f(a) and b", "part"),
        ("x = b if f(a) else None", "part"),
        ("x = b < f(a) < c", "part"),
        ("x = b + f(a)", "part"),
        ("x = lambda: b and f(a)", "inside"),
        ("while f(a): pass", "inside"),
    ],
)
def test_how_a_call_stands_in_its_statement(code: str, kind: str) -> None:
    rule = {"match": "f($x)", "edit": {"replace": "$match", "with": "h()"}}
    for wanted in ("expression", "assignment", "return", "part", "optional", "inside"):
        result = rewritten(code + "\n", **rule, where=[{"stands_as": [wanted]}])
        assert ("h()" in result) == (wanted == kind)


@pytest.mark.parametrize(
    ("body", "taken"),
    [
        ("match a:\n        case b: pass", False),
        ("match a:\n        case A(1, c=[_, *d]): pass", False),
        ("type A = int", False),
        ("with (a as b): pass", False),
        ("match a:\n        case b.c | None | A(d=1): pass", True),
    ],
)
def test_a_block_that_binds_nothing(body: str, taken: bool) -> None:
    rule = {"match": "while f():\n    $...body", "where": [{"self_contained": "$...body"}]}
    code = f"while f():\n    {body}\n"
    assert (rewritten(code, **rule, edit={"guard": "g"}) != code) == taken


def expand(where: Any) -> Any:
    """``hvd.rank`` by its qualified name."""
    text = json.dumps(where).replace("hvd.rank", "horovod.tensorflow.rank")
    return json.loads(text)


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("y = g()\nf(x)\n", "y = g()\nf(h(x, y))\n"),
        ("f(x)\nb = g()\na = g()\n", "f(h(x, b))\nb = g()\na = g()\n"),
        ("def e():\n    y = g()\nf(x)\n", "def e():\n    y = g()\nf(h(x, y))\n"),
        ("y = g()\ndef e():\n    f(x)\n", "y = g()\ndef e():\n    f(x)\n"),
        ("y = 1\nf(x)\n", "y = 1\nf(x)\n"),
    ],
)
def test_what_is_present_says_what_it_is(code: str, made: str) -> None:
    present = {"code": "$y = g()", "in": "function", "binds": ["y"]}
    rule = {"match": "f($x)", "where": [{"present": present}]}
    assert rewritten(code, **rule, edit={"wrap": "$x", "with": "h($it, $y)"}) == made
