"""Syntax that fissix does not know: names that stay names, then the shape of each construct."""

from __future__ import annotations

import pytest
from fissix import pygram
from syntax_trees import (
    STATEMENTS,
    fissix_tree,
    flat,
    found,
    leaves,
    problem_of,
    shape,
    shapes,
    symbol_names,
    tree_of,
    type_name,
)

from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax.syntax_problem import SyntaxProblem

# The symbols that fissix has rules for.
FISSIX_SYMBOLS = {
    pygram.python_grammar.number2symbol[number] for number in pygram.python_grammar.dfas
}


def statement(text: str) -> str:
    """The shape of the only statement of ``text``."""
    tree = tree_of(text if text.endswith("\n") else f"{text}\n")
    only, end = tree.children
    assert shape(end) == "ENDMARKER"
    return shape(only).removeprefix("(simple_stmt ").removesuffix(" NEWLINE)")


def in_match(pattern: str) -> str:
    """The shape of what stands between ``case`` and the colon."""
    [block] = shapes(f"match x:\n    case {pattern}: pass\n", "case_block")
    return block.removeprefix("(case_block case ").removesuffix(" : (simple_stmt pass NEWLINE))")


# ---------------------------------------------------------------- names that stay names


@pytest.mark.parametrize(
    "text",
    [
        "match = 1",
        "match: int",
        "match: int = 1",
        "match += 1",
        "match(x)",
        "match (x)",
        "match(x): int = 1",
        "match(x).y[z]",
        "match[x]",
        "match [x]",
        "match[x:y]",
        "match[x:\ncase]",
        "match.x",
        "match * y",
        "match *y, z",
        "match -x",
        "match in x",
        "match not in x",
        "match is x",
        "match if x else y",
        "match, case = 1, 2",
        "match; case",
        "match",
        "(match)",
        "print(match)",
        "if match: pass",
        "if match: case",
        "for match in case: pass",
        "while match(x): case",
        "with match as case: pass",
        "def match(case, *type, **_): pass",
        "class match(case): type = _",
        "lambda match, case=1: type",
        "import match.case as type",
        "from match import case as type, _",
        "from .type import *",
        "del match, case",
        "global match, case, type",
        "return match",
        "x.match.case.type",
        "f(match=1, case=2, type=3, _=4)",
        "{match: case}",
        "@match\ndef case(): pass",
        "@case.match(type)\nclass type: pass",
        "case = 1",
        "case(x)",
        "case: int",
        "case[x] = 1",
        "case -x",
        "type = 1",
        "type: int = 3",
        "type(x)",
        "type (x).y",
        "type[x] = 1",
        "type in x",
        "type is x",
        "type not in x",
        "type and x",
        "type or x",
        "type if x else y",
        "type.x = 1",
        "type, x = 1, 2",
        "_ = 1",
        "_(x)",
        "async = 1",
        "async(x)",
        "async.x",
        "async, x = 1, 2",
        "async: int",
        "await = 2",
        "await.x",
        "await(x)",
        "await[x]",
        "await + x",
        "await - x",
        "await, x = 1, 2",
        "await if x else y",
        "await or x",
        "x.async.await",
        "f(async=1, await=2)",
        "def await(async): pass",
        "class async(await): pass",
        "import async, await.x",
        "from .await import async",
        "for async in await: pass",
        "lambda async: await",
        "[async for x in y]",
        "[x for async in await]",
        "nonlocal = 1",
        "nonlocal(x)",
        "nonlocal.x",
        "nonlocal[x] = 1",
        "nonlocal, x = 1, 2",
        "def nonlocal(x): pass",
        "x.nonlocal",
        "print = 1",
        "print.x",
        "print",
        "x.print(y)",
        "x.exec(y)",
        "exec = 1",
        "exec(x)",
        "exec(x, y)",
        "def exec(print): pass",
        "def print(self): pass",
        "class A:\n    def exec(self): pass",
        "f(print=1, exec=2)",
        "x = print, exec",
        "with (a, b): pass",
        "with (a): pass",
        "with (a, b) as c: pass",
        "with (a), (b): pass",
        "with (a).b as c, d: pass",
        "with (a)(b): pass",
        "with (a) + (b): pass",
        "with (yield): pass",
        "with (yield x): pass",
        "with (x for x in y): pass",
        "with (f(a), [b]): pass",
        "with (\n    a,\n    b\n): pass",
        "try: pass\nexcept (A, B): pass",
        "try: pass\nexcept A, b: pass",
        "try: pass\nexcept A, (b, c): pass",
        "try: pass\nexcept A, b.c: pass",
        "@a.b.c\ndef f(): pass",
        "@a.b(c)\ndef f(): pass",
        "@ a . b ( c )\ndef f(): pass",
        "@a # b\ndef f(): pass",
        "@a(\n    b,\n)\n# c\n@d\ndef f(): pass",
        "t = 'x'",
        "f, t = f(t), t.f",
        "x[a * b]",
        "x if y else(z)",
        "def f(a, *b): pass",
    ],
)
def test_what_was_legal_before_keeps_its_tree(text: str) -> None:
    tree = tree_of(f"{text}\n")
    assert not {"ASYNC", "AWAIT"} & found(tree)
    theirs = fissix_tree(f"{text}\n")
    if theirs is not None:  # nonlocal is a keyword in all of fissix's grammars
        assert list(flat(tree)) == list(flat(theirs))
    assert not found(tree) & (symbol_names(pygram.python_symbols) - FISSIX_SYMBOLS)


def test_words_of_new_statements_are_names_in_the_same_file() -> None:
    text = (
        "match = case = type = 1\nmatch x:\n    case match: case = match(case)\n"
        "    case case: type = 2\ntype type = type\nmatch(type)\n"
    )
    values = [leaf.value for leaf in leaves(tree_of(text)) if type_name(leaf) == "NAME"]
    assert values.count("match") == 5
    assert len(shapes(text, "match_stmt")) == len(shapes(text, "type_stmt")) == 1


def test_await_is_a_keyword_in_async_def_and_a_name_after_it() -> None:
    text = (
        "async def f():\n    await (x)\n    def g(): return await (y)\n"
        "def h(): return await (z)\nawait (w)\n"
    )
    assert shapes(text, "power") == [
        "(power await (atom ( x )))",
        "(power await (atom ( y )))",
        "(power await (trailer ( z )))",
        "(power await (trailer ( w )))",
    ]


# ---------------------------------------------------------------- match


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("x", "x"),
        ("(x)", "(atom ( x ))"),
        ("(x, y)", "(atom ( (testlist_gexp x , y) ))"),
        ("()", "(atom ( ))"),
        ("x,", "(subject_expr x ,)"),
        ("x, y", "(subject_expr x , y)"),
        ("*a, b", "(subject_expr (star_expr * a) , b)"),
        ("*a,", "(subject_expr (star_expr * a) ,)"),
        ("-x", "(factor - x)"),
        ("~x", "(factor ~ x)"),
        ("[a, b]", "(atom [ (listmaker a , b) ])"),
        ("{}", "(atom { })"),
        ("{a: b}", "(atom { (dictsetmaker a : b) })"),
        ("...", "(atom . . .)"),
        ("not a", "(not_test not a)"),
        ("lambda: 1", "(lambdef lambda : 1)"),
        ("x if y else z", "(test x if y else z)"),
        ("x := f()", "(namedexpr_test x := (power f (trailer ( ))))"),
        ("(yield)", "(atom ( yield ))"),
        ("await x", "(power await x)"),
        ("x[a:b]", "(power x (trailer [ (subscript a : b) ]))"),
        ("x.y(z=1)", "(power x (trailer . y) (trailer ( (argument z = 1) )))"),
        ("match", "match"),
        ("match(x)", "(power match (trailer ( x )))"),
        ("'a' 'b'", "(atom 'a' 'b')"),
        ("f'{x:>{y}}'", "f'{x:>{y}}'"),
        ("1", "1"),
        ("None", "None"),
    ],
)
def test_subjects_of_match(subject: str, expected: str) -> None:
    assert statement(f"match {subject}:\n    case _: pass") == (
        f"(match_stmt match {expected} : NEWLINE INDENT"
        " (case_block case _ : (simple_stmt pass NEWLINE)) DEDENT)"
    )


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("_", "_"),
        ("a", "a"),
        ("match", "match"),
        ("case", "case"),
        ("None", "None"),
        ("True", "True"),
        ("1", "1"),
        ("-1", "(signed_number - 1)"),
        ("1.5 + 2j", "(complex_number 1.5 + 2j)"),
        ("-1 - 2j", "(complex_number (signed_number - 1) - 2j)"),
        ("'a'", "'a'"),
        ("'a' b'b'", "(strings 'a' b'b')"),
        ("a.b", "(attr a . b)"),
        ("a.b.c", "(attr a . b . c)"),
        ("1 | 'a' | None", "(or_pattern 1 | 'a' | None)"),
        ("1 as a", "(as_pattern 1 as a)"),
        ("1 | 2 as a", "(as_pattern (or_pattern 1 | 2) as a)"),
        ("(a)", "(group_pattern ( a ))"),
        ("((a))", "(group_pattern ( (group_pattern ( a )) ))"),
        ("(1 | 2)", "(group_pattern ( (or_pattern 1 | 2) ))"),
        ("(1 | 2) as a", "(as_pattern (group_pattern ( (or_pattern 1 | 2) )) as a)"),
        ("(1 as a)", "(group_pattern ( (as_pattern 1 as a) ))"),
        ("(\n    a)", "(group_pattern ( a ))"),
        ("( # b\n    a # c\n    )", "(group_pattern ( a ))"),
        ("()", "(sequence_pattern ( ))"),
        ("[]", "(sequence_pattern [ ])"),
        ("(a,)", "(sequence_pattern ( (maybe_sequence_pattern a ,) ))"),
        ("(a, b)", "(sequence_pattern ( (maybe_sequence_pattern a , b) ))"),
        ("(\n    a,\n    b\n)", "(sequence_pattern ( (maybe_sequence_pattern a , b) ))"),
        ("[a]", "(sequence_pattern [ a ])"),
        ("[a, *b]", "(sequence_pattern [ (maybe_sequence_pattern a , (star_pattern * b)) ])"),
        ("(*a, b)", "(sequence_pattern ( (maybe_sequence_pattern (star_pattern * a) , b) ))"),
        ("[*_]", "(sequence_pattern [ (star_pattern * _) ])"),
        ("[(a), ()]", "(sequence_pattern [ (maybe_sequence_pattern (group_pattern ( a ))"
                      " , (sequence_pattern ( ))) ])"),
        ("a,", "(open_sequence_pattern a ,)"),
        ("a, b", "(open_sequence_pattern a , b)"),
        ("*a, b", "(open_sequence_pattern (star_pattern * a) , b)"),
        ("a as b, c as d", "(open_sequence_pattern (as_pattern a as b) , (as_pattern c as d))"),
        ("{}", "(mapping_pattern { })"),
        ("{'a': b}", "(mapping_pattern { (key_value_pattern 'a' : b) })"),
        ("{'a' 'b': c}", "(mapping_pattern { (key_value_pattern (strings 'a' 'b') : c) })"),
        ("{a.b: c}", "(mapping_pattern { (key_value_pattern (attr a . b) : c) })"),
        ("{-1: c}", "(mapping_pattern { (key_value_pattern (signed_number - 1) : c) })"),
        ("{None: c}", "(mapping_pattern { (key_value_pattern None : c) })"),
        ("{1: a, **b}", "(mapping_pattern { (items_pattern (key_value_pattern 1 : a)"
                        " , (double_star_pattern ** b)) })"),
        ("{**a,}", "(mapping_pattern { (items_pattern (double_star_pattern ** a) ,) })"),
        ("A()", "(class_pattern A ( ))"),
        ("a.B()", "(class_pattern (attr a . B) ( ))"),
        ("A(b)", "(class_pattern A ( b ))"),
        ("A(b=1)", "(class_pattern A ( (keyword_pattern b = 1) ))"),
        ("A(b, c=D(),)", "(class_pattern A ( b , (keyword_pattern c = (class_pattern D ( ))) , ))"),
        ("A((b), (c, d))", "(class_pattern A ( (group_pattern ( b )) , (sequence_pattern"
                           " ( (maybe_sequence_pattern c , d) )) ))"),
        ("A(b | c as d)", "(class_pattern A ( (as_pattern (or_pattern b | c) as d) ))"),
        ("match(case=type)", "(class_pattern match ( (keyword_pattern case = type) ))"),
        ("a if b", "a (guard if b)"),
        ("a if b := a", "a (guard if (namedexpr_test b := a))"),
        ("a, b if (c)", "(open_sequence_pattern a , b) (guard if (atom ( c )))"),
    ],
)  # fmt: skip
def test_patterns(pattern: str, expected: str) -> None:
    assert in_match(pattern) == expected


@pytest.mark.parametrize("pattern", ["(\n    )", "( # a\n    )"])
def test_a_pattern_of_an_empty_tuple_may_span_lines(pattern: str) -> None:
    assert in_match(pattern) == "(sequence_pattern ( ))"


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n\n    case 1: pass\n",
        "match x: # a\n    case 1: pass\n",
        "match x:\n    # a\n\n  # b\n    case 1: pass\n",
        "match x:\n# a\n    case 1: pass\n",
        "match x:\n    case 1: pass\n# a\n\n    case 2: pass\n",
        "match x:\n    case 1:\n        pass\n        # a\n    # b\n    case 2:\n        pass\n",
        "match x:\n\tcase 1:\n\t\tpass\n",
        "match \\\n  x:\n    case 1: pass\n",
        "match x \\\n  :\n    case 1: pass\n",
        "match x:\n    case \\\n    1 \\\n    : pass\n",
        "match(x):\n    case 1: pass\n",
        "match (\n    x,\n    y,\n):\n    case (\n        1,\n    ): pass\n",
        "match x:\r\n    case 1: pass\r\n",
        "match x:\r    case 1: pass\r",
        "match x:\n    case 1: pass",
        "match x:\n    case 1: pass\n    case 2: pass\n    case _: pass\n",
        "match f('''a\n:'''):\n    case 1: pass\n",
        'match f"{x["a"]:>{y}}":\n    case 1: pass\n',
        "match {x: [y, (z)]}[a:b]:\n    case 1: pass\n",
    ],
)
def test_layouts_of_match(text: str) -> None:
    tree = tree_of(text)
    assert [type_name(node) for node in tree.children] == ["match_stmt", "ENDMARKER"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("class A:\n    def f(self):\n        match self:\n            case A(): pass\n", 1),
        ("match x:\n  case 1:\n    match y:\n      case 2: pass\n  case 3: pass\n", 2),
        ("match x:\n  case 1: pass\nmatch y:\n  case 2: pass\n", 2),
        ("if x:\n  match y:\n    case 1: pass\nelse:\n  match: int\n", 1),
        ("async def f():\n  match await x:\n    case 1: await y\n", 1),
        ("x; y\nmatch x:\n  case 1: match = 1; case = 2\n", 1),
        ("match x:\n  case 1:\n    case = 2\n    case(case)\n  case case: pass\n", 1),
    ],
)
def test_match_inside_other_statements(text: str, count: int) -> None:
    assert len(shapes(text, "match_stmt")) == count


# ---------------------------------------------------------------- statements and clauses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # PEP 695 and 696
        ("type X = int", "(type_stmt type X = int)"),
        ("type type = type", "(type_stmt type type = type)"),
        ("type match = case", "(type_stmt type match = case)"),
        ("type \\\n  X = int", "(type_stmt type X = int)"),
        ("type X[T] = T", "(type_stmt type X (type_params [ T ]) = T)"),
        (
            "type X[T: int, *U, **P] = T",
            "(type_stmt type X (type_params [ (type_param T : int) , (type_param * U)"
            " , (type_param ** P) ]) = T)",
        ),
        (
            "type X[T = int, *U = *V, **P = [a],] = T",
            "(type_stmt type X (type_params [ (type_param T = int) , (type_param * U ="
            " (star_expr * V)) , (type_param ** P = (atom [ a ])) , ]) = T)",
        ),
        (
            "type X[T: (int, str) = int] = lambda: T",
            "(type_stmt type X (type_params [ (type_param T : (atom ( (testlist_gexp int , str) ))"
            " = int) ]) = (lambdef lambda : T))",
        ),
        (
            "def f[T](a: T) -> T: pass",
            "(funcdef def f (type_params [ T ]) (parameters ( (tname a : T) )) -> T :"
            " (simple_stmt pass NEWLINE))",
        ),
        (
            "def f[\n    T,\n](): pass",
            "(funcdef def f (type_params [ T , ]) (parameters ( )) : (simple_stmt pass NEWLINE))",
        ),
        ("class A[T]: pass", "(classdef class A (type_params [ T ]) : (simple_stmt pass NEWLINE))"),
        (
            "class A[*T](B): pass",
            "(classdef class A (type_params [ (type_param * T) ]) ( B ) :"
            " (simple_stmt pass NEWLINE))",
        ),
        # PEP 614
        (
            "@x[0].y\ndef f(): pass",
            "(decorated (decorator @ (power x (trailer [ 0 ]) (trailer . y)) NEWLINE)"
            " (funcdef def f (parameters ( )) : (simple_stmt pass NEWLINE)))",
        ),
        *(
            (
                f"@{expression}\nclass A: pass",
                f"(decorated (decorator @ {shown} NEWLINE)"
                " (classdef class A : (simple_stmt pass NEWLINE)))",
            )
            for expression, shown in [
                ("f(a)(b)", "(power f (trailer ( a )) (trailer ( b )))"),
                ("f(a).b", "(power f (trailer ( a )) (trailer . b))"),
                ("(f)", "(atom ( f ))"),
                ("(lambda f: f)", "(atom ( (lambdef lambda f : f) ))"),
                ("lambda f: f", "(lambdef lambda f : f)"),
                ("f if x else y", "(test f if x else y)"),
                ("f := g", "(namedexpr_test f := g)"),
                ("f or g", "(or_test f or g)"),
                ("[f][0]", "(power (atom [ f ]) (trailer [ 0 ]))"),
                ("f(\n)(\n)", "(power f (trailer ( )) (trailer ( )))"),
                ("'a'.b", "(power 'a' (trailer . b))"),
            ]
        ),
        # PEP 617
        *(
            (f"with {items}: pass", f"(with_stmt with {shown} : (simple_stmt pass NEWLINE))")
            for items, shown in [
                ("(a as b)", "( (with_item a as b) )"),
                ("(a as b,)", "( (with_item a as b) , )"),
                ("(a as b, c as d)", "( (with_item a as b) , (with_item c as d) )"),
                ("(a, b as c,)", "( a , (with_item b as c) , )"),
                ("(\n  a as b, # c\n  d,\n)", "( (with_item a as b) , d , )"),
                (
                    "(f(a, b) as c, (d) as e)",
                    "( (with_item (power f (trailer ( (arglist a , b) ))) as c)"
                    " , (with_item (atom ( d )) as e) )",
                ),
                ("(a as b.c[0])", "( (with_item a as (power b (trailer . c) (trailer [ 0 ]))) )"),
                ("(await a as b)", "( (with_item (power await a) as b) )"),
                ("(a as (b, c))", "( (with_item a as (atom ( (testlist_gexp b , c) ))) )"),
                ("((a, b) as c)", "( (with_item (atom ( (testlist_gexp a , b) )) as c) )"),
            ]
        ),
        (
            "async with (a as b, c): pass",
            "(async_stmt async (with_stmt with ( (with_item a as b) , c ) :"
            " (simple_stmt pass NEWLINE)))",
        ),
        # PEP 572, in places that fissix does not have
        ("x[y := 1]", "(power x (trailer [ (namedexpr_test y := 1) ]))"),
        (
            "x[y := 1, z := 2]",
            "(power x (trailer [ (subscriptlist (namedexpr_test y := 1) ,"
            " (namedexpr_test z := 2)) ]))",
        ),
        ("{x := 1, 2}", "(atom { (dictsetmaker (namedexpr_test x := 1) , 2) })"),
        (
            "{x := y for y in z}",
            "(atom { (dictsetmaker (namedexpr_test x := y) (comp_for for y in z)) })",
        ),
        (
            "f(x := y for y in z)",
            "(power f (trailer ( (argument x := y (comp_for for y in z)) )))",
        ),
        # PEP 646
        ("x[*a]", "(power x (trailer [ (star_expr * a) ]))"),
        ("x[a, *b]", "(power x (trailer [ (subscriptlist a , (star_expr * b)) ]))"),
        (
            "def f(*a: *b): pass",
            "(funcdef def f (parameters ( (typedargslist * (tname a : (star_expr * b))) )) :"
            " (simple_stmt pass NEWLINE))",
        ),
        # Python 3.8 and 3.9
        (
            "x: tuple = 1, *b",
            "(expr_stmt x (annassign : tuple = (testlist_star_expr 1 , (star_expr * b))))",
        ),
        ("x: int = yield", "(expr_stmt x (annassign : int = yield))"),
        (
            "for x in *a, b: pass",
            "(for_stmt for x in (testlist (star_expr * a) , b) : (simple_stmt pass NEWLINE))",
        ),
        ("return *a, b", "(return_stmt return (testlist_star_expr (star_expr * a) , b))"),
        ("yield *a, b", "(yield_expr yield (testlist_star_expr (star_expr * a) , b))"),
    ],
)
def test_statements(text: str, expected: str) -> None:
    assert statement(text) == expected


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        # PEP 758
        ("except A, B", "(except_clause except A , B) :"),
        ("except A, B, C", "(except_clause except A , B , C) :"),
        ("except A, B,", "(except_clause except A , B ,) :"),
        ("except a.B, c.D", "(except_clause except (power a (trailer . B)) ,"
                            " (power c (trailer . D))) :"),
        # PEP 654
        ("except* A", "(except_star_block except * A :"),
        ("except *A", "(except_star_block except * A :"),
        ("except*A as e", "(except_star_block except * A as e :"),
        ("except* (A, B) as e", "(except_star_block except * (atom ( (testlist_gexp A , B) ))"
                                " as e :"),
        ("except* A, B", "(except_star_block except * A , B :"),
        ("except \\\n * A", "(except_star_block except * A :"),
    ],
)  # fmt: skip
def test_except(clause: str, expected: str) -> None:
    assert expected in statement(f"try: pass\n{clause}: pass")


def test_except_star_takes_the_same_clauses_after_it() -> None:
    text = "try: pass\nexcept* A: pass\nexcept* B as e: pass\nelse: pass\nfinally: pass"
    suite = "(simple_stmt pass NEWLINE)"
    assert statement(text) == (
        f"(try_stmt try : {suite} (except_star_block except * A : {suite})"
        f" (except_star_block except * B as e : {suite}) else : {suite} finally : {suite})"
    )


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("a, /", "a , /"),
        ("a, /,", "a , / ,"),
        ("a, b, /", "a , b , /"),
        ("a, /, b", "a , / , b"),
        ("a, b=1, /", "a , b = 1 , /"),
        ("a=1, /, b=2", "a = 1 , / , b = 2"),
        ("a, /, *, b", "a , / , * , b"),
        ("a, /, *b, c=1, **d", "a , / , * b , c = 1 , ** d"),
        ("a, /, b, *c", "a , / , b , * c"),
        ("a, /, **b", "a , / , ** b"),
        ("a, /, b=1, *, c, **d,", "a , / , b = 1 , * , c , ** d ,"),
    ],
)
def test_positional_only_parameters(parameters: str, expected: str) -> None:
    assert shapes(f"def f({parameters}): pass\n", "typedargslist") == [
        f"(typedargslist {expected})"
    ]
    assert shapes(f"lambda {parameters}: 1\n", "varargslist") == [f"(varargslist {expected})"]


def test_annotations_of_positional_only_parameters() -> None:
    assert shapes("def f(a: int, b: int = 1, /): pass\n", "typedargslist") == [
        "(typedargslist (tname a : int) , (tname b : int) = 1 , /)"
    ]


# ---------------------------------------------------------------- async


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("await x", "(power await x)"),
        ("await x.y(z)", "(power await x (trailer . y) (trailer ( z )))"),
        ("await x ** 2", "(power await x ** 2)"),
        ("await 1", "(power await 1)"),
        ("await 'a'", "(power await 'a')"),
        ("x = await y", "(expr_stmt x = (power await y))"),
        ("f(await x)", "(power f (trailer ( (power await x) )))"),
        ("async for x in y: pass", "(async_stmt async (for_stmt for x in y :"
                                   " (simple_stmt pass NEWLINE)))"),
        ("async with x: pass", "(async_stmt async (with_stmt with x :"
                               " (simple_stmt pass NEWLINE)))"),
        ("[x async for x in y]", "(atom [ (listmaker x (comp_for async for x in y)) ])"),
        ("{x async for x in y}", "(atom { (dictsetmaker x (comp_for async for x in y)) })"),
        ("(x async for x in y)", "(atom ( (testlist_gexp x (comp_for async for x in y)) ))"),
        ("f(x async for x in y)", "(power f (trailer ( (argument x"
                                  " (comp_for async for x in y)) )))"),
        ("[x for x in y async for z in x]", "(atom [ (listmaker x (comp_for for x in y"
                                            " (comp_for async for z in x))) ])"),
        ("[x async for x in y if await x]", "(atom [ (listmaker x (comp_for async for x in y"
                                            " (comp_if if (power await x)))) ])"),
    ],
)  # fmt: skip
def test_async_at_the_top_level(text: str, expected: str) -> None:
    assert statement(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "async def f(): return [\n    x\n    async for x in y\n]\n",
        "async def f(): return (\n    await\n    x\n)\n",
        "async def f(): await [x]\n",
        "async def f(): await {}\n",
        "async def f(): await ...\n",
        "async def f(): await (yield)\n",
        "async def f(): await (lambda: await x)\n",
        "async def f(): return await x if await y else await z\n",
        "async def f():\n    async with await x as y, z: pass\n",
        "async def f():\n    return {await x: y async for y in z async for w in y}\n",
        "async def f(x=await_): yield await x\n",
    ],
)
def test_async_functions(text: str) -> None:
    assert {"ASYNC", "async_stmt"} <= found(tree_of(text))


@pytest.mark.parametrize("text", ["await []", "await {}", "await ...", "await .5"])
def test_await_at_the_top_level_where_no_name_can_be(text: str) -> None:
    assert "AWAIT" in found(tree_of(f"{text}\n"))


@pytest.mark.parametrize(
    ("text", "name"), [("(await\n x)\n", "AWAIT"), ("[x async\n for x in y]\n", "ASYNC")]
)
def test_a_newline_in_brackets_may_follow_async_and_await(text: str, name: str) -> None:
    assert name in found(tree_of(text))


# ---------------------------------------------------------------- strings


@pytest.mark.parametrize(
    "literal",
    [
        "f''",
        "f'a'",
        "f'{x}'",
        "F'{x}'",
        "rf'{x}'",
        "fR'{x}'",
        "t'{x}'",
        "T'a{x!r:>{y}}'",
        "rt'\\d{x}'",
        "Tr'{x}'",
        't"{x["a"]}"',
        "t'''{x\n}'''",
        "f'{x!r}'",
        "f'{x!s:>10}'",
        "f'{x=}'",
        "f'{x = }'",
        "f'{x=!r:^20}'",
        "f'{x:}'",
        "f'{x:%H:%M}'",
        "f'{x:{y}}'",
        "f'{x:{y}.{z}}'",
        "f'{x:{y:{z}}}'",
        "f'{x:>{f'{y}'}}'",
        "f'{x!r:{y!s}}'",
        "f'{x:=5}'",
        "f'{x:!r}'",
        "f'{x:#x}'",
        "f'{(x:=5)}'",
        "f'{x != y}'",
        "f'{x!=y}'",
        "f'{x[a:b]}'",
        "f'{(lambda x: x)(1)}'",
        "f'{ {a: b}[c] }'",
        "f'{[x for x in {1: 2}]}'",
        "f'{x,}'",
        "f'{*x, y}'",
        "f'{yield x}'",
        "f'{await x}'",
        "f'{{}}'",
        "f'{{{x}}}'",
        "f'{{{{'",
        "f'a}}b'",
        "f'{{x}}'",
        "f'{x}{y}{{z}}'",
        "f'{x:{{1: 2}[1]}}'",
        "f'\\n{x}\\''",
        "f'\\{x}'",
        "f'\\\\{x}'",
        "rf'\\{x}'",
        "rf'\\\\{x}'",
        "f'\\N{DIGIT ONE}{x}'",
        "f'{x:\\N{DIGIT ONE}}'",
        "f'\\N{LEFT CURLY BRACKET}'",
        "rf'\\N{x}'",
        "f'\\\\N{x}'",
        "f'{'\\n'.join(x)}'",
        "f'{'a'}'",
        "f'{''}'",
        "f'{'a' 'b'}'",
        "f'{x['a']}'",
        'f"{x["a"]["b"]}"',
        "f'{f'{x}'}'",
        "f'{f'{f'{f'{1}'}'}'}'",
        "f'{f\"{f'''{x}'''}\"}'",
        "f'{'''a\nb'''}'",
        "f'{x\n}'",
        "f'{\nx\n}'",
        "f'{x # a }'\n}'",
        "f'{x # {\n:>5}'",
        "f'{f(\n    a, # '\n    b,\n)}'",
        "f'''{\n    x # a\n    !r\n    :>5}'''",
        "f'''a\n{x}\n'''",
        "f'''a'b''c\"{x}'''",
        'f"""{x["""a"""]}"""',
        "f'''{x:\n>5}'''",
        "f'''{x:''}'''",
        "f'''\\''''",
        "f'a\\\n{x}b'",
        "f'{'\\''}'",
        "f'{r'\\'}'}'",
        "f'{b'}'}'",
        "f'{x!r }'",
        "f'{x}' 'b' rf'{y}'",
        "u'a'",
        "ur'\\d'",
        "b'a' B'b'",
        "bR'\\d' Rb'a'",
        "'{' \"}\"",
        "'' f''",
        "''''a'''",
        "'''a''b'\\''''",
        "'\\\n\\\r\n'",
    ],
)
def test_strings_are_one_token_each(literal: str) -> None:
    tree = tree_of(f"x = {literal}, y\n")
    [row] = [node for node in tree.children[0].children[0].children if node.children]
    first, comma, last = row.children
    assert str(first).strip() == literal
    assert {type_name(leaf) for leaf in leaves(first)} == {"STRING"}
    assert (comma.value, last.value) == (",", "y")


@pytest.mark.parametrize(
    "text",
    [
        "f'",
        "f'{'",
        "f'{x'",
        "f'{x:'",
        "f'{x:>{y}'",
        "f'{x!}'",
        "f'{x!'",
        "f'{x!r:'",
        "f'a\n'",
        "f'{x}\n'",
        "f'{x # a}'",
        "f'{'a}'",
        "f'{x['a]}'",
        "f'''{x}''",
        "f'''{'''",
        "rf'{x}\\'",
        "f'{f'{f'{x}'}'",
        "t'{x",
        "t'{'",
    ],
)
def test_strings_that_do_not_end(text: str) -> None:
    assert "-string does not end" in problem_of(f"{text}\n").reason


# ---------------------------------------------------------------- names and numbers


@pytest.mark.parametrize(
    "name",
    [
        "é",
        "日本",
        "x\u0301",  # a combining accent
        "e\u0301\u0302",
        "\u2118",  # Other_ID_Start
        "\u212e",
        "x\u00b7y",  # Other_ID_Continue
        "x\u1369",
        "\u0431\u0443\u043a\u0432\u0430",
        "\U0001d4d0",
        "ªº",
        "x_1é",
        "_\u0660",  # a digit
        "ﬁ",
    ],
)
def test_unicode_names(name: str) -> None:
    assert statement(f"{name} = {name}.{name}") == (
        f"(expr_stmt {name} = (power {name} (trailer . {name})))"
    )


@pytest.mark.parametrize(
    "number",
    [
        *("0", "00", "1", "10", "1_000", "0_0", "1_0_0"),
        *("0777", "0o17", "0O1_7", "0x1f", "0XF_F", "0x_ff", "0b1", "0B_1_0"),
        *("10L", "10l", "0xFFl", "0xFFL", "0777L", "0o17L", "0b1L"),
        *("1.", "1.5", ".5", "1_0.0_1", "00.5", "09.5", "08j"),
        *("1e5", "1E5", "1e-5", "1.e+5", ".5e1_0", "1_0e1"),
        *("1j", "1J", "1.5j", ".5J", "1e5j", "1_0j", "1.j"),
    ],
)
def test_numbers_are_one_token(number: str) -> None:
    assert statement(f"x = {number}") == f"(expr_stmt x = {number})"
    assert statement(f"{number} .real") == f"(power {number} (trailer . real))"
    assert (
        statement(f"-{number}if {number} else y")
        == f"(test (factor - {number}) if {number} else y)"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1if x else y", "(test 1 if x else y)"),
        ("x if 1else y", "(test x if 1 else y)"),
        ("1or x", "(or_test 1 or x)"),
        ("1in x", "(comparison 1 in x)"),
        ("1.in x", "(comparison 1. in x)"),
        ("[1for x in y]", "(atom [ (listmaker 1 (comp_for for x in y)) ])"),
        ("0xfor x", "(or_test 0xf or x)"),
        ("1..__class__", "(power 1. (trailer . __class__))"),
        ("1.0.__class__", "(power 1.0 (trailer . __class__))"),
        ("1 .__class__", "(power 1 (trailer . __class__))"),
        ("(1).__class__", "(power (atom ( 1 )) (trailer . __class__))"),
        ("1j.imag", "(power 1j (trailer . imag))"),
        ("1e5.real", "(power 1e5 (trailer . real))"),
        ("x[1:.5]", "(power x (trailer [ (subscript 1 : .5) ]))"),
        ("x[...,.5]", "(power x (trailer [ (subscriptlist (atom . . .) , .5) ]))"),
    ],
)
def test_what_follows_a_number(text: str, expected: str) -> None:
    assert statement(text) == expected


@pytest.mark.parametrize(
    ("number", "rest"),
    [
        ("1.__class__", "__class__"),
        ("1__0", "__0"),
        ("1_", "_"),
        ("0x", "x"),
        ("0xg", "xg"),
        ("0o8", "o8"),
        ("0b2", "b2"),
        ("1e", "e"),
        ("1e+", "e"),
        ("1_a", "_a"),
        ("10LL", "L"),
        ("1jj", "j"),
        ("1.5.5", ".5"),
    ],
)
def test_what_is_no_number(number: str, rest: str) -> None:
    problem = problem_of(f"x = {number}\n")
    assert problem.line == 1
    assert f"unexpected '{rest}'" in problem.reason


# ---------------------------------------------------------------- Python 2


@pytest.mark.parametrize(
    "text",
    [
        "print 'a'",
        "print x, y,",
        "print >>f, 'a'; print 'b'",
        "print >>f; print",
        "exec 'x' in d, e",
        "exec 'x'",
        "`x`",
        "x <> y",
        "ur'a' + UR'b'",
        "def f(a, (b, c), (d, (e,))=g): pass",
        "lambda (a, b), c: a",
        "raise E, V",
        "raise E, V, T",
        "try: pass\nexcept E, e: pass",
        "try: pass\nexcept (E, F), e: pass",
        "0777 + 10L + 0xFFl",
        "[x for x in 1, 2]",
        "True = 0",
        "print ('a'), 'b'; print 'c'",
        "if x: print 'a'; exec 'b'\nelse: print",
    ],
)
def test_python_2_has_fissix_own_tree(text: str) -> None:
    theirs = fissix_tree(f"{text}\n", STATEMENTS)
    assert theirs is not None
    assert list(flat(tree_of(f"{text}\n"))) == list(flat(theirs))


def test_print_and_exec_are_found_out_for_each_file() -> None:
    assert not {"print_stmt", "exec_stmt"} & found(tree_of("print('a', file=f)\nexec('b', c)\n"))
    assert "print_stmt" not in found(tree_of("from __future__ import print_function\nprint(x)\n"))
    mixed = found(tree_of("print('a', file=f)\nexec 'b' in c\n"))
    assert "exec_stmt" in mixed
    assert "print_stmt" not in mixed
    assert {"print_stmt", "exec_stmt"} <= found(tree_of("print 'a'\nexec 'b'\n"))


# ---------------------------------------------------------------- what is refused

NOT_PYTHON = [
    "match x:\n    pass\n",
    "match x:\n    case 1 pass\n",
    "match x:\n    case: pass\n",
    "match x: case 1: pass\n",
    "match x:\n    case 1: pass\n    x = 1\n",
    "match x:\ncase 1: pass\n",
    "match:\n    case 1: pass\n",
    "match x:\n    case 1 + 2: pass\n    case y z: pass\n",
    "match x:\n    case a.b.(c): pass\n",
    "match x:\n    case f()(): pass\n",
    "match x:\n    case a[0]: pass\n",
    "match x:\n    case -a: pass\n",
    "match x:\n    case not a: pass\n",
    "match x:\n    case a and b: pass\n",
    "match x:\n    case a | *b: pass\n",
    "match x:\n    case (*a): pass\n",
    "match x:\n    case {a, b}: pass\n",
    "match x:\n    case {*a}: pass\n",
    "match x:\n    case {**a.b}: pass\n",
    "match x:\n    case A(*b): pass\n",
    "match x:\n    case A(**b): pass\n",
    "match x:\n    case A(b=): pass\n",
    "match x:\n    case a as b as c: pass\n",
    "match x:\n    case a as 1: pass\n",
    "match x:\n    case a if: pass\n",
    "match x:\n    case lambda: 1: pass\n",
    "case 1: pass\n",
    "type X\n",
    "type X: int = 1\n",
    "type X.y = int\n",
    "type X[] = int\n",
    "type X[1] = int\n",
    "type X[T.u] = int\n",
    "type 1 = int\n",
    "type X = Y = int\n",
    "def f[](): pass\n",
    "def f[T]: pass\n",
    "def f[*T: int](): pass\n",
    "class A[T: ]: pass\n",
    "class A[**P: int]: pass\n",
    "class A(B)[T]: pass\n",
    "try: pass\nexcept* A: pass\nexcept B: pass\n",
    "try: pass\nexcept B: pass\nexcept* A: pass\n",
    "try: pass\nexcept*: pass\n",
    "try: pass\nexcept A B: pass\n",
    "try: pass\nexcept A, B as e: pass\n",
    "try: pass\nelse: pass\n",
    "try: pass\n",
    "with (a as b), c: pass\n",
    "with (a as b) as c: pass\n",
    "with (a as b c as d): pass\n",
    "with (a as): pass\n",
    "with (as b): pass\n",
    "with a as b as c: pass\n",
    "with: pass\n",
    "def f(/): pass\n",
    "def f(/, a): pass\n",
    "def f(a, /, b, /): pass\n",
    "def f(*, a, /): pass\n",
    "def f(*a, /): pass\n",
    "def f(a /): pass\n",
    "lambda /: 1\n",
    "x := 1\n",
    "x = y := 1\n",
    "del x := 1\n",
    "@\ndef f(): pass\n",
    "@a\nx = 1\n",
    "@a def f(): pass\n",
    "@a.b c\ndef f(): pass\n",
    "@a:\ndef f(): pass\n",
    "@a\n",
    "x[*]\n",
    "def f(a: *b, *c: **d): pass\n",
    "async x = 1\n",
    "async if x: pass\n",
    "async def f: pass\n",
    "[x async in y]\n",
    "async def f():\n    await = 1\n",
    "await x y\n",
    "x = 1 2\n",
    "x = 'a' 1\n",
    "x..y\n",
    "x.1\n",
    "x->y\n",
    "x = $\n",
    "x ? y\n",
    "x!\n",
    "x = !y\n",
    "x === y\n",
    "x ++\n",
    "x =\n",
    "for x y: pass\n",
    "for in y: pass\n",
    "if : pass\n",
    "if x pass\n",
    "else: pass\n",
    "elif x: pass\n",
    "finally: pass\n",
    "class : pass\n",
    "class 1: pass\n",
    "def (): pass\n",
    "def f() pass\n",
    "def f(a b): pass\n",
    "def f(a.b): pass\n",
    "def f(1): pass\n",
    "def f(*): pass x\n",
    "lambda x 1\n",
    "import\n",
    "import a b\n",
    "import a.\n",
    "import .a\n",
    "from a\n",
    "from a import\n",
    "from a import ()\n",
    "from a import (b\n",
    "from import a\n",
    "from a import b c\n",
    "from a import b.c\n",
    "global\n",
    "global x.y\n",
    "return x y\n",
    "raise from x\n",
    "assert\n",
    "del\n",
    "while: pass\n",
    "(x\n",
    "x)\n",
    "(x]\n",
    "{x: }\n",
    "{x: y, z}\n",
    "{**x: y}\n",
    "[x for]\n",
    "[for x in y]\n",
    "[x for x in]\n",
    "[x if y]\n",
    "f(x y)\n",
    "f(,)\n",
    "f(x=)\n",
    "f(**)\n",
    "x[]\n",
    "x[1:2:3:4]\n",
    "x if y\n",
    "x else y\n",
    "not\n",
    "x not y\n",
    "x is is y\n",
    "x and\n",
    "and x\n",
    "*\n",
    "'a\n",
    "'''a\n",
    "f'{x'\n",
    "\\x\n",
    "x \\ \n",
    "if x:\npass\n",
    "if x:\n    pass\n  pass\n",
    "  x\n",
    "x\n  y\n",
    "pass pass\n",
    "; x\n",
    "x;; y\n",
    "if x: if y: pass\n",
    "if x: pass else: pass\n",
    "class A: def f(): pass\n",
    "x, = ,\n",
    "None x\n",
    "yield from\n",
    "x = yield from\n",
    "\u00a0x\n",
    "x\uff0cy\n",
    "x = \u201ca\u201d\n",
]


@pytest.mark.parametrize("text", NOT_PYTHON)
def test_what_is_no_python_is_refused(text: str) -> None:
    problem_of(text)


@pytest.mark.parametrize("text", NOT_PYTHON)
def test_the_host_refuses_it_too(text: str) -> None:
    with pytest.raises(SyntaxError):
        compile(text, "refused.py", "exec", dont_inherit=True)


@pytest.mark.parametrize("text", ["match(x)\ncase(1)\n", "match\ncase = 1\n", "match[x]\ncase\n"])
def test_a_line_before_one_that_begins_with_case_is_no_match_statement(text: str) -> None:
    assert not {"match_stmt", "case_block"} & found(tree_of(text))


@pytest.mark.parametrize(
    "imported", ["print_function", "(division,\n    print_function)", "division, print_function"]
)
def test_print_is_no_statement_where_it_was_imported_as_a_function(imported: str) -> None:
    head = f"from __future__ import {imported}\n"
    assert "print_stmt" not in found(tree_of(f"{head}print('x', end='')\n"))
    with pytest.raises(SyntaxProblem):
        parse(f"{head}print 'x'\n")
    assert "print_stmt" in found(tree_of("# print_function\nprint 'x'\n"))
