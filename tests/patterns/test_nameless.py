"""nameless: patterns that differ in what they call their captures fit the same."""

from __future__ import annotations

import pytest

from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax.tree import walk
from pinsetter.patterns.reading.code_pattern import compile_code
from pinsetter.patterns.reading.pattern import Pattern

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


def test_the_end_of_a_chain_is_no_capture_like_others() -> None:
    one, other = Pattern("power< f=any+ following=any* >"), Pattern("power< f=any+ rest=any* >")
    assert one.nameless != other.nameless
