"""Conditions of each item of a run, of one of them, and of each use of a name."""

from __future__ import annotations

import pytest
import yaml
from snippets import load_text, outcome, pack_data, rewritten

EVERY = [{"every": {"of": "$...a", "as": "item", "holds": [{"constant": "$item"}]}}]
SOME = [{"some": {"of": "$...a", "as": "item", "holds": [{"matches": {"$item": "g($x)"}}]}}]


@pytest.mark.parametrize(("code", "fits"), [
    ("f(x)\n", False), ("f(1, x)\n", False), ("f(x, 1)\n", False), ("f(1, *x)\n", False),
    ("f(k=1)\n", False), ("f(1)\n", True), ("f(1, 'a')\n", True), ("f()\n", True),
    ("f(1,)\n", True),
])  # fmt: skip
def test_every(code: str, fits: bool) -> None:
    made = rewritten(code, match="f($...a)", where=EVERY, edit={"replace": "$match", "with": "ok"})
    assert (made == "ok\n") == fits


@pytest.mark.parametrize(("code", "made"), [
    ("f(x)\n", None), ("f()\n", None), ("f(g(1, 2))\n", None),
    ("f(g(1))\n", "ok(g(1), 1)\n"), ("f(x, g(2), g(3))\n", "ok(g(2), 2)\n"),
])  # fmt: skip
def test_some(code: str, made: str | None) -> None:
    edit = {"replace": "$match", "with": "ok($item, $x)"}
    where = [*SOME, {"captured": "$item"}, {"matches": {"$item": "g($x)"}}]
    assert rewritten(code, match="f($...a)", where=where, edit=edit) == (made or code)


@pytest.mark.parametrize(("match", "code", "count"), [
    ("{'k': 0, **$...r}", "{'k': 0}", 0), ("{'k': 0, **$...r}", "{'k': 0, 1: 2}", 1),
    ("{'k': 0, **$...r}", "{'k': 0, 1: 2, **a, 3: 4,}", 3),
    ("f($...r)", "f(1, k=2, *a)", 3), ("f($...r)", "f(x for x in y)", 1), ("f($...r)", "f()", 0),
    ("[$...r]", "[1, 2, 3]", 3), ("{$...r}", "{1}", 1),
    ("def f($...r): $...b", "def f(a: int, b=2, *c, d: int = 3): pass", 4),
    ("def f(): $...r", "def f():\n    a\n    b; c\n    if d: e", 3),
    ("def f(): $...r", "def f(): a", 1),
])  # fmt: skip
def test_items_are_what_stands_between_commas(match: str, code: str, count: int) -> None:
    rule = {"match": match, "report": "One."}
    for n in (count - 1, count, count + 1):
        where = [{"items": {"of": "$...r", "least": n, "most": n}}]
        _, reports, _ = outcome(f"{code}\n", where=where, **rule) if n >= 0 else ("", [], [])
        assert bool(reports) == (n == count), (n, reports)


USES = {
    "match": "$r = get($u)",
    "where": [{"uses": {"of": "$r", "as": "use", "holds": [{"within": "$use.json()"}]}}],
    "edit": {"replace": "$u", "with": "ok($u)"},
}


@pytest.mark.parametrize(("body", "fits"), [
    ("r = get(u)\nreturn r.json()", True), ("r = get(u)\na = r.json()\nreturn r.json()", True),
    ("r = get(u)", True), ("r = get(u)\nreturn lambda: r.json()", True),
    ("r = get(u)\nreturn r", False), ("r = get(u)\nr.json()\nr.text", False),
    ("r = get(u)\nr = r.json()", False), ("r = get(u)\ndel r", False),
    ("r = get(u)\nreturn lambda: r", False), ("r = get(u)\nreturn locals()", True),
    ("global r\nr = get(u)\nr.json()", False), ("self.r = get(u)\nself.r.json()", False),
    ("r = get(u)\ndef g():\n    nonlocal r\n    r = 1", False),
])  # fmt: skip
def test_uses(body: str, fits: bool) -> None:
    code = "def f(u):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    assert ("ok(u)" in rewritten(code, **USES)) == fits


def test_of_a_module_it_is_not_known() -> None:
    assert rewritten("r = get(u)\nr.json()\n", **USES) == "r = get(u)\nr.json()\n"


@pytest.mark.parametrize(("holds", "reason"), [
    ([{"constant": "$itm"}], "$itm"), ([{"isa": ["$item", "nope"]}], "no role"),
    ([{"matches": {"$item": "g("}}], "not Python"), ([{"nope": 1}], "nope"),
])  # fmt: skip
def test_what_is_wrong_in_them(holds: list[object], reason: str) -> None:
    where = [{"every": {"of": "$...a", "as": "item", "holds": holds}}]
    data = pack_data(match="f($...a)", where=where, report="No.")
    problems = load_text(yaml.safe_dump(data))
    assert isinstance(problems, list)
    assert any(reason in str(problem) for problem in problems), problems


@pytest.mark.parametrize("where", [
    {"every": {"of": "$...a", "as": "item", "holds": [{"role": {"$item": "optimizer"}}]}},
    {"some": {"of": "$...a", "as": "item", "holds": [{"role": {"$item": "optimizer"}}]}},
    {"uses": {"of": "$o", "as": "use", "holds": [{"role": {"$use": "optimizer"}}]}},
])  # fmt: skip
def test_what_was_assumed_of_them_is_said(where: dict[str, object]) -> None:
    code = "def h(o, g):\n    f(o)\n    o.apply_gradients(g)\n"
    match = "f($o)" if "uses" in where else "f($...a)"
    edit = {"replace": "$match", "with": "ok"}
    text, _, warnings = outcome(code, match=match, where=[where], edit=edit)
    assert "ok\n" in text
    assert any("Assumed: o is an optimizer" in warning for warning in warnings), warnings
