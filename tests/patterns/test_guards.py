"""Guards that neighbours have in common are made once, whichever of them are accepted."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from rewriting import File
from snippets import pack_of, rewritten

from pinsetter.patterns.edits.edit import Edit, apply

RULE = {"match": "report($...args)", "edit": {"guard": "first()", "join": True}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Nothing in common.
        ("report()\nother()\nreport()\n", None),
        ("report()\nx[0] = report()\n", None),
        ("report()\nif x: y\nreport()\n", None),
        ("for x in y:\n    report()\nreport()\n", None),
        ("if x:\n    report()\n    other()\n", None),
        ("if x:\n    report()\nelse:\n    report()\n", None),
        ("if x:\n    other()\nelif y:\n    report()\n", None),
        ("while x:\n    report()\n", None),
        ("if x:\n    if y:\n        other()\n    report()\n", None),
        ("if __name__ == '__main__':\n    report()\n", None),
        # Neighbours.
        ("report(1)\nreport(2)\n", "if first():\n    report(1)\n    report(2)\n"),
        ("report(1)\r\nreport(2)", "if first():\r\n    report(1)\r\n    report(2)"),
        ("report(1)\n\n\nreport(2)\n", "if first():\n    report(1)\n\n\n    report(2)\n"),
        ("report(1)  # a\n# b\n\n# c\nreport(2)\n# d\n",
         "if first():\n    report(1)  # a\n    # b\n\n    # c\n    report(2)\n# d\n"),
        ("def f():\n\treport(1)\n\treport(2,\n\t\t3)\n\treturn 5\n",
         "def f():\n\tif first():\n\t\treport(1)\n\t\treport(2,\n\t\t\t3)\n\treturn 5\n"),
        ("for x in y:\n  report(1)\n# out\n  report(2)\n",
         "for x in y:\n  if first():\n    report(1)\n# out\n    report(2)\n"),
        ("report('''a\nb''')\nreport('''c\nd''')\n",
         "if first():\n    report('''a\nb''')\n    report('''c\nd''')\n"),
        # All of a block.
        ("if x:\n    report()\n", "if x and first():\n    report()\n"),
        ("if x: report()\n", "if x and first(): report()\n"),
        ("if x or y:\n    report(1)\n    # why\n    report(2,\n           3)\n",
         "if (x or y) and first():\n    report(1)\n    # why\n    report(2,\n           3)\n"),
        ("if (x or\n    y):  # z\n    report()\n",
         "if (x or\n    y) and first():  # z\n    report()\n"),
        ("if (x := y): report()\n", "if (x := y) and first(): report()\n"),
        ("if x := y: report()\n", "if (x := y) and first(): report()\n"),
        ("if x if y else z: report()\n", "if (x if y else z) and first(): report()\n"),
        ("if not x:\n    if y:\n        report()\n",
         "if not x:\n    if y and first():\n        report()\n"),
        ("if x:\n    report(); report()\n",
         "if x:\n    report() if first() else None; report() if first() else None\n"),
    ],
)  # fmt: skip
def test_what_is_in_common(before: str, after: str | None) -> None:
    if after is None:
        made = rewritten(before, **RULE)
        assert made.count("if first()") == before.count("report(")
        assert "and first" not in made
    else:
        assert rewritten(before, **RULE) == after


APART = " if first() else None"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Read where the condition was not asked.
        ("x = report()\nother(x)\n", f"x = report(){APART}\nother(x)\n"),
        ("def f():\n    x = report()\n    return x\n",
         f"def f():\n    x = report(){APART}\n    return x\n"),
        ("x = report()\nif x: report(2)\n",
         f"x = report(){APART}\nif x and first(): report(2)\n"),
        ("x = None\nwhile y:\n    other(x)\n    x = report()\n",
         f"x = None\nwhile y:\n    other(x)\n    x = report(){APART}\n"),
        ("def f():\n    x = report()\n    def g():\n        return x\n"
         "    report(x)\n    return g\n",
         f"def f():\n    x = report(){APART}\n    def g():\n        return x\n"
         "    if first():\n        report(x)\n    return g\n"),
        # Somebody else may ask for it.
        ("x = report()\nx += 1\n", f"x = report(){APART}\nx += 1\n"),
        ("x = report()\nreport(x)\ndel x\n",
         f"x = report(){APART}\nif first():\n    report(x)\ndel x\n"),
        ("class A:\n    x = report()\n", f"class A:\n    x = report(){APART}\n"),
        ("self.x = report()\n", f"self.x = report(){APART}\n"),
        ("x = y = report()\n", f"x = y = report(){APART}\n"),
        ("def f():\n    global x\n    x = report()\n",
         f"def f():\n    global x\n    x = report(){APART}\n"),
        # Read under it alone.
        ("x = report()\n", "if first():\n    x = report()\n"),
        ("x = report()\nreport(x)\n", "if first():\n    x = report()\n    report(x)\n"),
        ("x = report()\nother()\nreport(f'{x}')\n",
         "if first():\n    x = report()\nother()\nif first():\n    report(f'{x}')\n"),
        ("if y:\n    x = report(1,\n               2)\n    report(x)\n",
         "if y and first():\n    x = report(1,\n               2)\n    report(x)\n"),
        ("x = report()\ny = report(x)\nreport(y)\n",
         "if first():\n    x = report()\n    y = report(x)\n    report(y)\n"),
        ("x = report()\ny = report(x)\nother(y)\n",
         f"x = report(){APART}\ny = report(x){APART}\nother(y)\n"),
        ("x = report(1)\nreport(x)\nx = report(2)\nother(x)\n",
         "if first():\n    x = report(1)\n    report(x)\n"
         f"x = report(2){APART}\nother(x)\n"),
    ],
)  # fmt: skip
def test_what_is_assigned_and_read(before: str, after: str) -> None:
    assert rewritten(before, **RULE) == after


def test_a_condition_that_needs_parentheses_gets_them() -> None:
    rule = {"match": "report()", "edit": {"guard": "first() or second()"}}
    assert rewritten("if x: report()\n", **rule) == "if x and (first() or second()): report()\n"


def test_without_join_each_has_its_own() -> None:
    rule = {"match": "report($...args)", "edit": {"guard": "first()"}}
    made = rewritten("report(1)\nreport(2)\nif x: report(3)\n", **rule)
    alone = "if first():\n    report(1)\nif first():\n    report(2)\n"
    assert made == f"{alone}if x and first(): report(3)\n"
    made = rewritten("if x:\n    report(1)\n    report(2)\n", **rule)
    assert made.count("if first():") == 2


def by_rules(code: str, *rules: dict[str, Any]) -> str:
    """The code with what several rules make of it."""
    together: list[Edit] = []
    for number, rule in enumerate(rules):
        pack = pack_of(**rule)
        for each in File(pack, code).outcomes(pack.rules[0]).applied:
            together += [replace(e, rank=(number, *e.rank)) for e in each.application.edits]
    return apply(code, together)


ALONE = {"match": "one()", "edit": {"guard": "first()"}}


def test_one_that_may_not_be_shared_is_not() -> None:
    for code in ("one()\nreport()\n", "report()\none()\n"):
        lines = code.splitlines()
        alone = "".join(f"if first():\n    {line}\n" for line in lines)
        assert by_rules(code, ALONE, RULE) == alone
        block = "if x:\n" + "".join(f"    {line}\n" for line in lines)
        assert by_rules(block, ALONE, RULE).count("    if first():\n") == 2


def test_what_is_inside_one_that_may_not_be_shared_keeps_its_own() -> None:
    around = {"match": "with $f:\n    $...body", "edit": {"guard": "first()"}}
    made = by_rules("with x:\n    report()\n", around, RULE)
    assert made == "if first():\n    with x:\n        if first():\n            report()\n"
    assert by_rules("one()\n", ALONE, ALONE) == "if first():\n    one()\n"


def test_a_condition_with_code_of_the_file_stays_by_its_statement() -> None:
    rule = {"match": "report($who)", "edit": {"guard": "first($who)", "join": True}}
    made = rewritten("if x:\n    report(1)\n", **rule)
    assert made == "if x:\n    if first(1):\n        report(1)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("report(1)\n", "if first():\n    report(1)\n"),
        ("report(0)\nreport(1)\n", "if first():\n    report(0)\n    report(1)\n"),
        ("if x: report(1)\n", "if x and first(): report(1)\n"),
        (
            "with x:\n    report(0)\n    y()\n",
            "if first():\n    with x:\n        report(0)\n        y()\n",
        ),
    ],
)
def test_no_statement_gets_a_guard_twice(before: str, after: str) -> None:
    guard = {"guard": "first()", "join": True}
    again = {"match": "report(1)", "edit": guard}
    around = {"match": "with $f:\n    $...body", "edit": guard}
    assert by_rules(before, RULE, again, around) == after


def test_other_conditions_are_not_the_same() -> None:
    rule = {"match": "report($who)", "edit": {"guard": "first($who)", "join": True}}
    made = rewritten("report(1)\nreport(2)\n", **rule)
    assert made == "if first(1):\n    report(1)\nif first(2):\n    report(2)\n"


@pytest.mark.parametrize("place", ["before", "after"])
@pytest.mark.parametrize(
    "code", ["report(1)\nreport(2)\n", "if x:\n    report(1)\n    report(2)\n"]
)
def test_lines_of_others_do_not_get_under_the_condition(code: str, place: str) -> None:
    insert = {"match": "report(2)", "edit": {"insert": "ready()", "place": place}}
    made = by_rules(code, RULE, insert)
    for first in (False, True):
        done: list[object] = []
        names = {"x": True, "report": done.append, "ready": partial(done.append, "ready")}
        exec(made, {**names, "first": partial(bool, first)})
        order = [1, "ready", 2] if place == "before" else [1, 2, "ready"]
        assert done == [one for one in order if first or one == "ready"]


ASSIGNED = """\
x = report(1)
if y:
    x = report(2)
    report(x)
z = report(x)
report(z)
"""


@pytest.mark.parametrize("some", [c for n in range(6) for c in itertools.combinations(range(5), n)])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("y", [False, True])
def test_what_is_assigned_is_there_where_it_is_read(
    some: tuple[int, ...], first: bool, y: bool
) -> None:
    pack = pack_of(**RULE)
    applied = File(pack, ASSIGNED).outcomes(pack.rules[0]).applied
    together = [edit for number in some for edit in applied[number].application.edits]
    done: list[object] = []
    names = {"report": lambda x: done.append(x) or x, "first": lambda: first, "y": y}
    exec(apply(ASSIGNED, together), names)
    calls = [1, *([2, 2] if y else []), 2 if y else 1, 2 if y else 1]
    if first or not some:
        assert done == calls
    else:
        assert len(done) == sum(n not in some for n in ((0, 1, 2, 3, 4) if y else (0, 3, 4)))


BLOCKS = """\
if x:
    report(1)
    # between
    report(2)

    report(3)
if y: report(4)
report(5)
report(6)
"""


@pytest.mark.parametrize("some", [c for n in range(7) for c in itertools.combinations(range(6), n)])
def test_any_of_them_may_be_rejected(some: tuple[int, ...]) -> None:
    """Each statement runs under the conditions that it had, and, if that was accepted, first()."""
    pack = pack_of(**RULE)
    text = File(pack, BLOCKS).outcomes(pack.rules[0]).text(some)
    for x, y, first in itertools.product((False, True), repeat=3):
        done: list[int] = []
        exec(text, {"x": x, "y": y, "first": partial(bool, first), "report": done.append})
        asked = [x, x, x, y, True, True]
        assert done == [
            number + 1
            for number, runs in enumerate(asked)
            if runs and (first or number not in some)
        ]
    for line in BLOCKS.splitlines():
        assert line.strip().removeprefix("if y: ") in text.replace(" and first():", ":")
