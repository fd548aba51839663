"""Any text at all: a tree with that very text, or a problem with a place; and always an end.

PINSETTER_FUZZ=10000 runs that many examples in all, instead of a thousand.
"""

from __future__ import annotations

import ast
import os
import random
import re
import signal
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from syntax_trees import NEWLINES

from pinsetter.analyzer.syntax import SyntaxProblem, parse

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
# What Python's own tests of its syntax are made of, where this host has them.
LIBRARY_FILES = ["ast.py", "dataclasses.py", "textwrap.py", "test/test_grammar.py"]
LIBRARY_FILES += ["test/test_patma.py", "test/test_fstring.py", "test/test_type_params.py"]

STRATEGIES = 5
EXAMPLES = os.environ.get("PINSETTER_FUZZ")
fuzz = settings(
    deadline=None,
    # The suite's examples are always the same, a longer run's are others each time.
    derandomize=EXAMPLES is None,
    max_examples=int(EXAMPLES or 1000) // STRATEGIES,
    suppress_health_check=list(HealthCheck),
)


def parses(text: str) -> bool:
    """Whether there is a tree, and then it has this text; if not, the problem has a place."""
    try:
        tree, problem = parse(text), None
    except SyntaxProblem as error:
        tree, problem = None, error
    if problem is None:
        assert str(tree) == text
        return True
    lines = NEWLINES.split(text)
    assert problem.reason
    assert 1 <= problem.line <= len(lines) + 1
    assert 0 <= problem.column <= max(map(len, lines))
    return False


# ---------------------------------------------------------------- token soup

NEWLINE_TOKENS = [
    "\n",
    "\r\n",
    "\r",
    "\n    ",
    "\n        ",
    "\n\t",
    "\n\n",
    "\\\n",
    "\\\r\n",
    "\\",
]
KEYWORDS = [
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "case",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "exec",
    "False",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "match",
    "None",
    "nonlocal",
    "not",
    "or",
    "pass",
    "print",
    "raise",
    "return",
    "True",
    "try",
    "type",
    "while",
    "with",
    "yield",
    "_",
]
OPERATORS = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    ";",
    ".",
    "...",
    "=",
    ":=",
    "==",
    "!=",
    "<>",
    "<",
    ">",
    "<=",
    ">=",
    "+",
    "-",
    "*",
    "**",
    "/",
    "//",
    "%",
    "@",
    "&",
    "|",
    "^",
    "~",
    "<<",
    ">>",
    "->",
    "+=",
    "**=",
    ">>=",
    "!",
    "`",
    "?",
    "$",
    "\\",
]
ATOMS = ["x", "y.z", "f(x)", "1", "0x1f", "1e5j", "0777L", ".5", "1_0", "'a'", '"b"', "'''c\n'''"]
STRINGS = [
    "'",
    '"',
    "'''",
    '"""',
    "f'",
    'f"',
    "f'''",
    "rf'",
    "t'",
    "b'",
    "ur'",
    "f'{",
    "{x!r:",
    "}'",
]
STRINGS += ["{", "}", "{{", "}}", "\\N{", "\\'", "#", "# c\n"]
STATEMENTS = [
    "match x:\n    case 1:\n        ",
    "with (a as b, ",
    "except* ",
    "type X[T] = ",
    "@x\n",
]
STATEMENTS += ["if x:\n    ", "print >>x, ", "exec x in ", "async def f():\n    ", "try:\n    "]
ODD = [
    "\ufeff",
    "\0",
    "\f",
    "\v",
    "\x1c",
    "\x85",
    "\u00a0",
    "\u2028",
    "\u200b",
    "\uff0c",
    "é",
    "日",
]
ODD += ["\u0301", "\u2118", "\u00b7", "\U0001f600", "\ud800", "\u0661", "\ufdfa", "ﬁ"]
TOKENS = st.one_of(
    *map(st.sampled_from, (NEWLINE_TOKENS, KEYWORDS, OPERATORS, ATOMS, STRINGS, STATEMENTS, ODD))
)
BLANKS = st.sampled_from(["", " ", " ", " ", "  ", "\t"])


@fuzz
@given(st.lists(st.tuples(TOKENS, BLANKS).map("".join), max_size=30).map("".join))
def test_token_soup(text: str) -> None:
    parses(text)


@fuzz
@given(st.text(alphabet="fx'\"{}!:=#\\N\nrt ()[]", max_size=30).map("f'{x".__add__))
def test_soup_of_f_strings(text: str) -> None:
    parses(text)


@fuzz
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "  ", "    ", "\t", "\f", " \t", "  \\\n"]),
            st.sampled_from(
                [
                    *("x", "if x:", "else:", "# c", "", "match x:", "case 1:", "(", ")", "pass"),
                    *("async def f():", "await x", "@x", "def f(): pass", "x \\", "try:", "'''"),
                    "except* A:",
                ]
            ),
            st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", " # c\n", ""]),
        ).map("".join),
        max_size=12,
    ).map("".join)
)
def test_soup_of_lines(text: str) -> None:
    parses(text)


# ---------------------------------------------------------------- damaged files

TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
JUNK = [*NEWLINE_TOKENS, *KEYWORDS, *OPERATORS, *STRINGS, *ODD, "    ", "match x:", "x, ", "f'{x}'"]


def originals() -> list[str]:
    library = [STANDARD_LIBRARY / name for name in LIBRARY_FILES]
    files = sorted(FIXTURES.rglob("*.py")) + [path for path in library if path.exists()]
    return [path.read_bytes().decode("utf-8") for path in files]


ORIGINALS = originals()


def damaged(seed: int) -> str:
    """Some lines of a file with spans of them removed, doubled, exchanged or put in."""
    chance = random.Random(seed)
    lines = chance.choice(ORIGINALS).splitlines(keepends=True)
    start = chance.randrange(max(1, len(lines)))
    part = lines[start : start + chance.randrange(1, 25)]
    indentation = part[0][: len(part[0]) - len(part[0].lstrip(" \t"))] if part else ""
    tokens = TOKEN.findall("".join(line.removeprefix(indentation) for line in part))
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(tokens) + 1)
        span = slice(at, at + chance.randrange(1, 5))
        kind = chance.randrange(4)
        if kind == 0:
            del tokens[span]
        elif kind == 1:
            tokens.insert(at, chance.choice(JUNK))
        elif kind == 2:
            tokens[at:at] = tokens[span]
        elif tokens:
            other = chance.randrange(len(tokens))
            tokens[span], tokens[other : other + 1] = tokens[other : other + 1], tokens[span]
    return "".join(tokens)


@fuzz
@given(st.integers(0, 2**64))
def test_damaged_files(seed: int) -> None:
    parses(damaged(seed))


@fuzz
@given(st.integers(0, 2**64))
def test_what_the_host_compiles_parses(seed: int) -> None:
    text = damaged(seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "damaged.py", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    assert parses(text)


@pytest.mark.parametrize("text", ORIGINALS)
def test_the_undamaged_files_parse(text: str) -> None:
    assert parses(text)


# ---------------------------------------------------------------- no hang

# So many pieces that what is read again and again would take minutes; what is not takes a moment.
SIZE = 20_000
HANG_SECONDS = 60


@pytest.fixture
def alarm() -> Iterator[None]:
    def rings(number: int, frame: object) -> None:
        raise TimeoutError("the parser hangs")

    before = signal.signal(signal.SIGALRM, rings)
    signal.alarm(HANG_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


GROWING = {
    "unclosed f-strings": "f'{",
    "unclosed f-strings, statements": "f'{x\n",
    "unclosed triple f-strings": "f'''{x\n",
    "unclosed strings": "'''x\"\n",
    "f-strings in f-strings": "f'{f\"{",
    "format specs": "f'{x:{",
    "closed f-strings": "f'{x:{y}}'\n",
    "match lines": "match x\n",
    "match lines with colons": "match x:\n",
    "match with bracket": "match (\n",
    "match as a name": "match(x, y)\n",
    "match statements": "match x:\n  case (1): pass\n",
    "match between semicolons": "match; ",
    "match after match": "match ",
    "case lines": "case (\n",
    "with lines": "with (\n",
    "with lines with commas": "with (x,\n",
    "with statements": "with (a as b, c): pass\n",
    "with inside with": "with (x): ",
    "type lines": "type x\n",
    "type statements": "type X[T] = int\n",
    "decorators": "@x(y)\n",
    "unclosed decorators": "@x(\n",
    "async lines": "async \\\n",
    "await": "await ",
    "backslashes": "\\\n",
    "backslashes in a line": "\\ ",
    "blank lines": " \n",
    "comments": "# x\n",
    "indented comments": "    # x\n",
    "carriage returns": "\r",
    "form feeds": "\f",
    "blanks": " ",
    "tabs": "\t",
    "quotes": "'",
    "double quotes": '"',
    "opening brackets": "(",
    "closing brackets": ")",
    "mixed brackets": "([{",
    "closed brackets": "(),",
    "digits": "1",
    "digits and underscores": "1_",
    "dots": ".",
    "letters": "x",
    "accented letters": "é",
    "characters that are none": "\uff0c",
    "print statements": "print 'x'\n",
    "print statements to a file": "print >>x, y\n",
    "exec statements": "exec x in y\n",
    "strings": "'x' ",
    "names": "x ",
    "statements": "x = f(y)\n",
    "blocks": "if x:\n    y\n",
    "lines after a block": "  x\n",
    "except clauses": "except* A: pass\n",
    "lambdas": "lambda: ",
    "not": "not ",
    "minus": "-",
    "plus": "x + ",
    "conditions": "x if y else ",
}


STARTS = {"": "", " in brackets": "x = (\n", " in a pattern": "match x:\n  case ["}
GROWN = [
    pytest.param(start + piece * SIZE, id=f"{name}{where}")
    for name, piece in GROWING.items()
    for where, start in STARTS.items()
]


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("text", GROWN)
def test_much_of_the_same_comes_to_an_end(text: str) -> None:
    parses(text)


@pytest.mark.usefixtures("alarm")
def test_groups_in_a_pattern_are_not_read_again_at_every_level() -> None:
    items = "a, " * SIZE
    assert parses(f"match x:\n  case {'(' * 500}[{items}]{')' * 500}: pass\n")


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("depth", [50, 100, 140])
def test_nested_f_strings_come_to_an_end(depth: int) -> None:
    text = "f'{" * depth + "x" + "}'" * depth
    unclosed = "f'{" * depth + "x" + "}'" * (depth - 1)
    for each in (text, unclosed, unclosed + "\n", text.replace("{", "{x:{").replace("}", "}}")):
        parses(each)


@pytest.mark.skipif(not hasattr(sys, "setrecursionlimit"), reason="no recursion limit")
@pytest.mark.parametrize("limit", [200, 1000])
def test_the_recursion_limit_of_the_host_does_not_matter(limit: int) -> None:
    before = sys.getrecursionlimit()
    deep = "x = " + "(" * 150 + ")" * 150 + "\n"
    try:
        sys.setrecursionlimit(max(limit, len_of_stack() + 60))
        for text in ("x\n", deep, "(" * 3000, "f'{" * 3000, "match x:\n  case " + "[" * 3000):
            parses(text)
    finally:
        sys.setrecursionlimit(before)


def len_of_stack() -> int:
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
