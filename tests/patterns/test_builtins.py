"""Python's own names in rules: they mean themselves, whatever else a program calls so."""

from __future__ import annotations

from typing import Any

import pytest
from snippets import outcome, rewritten

SET: dict[str, Any] = {
    "match": "set(($...items))",
    "edit": {"replace": "$match", "with": "{$...items}"},
}
TEXT: dict[str, Any] = {"match": "text_of($x)", "edit": {"replace": "$match", "with": "str($x)"}}


@pytest.mark.parametrize(
    "code",
    [
        "def set(x): return x\nset((1, 2))\n",
        "def f(set):\n    set((1, 2))\n",
        "from sets import set\nset((1, 2))\n",
        "from library import *\nfrom sets import Set as set\nset((1, 2))\n",
        "set = frozenset\nset((1, 2))\n",
        "for set in sets: set((1, 2))\n",
        "class set: pass\nset((1, 2))\n",
        "a.set((1, 2))\n",
        "import set\nset((1, 2))\n",
    ],
)
def test_what_is_only_called_like_a_builtin_stays(code: str) -> None:
    assert rewritten(code, **SET) == code


@pytest.mark.parametrize(
    "head",
    [
        "",
        "import builtins\n",
        "def f(set): pass\n",
        "class C:\n    def set(self): pass\n",
        "from builtins import set\n",
    ],
)
def test_a_builtin_is_rewritten(head: str) -> None:
    assert rewritten(f"{head}set((1, 2))\n", **SET) == f"{head}{{1, 2}}\n"


@pytest.mark.parametrize("head", ["", "from six.moves import range\n"])
def test_a_builtin_that_six_has(head: str) -> None:
    rule = {"match": "range($x)", "edit": {"replace": "$x", "with": "0"}}
    assert rewritten(f"{head}range(3)\n", **rule) == f"{head}range(0)\n"


@pytest.mark.parametrize(
    "code",
    ["def f(str): text_of(1)\n", "str = 1\ntext_of(1)\n", "from other import str\ntext_of(1)\n",
     "def str(x): pass\ndef f():\n    return text_of(1)\n", "str = unicode\ntext_of(1)\n"],
)  # fmt: skip
def test_a_template_does_not_take_another_thing_for_a_builtin(code: str) -> None:
    text, reports, _ = outcome(code, **TEXT)
    assert text == code
    assert [one for one in reports if "str is something else there" in one]


@pytest.mark.parametrize(
    "code",
    ["text_of(1)\n", "def f(str): pass\ntext_of(1)\n", "from builtins import str\ntext_of(1)\n",
     "class C:\n    str = 1\n    def f(self): text_of(1)\n"],
)  # fmt: skip
def test_a_template_has_a_builtin(code: str) -> None:
    assert rewritten(code, **TEXT) == code.replace("text_of", "str")


def test_an_argument_s_name_is_no_builtin() -> None:
    rule = {"match": "f($o, $x)", "edit": {"replace": "$match", "with": "$o.input(input=$x)"}}
    assert rewritten("input = 1\nf(a, 2)\n", **rule) == "input = 1\na.input(input=2)\n"
    rule = {"match": "f(input=$x)", "edit": {"replace": "$match", "with": "g($x)"}}
    assert rewritten("input = 1\nf(input=2)\n", **rule) == "input = 1\ng(2)\n"


def test_imports_in_the_pattern_and_in_a_condition() -> None:
    rule: dict[str, Any] = {
        "match": "tf.stack($x)",
        "where": [{"matches": {"$x": "tf.abs($y)"}}],
        "edit": {"replace": "$match", "with": "$y"},
    }
    head = "import tensorflow as tf\n"
    assert rewritten(f"{head}tf.stack(tf.abs(1))\n", **rule) == f"{head}1\n"
    for other in ("tf.stack(tf.sin(1))", "tf.stack(abs(1))", "stack(tf.abs(1))"):
        assert rewritten(f"{head}{other}\n", **rule) == f"{head}{other}\n"


def test_a_capture_in_the_pattern_and_in_a_condition_is_one_thing() -> None:
    rule: dict[str, Any] = {
        "match": "tf.stack($x, $y)",
        "where": [{"matches": {"$x": "tf.abs($y)"}}],
        "edit": {"replace": "$match", "with": "$y"},
    }
    head = "import tensorflow as tf\n"
    assert rewritten(f"{head}tf.stack(tf.abs(1), 1)\n", **rule) == f"{head}1\n"
    code = f"{head}tf.stack(tf.abs(1), 2)\n"
    assert rewritten(code, **rule) == code
