"""Errors say where they are and what was expected; no depth of nesting is more than a problem."""

from __future__ import annotations

import pytest
from fissix.pytree import Node
from syntax_trees import found, problem_of, tree_of

from pinsetter.analyzer.syntax import SyntaxProblem, parse


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        # Colons.
        ("if x\n    y\n", 1, 4, ["end of the line", "':'"]),
        ("x = 1\nwhile x\n    y\n", 2, 7, ["':'"]),
        ("def f()\n    pass\n", 1, 7, ["':'", "'->'"]),
        ("class A\n    pass\n", 1, 7, ["':'"]),
        ("else\n", 1, 0, ["'else'", "statement"]),
        ("try:\n    x\nexcept A\n    y\n", 3, 8, ["':'"]),
        ("for x in y\n    z\n", 1, 10, ["':'"]),
        ("with a as b\n    c\n", 1, 11, ["':'"]),
        ("match x:\n    case 1\n        pass\n", 2, 10, ["':'"]),
        ("lambda x\n", 1, 8, ["':'"]),
        ("if x:: y\n", 1, 5, ["':'", "statement"]),
        # Brackets.
        ("x = (1,\n     2\n", 1, 4, ["'('", "never closed"]),
        ("x = 1\ny = [[1], 2\n\n\n", 2, 4, ["'['", "never closed"]),
        ("f({1: 2}, {3: 4\n", 1, 10, ["'{'", "never closed"]),
        ("x = [1,\n     2\ny = 3\n", 3, 0, ["'y'", "']'", "'[' of line 1 is still open"]),
        ("f(1,\n  g(2,\nx = 3\ny = 4\n", 4, 0, ["'y'", "'(' of line 2 is still open"]),
        ("x = [1, 2)\n", 1, 9, ["')'", "']'"]),
        ("x = (1, 2]\n", 1, 9, ["']'", "')'"]),
        ("{1: 2)\n", 1, 5, ["')'", "'}'"]),
        ("x)\n", 1, 1, ["')'", "end of the line"]),
        ("\nx = }\n", 2, 4, ["'}'", "an expression"]),
        # Strings.
        ("x = 'a\ny = 1\n", 1, 4, ["string does not end on its line", "expected '"]),
        ('x = "a\n', 1, 4, ["string does not end on its line", 'expected "']),
        ("f(x,\n  rb'a)\n", 2, 2, ["string does not end"]),
        ("x = 1\ny = '''a\n\nb\n", 2, 4, ["string does not end", "expected '''"]),
        ("x = f'{y'\n", 1, 4, ["f-string does not end"]),
        ("x = f'''{y\n'''\n", 1, 4, ["f-string does not end", "'''"]),
        ("x = rt'{'\n", 1, 4, ["-string does not end"]),
        ("x = 'it's'\n", 1, 8, ["'s'", "end of the line"]),
        # Indentation.
        ("if x:\n    y\n  z\n", 3, 2, ["indentation", "no block"]),
        ("if x:\n\ty\n  z\n", 3, 2, ["indentation", "no block"]),
        ("x\n  y\n", 2, 0, ["unexpected indentation"]),
        ("  x\n", 1, 2, ["unexpected indentation"]),
        ("\n\n# a\n   x\n", 4, 3, ["unexpected indentation"]),
        ("if x:\ny\n", 2, 0, ["'y'", "indented block"]),
        ("def f():\n\n# a\ny\n", 4, 0, ["'y'", "indented block"]),
        ("if x:\n    y\n        z\n", 3, 0, ["unexpected indentation"]),
        ("class A:\n", 2, 0, ["end of the file", "indented block"]),
        ("match x:\n    case 1:\n    pass\n", 3, 4, ["'pass'", "indented block"]),
        # Characters.
        ("x = 1 ? 2\n", 1, 6, ["unexpected character '?'"]),
        ("x = $y\n", 1, 4, ["unexpected character '$'"]),
        ("x\ny = !z\n", 2, 4, ["unexpected character '!'"]),
        ("f(x \uff0c y)\n", 1, 4, ["\uff0c", "U+FF0C"]),
        ("x = 1\n\u00a0y\n", 2, 0, ["U+00A0"]),
        ("x = \u201cy\u201d\n", 1, 4, ["U+201C"]),
        ("x \u2212 y\n", 1, 2, ["U+2212"]),
        ("x \u200b\n", 1, 2, ["U+200B"]),
        ("x \\ y\n", 1, 2, ["backslash", "last character"]),
        ("x = \\ \n  1\n", 1, 4, ["backslash"]),
        ("x = 1\n\x0by\n", 2, 0, ["\\x0b"]),
        # Statements.
        ("x = = 1\n", 1, 4, ["'='", "an expression"]),
        ("x = 1 +\n", 1, 7, ["end of the line", "an expression"]),
        ("x y\n", 1, 2, ["'y'", "end of the line"]),
        ("x = 1 2\n", 1, 6, ["'2'", "end of the line"]),
        ("else: x\n", 1, 0, ["'else'", "statement"]),
        ("elif x: y\n", 1, 0, ["'elif'", "statement"]),
        ("for x of y: pass\n", 1, 6, ["'of'", "'in'"]),
        ("import\n", 1, 6, ["a name"]),
        ("import a.\n", 1, 9, ["a name"]),
        ("from a import\n", 1, 13, ["a name"]),
        ("from a b\n", 1, 7, ["'b'", "'import'"]),
        ("class 1: pass\n", 1, 6, ["'1'", "a name"]),
        ("def f(1): pass\n", 1, 6, ["'1'", "a name"]),
        ("def f(x y): pass\n", 1, 8, ["'y'", "')'"]),
        ("x.1\n", 1, 1, ["'.1'"]),
        ("x.\n", 1, 2, ["a name"]),
        ("f(x y)\n", 1, 4, ["'y'", "')'"]),
        ("x if y\n", 1, 6, ["'else'"]),
        ("try:\n    x\ny\n", 3, 0, ["'y'", "'except'", "'finally'"]),
        ("@a\nx = 1\n", 2, 0, ["'x'", "'def'", "'class'"]),
        ("type X\n", 1, 6, ["'='"]),
        ("class A[T: pass\n", 1, 11, ["'pass'"]),
        ("match x:\n    y\n", 1, 6, ["'x'"]),
        # Python 2: the reading that gets further is reported.
        ("print 'a'\nprint 'b'\nx = = 1\n", 3, 4, ["'='"]),
        ("exec 'a'\nx = (\n", 2, 4, ["never closed"]),
        ("print 'a', x\nif x\n    y\n", 2, 4, ["':'"]),
        ("print('a', file=f)\nx = = 1\n", 2, 4, ["'='"]),
        ("print('a')\nprint 'b'\nx y\n", 3, 2, ["'y'"]),
        # Other newlines, marks and pages.
        ("x\r\ny\r\nz = \r\n", 3, 4, ["an expression"]),
        ("x\ry\rz = \r", 3, 4, ["an expression"]),
        ("\ufeffx = ?\n", 1, 4, ["'?'"]),
        ("x\n\fy z\n", 2, 3, ["'z'"]),
        ("x = '''a\nb''' y\n", 2, 5, ["'y'"]),
        ("x = 1 + \\\n  )\n", 2, 2, ["')'"]),
    ],
)
def test_where_and_why(text: str, line: int, column: int, words: list[str]) -> None:
    problem = problem_of(text)
    assert (problem.line, problem.column) == (line, column)
    for word in words:
        assert word in problem.reason


def test_a_problem_reads_as_its_reason() -> None:
    problem = problem_of("x = (\n")
    assert str(problem) == problem.reason
    assert isinstance(problem, SyntaxProblem)


@pytest.mark.parametrize(
    ("text", "column", "character"),
    [("ab\uff0cc\n", 2, "U+FF0C"), ("x = ab\u00a0\n", 6, "U+00A0"), ("f(x\uff09\n", 3, "U+FF09")],
)
def test_a_bad_character_within_a_name_is_where_it_stands(
    text: str, column: int, character: str
) -> None:
    problem = problem_of(text)
    assert character in problem.reason
    assert problem.column == column


@pytest.mark.parametrize("text", ["!", "x = ?", '"', "x = '", "f'", "x \\ ", "$", "x = 'a''"])
def test_the_last_character_of_a_file_is_refused_too(text: str) -> None:
    assert problem_of(text).line == 1


def test_a_continuation_at_the_end_of_the_file_keeps_the_place_in_the_file() -> None:
    assert problem_of("if x:\\").line <= 2


# ---------------------------------------------------------------- deep and long code


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000,
        "(" * 3000 + ")" * 3000,
        "[" * 3000 + "]" * 3000,
        "{" * 3000,
        "x = " + "-" * 5000 + "1",
        "x = " + "-" * 5000 + "1\n",
        "x = " + "not " * 5000 + "y",
        "x = " + "f(" * 2000 + ")" * 2000,
        "x = " + "a[" * 3000 + "1" + "]" * 3000,
        "x = " + "lambda: " * 3000 + "1\n",
        "x = " + "a if b else " * 3000 + "c\n",
        "x = " + "a ** " * 3000 + "c\n",
        "x = " + "await " * 3000 + "c\n",
        "[a " + "for b in c " * 3000 + "]\n",
        "".join(" " * i + "if x:\n" for i in range(1500)) + " " * 1500 + "pass\n",
        "def f(" + "(" * 3000 + "a" + ",)" * 3000 + "): pass\n",
        "match x:\n  case " + "[" * 3000 + "]" * 3000 + ": pass\n",
        "match x:\n  case " + "(" * 2000 + "a" + ")" * 2000 + ": pass\n",
        "f'" + "{x:" * 3000 + "}" * 3000 + "'\n",
        "f'{" * 3000 + "x" + "}'" * 3000 + "\n",
        "f'{" * 3000,
        "f'''{" * 3000,
        "f'" + "{x:" * 3000,
        "`" * 3001,
    ],
    ids=lambda text: text[:12].strip(),
)
def test_code_too_deep_is_refused(text: str) -> None:
    problem_of(text)


def parentheses(depth: int) -> str:
    return "x = " + "(" * depth + "1" + ")" * depth + "\n"


def calls(depth: int) -> str:
    return "x = " + "f(a, " * depth + "1" + ")" * depth + "\n"


@pytest.mark.parametrize(
    "text",
    [
        "x = " + " + ".join(["y"] * 3000) + "\n",
        "x = " + "y.z" + ".w" * 2900 + "\n",
        "x = f" + "(y)" * 2900 + "\n",
        "x = " + "y, " * 3000 + "\n",
        "y = " * 3000 + "1\n",
        "x = " + "'a' " * 3000 + "\n",
        "x = " + " < ".join(["y"] * 3000) + "\n",
        "x = " + " and ".join(["y"] * 3000) + "\n",
        "if x: pass\n" + "".join(f"elif x == {n}: pass\n" for n in range(500)),
        "match x:\n" + "".join(f"  case {n}: pass\n" for n in range(1000)),
        "try: pass\n" + "".join(f"except E{n}: pass\n" for n in range(1000)),
        "@a\n" * 1000 + "def f(): pass\n",
        "x; " * 3000 + "\n",
        parentheses(90),
        parentheses(199),
        calls(90),
        calls(199),
        "x = " + "[" * 199 + "]" * 199 + "\n",
        "x = " + "{a: " * 199 + "1" + "}" * 199 + "\n",
        "x = " + "not " * 1000 + "y\n",
        "x = " + "-" * 1000 + "y\n",
        "".join(" " * i + "if x:\n" for i in range(99)) + " " * 99 + "pass\n",
        "x = " + "f'{" * 100 + "y" + "}'" * 100 + "\n",
        "x = " + "a if b else " * 300 + "c\n",
        "match x:\n  case " + "[" * 199 + "a" + "]" * 199 + ": pass\n",
        "match x:\n  case " + "(" * 199 + "a" + ")" * 199 + ": pass\n",
    ],
    ids=lambda text: text[:16].strip(),
)
def test_long_and_deep_code_parses(text: str) -> None:
    read_all_of(tree_of(text))


def read_all_of(tree: Node) -> None:
    """What fissix does by calling itself for each level works with this tree."""
    text = str(tree)
    copy = tree.clone()
    assert str(copy) == text
    assert "".join(str(leaf) for leaf in tree.leaves()) == text
    assert sum(1 for _ in tree.pre_order()) == sum(1 for _ in tree.post_order())
    assert [leaf.lineno for leaf in tree.leaves()] == [leaf.lineno for leaf in copy.leaves()]


def test_a_deep_tree_after_a_shallow_one_and_a_shallow_one_after_that() -> None:
    for text in ("x\n", calls(199), "x\n", parentheses(199)):
        assert str(parse(text)) == text


def test_what_comes_before_deep_code_is_parsed_as_ever() -> None:
    text = "match x:\n    case 1: pass\n" + calls(150) + "type X = int\n"
    assert {"match_stmt", "type_stmt"} <= found(tree_of(text))
