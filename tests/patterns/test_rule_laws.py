"""The laws of rules over some of the standard library; `make laws` has the whole corpus.

First what must hold for the laws to tell anything: the oracle finds what is wrong on purpose.
"""

import ast
import random
import sysconfig
from pathlib import Path

import pytest
from law_rules import RULES, SETTLED, LawRule, pack
from oracle import Change, Impossible, Original, difference, equal, matching, parsed
from rule_laws import comments, opened, tried

# Small files with much in them.
FILES = (
    "bisect.py", "calendar.py", "code.py", "colorsys.py", "contextlib.py", "copy.py", "csv.py",
    "filecmp.py", "fnmatch.py", "fractions.py", "glob.py", "heapq.py", "linecache.py", "netrc.py",
    "nturl2path.py", "pprint.py", "queue.py", "reprlib.py", "sched.py", "shelve.py", "shlex.py",
    "statistics.py", "string.py", "textwrap.py", "this.py", "timeit.py", "token.py", "trace.py",
    "types.py", "weakref.py",
)  # fmt: skip
RULES_OF_A_FILE = 7


def _rule(id: str) -> LawRule:
    return next(rule for rule in RULES if rule.id == id)


@pytest.mark.parametrize("name", FILES)
def test_laws_hold(name: str) -> None:
    path = Path(sysconfig.get_path("stdlib")) / name
    if not path.is_file():
        pytest.skip(f"this Python has no {name}")
    code = path.read_bytes()
    given = opened(code)
    if given is None:
        pytest.skip(f"this Python does not compile its own {name}")
    words = code.decode("utf-8", "replace")
    fitting = [rule for rule in SETTLED if all(word in words for word in rule.words)]
    chosen = random.Random(name).sample(fitting, min(RULES_OF_A_FILE, len(fitting)))
    wrong = [str(broken) for rule in chosen for broken in tried(given, rule, name).broken]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("code", ["f(1)\n", "size(len)\n", "len()\n", "len(*a)\n", "len(k=1)\n"])
def test_the_oracle_changes_nothing_where_a_pattern_does_not_fit(code: str) -> None:
    change = Change(_rule("len-x-to-size-x"), Original(code, ast.parse(code)))
    assert not change.nodes


@pytest.mark.parametrize(
    ("match", "code"),
    [
        ("f($x, $x)", "f(a, b)"), ("$x[$i]", "a[1:2]"), ("$x[$i]", "a[1:2, 3]"),
        ("$a == $b", "a == b == c"), ("f($x, $...r)", "f()"), ("f($x)", "f(*a)"),
        ("lambda: $x", "lambda a: b"), ("f(a=$x)", "f(b=1)"),
    ],
)  # fmt: skip
def test_the_oracle_fits_no_more_than_the_pattern_says(match: str, code: str) -> None:
    assert matching(parsed(match), parsed(code)) is None


@pytest.mark.parametrize(
    ("id", "code", "result"),
    [
        ("len-x-to-size-x", "len(len(a))", "size(size(a))"),
        ("max-a-b-to-a-b", "max(-a, b + 1)", "(-a) ** (b + 1)"),
        ("getattr-x-r-to-fetch-r-x", "getattr(a)", "fetch(a)"),
        ("getattr-x-r-to-fetch-r-x", "getattr(a, b, *c)", "fetch(b, *c, a)"),
        ("abs-x-to-x-if-x-0-else-x", "abs(abs(a))", "(a if a > 0 else -a) if (a if a > 0 else -a)"
         " > 0 else -(a if a > 0 else -a)"),
        ("zip-a-to-table-a", "zip(a)", "table[a]"),
        ("zip-a-to-table-a", "zip(a, b)", "table[a, b]"),
        ("hasattr-a-to-has-a", "hasattr()", "has(())"),
        ("wrap-argument", "len(len(a))", "len(list(len(list(a))))"),
        ("append-keyword", "range(a)", "range(a, checked=True)"),
        ("replace-callee", "a.strip()", "(a or none).strip()"),
    ],
)  # fmt: skip
def test_the_oracle_makes_what_is_meant(id: str, code: str, result: str) -> None:
    change = Change(_rule(id), Original(code, ast.parse(code)))
    assert equal(change.made(frozenset(change.nodes)), ast.parse(result))


@pytest.mark.parametrize(
    ("id", "code"),
    [
        ("getattr-x-r-to-fetch-r-x", "getattr(a, k=1)"),
        ("print-a-to-log-a-end", "print(a, end=b)"),
        ("frozenset-a-to-a", "frozenset()"), ("zip-a-to-table-a", "zip()"),
        ("tuple-a-to-a", "tuple(k=1)"),
    ],
)  # fmt: skip
def test_the_oracle_knows_what_cannot_be_written(id: str, code: str) -> None:
    change = Change(_rule(id), Original(code, ast.parse(code)))
    with pytest.raises(Impossible):
        change.made(frozenset(change.nodes))


def test_differences_are_told_by_the_smallest_part() -> None:
    assert difference(ast.parse("f(a, b)"), ast.parse("f( a,(b))")) is None
    pair = difference(ast.parse("x = f(a + 1, b)"), ast.parse("x = f(a - 1, b)"))
    assert pair is not None
    assert ast.unparse(pair[0]) == "a + 1"


def test_comments_are_counted() -> None:
    assert comments("a  # x\n# y\nb  # x\n'# z'\n") == {"# x": 2, "# y": 1}


def test_all_rules_are_one_pack() -> None:
    assert len(pack().rules) == len(RULES) >= 30
