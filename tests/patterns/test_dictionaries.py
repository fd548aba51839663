"""Runs of items in the patterns of dictionaries."""

from __future__ import annotations

import pytest
from snippets import found, rewritten

KEY = '{**$...before, "k": $v, **$...behind}'


@pytest.mark.parametrize("code", [
    "{}", "{'k'}", "{1: 'k'}", "{k: 1}", "{**a}", "['k', 1]", "f(k=1)", "{'k': x for x in y}",
    "{**k}", "{'a': {'b': 'k'}}", "{1, 'k', 2}",
])  # fmt: skip
def test_what_fits_not(code: str) -> None:
    assert not found(KEY, f"{code}\n")


@pytest.mark.parametrize(("code", "before", "value", "behind"), [
    ("{'k': 1}", "", "1", ""), ("{'k': 1,}", "", "1", ","), ('{"k": a + b}', "", "a + b", ""),
    ("{1: 2, 'k': 3}", "1: 2,", "3", ""), ("{'k': 3, 1: 2}", "", "3", ", 1: 2"),
    ("{**a, 'k': f(x), 1: 2}", "**a,", "f(x)", ", 1: 2"),
    ("{'a': 'k', 'k': 'a'}", "'a': 'k',", "'a'", ""),
    ("{\n  1: 2,  # why\n  'k': 3,\n}", "1: 2,", "3", ","),
])  # fmt: skip
def test_what_fits(code: str, before: str, value: str, behind: str) -> None:
    (captures,) = found(KEY, f"{code}\n")
    assert [captures[name] for name in ("before", "v", "behind")] == [before, value, behind]


def test_twice() -> None:
    assert [c["v"] for c in found(KEY, "{'k': 1, 'k': 2}\n")] == ["1", "2"]
    assert found('{"a": $x, **$...rest}', "{'a': 1, 'b': 2}\n")
    assert not found('{"a": $x, **$...rest}', "{'b': 2, 'a': 1}\n")
    assert not found('{"a": $x, "b": $y}', "{'a': 1, 'c': 2, 'b': 3}\n")


def test_a_value_is_replaced() -> None:
    code = "f({\n    1: 2,  # one\n    'k': 'old',  # two\n})\n"
    edit = {"replace": "$v", "with": "'new'"}
    made = rewritten(code, match=KEY, where=[{"text": ["$v", "old"]}], edit=edit)
    assert made == "f({\n    1: 2,  # one\n    'k': 'new',  # two\n})\n"


@pytest.mark.parametrize(("before", "after"), [
    ("x = {'k': 1}\n", "x = {}\n"), ("x = {'k': 1,}\n", "x = {}\n"),
    ("x = {'k': 1, 2: 3}\n", "x = {2: 3}\n"), ("x = {2: 3, 'k': 1}\n", "x = {2: 3}\n"),
    ("x = {2: 3, 'k': a + b, **c}\n", "x = {2: 3, **c}\n"),
    ("x = {'k': 1, 'k': 2}\n", "x = {}\n"),
    ("x = {1: 2, 'k': 1, 'k': 2, 3: 4}\n", "x = {1: 2, 3: 4}\n"),
    ("x = {\n    2: 3,  # two\n    'k': 1,  # k\n    4: 5,\n}\n",
     "# k\nx = {\n    2: 3,  # two\n    4: 5,\n}\n"),
    ("x = {\n    2: 3,\n    'k': f(\n        1\n    ),\n}\n", "x = {\n    2: 3,\n}\n"),
])  # fmt: skip
@pytest.mark.parametrize("named", ["$v", "$key"])
def test_an_item_is_removed(before: str, after: str, named: str) -> None:
    match = "{**$...before, $key: $v, **$...behind}"
    where = [{"text": ["$key", "k"]}]
    assert rewritten(before, match=match, where=where, edit={"remove": named}) == after


def test_a_comprehension_has_no_items() -> None:
    code = "x = {'k': y for y in z}\n"
    assert rewritten(code, match='{"k": $v for $y in $...rest}', edit={"remove": "$v"}) == code


@pytest.mark.parametrize(("template", "made"), [
    ("{**$...before, 'new': $v, **$...behind}",
     ["{'new': 1}", "{2: 3, 'new': 1}", "{'new': 1, 2: 3}", "{**a, 'new': 1, 2: 3}"]),
    ("{**$...before}", ["{}", "{2: 3}", "{}", "{**a}"]),
    ("{'a': 1, **$...behind}", ["{'a': 1}", "{'a': 1}", "{'a': 1, 2: 3}", "{'a': 1, 2: 3}"]),
    ("f({**$...behind}, k=$v)", ["f({}, k=1)", "f({}, k=1)", "f({2: 3}, k=1)", "f({2: 3}, k=1)"]),
])  # fmt: skip
def test_a_template_has_the_items(template: str, made: list[str]) -> None:
    codes = ["{'k': 1}", "{2: 3, 'k': 1}", "{'k': 1, 2: 3}", "{**a, 'k': 1, 2: 3}"]
    for code, after in zip(codes, made, strict=True):
        edit = {"replace": "$match", "with": template}
        assert rewritten(f"x = {code}\n", match=KEY, edit=edit) == f"x = {after}\n"


@pytest.mark.parametrize("template", ["f($...before)", "[$...before]", "f(**$...before)"])
def test_items_stand_in_nothing_else(template: str) -> None:
    code = "x = {2: 3, 'k': 1}\n"
    if "**" in template:
        with pytest.raises(AssertionError, match="with the stars that they have"):
            rewritten(code, match=KEY, edit={"replace": "$match", "with": template})
    else:
        assert rewritten(code, match=KEY, edit={"replace": "$match", "with": template}) == code
