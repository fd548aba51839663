"""KnownWays: patterns that differ in what they call their captures fit alike."""

from __future__ import annotations

from itertools import permutations

import pytest

from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax.tree import walk
from pinsetter.patterns.reading.code_pattern import compile_code
from pinsetter.patterns.reading.pattern import KnownWays

CODE = """\
f(1)
g.h(1, 2)(3)
a.take(1).take(2)
x = [y for y in z(q)]
await f(k=1, *b)
with open(p) as o: pass
f(f)
n = a + a
n = a + b
"""
PATTERNS = [
    "$f($...args)",
    "$class($...rest)",
    "$args($...f)",
    "$f($one)",
    "$g($one, $...more)",
    "$x.take($n)",
    "$y.take($m)",
    "$n.take($x)",
    "$a + $a",
    "$a + $b",
    "$b + $a",
    "$following_not($...args)",
    "f($...args)",
]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_what_is_known_of_others_changes_no_match(order: tuple[int, ...]) -> None:
    patterns = [compile_code(text, {}) for text in PATTERNS]
    patterns = [one for first in order for one in patterns[first::3]]
    known = KnownWays()
    for node in walk(parse(CODE)):
        for pattern in patterns:
            alone = [*pattern.matches(node)]
            shared = [*pattern.matches(node, known)]
            assert [[*one] for one in shared] == [[*one] for one in alone]
            for one, other in zip(shared, alone, strict=True):
                for name, code in one.items():
                    assert [*map(id, code)] == [*map(id, other[name])]


def test_who_changes_what_was_captured_changes_it_for_nobody_else() -> None:
    first, second = compile_code("$f($...args)", {}), compile_code("$g($...args)", {})
    call = parse("f(1)\n").children[0].children[0]
    known = KnownWays()
    for found in known.of(first, call):
        found.clear()
    assert [sorted(found) for found in known.of(second, call)] == [["args", "following", "g"]]


def test_a_pattern_with_one_capture_less_has_another_form() -> None:
    assert compile_code("$f($a)", {}).form != compile_code("f($a)", {}).form


@pytest.mark.parametrize(("one", "other"), [
    ("$f($...args)", "$class($...rest)"), ("$x.take($n)", "$n.take($x)"),
    ("$a + $a", "$b + $b"), ("$a + $b", "$b + $a"), ("$f($one)", "$f($one)"),
    ("[$x for $y in $z]", "[$y for $x in $z]"), ("$f($k=1)", "$g($k=1)"),
])  # fmt: skip
def test_what_fits_one_fits_the_other(one: str, other: str) -> None:
    first, second = compile_code(one, {}), compile_code(other, {})
    assert first.nameless == second.nameless
    for node in walk(parse(CODE)):
        found = [second.renamed(captures, first) for captures in first.matches(node)]
        assert found == [*second.matches(node)]


@pytest.mark.parametrize(("one", "other"), [
    ("$f($...args)", "$f($arg)"), ("$a + $a", "$a + $b"), ("$f($...args)", "f($...args)"),
    ("$x.take($n)", "$x.give($n)"), ("await $f($n)", "$f($n)"),
])  # fmt: skip
def test_what_may_fit_only_one(one: str, other: str) -> None:
    assert compile_code(one, {}).nameless != compile_code(other, {}).nameless


def test_names_of_libraries_are_no_captures() -> None:
    tf = {"tf": "tensorflow"}
    one, other = compile_code("tf.zeros($n)", tf), compile_code("tf.zeros($m)", tf)
    assert one.nameless == other.nameless
    assert one.nameless == compile_code("tf.ones($n)", tf).nameless
    assert one.means
    assert compile_code("tf", tf).nameless != compile_code("np", {"np": "numpy"}).nameless
