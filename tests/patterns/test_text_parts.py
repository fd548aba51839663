"""Parts of texts, and texts that others are made of."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from snippets import load_text, outcome, pack_data

from pinsetter.patterns.packs.pack import Pack

STATIC = {"parts": {"of": "$x", "like": "(?s)/static/(.+)", "as": ["rest"]}}
FIELD = {"parts": {"of": "$x", "like": r"(\{\})", "as": ["field"]}}
AROUND = {"parts": {"of": "$x", "like": r"(\w*)<(\{\})>(.*)", "as": ["a", "b", "c"]}}


def made(code: str, where: list[dict[str, Any]], new: str, match: str = "f($x)") -> str:
    edit = {"replace": "$match", "with": new}
    return outcome(code + "\n", match=match, where=where, edit=edit)[0].removesuffix("\n")


@pytest.mark.parametrize("code", [
    "f('/other/a')", "f('/static/')", "f('x/static/a')", "f(b'/static/a')", "f(x)", "f()", "f(1)",
    "f(f'{x}/static/a')", "f('/static/%s' % x)", "f('/sta' + 'tic/a')", "f(rf'/static/{x}')",
    "f(f'/static/\\t{x}')", "f(f'/static/{x=}')", "f(f'/static/{x:{y}}')", "f('/static/\\ue000')",
    "f(f'/static/\ue000{x}')", "f('/static/a' f'{x}')", "f(u'/' '/static/a')",
])  # fmt: skip
def test_what_has_no_such_part(code: str) -> None:
    assert made(code, [STATIC], "g($rest)") == code


@pytest.mark.parametrize(("code", "new"), [
    ("f('/static/a.png')", "g('a.png')"),
    ('f("/static/a.png")', 'g("a.png")'),
    ("f('/sta' 'tic/a')", "g('a')"),
    ("f(r'/static/a\\d')", "g('a\\\\d')"),
    ("f('/static/{}')", "g('{}')"),
    ("f(f'/static/{x}')", "g(x)"),
    ("f(f'/static/{x}.png')", "g(f'{x}.png')"),
    ("f(f\"/static/{x['a']}/{y!r:>5}{{\")", "g(f\"{x['a']}/{y!r:>5}{{\")"),
    ("f(f'''/static/{x}\n.png''')", "g(f'''{x}\n.png''')"),
    ("f(f'/static/{x!s}')", "g(f'{x!s}')"),
])  # fmt: skip
def test_a_part_is_a_text(code: str, new: str) -> None:
    assert made(code, [STATIC], "g($rest)") == new


@pytest.mark.parametrize(("code", "new"), [
    ("f(f'a{x}')", "f(f'a{x}')"),
    ("f('{}')", "f('{}')"),
    ("f(f'{x!r}')", "g(f'{x!r}')"),
    ("f(f'{x}')", "g(x)"),
    ("f(f'{x or y}')", "g(x or y)"),
    ("f(f'{x, y}')", "g((x, y))"),
    ("f(f'{ x }')", "g(x)"),
])  # fmt: skip
def test_a_field_is_the_code_in_it(code: str, new: str) -> None:
    assert made(code, [FIELD], "g($field)") == new


def test_code_of_a_field_has_the_parentheses_that_it_needs() -> None:
    assert made("f(f'{x or y}')", [FIELD], "$field.g()") == "(x or y).g()"
    assert made("f(f'{x.y}')", [FIELD], "$field.g()") == "x.y.g()"


def test_each_group_is_a_part() -> None:
    assert made("f(f'a<{x}>b{y}')", [AROUND], "g($a, $b, $c)") == "g('a', x, f'b{y}')"
    assert made("f(f'<{x}>')", [AROUND], "g($a, $b, $c)") == "g('', x, '')"
    assert made("f(f'a<{x}>')", [AROUND], "g('$a.png', $b)") == "g('a.png', x)"


def test_parts_have_parts() -> None:
    again = {"parts": {"of": "$rest", "like": r"(\w+)\.(\w+)", "as": ["stem", "kind"]}}
    where = [STATIC, again]
    assert made("f('/static/a.png')", where, "g($stem, $kind)") == "g('a', 'png')"
    assert made("f('/static/a')", where, "g($stem, $kind)") == "f('/static/a')"


@pytest.mark.parametrize(("by", "text", "new"), [
    (["lower"], "A-b", "a-b"), (["upper"], "A-b", "A-B"), (["capitalize"], "aB", "Ab"),
    (["strip"], " a ", "a"), (["snake_case"], "HTTPServerName2", "http_server_name2"),
    (["CamelCase"], "my_name", "MyName"), (["lower", {"_": "-"}], "USER_AGENT", "user-agent"),
    ([{"^(.)(.)": r"\2\1"}, "upper"], "abc", "BAC"), (["name"], "abc", None),
])  # fmt: skip
def test_a_text_becomes_another(by: list[Any], text: str, new: str | None) -> None:
    where = [{"transformed": {"of": "$x", "as": "y", "by": by}}]
    assert made(f"f({text!r})", where, "g($y)") == (f"g({new!r})" if new else "g(abc)")


@pytest.mark.parametrize("code", [
    "f(x)", "f(1)", "f(b'a')", "f(f'{x}')", "f('a b')", "f('class')", "f('')", "f('a.b')", "f(x.y)",
])  # fmt: skip
def test_what_is_no_name(code: str) -> None:
    where = [{"transformed": {"of": "$x", "as": "y", "by": ["name"]}}]
    assert made(code, where, "f.$y") == code


def test_the_name_of_a_definition_stays_one() -> None:
    where = [{"transformed": {"of": "$name", "as": "other", "by": ["snake_case"]}}]
    match, new = "def $name(): $...body", "def $other():\n    $...body"
    code = "def myTest():\n    pass"
    assert made(code, where, new, match) == "def my_test():\n    pass"
    assert made("f(myTest)", [{"transformed": {"of": "$x", "as": "y", "by": ["lower"]}}],
                "f($y)") == "f(myTest)"  # fmt: skip


@pytest.mark.parametrize(("where", "said"), [
    ({"parts": {"of": "$x", "like": "(", "as": ["a"]}}, "not a regular expression"),
    ({"parts": {"of": "$x", "like": "a(b)", "as": ["a", "b"]}}, "there is no group 2"),
    ({"parts": {"of": "$x", "like": "a(b)", "as": []}}, "as"),
    ({"parts": {"of": "$z", "like": "a(b)", "as": ["a"]}}, "$z"),
    ({"transformed": {"of": "$x", "as": "a", "by": ["louder"]}}, "louder"),
    ({"transformed": {"of": "$x", "as": "a", "by": [{"(": ""}]}}, "not a regular expression"),
    ({"transformed": {"of": "$x", "as": "a", "by": [{"a": "\\1"}]}}, "there is no group 1"),
])  # fmt: skip
def test_what_is_wrong_is_told(where: dict[str, Any], said: str) -> None:
    edit = {"replace": "$match", "with": "g($x)"}
    found = load_text(yaml.dump(pack_data(match="f($x)", where=[where], edit=edit)))
    assert not isinstance(found, Pack)
    assert any(said in str(problem) for problem in found), found


@given(st.text(st.characters(exclude_categories=["Cs", "Co"]), min_size=1))
def test_a_part_says_what_it_said(text: str) -> None:
    code = f"f({'x' + text!r})"
    like = {"parts": {"of": "$x", "like": "(?s:x(.*))", "as": ["rest"]}}
    assert eval(made(code, [like], "g($rest)"), {"g": str}) == text
