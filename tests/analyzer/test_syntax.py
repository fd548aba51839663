"""Syntax: the tree's text is the file's, exactly; all else is a SyntaxProblem with a line."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.syntax import SyntaxProblem, parse

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def outcome(text: str) -> SyntaxProblem | None:
    """The problem with ``text``; fails unless the tree of what parses has the same text."""
    problem = None
    try:
        tree = parse(text)
    except SyntaxProblem as error:
        problem = error
    if problem is not None:
        assert problem.reason
        assert 1 <= problem.line <= text.count("\n") + text.count("\r") + 2
        return problem
    assert str(tree) == text
    return None


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\0", 1),
        ("x = 1\ny = '\0'\n", 2),
        ("x = 1\nfoo(1\n", 3),
        ("x = 1\n)\n", 2),
        ("x = [1, 2)\n", 1),
        ("if x:\n    a\n  b\n", 3),
        ("if x:\ny\n", 2),
        ("x = 1\n  y = 2\n", 2),
        ("x = '\n", 1),
        ("x = '''\nabc\n", 1),
        ("def f(:\n    pass\n", 1),
        ("x = 1\ny = = 2\n", 2),
        ("x ? y\n", 1),
    ],
)
def test_what_is_not_python_is_a_problem_with_a_line(text: str, line: int) -> None:
    problem = outcome(text)
    assert problem is not None
    assert abs(problem.line - line) <= (1 if line == 3 or "'''" in text else 0)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000 + ")" * 3000,
        "x = " + "[" * 3000 + "]" * 3000,
        "x = " + "-" * 5000 + "1",
        "x = " + "not " * 5000 + "y",
        "x = " + "f(" * 2000 + ")" * 2000,
        "".join(" " * i + "if x:\n" for i in range(300)) + " " * 300 + "pass\n",
    ],
    ids=["parentheses", "lists", "minus", "not", "calls", "blocks"],
)
def test_deep_nesting_is_no_traceback(text: str) -> None:
    outcome(text)


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n    case 1:\n        pass\n",
        "try:\n    pass\nexcept* ValueError:\n    pass\n",
        "type X = int\n",
        "def f[T](x: T) -> T:\n    return x\n",
        "class A[T]: pass\n",
        "def f(a, /, b): pass\n",
        "@x[0].y\ndef f(): pass\n",
        "x[*a]\n",
        'f"{x["a"]}"\n',
        't"{x}"\n',
        "with (a as b, c as d): pass\n",
        "async def f():\n    return [x async for x in y if await x]\n",
        "x = 1_000\n",
        "try:\n    pass\nexcept A, B:\n    pass\n",
        "x = 1 \\",
        "\\",
    ],
)
def test_the_newest_python_is_understood_or_refused(text: str) -> None:
    outcome(text)


# ---------------------------------------------------------------- what is kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\n\n\n",
        "   ",
        "\t\n",
        "# only a comment",
        "# only a comment\n",
        "\f\nx = 1\n",
        "x = 1\n\f\ndef f():\n    pass\n",
        "class A:\n    x = 1\n\f\n    y = 2\n",
        "if x:\n\ty = 1\n\tz = 2\n",
        "if x:\n\tif y:\n\t    z = 2\n",
        "x = 1 + \\\n    2\n",
        "x = \\\n\\\n1\n",
        "assert x, \\\n  'y'\n",
        "from a import \\\n    b\n",
        "if x:  # a\n    # b\n    y  # c\n  # d\n# e\n    # f\nz\n# g",
        "if x:\n# odd\n    y\n        # odder\n    z\n",
        "def f(a,  # one\n      b):  # two\n    # three\n    return a\n\n\n# four\n",
        "x = [\n  # in\n  1,  # one\n  # end\n]\n",
        "if x:\n    pass\n    # trailing, then end",
        "x = 1",
        "x = 1;",
        "x = 1; y = 2;\n",
        "if x: y; z\n",
        "if x: y",
        "x = 1  \t \n",
        "\nx = 1\n   \n\n",
        "x = '''a\n  b\n'''\n",
        "x = 'a\\\nb'\n",
        "x = rb'\\x00' + f'{y!r:>{z}}' + u'é'\n",
        "x = 'a' \"b\" '''c'''\n",
        "class A(object,): pass\n",
        "f(*a, **b, c=1,)\n",
        "lambda: (yield)\n",
        "x = 0xFFl\n",
        "x = `y`\n",
        "x <> y\n",
        "@a.b(c)\n\n# between\nasync def f(): await g()\n",
        "def f(a, (b, c)): pass\n",
        "raise E, 'x'\n",
        "日本 = 'é'\n",
        "if (n := f(x)) and g(y := 2): pass\n",
        "x = [y for y in 1, 2]\n",
        "nonlocal_ = print\n",
    ],
)
def test_the_tree_has_the_text_of_the_file(text: str) -> None:
    assert outcome(text) is None


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "if x:\n    y\n\n    z\n",
        "x = '''a\nb'''\n",
        "x = [\n  1,\n]\n",
        "x = 1 + \\\n  2\n",
        "# a\n\n# b\nif x:\n    # c\n    pass\n# d\n",
    ],
)
def test_other_newlines_are_kept_or_refused(text: str, newline: str) -> None:
    problem = outcome(text.replace("\n", newline))
    assert problem is None or newline == "\r"


def test_mixed_newlines_are_kept() -> None:
    assert outcome("if x:\r\n    y\n    z\r\n\nw = '''\r\n\n'''\n") is None


@pytest.mark.parametrize("text", ["\ufeff", "\ufeffx = 1\n", "\ufeff# a\nx = 1", "\ufeff\n\nx\n"])
def test_a_byte_order_mark_is_kept(text: str) -> None:
    assert outcome(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "print 'a'\n",
        "print\n",
        "print 'a',\n",
        "print >>f, 'a', 'b'\n",
        "exec 'x = 1' in d\n",
        "print('a'); exec 'b'\n",
        "from __future__ import print_function\nprint('a', file=f)\n",
        "exec('a', b)\nprint(*a, sep='')\n",
        "x = print\n",
    ],
)
def test_print_and_exec_parse_as_statements_and_as_functions(text: str) -> None:
    assert outcome(text) is None


def test_the_newest_grammar_words_the_problem() -> None:
    problem = outcome("print('a', file=f)\nx = (\n")
    assert problem is not None
    assert "file" not in problem.reason


NAMES = st.sampled_from(["x", "self.y", "tf.z", "print", "exec", "async_", "match"])
SPACE = st.sampled_from(["", " ", "  ", "\t", " \\\n "])
ATOMS = NAMES | st.sampled_from(["1", "1.5e3", "'s'", '"""a\nb"""', "None", "[]", "{}", "()"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: (
        st.tuples(inner, SPACE, st.sampled_from(["+", "*", "==", "and "]), SPACE, inner).map(
            lambda parts: f"({''.join(parts)})"
        )
        | st.tuples(NAMES, SPACE, inner).map(lambda parts: f"{parts[0]}({parts[1]}{parts[2]})")
        | st.tuples(inner, inner).map(lambda parts: f"[{parts[0]},\n # c\n{parts[1]}]")
        | inner.map(lambda value: f"(lambda x: {value})")
        | inner.map(lambda value: f"[x for x in {value}]")
    ),
    max_leaves=6,
)
SIMPLE = (
    st.tuples(st.sampled_from(["x", "x.y", "x[0]", "x, y"]), SPACE, EXPRESSIONS).map(
        lambda parts: f"{parts[0]} ={parts[1]}{parts[2]}"
    )
    | EXPRESSIONS
    | st.sampled_from(["pass", "import a.b as c", "from . import d", "del x", "global x", "# c"])
)


def indented(lines: list[str], unit: str) -> str:
    return "".join(f"{unit}{line}\n" for line in lines)


BLOCKS = st.tuples(
    st.sampled_from(
        ["if x:", "for x in y:", "def f(a, *b, c=1, **d):", "with a as b:", "class A:"]
    ),
    st.sampled_from(["    ", "\t", " "]),
    st.lists(SIMPLE, max_size=3),
).map(lambda parts: f"{parts[0]}\n" + indented([*parts[2], "pass"], parts[1]))
PROGRAMS = st.tuples(
    st.lists(BLOCKS | SIMPLE.map("{}\n".format) | st.just("\n")).map("".join),
    st.sampled_from(["", "# end", "\f\n", "x = 1", "  \n"]),
    st.sampled_from(["\n", "\r\n"]),
).map(lambda parts: (parts[0] + parts[1]).replace("\n", parts[2]))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PROGRAMS)
def test_generated_programs_round_trip_or_are_problems(text: str) -> None:
    outcome(text)


def fixture_texts() -> list[str]:
    files = sorted(FIXTURES.rglob("*.py"))
    return [path.read_text(encoding="utf-8", errors="replace") for path in files[:40]] or [
        "def f(x):\n    with a as b:\n        return x\n"
    ]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_damaged_programs_round_trip_or_are_problems(seed: int, times: int) -> None:
    chance = random.Random(seed)
    text = chance.choice(fixture_texts())
    start = chance.randrange(max(1, len(text) - 1500))
    text = text[text.rfind("\n", 0, start) + 1 :][:1500]
    for _ in range(times):
        at = chance.randrange(len(text) + 1)
        junk = chance.choice(
            ["", "(", ")", "\n", "\t", "  ", "\\", "'", '"""', "#", "\f", "\r", ":"]
        )
        text = text[:at] + junk + text[at + chance.randrange(3) :]
    outcome(text)
