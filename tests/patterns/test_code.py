"""Code-shaped patterns: what they fit, what they leave alone, and what is no pattern."""

import pytest
from snippets import IMPORTS, found, matched

from pinsetter.patterns.reading.code_pattern import compile_code, compile_query
from pinsetter.patterns.reading.emitter import PatternProblem


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
        ("$x[$i]", "a[:]"),
        ("$x[$i]", "a[:, 0]"),
        ("$x[$i]", "a[1, 2:3]"),
        ("f($x, $x)", "f(a, b)"),
        ("f($x, $x)", "f(a.b, a.c)"),
        ("f($x.a, $x)", "f(p.q.a, p)"),
        ("with $c() as $t:\n    $...body", "with c() as t, d: pass"),
        ("with $c() as $t:\n    $...body", "with c(): pass"),
        ("with $c() as $t:\n    $...body", "with (c() as t, d): pass"),
        ("with ($c() as $t):\n    $...body", "with c() as t, d: pass"),
        ("with ($c() as $t, $...rest):\n    $...body", "with (c(), d): pass"),
        ("async with $c as $t:\n    $...body", "with c as t: pass"),
        ("await $x", "f()"),
        ("await $x", "await = 1"),
        ("await f($x)", "f(1)"),
        ("await $x.save()", "async def g(): await a.save().b()"),
        ("match $x:\n    case $p:\n        $...body", "match = 1"),
        ("match $x:\n    case $p:\n        $...body", "match x:\n case 1: a\n case 2: b"),
        ("match $x:\n    case A():\n        $...body", "match x:\n case B(): a"),
        ("match $x:\n    case $p:\n        $...body", "match x:\n case 1 if y: a"),
        ("try:\n    $...a\nexcept* $e:\n    $...b", "try: a\nexcept e: b"),
        ("f('a')", "f(r'a')"),
        ("f(r'a')", "f('a')"),
        ("f(b'a')", "f(b'b')"),
        ("'a'", "match x:\n case 'a': pass"),
        ("-1", "match x:\n case -1: pass"),
        ("for $x in $y:\n    f($x)", "for a in b:\n    f(c)\n"),
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
        ("with $c() as $t:\n    $...b", "with (c() as t): pass", {"c": "c", "t": "t"}),
        ("with $c() as $t:\n    $...b", "with (c() as t,):\n  pass", {"c": "c", "t": "t"}),
        ("with ($a as $b, $...c):\n    $...d", "with (x as y, z as w): p", {"c": ", z as w"}),
        ("with ($a as $b, $...c):\n    $...d", "with x as y, z: p", {"a": "x", "c": ", z"}),
        ("with ($a as $b, $...c):\n    $...d", "with x as y: p", {"a": "x", "c": ""}),
        ("async with $a as $b:\n    $...c", "async def f():\n async with (x as y): p", {"a": "x"}),
        ("await $x", "async def f(): await a.b(1)", {"x": "a.b(1)", "match": "await a.b(1)"}),
        ("await $x", "async def f(): await a ** 2", {"x": "a", "match": "await a"}),
        ("await $x.f($y)", "async def g(): await a.f(1)", {"x": "a", "match": "await a.f(1)"}),
        ("$x = await $y", "async def f(): a = await b()", {"x": "a", "y": "b()"}),
        ("match $x:\n    case $p:\n        $...b", "match a, b:\n  case [c]: d", {"x": "a, b"}),
        ("match $x:\n    case $p if $g: $...b", "match a:\n  case c if d: e\n", {"g": "d"}),
        ("match $x:\n    case $C($...p): $...b", "match a:\n  case D(e, f=g): h", {"p": "e, f=g"}),
        ("match $x:\n    case [$a, *$r]: $...b", "match a:\n  case [b, *c]: d", {"r": "c"}),
        (
            "try: $...a\nexcept* $e as $n: $...b",
            "try: x\nexcept* E as e:\n y",
            {"e": "E", "n": "e"},
        ),
        ("type $n = $v", "type A = list[int]", {"n": "A", "v": "list[int]"}),
        ("def $f[$t]($...p): $...b", "def g[T](a, /): pass", {"t": "T", "p": "a, /"}),
        ("@$d\ndef $f($...p): $...b", "@a[0].b\ndef g(): pass", {"d": "a[0].b"}),
        ("$x[*$y]", "a[*b]", {"x": "a", "y": "b"}),
        ("f(rb'a', $x)", "f(rb'a', 1)", {"x": "1"}),
        ("for $x in $y:\n    f($x)", "for a in b:\n    f(a)\n", {"x": "a", "y": "b"}),
        ("if $x: f($y)", "if a: f(b)", {"x": "a", "y": "b"}),
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
        "a\n$b",
        "x =",
        "f($match)",
        "f($it)",
        "f($following)",
        "f($name_1)",
        "f('$x')",
        "f'{$x}'",
        "match $x:\n    $...cases",
        "case $x: $...body",
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


def test_how_a_string_is_quoted_says_nothing() -> None:
    code = 'a["k"]\na[\'k\']\na[\'kk\']\na[b\'k\']\na["""k"""]\n'
    assert matched("$x['k']", code) == matched('$x["k"]', code) == ['a["k"]', "a['k']"]


def test_a_string_with_quotes_is_taken_as_it_is() -> None:
    assert matched('f("it\'s")', "f(\"it's\")\nf('its')\n") == ['f("it\'s")']


@pytest.mark.parametrize(
    ("code", "items"),
    [
        ("f(())", [""]),
        ("f((1,))", ["1,"]),
        ("f((1, *a))", ["1, *a"]),
        ("f((1))", []),
        ("f((x for x in y))", []),
        ("f(((1, 2)))", []),
        ("f([1, 2])", []),
        ("f(1, 2)", []),
    ],
)
def test_a_run_in_parentheses_is_a_tuple(code: str, items: list[str]) -> None:
    assert [match.get("items", "") for match in found("f(($...items))", code)] == items
