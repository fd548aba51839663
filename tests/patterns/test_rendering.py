"""What a template makes of its captures: whatever they are, the meaning of both stays."""

import ast

import pytest
from snippets import IMPORTS, outcome, rewritten

CALL = {"replace": "$match"}


def replaced(code: str, match: str, template: str) -> str:
    return rewritten(code, match=match, edit={**CALL, "with": template})


def refused(code: str, match: str, template: str) -> str:
    """What is said of code that stays as it is."""
    result, reports, _ = outcome(code, match=match, edit={**CALL, "with": template})
    assert result == code
    return reports[0]


@pytest.mark.parametrize(
    ("match", "code"),
    [
        ("f($x)", "f(1, 2)\n"),
        ("f($x)", "f()\n"),
        ("f($x)", "f(*a)\n"),
        ("f($x)", "f(k=1)\n"),
        ("[$x]", "[a, b]\n"),
        ("[$x]", "[a for a in b]\n"),
        ("[$x]", "[*a]\n"),
        ("a[$x]", "a[1:2]\n"),
        ("f($x)", "def f(x): pass\n"),
        ("f($x)", "class f(x): pass\n"),
        ("f($x)", "x.f(1)\n"),
        ("f($x)", "@x.f(1)\ndef g(): pass\n"),
    ],
)
def test_what_is_not_one_expression_stays(match: str, code: str) -> None:
    assert replaced(code, match, "g($x)") == code


@pytest.mark.parametrize(
    ("code", "match", "template", "result"),
    [
        # The result takes the parentheses that its place wants.
        ("2 * f(1, 2)", "f($a, $b)", "$a + $b", "2 * (1 + 2)"),
        ("f(1, 2) * 2", "f($a, $b)", "$a + $b", "(1 + 2) * 2"),
        ("f(1, 2) + 2", "f($a, $b)", "$a + $b", "1 + 2 + 2"),
        ("f(1, 2).x", "f($a, $b)", "$a + $b", "(1 + 2).x"),
        ("f(a)**2", "f($a)", "-$a", "(-a)**2"),
        ("2 ** f(a)", "f($a)", "-$a", "2 ** -a"),
        ("f(a) == b", "f($a)", "$a == c", "(a == c) == b"),
        ("a == f(b)", "f($a)", "$a == c", "a == (b == c)"),
        ("x = not f(a)", "f($a)", "$a or b", "x = not (a or b)"),
        ("x = [f(a) for y in f(b)]", "f($a)", "$a if c else d",
         "x = [a if c else d for y in (b if c else d)]"),
        ("x = [*f(a)]", "f($a)", "$a or b", "x = [*(a or b)]"),
        ("x = {**f(a)}", "f($a)", "$a or b", "x = {**(a or b)}"),
        ("g(**f(a))", "f($a)", "$a or b", "g(**a or b)"),
        ("x = f(a)", "f($a)", "$a, b", "x = a, b"),
        ("g(f(a))", "f($a)", "$a, b", "g((a, b))"),
        ("x = f'{f(a)}'", "f($a)", "lambda: $a", "x = f'{(lambda: a)}'"),
        ("x = 1 if f(a)else 2", "f($a)", "$a", "x = 1 if a else 2"),
        ("x = y if c else(f(a))", "f($a)", "not $a", "x = y if c else(not a)"),
        ("@f(1)\ndef g(): pass", "f($a)", "h($a)", "@h(1)\ndef g(): pass"),
        ("@a.f(1)\ndef g(): pass", "$x.f($a)", "h($x, $a)", "@h(a, 1)\ndef g(): pass"),
        # A capture takes those that its slot wants.
        ("f(a + b)", "f($a)", "-$a", "-(a + b)"),
        ("f(a * b)", "f($a)", "-$a", "-(a * b)"),
        ("f(-a)", "f($a)", "$a ** 2", "(-a) ** 2"),
        ("f(a, b == c)", "f($a, $b)", "$a == $b", "a == (b == c)"),
        ("f(a == b, c)", "f($a, $b)", "$a == $b", "(a == b) == c"),
        ("f(a - b, c - d)", "f($a, $b)", "$a - $b", "a - b - (c - d)"),
        ("f(args.x or None)", "f($a)", "None if $a is None else $a // n",
         "None if (args.x or None) is None else (args.x or None) // n"),
        ("f(**options or {})", "f(**$a)", "$a.get(1)", "(options or {}).get(1)"),
        ("f(a if b else c)", "f($a)", "$a.x", "(a if b else c).x"),
        ("f(lambda: a)", "f($a)", "$a()", "(lambda: a)()"),
        ("f(1)", "f($a)", "$a.x", "(1).x"),
        ("f(x := 1)", "f($a)", "$a.x", "(x := 1).x"),
        ("f(x := 1)", "f($a)", "g($a)", "g(x := 1)"),
        ("f(x for x in y)", "f($a)", "g($a)", "g(x for x in y)"),
        ("f(x for x in y)", "f($a)", "g($a, 1)", "g((x for x in y), 1)"),
        ("f(x for x in y)", "f($a)", "[$a]", "[(x for x in y)]"),
        ("f(x for x in y)", "f($a)", "$a", "(x for x in y)"),
        ("f('a' 'b')", "f($a)", "$a.x", "'a' 'b'.x"),
        ("f('a'\n  'b')", "f($a)", "$a.x", "('a'\n  'b').x"),
        ("f(a +\n  b)", "f($a)", "$a + c", "(a +\n  b) + c"),
        ("f(a(\n  b))", "f($a)", "$a.x", "a(\n  b).x"),
        ("(f(a +\n  b))", "f($a)", "$a + c", "(a +\n  b + c)"),
        ("f(a +\n  b)", "f($a)", "$a", "(a +\n  b)"),
        ("def g():\n    f((yield), 1)", "f($a, $b)", "[$a, $b]",
         "def g():\n    [(yield), 1]"),
        ("a[1, 2]", "$a[$i]", "$a.get($i)", "a.get((1, 2))"),
        ("f(a)", "f($a)", "self.$a", "self.a"),
    ],
)  # fmt: skip
def test_parentheses(code: str, match: str, template: str, result: str) -> None:
    found = replaced(f"{code}\n", match, template)
    assert found == f"{result}\n"
    ast.parse(found)


@pytest.mark.parametrize(
    ("code", "template", "result"),
    [
        ("f(1, 2)", "g($x, $...r)", "g(1, 2)"),
        ("f(1)", "g($x, $...r)", "g(1)"),
        ("f(1)", "g($...r, $x)", "g(1)"),
        ("f(1, 2, 3)", "g($...r, $x)", "g(2, 3, 1)"),
        ("f(1)", "g($...r)", "g()"),
        ("f(1, *a, k=2, **b)", "g($x, $...r)", "g(1, *a, k=2, **b)"),
        ("f(1, 2)", "g($x, $...r, z=0)", "g(1, 2, z=0)"),
        ("f(1)", "g($x, $...r, z=0)", "g(1, z=0)"),
        ("f(1, 2)", "($x, $...r)", "(1, 2)"),
        ("f(1)", "($x, $...r)", "(1,)"),
        ("f(1)", "($...r)", "()"),
        ("f(1, 2)", "($...r)", "(2,)"),
        ("f(1, *a)", "[$...r]", "[*a]"),
        ("f(1, 2)", "{$...r}", "{2}"),
        ("f(1,\n  2)", "g($x, $...r)", "g(1,\n  2)"),
        ("f(1, 2,)", "g($x, $...r)", "g(1, 2)"),
        ("f(1, # why\n  2)", "g($x, $...r)", "g(1, # why\n  2)"),
        ("f(\n    1,  # one\n    2,  # two\n)", "g($x, $...r)",
         "g(\n    1,  # one\n    2,  # two\n)"),
    ],
)  # fmt: skip
def test_runs_have_the_commas_that_they_need(code: str, template: str, result: str) -> None:
    assert replaced(f"{code}\n", "f($x, $...r)", template) == f"{result}\n"
    ast.parse(result)


@pytest.mark.parametrize(
    ("code", "template", "said"),
    [
        ("f(1, k=2)\n", "[$...r]", "k=2 cannot stand in a display"),
        ("f(1, **a)\n", "($...r)", "**a cannot stand in a tuple"),
        ("f(1, 2)\n", "g(k=1, $...r)", "by position would follow one by name"),
        ("f(1, k=2)\n", "g($...r, k=1)", "the argument k would be given twice"),
        ("f(1, **a)\n", "g($...r, *b)", "`*` would follow `**`"),
        ("f(a.b)\n", "self.$x", "$x is no name"),
    ],
)
def test_what_cannot_stand_somewhere_is_reported(code: str, template: str, said: str) -> None:
    assert said in refused(code, "f($x, $...r)", template)


@pytest.mark.parametrize(
    "code",
    [
        "x[0] = v\n", "x[0] += v\n", "x[0], y = v\n", "a = x[0] = v\n", "del x[0]\n",
        "for x[0] in y: pass\n", "with a as x[0]: pass\n", "[(*x[0], b)] = v\n", "x[0]: int = v\n",
        "[y for x[0] in y]\n",
    ],
)  # fmt: skip
def test_what_is_assigned_to_does_not_become_a_value(code: str) -> None:
    assert "something is assigned to it" in refused(code, "$x[$i]", "get($x, $i)")


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("x[0] = v\n", "x[0].value = v\n"),
        ("x[0].a = v\n", "x[0].value.a = v\n"),
        ("y = x[0]\n", "y = x[0].value\n"),
        ("for y in x[0]: pass\n", "for y in x[0].value: pass\n"),
        ("y[x[0]] = v\n", "y[x[0].value] = v\n"),
    ],
)
def test_what_can_be_assigned_to_may_be_rewritten(code: str, result: str) -> None:
    assert replaced(code, "x[$i]", "$match.value") == result


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("f(f(1))\n", "g(g(1))\n"),
        ("f(f(1), f(f(2)))\n", "g(g(1), g(g(2)))\n"),
        ("f(lambda: f(1))\n", "g(lambda: g(1))\n"),
        ("f(1)(f(2))\n", "g(1)(g(2))\n"),
        ("f(f(1)\n  + 2)\n", "g(g(1)\n  + 2)\n"),
    ],
)
def test_matches_inside_matches(code: str, result: str) -> None:
    assert replaced(code, "f($...a)", "g($...a)") == result


@pytest.mark.parametrize(
    ("template", "result"),
    [
        ("$a + $b", "1 + 2 + (3 + 4)"),
        ("$b * $a", "4 * 3 * (2 * 1)"),
        ("$a - $b", "1 - 2 - (3 - 4)"),
        ("$a ** $b", "(1 ** 2) ** 3 ** 4"),
        ("$a if $b else 0", "(1 if 2 else 0) if (3 if 4 else 0) else 0"),
    ],
)
def test_what_an_inner_match_becomes_is_parenthesised(template: str, result: str) -> None:
    assert replaced("f(f(1, 2), f(3, 4))\n", "f($a, $b)", template) == f"{result}\n"


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("x = f(1,  # one\n      2)\n", "# one\nx = 1 + 2\n"),
        (
            "if a:\n    x = f(  # zero\n        1,\n        2)\n",
            "if a:\n    # zero\n    x = 1 + 2\n",
        ),
        ("x = f(g(1,  # one\n        ), 2)\n", "x = g(1,  # one\n        ) + 2\n"),
    ],
)
def test_comments_stay(code: str, result: str) -> None:
    assert replaced(code, "f($a, $b)", "$a + $b") == result


@pytest.mark.parametrize(
    "code", ["if f(1,  # one\n     2):\n    pass\n", "a; x = f(1,  # one\n 2)\n"]
)
def test_comments_without_a_place_are_named(code: str) -> None:
    edit = {**CALL, "with": "$a + $b"}
    result, reports, warnings = outcome(code, match="f($a, $b)", edit=edit)
    assert "#" not in result
    assert not reports
    assert warnings == ["The comment '# one' is left out."]


REFERENCES = """
import numpy as np
from numpy import float_, float_ as f8
np.float_(1), float_(2), f8
z = np.float_
z(1)
np.float_ = 3
def h(float_, k=float_): return float_
class A:
    float_ = 1
    def m(self): return self.float_
g(float_=1, x=float_)
"""


def test_a_dotted_name_is_rewritten_where_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(IMPORTS, "np", "numpy")
    edit = {**CALL, "with": "np.float64"}
    result, _, warnings = outcome(REFERENCES, match="np.float_", edit=edit)
    assert result == (
        REFERENCES.replace(
            "np.float_(1), float_(2), f8", "np.float64(1), np.float64(2), np.float64"
        )
        .replace("z = np.float_", "z = np.float64")
        .replace("k=float_", "k=np.float64")
        .replace("x=float_", "x=np.float64")
    )
    assert "The import of float_ on line 3 stays." in warnings


@pytest.mark.parametrize("code", ["self.float_\n", "def h(float_): pass\n", "g(float_=1)\n"])
def test_a_name_means_nothing_where_it_is_no_variable(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(IMPORTS, "np", "numpy")
    rule = {
        "where": [{"means": ["$name", "numpy.float_"]}],
        "edit": {"replace": "$name", "with": "x"},
    }
    whole = f"from numpy import *\n{code}"
    assert rewritten(whole, query="name='float_'", **rule) == whole


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("f(a=1, b=2)", "g(2, a=1)"),
        ("f(b=2, a=1)", "g(2, a=1)"),
        ("f(0, b=2, a=1)", "f(0, b=2, a=1)"),
        ("f(b=2, a=1, c=3)", "f(b=2, a=1, c=3)"),
    ],
)
def test_named_arguments_may_come_in_any_order(code: str, result: str) -> None:
    assert replaced(f"{code}\n", "f(a=$x, b=$y)", "g($y, a=$x)") == f"{result}\n"


HEAD = '"""Text."""\nfrom __future__ import division\nimport os\n'


@pytest.mark.parametrize(
    ("code", "result"),
    [
        (f"{HEAD}f(1)\nimport torch\nf(2)\n", f"{HEAD}g(1)\nimport torch\ng(2)\n"),
        (f"{HEAD}f(1)\nimport tensorflow\nf(2)\n", f"{HEAD}g(1)\nimport tensorflow\ng(2)\n"),
    ],
)
def test_a_pack_for_any_program_asks_for_no_library(code: str, result: str) -> None:
    assert replaced(code, "f($x)", "g($x)") == result


def test_what_a_pack_needs_is_imported_among_the_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    for alias in list(IMPORTS):
        monkeypatch.delitem(IMPORTS, alias)
    monkeypatch.setitem(IMPORTS, "log", "logging")
    made = "import logging as log\nimport os\nlog.g(1)\n"
    head = HEAD.removesuffix("import os\n")
    assert replaced(f"{HEAD}f(1)\n", "f($x)", "log.g($x)") == f"{head}{made}"


def test_what_runs_before_its_import_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for alias in list(IMPORTS):
        monkeypatch.delitem(IMPORTS, alias)
    monkeypatch.setitem(IMPORTS, "log", "logging")
    monkeypatch.setitem(IMPORTS, "torch", "torch")
    said = refused("f(1)\nimport torch\n", "f($x)", "log.g($x)")
    assert said == "Not rewritten: it runs before log could be imported."
