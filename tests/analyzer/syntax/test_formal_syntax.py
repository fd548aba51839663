"""Every rule of the formal syntax that the transformation is written in: it parses, as what it is.

A rule's examples must contain the node of Python's own ``ast`` too, so that they are what their
name says.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

import pytest
from syntax_trees import found, tree_of

# As the formal syntax lists them, from modules to type comments.
NAMES = [
    "MODULEDEF",
    "FUNDEF",
    "ASYNCFUNDEF",
    "CLASSDEF",
    "RETURN",
    "DELETE",
    "ASSIGN",
    "AUGASSIGN",
    "ANNASSIGN",
    "FORLOOP",
    "ASYNCFORLOOP",
    "WHILELOOP",
    "IF",
    "WITH",
    "ASYNCWITH",
    "MATCH",
    "RAISE",
    "TRY",
    "ASSERT",
    "IMPORT",
    "IMPORTFROM",
    "GLOBAL",
    "NONLOCAL",
    "EXPRSTMT",
    "PASS",
    "BREAK",
    "CONTINUE",
    "BOOLOP",
    "NAMEDEXPR",
    "BINARYOP",
    "UNARYOP",
    "LAMBDA",
    "IFEXPR",
    "DICTIONARY",
    "SET",
    "LIST",
    "TUPLE",
    "DICTIONARYCOMP",
    "SETCOMP",
    "LISTCOMP",
    "GENERATORCOMP",
    "AWAIT",
    "YIELD",
    "YIELDFROM",
    "COMPOP",
    "CALL",
    "FORMATTEDVALUE",
    "JOINEDSTR",
    "CONSTANT",
    "ATTRIBUTE",
    "SUBSCRIPT",
    "STARRED",
    "DOUBLESTARRED",
    "NAME",
    "SLICE",
    "BOOLOPERATOR",
    "BINOPERATOR",
    "UNOPERATOR",
    "COMPOP",
    "COMPREHENSION",
    "ASYNCCOMPREHEN",
    "EXCHANDLER",
    "ARGUMENTS",
    "ARGUMENT",
    "KEYWORD",
    "ALIAS",
    "WITHITEM",
    "MATCHCASE",
    "MATCHVALUE",
    "MATCHSINGLETON",
    "MATCHSEQUENCE",
    "MATCHSTAR",
    "MATCHMAPPING",
    "MATCHCLASS",
    "MATCHAS",
    "MATCHOR",
    "MATCHWILDCARD",
    "NONELITERAL",
    "INTLITERAL",
    "FLOATLITERAL",
    "COMPLEXLITERAL",
    "STRINGLITERAL",
    "BOOLEANLITERAL",
    "TUPLELITERAL",
    "ELLIPSIS",
    "TYPEIGNORE",
]


@dataclass(frozen=True)
class Rule:
    """``inside``: what must occur in the tree, as symbols, tokens or the values of leaves."""

    name: str
    inside: tuple[str, ...]
    node: type[ast.AST]
    sources: tuple[str, ...]
    constant: type[object] | None = None


def rule(
    name: str,
    inside: str,
    node: type[ast.AST],
    *sources: str,
    constant: type[object] | None = None,
) -> Rule:
    return Rule(name, tuple(inside.split()), node, sources, constant)


def operators(name: str, symbol: str, *nodes: type[ast.AST]) -> list[Rule]:
    """A rule for each of OPERATORS[name], between two names."""
    return [
        rule(name, f"{symbol} {operator}", node, f"x {operator} y\n")
        for operator, node in zip(OPERATORS[name], nodes, strict=True)
    ]


OPERATORS = {
    "BOOLOPERATOR": ["and", "or"],
    "BINOPERATOR": ["+", "-", "*", "@", "/", "**", "<<", ">>", "^", "&", "//", "%", "|"],
    "UNOPERATOR": ["~", "not", "+", "-"],
    "COMPOP": ["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"],
}
_SYMBOLS = {"+": "arith_expr", "-": "arith_expr", "**": "power", "<<": "shift_expr"}
_SYMBOLS |= {">>": "shift_expr", "^": "xor_expr", "&": "and_expr", "|": "expr"}


def in_case(pattern: str) -> str:
    return f"match x:\n    case {pattern}:\n        pass\n"


RULES = [
    rule("MODULEDEF", "file_input ENDMARKER", ast.Module, "", "x\n", "'doc'\nimport a\nx = 1\n"),
    rule(
        "FUNDEF",
        "funcdef parameters def",
        ast.FunctionDef,
        "def f(): pass\n",
        "@a\n@b.c(1)\n@d[0]\ndef f(x, /, y: int = 1, *z, k, **w) -> int:\n    return x\n",
        "def f(a, b):\n    # type: (int, int) -> int\n    pass\n",
        "def f[T](a: T) -> T: ...\n",
    ),
    rule(
        "ASYNCFUNDEF",
        "funcdef ASYNC",
        ast.AsyncFunctionDef,
        "async def f(): pass\n",
        "@a\nasync def f(x: int) -> int:\n    # type: (int) -> int\n    await x\n",
    ),
    rule(
        "CLASSDEF",
        "classdef class",
        ast.ClassDef,
        "class A: pass\n",
        "class A(): pass\n",
        "@a\nclass A(B, *C, metaclass=D, **E):\n    x = 1\n    def f(self): pass\n",
        "class A[T](B): ...\n",
    ),
    rule("RETURN", "return", ast.Return, "return\n", "return x\n", "return x, *y\n"),
    rule("DELETE", "del_stmt", ast.Delete, "del x\n", "del x, y.z, w[0]\n", "del (x, y)\n"),
    rule(
        "ASSIGN",
        "expr_stmt =",
        ast.Assign,
        "x = 1\n",
        "x = y = 1\n",
        "x, *y = z\n",
        "x = []  # type: List[int]\n",
        "x.y = z[0] = yield\n",
    ),
    *(
        rule("AUGASSIGN", f"expr_stmt {operator}=", ast.AugAssign, f"x {operator}= 1\n")
        for operator in OPERATORS["BINOPERATOR"]
    ),
    rule(
        "ANNASSIGN",
        "annassign",
        ast.AnnAssign,
        "x: int\n",
        "x: int = 1\n",
        "x.y: 'int' = 1\n",
        "x[0]: int\n",
        "(x): int = 1\n",
        "x: tuple = 1, *y\n",
    ),
    rule(
        "FORLOOP",
        "for_stmt for in",
        ast.For,
        "for x in y: pass\n",
        "for x, *y in z:  # type: int\n    pass\nelse:\n    pass\n",
        "for x in *y, z: pass\n",
    ),
    rule(
        "ASYNCFORLOOP",
        "async_stmt for_stmt ASYNC",
        ast.AsyncFor,
        "async def f():\n    async for x in y: pass\n",
        "async def f():\n    async for x in y:  # type: int\n        pass\n    else: pass\n",
    ),
    rule(
        "WHILELOOP",
        "while_stmt",
        ast.While,
        "while x: pass\n",
        "while (x):\n    pass\nelse:\n    pass\n",
        "while x := f(): pass\n",
    ),
    rule(
        "IF",
        "if_stmt",
        ast.If,
        "if x: pass\n",
        "if (x):\n    pass\nelse:\n    pass\n",
        "if x: pass\nelif y: pass\nelif z: pass\nelse: pass\n",
    ),
    rule(
        "WITH",
        "with_stmt",
        ast.With,
        "with x: pass\n",
        "with x as y, z:  # type: int\n    pass\n",
        "with (x as y, z as w,):\n    pass\n",
        "with (x, y): pass\n",
    ),
    rule(
        "ASYNCWITH",
        "async_stmt with_stmt ASYNC",
        ast.AsyncWith,
        "async def f():\n    async with x: pass\n",
        "async def f():\n    async with (x as y, z):  # type: int\n        pass\n",
    ),
    rule(
        "MATCH",
        "match_stmt case_block",
        ast.Match,
        in_case("1"),
        "match x, *y:\n    case 1: pass\n    case _: pass\n",
    ),
    rule(
        "RAISE",
        "raise",
        ast.Raise,
        "raise\n",
        "raise x\n",
        "raise X(1) from y\n",
        "raise x from None\n",
    ),
    rule(
        "TRY",
        "try_stmt",
        ast.Try,
        "try: pass\nfinally: pass\n",
        "try: pass\nexcept: pass\n",
        "try:\n    pass\nexcept A as e:\n    pass\nexcept (B, C):\n    pass\n"
        "else:\n    pass\nfinally:\n    pass\n",
    ),
    rule("ASSERT", "assert_stmt", ast.Assert, "assert x\n", "assert x, 'y'\n"),
    rule("IMPORT", "import_name", ast.Import, "import a\n", "import a.b as c, d.e, f as g\n"),
    rule(
        "IMPORTFROM",
        "import_from",
        ast.ImportFrom,
        "from a import b\n",
        "from a.b import *\n",
        "from . import a\n",
        "from .a import b as c, d\n",
        "from ...a import (b, c as d,)\n",
        "from .... import a\n",
    ),
    rule("GLOBAL", "global_stmt global", ast.Global, "global x\n", "global x, y\n"),
    rule("NONLOCAL", "global_stmt nonlocal", ast.Nonlocal, "nonlocal x\n", "nonlocal x, y\n"),
    rule("EXPRSTMT", "simple_stmt", ast.Expr, "x\n", "f(x)\n", "'doc'\n", "x, y\n", "f(x);\n"),
    rule("PASS", "simple_stmt pass", ast.Pass, "pass\n", "pass; pass\n"),
    rule("BREAK", "break", ast.Break, "while x: break\n"),
    rule("CONTINUE", "continue", ast.Continue, "while x: continue\n"),
    rule("BOOLOP", "and_test or_test", ast.BoolOp, "x and y or z\n", "(x or y) and z\n"),
    rule("NAMEDEXPR", "namedexpr_test :=", ast.NamedExpr, "(x := 1)\n", "if x := y: pass\n"),
    rule("BINARYOP", "arith_expr term", ast.BinOp, "x + y * z\n", "(x - y) // z % w\n"),
    rule("UNARYOP", "not_test factor", ast.UnaryOp, "not -x\n", "not ~x\n", "not +x\n"),
    rule(
        "LAMBDA",
        "lambdef",
        ast.Lambda,
        "lambda: 1\n",
        "lambda x: x\n",
        "lambda x, /, y=1, *z, k, **w: (yield)\n",
    ),
    rule("IFEXPR", "test if else", ast.IfExp, "x if y else z\n", "x if y else z if w else v\n"),
    rule(
        "DICTIONARY",
        "atom { }",
        ast.Dict,
        "{}\n",
        "{x: y}\n",
        "{x: y, **z, 'a': 1,}\n",
        "{**x}\n",
    ),
    rule("SET", "atom { }", ast.Set, "{x}\n", "{x, y,}\n", "{*x, y}\n"),
    rule("LIST", "atom [ ]", ast.List, "[]\n", "[x]\n", "[x, *y,]\n"),
    rule("TUPLE", "atom", ast.Tuple, "()\n", "(x,)\n", "(x, *y)\n", "((),)\n"),
    rule(
        "DICTIONARYCOMP",
        "dictsetmaker comp_for :",
        ast.DictComp,
        "{x: y for x in z}\n",
        "{x: y for x in z if x for y in x}\n",
    ),
    rule(
        "SETCOMP",
        "dictsetmaker comp_for",
        ast.SetComp,
        "{x for x in z}\n",
        "{y := x for x in z}\n",
    ),
    rule("LISTCOMP", "listmaker comp_for", ast.ListComp, "[x for x in z]\n", "[x for x, in z]\n"),
    rule(
        "GENERATORCOMP",
        "comp_for",
        ast.GeneratorExp,
        "(x for x in z)\n",
        "f(x for x in z)\n",
        "f(a, (x for x in z), b=1)\n",
    ),
    rule(
        "AWAIT",
        "power AWAIT",
        ast.Await,
        "async def f(): await x\n",
        "async def f(): return (await x.y(z)) ** 2\n",
        "async def f(): await (x)\n",
    ),
    rule("YIELD", "yield", ast.Yield, "yield\n", "yield x\n", "x = yield y, *z\n", "f((yield))\n"),
    rule("YIELDFROM", "yield_arg from", ast.YieldFrom, "yield from x\n", "x = yield from y\n"),
    rule(
        "COMPOP",
        "comparison",
        ast.Compare,
        "x < y\n",
        "x < y <= z is not w not in v\n",
    ),
    rule(
        "CALL",
        "power trailer ( )",
        ast.Call,
        "f()\n",
        "f(x)\n",
        "f(x, *y, k=1, **z)\n",
        "f(*x, *y, **z, **w,)\n",
        "f(x)(y).g()\n",
        "f(x := 1)\n",
    ),
    rule(
        "FORMATTEDVALUE",
        "STRING",
        ast.FormattedValue,
        "f'{x}'\n",
        "f'{x!r}'\n",
        "f'{x:>10}'\n",
        "f'{x!s:{y}.{z}}'\n",
        "rf'{x=}'\n",
        'f"{x["a"]}"\n',
    ),
    rule("JOINEDSTR", "STRING", ast.JoinedStr, "f''\n", "f'a{x}b{y}'\n", "'a' f'{x}' 'b'\n"),
    rule("CONSTANT", "simple_stmt", ast.Constant, "1\n", "'a'\n", "b'a'\n", "None\n", "...\n"),
    rule("ATTRIBUTE", "trailer .", ast.Attribute, "x.y\n", "x.y.z = 1\n", "1 .real\n", "f().x\n"),
    rule("SUBSCRIPT", "trailer [ ]", ast.Subscript, "x[0]\n", "x[y, z]\n", "x[0][1]\n", "x[()]\n"),
    rule("STARRED", "*", ast.Starred, "f(*x)\n", "[*x]\n", "*x, y = z\n", "x[*y]\n"),
    rule("DOUBLESTARRED", "argument **", ast.keyword, "f(**x)\n", "f(a, **x, **y)\n"),
    rule("NAME", "NAME", ast.Name, "x\n", "_\n", "日本\n", "match\n"),
    rule(
        "SLICE",
        "subscript :",
        ast.Slice,
        "x[1:2]\n",
        "x[1:2:3]\n",
        "x[a:, :b]\n",
        "x[::2, 0]\n",
        "x[:: 2]\n",
    ),
    *operators("BOOLOPERATOR", "simple_stmt", ast.And, ast.Or),
    *(
        rule(
            "BINOPERATOR", f"{_SYMBOLS.get(operator, 'term')} {operator}", node, f"x {operator} y\n"
        )
        for operator, node in zip(
            OPERATORS["BINOPERATOR"],
            [
                *(ast.Add, ast.Sub, ast.Mult, ast.MatMult, ast.Div, ast.Pow, ast.LShift),
                *(ast.RShift, ast.BitXor, ast.BitAnd, ast.FloorDiv, ast.Mod, ast.BitOr),
            ],
            strict=True,
        )
    ),
    rule("UNOPERATOR", "factor ~", ast.Invert, "~x\n"),
    rule("UNOPERATOR", "not_test not", ast.Not, "not x\n"),
    rule("UNOPERATOR", "factor +", ast.UAdd, "+x\n"),
    rule("UNOPERATOR", "factor -", ast.USub, "-x\n"),
    *operators(
        "COMPOP",
        "comparison",
        *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In),
        ast.NotIn,
    ),
    rule(
        "COMPREHENSION",
        "comp_for for in",
        ast.comprehension,
        "[x for x in y]\n",
        "[x for x in y if x if y for z in x]\n",
        "[x for x in y or z]\n",
    ),
    rule(
        "ASYNCCOMPREHEN",
        "comp_for ASYNC",
        ast.comprehension,
        "async def f(): [x async for x in y]\n",
        "async def f(): return {x: z async for x in y if x async for z in x}\n",
    ),
    rule(
        "EXCHANDLER",
        "except",
        ast.ExceptHandler,
        "try: pass\nexcept: pass\n",
        "try: pass\nexcept A: pass\n",
        "try: pass\nexcept (A, B) as e: pass\n",
        "try: pass\nexcept* A as e: pass\n",
    ),
    rule(
        "ARGUMENTS",
        "parameters typedargslist",
        ast.arguments,
        "def f(a, b=1): pass\n",
        "def f(a, b=1, /, c=2, *d, e, g=3, **h): pass\n",
        "def f(*, a): pass\n",
        "def f(a, /): pass\n",
        "def f(*a, **b,): pass\n",
    ),
    rule(
        "ARGUMENT",
        "parameters",
        ast.arg,
        "def f(a): pass\n",
        "def f(a: int): pass\n",
        "def f(\n    a,  # type: int\n    b: 'int' = 1,\n): pass\n",
        "def f(*a: *Ts): pass\n",
    ),
    rule("KEYWORD", "argument =", ast.keyword, "f(a=1)\n", "class A(b=c): pass\n", "f(match=1)\n"),
    rule(
        "ALIAS",
        "as",
        ast.alias,
        "import a.b as c\n",
        "from a import b as c\n",
        "import a as b, c\n",
    ),
    rule("WITHITEM", "with_item as", ast.withitem, "with a as b: pass\n", "with a as b.c: pass\n"),
    rule(
        "MATCHCASE",
        "case_block case",
        ast.match_case,
        in_case("1"),
        in_case("x if x > 1"),
        "match x:\n    case 1: pass\n    case 2: pass\n",
    ),
    rule("MATCHVALUE", "attr", ast.MatchValue, in_case("a.b"), in_case("a.b.c")),
    rule("MATCHVALUE", "case_block", ast.MatchValue, in_case("1"), in_case("'a' 'b'")),
    rule("MATCHVALUE", "signed_number", ast.MatchValue, in_case("-1"), in_case("-1.5 + 2j")),
    *(
        rule("MATCHSINGLETON", f"case_block {name}", ast.MatchSingleton, in_case(name))
        for name in ("None", "True", "False")
    ),
    rule(
        "MATCHSEQUENCE",
        "sequence_pattern",
        ast.MatchSequence,
        in_case("[]"),
        in_case("()"),
        in_case("[a]"),
        in_case("(a,)"),
        in_case("[a, *b]"),
        in_case("(a, [b, (c, d)])"),
    ),
    rule(
        "MATCHSEQUENCE", "open_sequence_pattern", ast.MatchSequence, in_case("a, b"), in_case("a,")
    ),
    rule("MATCHSTAR", "star_pattern", ast.MatchStar, in_case("[*a]"), in_case("[*_, a]")),
    rule(
        "MATCHMAPPING",
        "mapping_pattern",
        ast.MatchMapping,
        in_case("{}"),
        in_case("{'a': b}"),
        in_case("{a.b: c, -1: d, **e}"),
        in_case("{**a}"),
    ),
    rule(
        "MATCHCLASS",
        "class_pattern",
        ast.MatchClass,
        in_case("A()"),
        in_case("a.B(c, 1, d=e, g=H())"),
    ),
    rule(
        "MATCHAS",
        "as_pattern as",
        ast.MatchAs,
        in_case("1 as a"),
        in_case("[b] as a"),
        in_case("(1 as a)"),
    ),
    rule("MATCHAS", "case_block a", ast.MatchAs, in_case("a")),
    rule("MATCHOR", "or_pattern |", ast.MatchOr, in_case("1 | 2 | None"), in_case("(1 | 2)")),
    rule("MATCHWILDCARD", "case_block _", ast.MatchAs, in_case("_"), in_case("[_, _]")),
    rule("NONELITERAL", "NAME None", ast.Constant, "None\n", constant=type(None)),
    rule(
        "INTLITERAL",
        "NUMBER",
        ast.Constant,
        *("0\n", "10\n", "1_000\n", "0x_ff\n", "0O17\n", "0b1\n", "00\n"),
        constant=int,
    ),
    rule(
        "FLOATLITERAL",
        "NUMBER",
        ast.Constant,
        *("1.5\n", "1.\n", ".5\n", "1e5\n", "1.5E-3\n", "1_0.0_1e+1_0\n"),
        constant=float,
    ),
    rule(
        "COMPLEXLITERAL", "NUMBER", ast.Constant, *("1j\n", "1.5J\n", ".5e3j\n"), constant=complex
    ),
    rule(
        "STRINGLITERAL",
        "STRING",
        ast.Constant,
        *("''\n", '"a"\n', "'''a\nb'''\n", '"""a"""\n', r"r'\\'" + "\n", "u'a'\n", "'a' 'b'\n"),
        constant=str,
    ),
    rule("BOOLEANLITERAL", "NAME True", ast.Constant, "True\n", constant=bool),
    rule("BOOLEANLITERAL", "NAME False", ast.Constant, "False\n", constant=bool),
    rule("TUPLELITERAL", "atom NUMBER", ast.Tuple, "(1, 'a')\n", "(1,)\n", "((1,), (2, ()))\n"),
    rule("ELLIPSIS", "atom .", ast.Constant, "...\n", "x[..., 0]\n", constant=type(...)),
    rule(
        "TYPEIGNORE", "file_input", ast.TypeIgnore, "x = 1  # type: ignore\n", "# type: ignore[a]\n"
    ),
]


def host_tree(source: str) -> ast.AST | None:
    """Python's own tree, with type comments; None where this Python is too old for ``source``."""
    try:
        return ast.parse(source, type_comments=True)
    except SyntaxError:
        return None


@pytest.mark.parametrize("given", RULES, ids=[each.name for each in RULES])
def test_each_rule_parses_as_what_it_is(given: Rule) -> None:
    for source in given.sources:
        assert set(given.inside) <= found(tree_of(source))


@pytest.mark.parametrize("given", RULES, ids=[each.name for each in RULES])
def test_the_examples_are_what_the_rule_says(given: Rule) -> None:
    trees = [host_tree(source) for source in given.sources]
    # The newest forms are not known to every host; the plainest are.
    assert trees[0] is not None
    for tree in filter(None, trees):
        of_kind = [node for node in ast.walk(tree) if type(node) is given.node]
        assert of_kind
        if given.constant is not None:
            assert any(type(node.value) is given.constant for node in of_kind)


def test_every_rule_of_the_formal_syntax_has_examples() -> None:
    assert {each.name for each in RULES} == set(NAMES)
    assert len(set(NAMES)) == len(NAMES) - 1  # COMPOP is an expression and an operator


@pytest.mark.parametrize(("name", "listed"), OPERATORS.items(), ids=OPERATORS)
def test_every_operator_has_an_example(name: str, listed: list[str]) -> None:
    shown = {operator for each in RULES if each.name == name for operator in each.inside}
    assert {word for operator in listed for word in operator.split()} <= shown
