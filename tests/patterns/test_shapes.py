"""What no tree can have is told of queries; everything else is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.patterns.checking.shapes import impossible
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.reading.code_pattern import compile_code, compile_query

POSSIBLE = [
    "any", "'x'", "name='x'", "NAME", "file_input< any* >", "file_input< any >",
    "power< any 'b' >", "power< 'a' trailer< '(' ')' > >", "power< 'take' trailer< '(' any ')' > >",
    "power< ('a' | 'b') any+ >", "power< [any] 'a' any* >", "power< 'a' any{1,3} >",
    "import_name< 'import' x='requests' >", "import_from< 'from' 'a' 'import' any+ >",
    "import_from< 'from' 'a' 'import' ('b' | import_as_name< 'b' 'as' any >) >",
    "import_from< 'from' any 'import' '(' any ')' >", "import_from< 'from' '.' 'import' '*' >",
    "argument< 'a' '=' any >", "argument< '*' any >", "argument< any any >", "arglist< any* >",
    "parameters< '(' any* ')' >", "funcdef< 'def' any parameters< '(' ')' > any* >",
    "classdef< 'class' any ':' any >", "trailer< '.' 'a' >", "trailer< '[' ':' ']' >",
    "comparison< any '<' any >", "comparison< any 'is' any >", "expr_stmt< any '=' any >",
    "expr_stmt< any '+=' any >", "expr_stmt< any any >", "with_stmt< 'with' any ':' any >",
    "with_stmt< 'with' '(' any ')' ':' any >", "decorator< '@' any any >",
    "for_stmt< 'for' any 'in' any ':' any ['else' ':' any] >", "atom< '(' any ')' >",
    "atom< '[' ']' >", "atom< any+ >", "dictsetmaker< any ':' any >", "print_stmt< 'print' any >",
    "try_stmt< 'try' ':' any except_clause< 'except' any > ':' any >", "suite< any any any any >",
    "simple_stmt< any any >", "subscript< any ':' any >", "lambdef< 'lambda' any ':' any >",
    "match_stmt< 'match' any ':' any* >", "raise_stmt< 'raise' any >", "term< any '*' any >",
    "power< 'a' any not trailer< '.' 'b' > >", "power< any (not 'b') trailer< '.' 'c' > any* >",
    "(return_stmt< 'return' > | 'a')", "power< 'a' [return_stmt< 'return' >] any >",
]  # fmt: skip


@pytest.mark.parametrize("query", POSSIBLE)
def test_what_a_tree_may_have(query: str) -> None:
    assert impossible(compile_query(query).compiled) == ""


@pytest.mark.parametrize(
    "path", [*pack_files.bundled(), *pack_files.parts()], ids=lambda path: path.stem
)
def test_what_comes_with_the_package(path: Path) -> None:
    pack = load(path)
    assert isinstance(pack, Pack)
    assert [rule.id for rule in pack.rules if impossible(rule.pattern.compiled)] == []


@pytest.mark.parametrize(
    "code",
    ["f($x)", "with $a as $b:\n    $...c", "@f\ndef $g($...p):\n    $...b", "x = $y", "x += $y",
     "for $a in $b:\n    $...c", "import $x", "from $m import $n", "assert $a, $b", "not $x",
     "lambda $x: $y", "$a if $b else c", "[$a for $b in $c]", "{$a: $b}", "await f($x)",
     "try:\n    $...a\nexcept $e:\n    $...b", "async def $f($...x):\n    $...b", "del $x",
     "class $c($...b):\n    $...d", "raise $e", "$a < $b", "x[$a:$b]", "print($x, file=$y)"],
)  # fmt: skip
def test_patterns_of_code(code: str) -> None:
    assert impossible(compile_code(code, {}).compiled) == ""


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("power< 'a' >", "a power with one child is not kept, only the child"),
        ("power< x=any >", "one child"),
        ("return_stmt< 'return' >", "one child"),
        ("return_stmt< 'return' any any >", "no return_stmt has such children"),
        ("if_stmt< 'if' any ':' >", "no if_stmt has such children"),
        ("trailer< '.' any any >", "no trailer has such children"),
        ("expr_stmt< any '==' any >", "no expr_stmt has such children"),
        ("import_name< 'from' any any* >", "no import_name has such children"),
        ("with_stmt< 'with' any* >", ""),
        ("while_stmt< any 'while' any* >", ""),
        ("power< 'a b' any >", "'a b' is several words"),
        ("power< any trailer< '.' > any* >", "a trailer with one child"),
        ("(return_stmt< 'return' > | power< 'a' >)", "one child"),
    ],
)
def test_what_no_tree_has(query: str, why: str) -> None:
    assert why in impossible(compile_query(query).compiled)
