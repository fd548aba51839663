"""Rules inside f- and t-strings: what is rewritten there, and what would end the string."""

from __future__ import annotations

import pytest
from snippets import pack_of

from pinsetter.codemods.engine.authoring.examples import outcome_of


def rewritten(code: str, template: str) -> tuple[str, list[str]]:
    """The code with the argument of every ``f`` wrapped, and what was reported instead."""
    pack = pack_of(match="f($x)", edit={"wrap": "$x", "with": template})
    found = outcome_of(pack, pack.rules[0], code)
    return found.text, [*found.reports]


@pytest.mark.parametrize(
    ("code", "template"),
    [
        ("a = '{f(1)}'\n", "$it + 1"),
        ("a = f'{{f(1)}}'\n", "$it + 1"),
        ("a = f'{f (1) f}'\n", "$it + 1"),
        ("a = f'{g(1)}'\n", "$it + 1"),
    ],
)
def test_nothing_to_rewrite(code: str, template: str) -> None:
    assert rewritten(code, template) == (code, [])


@pytest.mark.parametrize(
    ("code", "template"),
    [
        ("a = f'{f(1)}'\n", "g('a', $it)"),
        ('a = f"{f(1)}"\n', 'g("a", $it)'),
        ("a = f'{f\"{f(1)}\"}'\n", "g('a', $it)"),
        ("a = f'{f(1)}'\n", '"\\n" + $it'),
    ],
)
def test_what_would_end_the_string_before_python_3_12(code: str, template: str) -> None:
    text, reported = rewritten(code, template)
    assert text == code
    assert "inside this string" in reported[0]


@pytest.mark.parametrize(
    ("code", "template", "wanted"),
    [
        ("a = f'{f(1)}'\n", "$it + 1", "a = f'{f(1 + 1)}'\n"),
        ("a = f'{f(1):>3}{f(2)!r}'\n", "g($it)", "a = f'{f(g(1)):>3}{f(g(2))!r}'\n"),
        ("a = f'{b:{f(1)}}'\n", "g($it)", "a = f'{b:{f(g(1))}}'\n"),
        ("a = f'{f(1)}'\n", 'g("a", $it)', "a = f'{f(g(\"a\", 1))}'\n"),
        ("a = f'{f(1)}'\n", "(lambda: $it)", "a = f'{f((lambda: 1))}'\n"),
        ("a = t'{f\"{f(1)}\"}'\n", "g($it)", "a = t'{f\"{f(g(1))}\"}'\n"),
        ("a = f'''\n{f(\n1)}'''\n", "g($it)", "a = f'''\n{f(\ng(1))}'''\n"),
    ],
)
def test_what_is_rewritten(code: str, template: str, wanted: str) -> None:
    assert rewritten(code, template) == (wanted, [])


def test_what_is_left_alone_keeps_the_rest_of_the_file() -> None:
    text, reported = rewritten("f(1)\na = f'{f(1)}'\n", "g('a', $it)")
    assert text == "f(g('a', 1))\na = f'{f(1)}'\n"
    assert len(reported) == 1


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("a = f'{f(b)}'\n", "a = f'{ {b}}'\n"),
        ("a = f'{f({b})}'\n", "a = f'{ {{b}}}'\n"),
        ("a = f'{g(f(b))}'\n", "a = f'{g({b})}'\n"),
        ("a = f'{ f(b)}'\n", "a = f'{ {b}}'\n"),
        ("a = f'{{{f(b)}}}'\n", "a = f'{{{ {b}}}}'\n"),
        ("a = f'{f(b) | f(c)!r:>{f(d)}}'\n", "a = f'{ {b} | {c}!r:>{ {d}}}'\n"),
        ("a = f'{f\"{f(b)}\"}'\n", "a = f'{f\"{ {b}}\"}'\n"),
        ("a = {f(b): f(c)}\n", "a = {{b}: {c}}\n"),
    ],
)
def test_two_braces_would_be_no_expression(code: str, wanted: str) -> None:
    pack = pack_of(match="f($x)", edit={"replace": "$match", "with": "{$x}"})
    found = outcome_of(pack, pack.rules[0], code)
    assert (found.text, found.reports) == (wanted, ())
