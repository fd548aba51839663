"""Code-shaped patterns: what they fit, what they leave alone, and what is no pattern."""

import pytest
from snippets import IMPORTS, found, matched

from pinsetter.patterns.code import PatternProblem, compile_code, compile_query


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("f($x)", "g(1)"),
        ("f($x)", "f()"),
        ("f($x)", "f(a, b)"),
        ("f($x)", "f(*a)"),
        ("f($x)", "f(**a)"),
        ("f($x)", "f(key=a)"),
        ("f($x)", "o.f(a)"),
        ("f($x)", "f"),
        ("f($x)", "'f(a)'"),
        ("f($x)", "# f(a)"),
        ("f($x, $...rest)", "f()"),
        ("f($...rest, $x)", "f(*a)"),
        ("f(rate=$x)", "f(1)"),
        ("f(rate=$x)", "f(rate=1, other=2)"),
        ("f(rate=$x, $...rest)", "f(other=2)"),
        ("$data.take($n)", "take(1)"),
        ("$data.take($n)", "a.take"),
        ("$data.take($n)", "a.take[1]"),
        ("$data.take($n)", "a.take(1, 2)"),
        ("$x = $y", "a += 1"),
        ("$x = $y", "a = b = 1"),
        ("$x[$i]", "a[1:2]"),
        ("f($x, $x)", "f(a, b)"),
        ("f($x, $x)", "f(a.b, a.c)"),
        ("f($x.a, $x)", "f(p.q.a, p)"),
        ("with $c() as $t:\n    $...body", "with c() as t, d: pass"),
        ("with $c() as $t:\n    $...body", "with c(): pass"),
        ("for $x in $y:\n    $...body", "while y: pass"),
    ],
)
def test_leaves_other_code_alone(pattern: str, code: str) -> None:
    assert matched(pattern, code) == []


@pytest.mark.parametrize(
    ("pattern", "code", "captures"),
    [
        ("f($x)", "f(a + b)", {"x": "a + b"}),
        ("f($x)", "f(a,)", {"x": "a"}),
        ("f($x)", "f( a  # why\n)", {"x": "a"}),
        ("f($x)", "f(x for x in y)", {"x": "x for x in y"}),
        ("f($x)", "f((a, b))", {"x": "(a, b)"}),
        ("f($x, $y)", "f(a,\n  b,\n)", {"x": "a", "y": "b"}),
        ("f($x, $...rest)", "f(a)", {"x": "a"}),
        ("f($x, $...rest)", "f(a, b, *c)", {"x": "a", "rest": ", b, *c"}),
        ("f($...rest, $x)", "f(a, b)", {"x": "b", "rest": "a,"}),
        ("f($...rest, $x)", "f(a, b,)", {"x": "b", "rest": "a,"}),
        ("f($...args)", "f()", {"args": ""}),
        ("f($...args)", "f(a, k=1)", {"args": "a, k=1"}),
        ("f(rate=$x)", "f(rate=1)", {"x": "1"}),
        ("f($...a, rate=$x, $...b)", "f(1, rate=2, k=3)", {"a": "1,", "x": "2", "b": ", k=3"}),
        ("f($...a, rate=$x, $...b)", "f(rate=2)", {"x": "2"}),
        ("f($x, $x)", "f(a.b, a . b)", {"x": "a.b"}),
        ("f($x.a($y), $x)", "f(p.q.a(1), p.q)", {"x": "p.q", "y": "1"}),
        ("$data.take($n)", "a.b(c).take(1)", {"data": "a.b(c)", "n": "1"}),
        ("$data.take($n)", "a.take(1).batch(2)", {"data": "a", "n": "1"}),
        ("$data.take($n)", "a[0].take(1)", {"data": "a[0]", "n": "1"}),
        ("$x.rate = $y", "a.b.rate = c, d", {"x": "a.b", "y": "c, d"}),
        ("print $x", "print 'old'\n", {"x": "'old'"}),
    ],
)
def test_captures(pattern: str, code: str, captures: dict[str, str]) -> None:
    (match,) = found(pattern, code)
    assert {name: text for name, text in match.items() if name in captures} == captures


def test_the_match_ends_where_the_pattern_does() -> None:
    assert matched("$data.take($n)", "a.take(1).batch(2)") == ["a.take(1)"]
    assert matched("f($x)", "f(1) ** 2") == ["f(1)"]


def test_one_chain_holds_two_matches() -> None:
    first, second = found("$data.take($n)", "a.take(1).take(2)")
    assert (first["data"], first["n"]) == ("a", "1")
    assert (second["data"], second["n"]) == ("a.take(1)", "2")


def test_calls_inside_calls_are_matches_of_their_own() -> None:
    assert matched("f($x)", "f(f(1))") == ["f(f(1))", "f(1)"]


def test_await_is_not_part_of_a_match() -> None:
    code = "async def go():\n    x = await a.b.save(1)\n"
    (match,) = found("$object.save($...args)", code)
    assert match["object"] == "a.b"
    assert match["match"] == "a.b.save(1)"


def test_imports_of_the_pack_stand_for_what_they_mean() -> None:
    pattern = compile_code("tf.GradientTape($...args)", IMPORTS)
    assert list(pattern.means.values()) == ["tensorflow.GradientTape"]
    (capture,) = pattern.means
    heads = [captures[capture] for captures in found(pattern, "Tape(); a.b.Tape(persistent=True)")]
    assert heads == ["Tape", "a.b.Tape"]


def test_only_names_of_the_rule_can_be_referred_to() -> None:
    pattern = compile_code("tf.f($x, $x, key='y=any', $...rest)", IMPORTS)
    assert pattern.names == {"x", "rest"}


WITH = "with $...before, $constructor($...args) as $tape, $...after:\n    $...body"


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("with T() as t:\n    pass\n", "", ""),
        ("with T() as t: pass\n", "", ""),
        ("with a, T() as t:\n    pass\n", "a,", ""),
        ("with a as b, T(1) as t, c as d:\n    x\n    y\n", "a as b,", ", c as d"),
    ],
)
def test_a_with_statement_among_others(code: str, before: str, after: str) -> None:
    matches = [m for m in found(WITH, code) if m["constructor"] == "T"]
    assert [(m["before"], m["tape"], m["after"]) for m in matches] == [(before, "t", after)]


def test_a_body_is_whatever_the_block_holds() -> None:
    (match,) = found("for $x in $y:\n    $...body", "for a in b:\n    c\n    d\n")
    assert match["body"].split() == ["c", "d"]


@pytest.mark.parametrize(
    "code",
    [
        "",
        "$",
        "$...",
        "$ x",
        "$1",
        "f($$x)",
        "$x",
        "$...x",
        "$x $y",
        "f(",
        "f($x",
        "a; b",
        "a\nb",
        "x =",
        "f($match)",
        "f($it)",
        "f($following)",
        "f($name_1)",
        "f($x__2)",
        "\0",
    ],
)
def test_says_what_is_no_pattern(code: str) -> None:
    with pytest.raises(PatternProblem):
        compile_code(code, IMPORTS)


def test_a_query_is_taken_as_it_is() -> None:
    pattern = compile_query("power< 'print'\n  trailer< '(' args=any* ')' > >")
    assert pattern.text == "power< 'print' trailer< '(' args=any* ')' > >"
    assert pattern.names == {"args"}
    assert [m["args"] for m in found(pattern, "print(1); printf(2); print(3).x")] == ["1"]


@pytest.mark.parametrize(
    "query",
    ["", "foo", "foo<", "x=", "NAMEX", "_x", "(", "[", "'open", "'''", "any{2,1}", "any{2", "$x"],
)
def test_says_what_is_no_query(query: str) -> None:
    with pytest.raises(PatternProblem):
        compile_query(query)
