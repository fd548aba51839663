"""One of several things goes, with the comma that nothing needs then; an argument is renamed."""

from __future__ import annotations

import ast
import itertools
from typing import Any

import pytest
from rewriting import File
from snippets import outcome, pack_of, rewritten

DROP: dict[str, Any] = {"match": "gone($x)", "edit": {"remove": "$match"}}
NAMED: dict[str, Any] = {
    "match": "f($...arguments)",
    "where": [{"argument": {"name": "old", "as": "value"}}],
    "edit": {"remove": "$value"},
}


@pytest.mark.parametrize(
    "code",
    ["gone(1)\n", "x = gone(1)\n", "return_(gone(1).x)\n", "x = gone(1) + 1\n",
     "{2: 1 + gone(1)}\n",
     "a[gone(1)]\n", "(gone(1))\n", "for x in gone(1): pass\n", "gone(1), = x\n"],
)  # fmt: skip
def test_what_is_none_of_several_things_stays_and_is_said(code: str) -> None:
    text, reports, _ = outcome(code, **DROP)
    assert text == code
    assert reports or "return_" in code


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(gone(1))\n", "f()\n"),
        ("f(a, gone(1))\n", "f(a)\n"),
        ("f(gone(1), a)\n", "f(a)\n"),
        ("f(a, gone(1), b)\n", "f(a, b)\n"),
        ("f(a, gone(1),)\n", "f(a,)\n"),
        ("f(\n    gone(1),\n)\n", "f()\n"),
        ("f(\n    a,\n    gone(1),\n)\n", "f(\n    a,\n)\n"),
        ("f(\n    a,\n    gone(1)\n)\n", "f(\n    a\n)\n"),
        ("f(k=gone(1), a=2)\n", "f(a=2)\n"),
        ("f(a, (gone(1)))\n", "f(a)\n"),
        ("x = [gone(1), a]\n", "x = [a]\n"),
        ("x = [gone(1)]\n", "x = []\n"),
        ("class C(gone(1)): pass\n", "class C: pass\n"),
        ("class C(A, gone(1), k=B): pass\n", "class C(A, k=B): pass\n"),
        ("@gone(1)\n@a\ndef f(): pass\n", "@a\ndef f(): pass\n"),
        ("class C:\n    @gone(1)\n    def f(self): pass\n", "class C:\n    def f(self): pass\n"),
        ("f(gone(1), gone(2), a)\n", "f(a)\n"),
        ("f(gone(1), gone(2))\n", "f()\n"),
        ("f(a, gone(1),\n  b)\n", "f(a,\n  b)\n"),
        ("f(a,gone(1) ,  # why\n  # b\n  b)\n", "f(a,  # why\n  # b\n  b)\n"),
        ("f(a, gone(1), gone(2),\n  b)\n", "f(a,\n  b)\n"),
        ("f(a, gone(1)\n  , b)\n", "f(a, b)\n"),
        ("f(gone(1),\n  b)\n", "f(b)\n"),
        ("f(a,\n  gone(1), gone(2),\n  b)\n", "f(a,\n  b)\n"),
        ("f(a,\n  gone(1), b,\n  c)\n", "f(a,\n  b,\n  c)\n"),
    ],
)
def test_what_goes(before: str, after: str) -> None:
    assert rewritten(before, **DROP) == after


@pytest.mark.parametrize("code", ["f(old)\n", "f(**{'old': 1})\n", "f(older=1)\n", "g(old=1)\n"])
def test_another_argument_stays(code: str) -> None:
    assert rewritten(code, **NAMED) == code


def test_an_argument_by_its_value() -> None:
    assert rewritten("f(1, old=x or y, k=2)\n", **NAMED) == "f(1, k=2)\n"


CODE = "f(gone(1), a, gone(2), gone(3), gone(4))\nclass C(gone(5), gone(6)): pass\n"


@pytest.mark.parametrize("some", [c for n in range(7) for c in itertools.combinations(range(6), n)])
def test_any_of_them_may_stay(some: tuple[int, ...]) -> None:
    pack = pack_of(**DROP)
    text = File(pack, CODE).outcomes(pack.rules[0]).text(some)
    assert text.count("gone") == 6 - len(some)
    tree = ast.parse(text)
    assert ", a" in ast.unparse(tree) or "f(a" in ast.unparse(tree)


def test_comments_beside_what_goes_stay() -> None:
    code = "f(\n    a,  # one\n    gone(1),  # two\n    b,\n)\n"
    assert rewritten(code, **DROP) == "# two\nf(\n    a,  # one\n    b,\n)\n"
    last = "f(\n    a,  # one\n    gone(1),\n)\n"
    assert rewritten(last, **DROP) == "f(\n    a,  # one\n)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [("f(\n    a,  # b\n    gone([  # c\n        1]),  # d\n)\n", "f(\n    a,  # b\n)\n"),
     ("f(gone(1),  # c\n  # b\n  a)\n", "# b\nf(a)\n"),
     ("f(a, gone(1),  # c\n  b)\n", "f(a,\n  b)\n"),
     ("f(gone(1)  # c\n)\n", "f()\n"), ("f(gone(1), a)  # b\n", "f(a)  # b\n")],
)  # fmt: skip
def test_comments_that_go_with_it(before: str, after: str) -> None:
    """Those of what stands behind stay."""
    rule = {**DROP, "edit": {"remove": "$match", "with_comments": True}}
    text, _, warnings = outcome(before, **rule)
    assert text == after
    assert [w.split("'")[1] for w in warnings] == [
        comment for comment in ("# b", "# c", "# d") if comment in before and comment not in text
    ]


KEYWORD: dict[str, Any] = NAMED | {"edit": {"keyword": "new", "of": "$value"}}


@pytest.mark.parametrize(
    ("before", "after"),
    [("f(1, old=2)\n", "f(1, new=2)\n"), ("f(old = 2, k=3)\n", "f(new = 2, k=3)\n"),
     ("f(old=f(old=1))\n", "f(new=f(new=1))\n"), ("f(1, 2)\n", None), ("f(k=2)\n", None)],
)  # fmt: skip
def test_another_name_for_an_argument(before: str, after: str | None) -> None:
    assert rewritten(before, **KEYWORD) == (before if after is None else after)


@pytest.mark.parametrize(
    ("code", "why"),
    [("f(old=1, new=2)\n", "the call has an argument new"),
     ("f(old=1, **more)\n", "one of its arguments may be new")],
)  # fmt: skip
def test_where_the_name_may_be_given_already(code: str, why: str) -> None:
    text, (report,), _ = outcome(code, **KEYWORD)
    assert text == code
    assert why in report


TWO: dict[str, Any] = {
    "match": "f($a, $first, $...rest)",
    "edit": [
        {"keyword": "b", "of": "$first"},
        {"keyword": "c", "of": "$x",
         "if": [{"argument": {"name": "c", "position": 2, "as": "x"}}]},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [("f(1, 2)\n", "f(1, b=2)\n"), ("f(1, 2, 3)\n", "f(1, b=2, c=3)\n"),
     ("f(1,\n  2,  # two\n  3,\n  k=4)\n", "f(1,\n  b=2,  # two\n  c=3,\n  k=4)\n"),
     ("f(1, 2, c=3)\n", "f(1, b=2, c=3)\n"), ("f(1, 2, 3, 4)\n", None),
     ("f(1, 2, *x)\n", None), ("f(1, 2, **x)\n", None), ("f(1, 2, b=3)\n", None)],
)  # fmt: skip
def test_arguments_that_follow_one_another(before: str, after: str | None) -> None:
    assert rewritten(before, **TWO) == (before if after is None else after)


def test_what_a_mapping_gives_is_the_rules_concern() -> None:
    rule = {**TWO, "where": [{"plain_arguments": False}]}
    assert rewritten("f(1, 2, **x)\n", **rule) == "f(1, b=2, **x)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("set(a for a in b)\n", "{a for a in b}\n"),
        ("set(a for a, c in b if a for d in e)\n", "{a for a, c in b if a for d in e}\n"),
        ("set(x)\n", None),
        ("set((a for a in b), c)\n", None),
    ],
)
def test_all_loops_of_a_comprehension(before: str, after: str | None) -> None:
    rule = {
        "match": "set($e for $x in $...rest)",
        "edit": {"replace": "$match", "with": "{$e for $x in $...rest}"},
    }
    assert rewritten(before, **rule) == (before if after is None else after)


STRUCTURE = """\
class C(object):
    x = mark()
    @mark()
    def f(self, a=mark()):
        mark()
        [mark() for _ in x]
        lambda: mark()
        def g(): mark()
    async def h(this): mark()
    def i(): mark()
def f(self): mark()
"""


@pytest.mark.parametrize(
    ("condition", "lines"),
    [
        ({"in_method": {"class": "c", "first": "s"}}, [5, 9]),
        ({"is_decorator": True}, [3]),
        ({"inside": ["class"]}, [2, 3, 4, 5, 6, 7, 8, 9, 10]),
        ({"inside": ["async"]}, [9]),
        ({"inside": ["for", "while", "with", "try", "if"]}, []),
    ],
)
def test_where_code_stands(condition: dict[str, Any], lines: list[int]) -> None:
    made = rewritten(
        STRUCTURE, match="mark()", where=[condition], edit={"replace": "$match", "with": "marked"}
    )
    numbered = enumerate(made.splitlines(), 1)
    assert [number for number, line in numbered if "marked" in line] == lines


@pytest.mark.parametrize(
    ("value", "kinds"),
    [("'a'", ["str"]), ("b'a'", ["bytes"]), ("f'{a}'", []), ("f''", []), ("1", ["int"]),
     ("1.5", ["float"]), ("1j", ["complex"]), ("True", ["bool"]), ("None", []), ("x", []),
     ("('a'\n 'b')", ["str"]), ("(1,)", []), ("-1", ["int"])],
)  # fmt: skip
def test_literals(value: str, kinds: list[str]) -> None:
    found = [
        kind
        for kind in ("bool", "bytes", "complex", "float", "int", "str")
        if "g(" in rewritten(
            f"f({value})\n", match="f($x)", where=[{"literal": ["$x", kind]}],
            edit={"replace": "$match", "with": "g($x)"},
        )
    ]  # fmt: skip
    assert found == kinds


@pytest.mark.parametrize(("before", "after"), [
    ("x = (1, gone(1))", "x = (1,)"), ("x = (gone(1), 1)", "x = (1,)"),
    ("x = (gone(1), 1,)", "x = (1,)"), ("x = (gone(1),)", "x = ()"),
    ("x = (gone(1), gone(2))", "x = ()"), ("x = (1, gone(1), 2)", "x = (1, 2)"),
    ("x = (gone(1), 1, gone(2))", "x = (1,)"),
    ("x = (\n    1,\n    gone(1),\n)", "x = (\n    1,\n)"),
    ("x = (\n    1,\n    gone(1)\n)", "x = (\n    1,\n)"),
    ("x = (\n    gone(1),\n    1\n)", "x = (\n    1,\n)"),
    ("x = f((gone(1), f(2)), 3)", "x = f((f(2),), 3)"),
])  # fmt: skip
def test_a_tuple_stays_one(before: str, after: str) -> None:
    assert rewritten(before + "\n", **DROP) == after + "\n"
