"""Patterns of several statements of one block."""

from __future__ import annotations

import pytest
from snippets import found, outcome, rewritten

from pinsetter.patterns.reading.code_pattern import compile_code
from pinsetter.patterns.reading.emitter import PatternProblem

TWO = "$a = open($path)\n$...between\n$a.close()\n"


@pytest.mark.parametrize("code", [
    "a = open(p)\nb.close()\n", "a.close()\na = open(p)\n", "a = open(p)\nif x:\n    a.close()\n",
    "if x:\n    a = open(p)\na.close()\n", "a = open(p); b()\na.close()\n",
    "a = open(p)\nb(); a.close()\n",
    "a = open(p)\nx = a.close()\n", "a = open(p)\na.close().b\n", "f(a := open(p))\na.close()\n",
    "a: int = open(p)\na.close()\n", "def f():\n    a = open(p)\ndef g():\n    a.close()\n",
])  # fmt: skip
def test_what_fits_not(code: str) -> None:
    assert not found(TWO, code)


@pytest.mark.parametrize(("code", "between"), [
    ("a = open(p)\na.close()\n", [""]),
    ("a = open(p)\nb()\na.close()\n", ["b()"]),
    ("x\na = open(p)\nif b:\n    c()\nd()\na.close()\ny\n", ["if b:\n    c()\nd()"]),
    ("def f():\n    a = open(p)\n    a.close()\n", [""]),
    ("if x:\n    a = open(p)\n    b\n    a.close()\nelse: pass\n", ["b"]),
    ("a = open(p)\na.close()\na.close()\n", ["", "a.close()"]),
])  # fmt: skip
def test_what_fits(code: str, between: list[str]) -> None:
    assert [captures["between"].strip() for captures in found(TWO, code)] == between


def test_side_by_side() -> None:
    pattern = "f($a)\ng($a)\n"
    assert found(pattern, "f(1)\ng(1)\n")
    assert not found(pattern, "f(1)\nx\ng(1)\n")
    assert not found(pattern, "f(1)\ng(2)\n")


def test_definitions_with_decorators_or_without() -> None:
    pattern = "def $f($...p):\n    $...body\n$...between\n$f.x = $value\n"
    for head in ("", "@a\n", "@a\n@b\n", "async ", "@a\nasync "):
        code = f"{head}def f(a): return 1\nf.x = 2\n"
        assert [captures["value"] for captures in found(pattern, code)] == ["2"]
    assert not found(pattern, "def f(a): return 1\ng.x = 2\n")
    behind = "x = 1\nclass $c:\n    $...body\n"
    for head in ("", "@a\n"):
        assert [c["c"] for c in found(behind, f"x = 1\n{head}class A:\n    b\n")] == ["A"]


@pytest.mark.parametrize(("pattern", "reason"), [
    ("$...a\nf()\n", "between others"), ("f()\n$...a\n", "between others"),
    ("f()\n$...a\n$...b\ng()\n", "two runs"), ("f()\n$a\n", "alone fits everything"),
    ("f(); g()\n", "lines of its own"), ("f()\ng(); h()\n", "lines of its own"),
    ("", "an expression or statements"), ("f($statements)\n", "a name of Pinsetter's own"),
])  # fmt: skip
def test_what_is_no_pattern(pattern: str, reason: str) -> None:
    with pytest.raises(PatternProblem, match=reason):
        compile_code(pattern, {})


DECORATE = {
    "match": "def $f($...p):\n    $...body\n$...between\n$f.text = $text\n",
    "edit": [{"decorate": "$f", "with": "display($text)"}, {"delete": "$text"}],
}


@pytest.mark.parametrize(("before", "after"), [
    ("def f(): pass\nf.text = 'a'\n", "@display('a')\ndef f(): pass\n"),
    ("@b\ndef f(): pass\nf.text = 'a'\nx\n", "@display('a')\n@b\ndef f(): pass\nx\n"),
    ("class A:\n    async def f(): pass\n    y\n    f.text = (1,\n      2)\n    x\n",
     "class A:\n    @display((1,\n      2))\n    async def f(): pass\n    y\n    x\n"),
])  # fmt: skip
def test_a_decorator_for_an_assignment(before: str, after: str) -> None:
    assert rewritten(before, **DECORATE) == after
    assert rewritten(after, **DECORATE) == after


def test_only_definitions_are_decorated() -> None:
    _, reports, _ = outcome("f(1)\n", match="f($a)", edit={"decorate": "$a", "with": "b"})
    assert "only a function or a class can be decorated" in reports[0]


def test_the_first_is_replaced() -> None:
    rule = {
        "match": TWO,
        "edit": [{"replace": "$match", "with": "$a = get($path)"}, {"delete": "$again"}],
    }
    rule["match"] = "$a = open($path)\n$...between\n$again.close()\n"
    rule["where"] = [{"same": ["$a", "$again"]}]
    before = "a = open(p)\nb()\na.close()\nc.close()\n"
    assert rewritten(before, **rule) == "a = get(p)\nb()\nc.close()\n"


@pytest.mark.parametrize(("code", "is_changed"), [
    ("T = 1\ndef f(): pass\nf.text = T\n", True),
    ("def f(): pass\nf.text = g(elsewhere)\n", True),
    ("def f(): pass\nT = 1\nf.text = T\n", False),
    ("T = 1\ndef f(): pass\nT = 2\nf.text = T\n", False),
    ("if x:\n    T = 1\ndef f(): pass\nf.text = T\n", False),
    ("def f(): pass\nf.text = f.__doc__\n", False),
    ("class A:\n    T = 1\n    def f(self): pass\n    f.text = T\n", True),
    ("class A:\n    def f(self): pass\n    T = 1\n    f.text = T\n", False),
    ("class A:\n    def f(self): pass\n    f.text = f.x\n", False),
])  # fmt: skip
def test_what_goes_above_is_bound_there(code: str, is_changed: bool) -> None:
    made = rewritten(code, **DECORATE, where=[{"bound_before": ["$text", "$f"]}])
    assert (made != code) == is_changed


HANDLED = "try: a\nexcept (A, B): b\nexcept (A, b.C) as e: c\nexcept D: d\nexcept: e\n"


@pytest.mark.parametrize(("pattern", "number"), [
    ("except $kinds:", 2), ("except ($...kinds):", 1), ("except $kinds as $name:", 1),
    ("except D:", 1), ("except E:", 0), ("except ($one, $...others) as $e:", 1),
    ("except (A, $...others):", 1),
])  # fmt: skip
def test_heads_of_handlers(pattern: str, number: int) -> None:
    assert len(found(pattern, HANDLED)) == number


def test_what_is_caught_is_rewritten() -> None:
    rule = {"match": "except ($...before, $one, $...behind) as $e:",
            "where": [{"named": ["$one", "C"]}], "edit": {"remove": "$one"}}  # fmt: skip
    assert rewritten(HANDLED, **rule) == HANDLED.replace("(A, b.C)", "(A,)")
    rule = {"match": "except $kinds:", "where": [{"matches": {"$kinds": "(A, $x)"}}],
            "edit": {"replace": "$kinds", "with": "$x"}}  # fmt: skip
    assert rewritten(HANDLED, **rule) == HANDLED.replace("(A, B)", "B")


@pytest.mark.parametrize("pattern", ["except:", "except $k: pass", "except $k", "except ($k:"])
def test_what_is_no_head(pattern: str) -> None:
    with pytest.raises(PatternProblem):
        compile_code(pattern, {})


def test_a_comprehension_in_parentheses_is_no_tuple() -> None:
    edit = {"replace": "$match", "with": "$x = ($e for $i in $...rest)"}
    code = "a = [b(c) for c in d if c]\n"
    made = rewritten(code, match="$x = [$e for $i in $...rest]", edit=edit)
    assert made == "a = (b(c) for c in d if c)\n"
