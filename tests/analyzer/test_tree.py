"""Tree: places, calls, arguments and statements of a file."""

from __future__ import annotations

import tracemalloc

import pytest
from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax import tree as trees
from pinsetter.analyzer.syntax.tree import LN, Argument, Call, Tree


def tree_of(text: str) -> Tree:
    return Tree(parse(text), text)


def first_call(text: str) -> Call:
    return tree_of(text).calls[0]


def leaf(tree: Tree, value: str, nth: int = 0) -> LN:
    return [node for node in trees.leaves(tree.root) if node.value == value][nth]


def expression(text: str) -> trees.Expression:
    return (tree_of(f"{text}\n").root.children[0].children[0],)


# ---------------------------------------------------------------- calls and arguments


@pytest.mark.parametrize(
    "text",
    ["x\n", "x.y\n", "x[0]\n", "class A(B): pass\n", "def f(a): pass\n", "(x)\n", "print x\n"],
)
def test_what_is_not_a_call(text: str) -> None:
    assert tree_of(text).calls == ()


def test_every_call_of_a_chain_is_found_outer_first() -> None:
    tree = tree_of("a.b(c(d)).e()(f)\n")
    assert [tree.source(call.expression) for call in tree.calls] == [
        "a.b(c(d)).e()(f)",
        "a.b(c(d)).e()",
        "a.b(c(d))",
        "c(d)",
    ]


def test_await_and_power_are_no_part_of_a_callee() -> None:
    tree = tree_of("async def f():\n    await g.h(1) ** 2\n")
    assert [tree.source(call.callee) for call in tree.calls] == ["g.h"]


@pytest.mark.parametrize("text", ["f(x)\n", "f()(x)\n", "f[0](x)\n", "(a.b)(x)\n"])
def test_a_call_that_is_no_method_call_has_no_receiver(text: str) -> None:
    assert first_call(text).method is None
    assert first_call(text).receiver == ()


def test_method_and_receiver() -> None:
    tree = tree_of("a.b().c[0].d(x)\n")
    assert tree.calls[0].method == "d"
    assert tree.source(tree.calls[0].receiver) == "a.b().c[0]"


def test_calls_of_methods_by_their_names() -> None:
    tree = tree_of('f(x)\na.f(1).g(2)\nprint(f"{b.f(3)}")\ng = a.f\n')
    found = [tree.source(call.expression) for call in tree.calls_of("f")]
    assert found == ["a.f(1)", "b.f(3)"]
    assert tree.source(tree.calls_of("g", "f")[0].expression) == "a.f(1).g(2)"
    assert tree.calls_of("h") == [] == tree.calls_of()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("f()", None),
        ("f(*a)", None),
        ("f(**a)", None),
        ("f(1)", None),
        ("f(*a, 1)", None),
        ("f(1, *a, 2)", None),
        ("f(1, y=2)", None),
        ("f(1, (x == 2))", "(x == 2)"),
        ("f(1, 2)", "2"),
        ("f(1, x=2)", "2"),
        ("f(*a, x=2)", "2"),
        ("f(x=2, *a)", "2"),
        ("f(1, 2, *a)", "2"),
        ("f(1, 2, **a)", "2"),
        ("f(1, y := 2)", "y := 2"),
        ("f(1, (z for z in x))", "(z for z in x)"),
    ],
)
def test_an_argument_is_found_where_it_is_certain(text: str, found: str | None) -> None:
    tree = tree_of(f"{text}\n")
    argument = tree.calls[0].argument("x", 1)
    assert (tree.source((argument.value,)) if argument else None) == found


def test_arguments_tell_stars_and_keywords() -> None:
    def told(argument: Argument) -> tuple[str | None, str, str]:
        return argument.name, argument.star, str(argument.value).strip()

    call = first_call("f(a, *b, c=d, e=lambda: 1, **g)\n")
    assert [told(argument) for argument in call.arguments] == [
        (None, "", "a"),
        (None, "*", "b"),
        ("c", "", "d"),
        ("e", "", "lambda: 1"),
        (None, "**", "g"),
    ]


def test_a_generator_is_one_argument() -> None:
    assert len(first_call("f(x for x in y)\n").arguments) == 1


@pytest.mark.parametrize(
    "text", ["x", "x.y", "f(x).y", "f(x)[0]", "f(x) + 1", "f(x) ** 2", "(f(x), 1)"]
)
def test_an_expression_that_is_no_call_as_a_whole(text: str) -> None:
    assert trees.outer_call(expression(text)) is None


@pytest.mark.parametrize("text", ["f(x)", "(f(x))", "((a.b(1).f(x)))"])
def test_the_call_that_an_expression_is(text: str) -> None:
    call = trees.outer_call(expression(text))
    assert call is not None
    assert str(call.arguments[0].value) == "x"


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    "text", ["f()", "a.b()", "a[0].b", "1", "a + b", "(a, b)", "'a'.b", "f().b"]
)
def test_what_is_not_dotted_names(text: str) -> None:
    assert trees.dotted(expression(text)) == ()


@pytest.mark.parametrize(
    ("text", "names"), [("a", ("a",)), ("a.b . c", ("a", "b", "c")), ("(a.b)", ("a", "b"))]
)
def test_dotted_names(text: str, names: tuple[str, ...]) -> None:
    assert trees.dotted(expression(text)) == names


@pytest.mark.parametrize(
    ("left", "right"), [("a", "b"), ("a.b", "a"), ("f(a)", "f(b)"), ("'a'", '"a"'), ("a", "a()")]
)
def test_different_code(left: str, right: str) -> None:
    assert not trees.same_code(expression(left), expression(right))


@pytest.mark.parametrize(
    ("left", "right"), [("a.b", "a . b"), ("(a)", "a"), ("f(a,b)", "f(\n  a,  # c\n  b)")]
)
def test_the_same_code_in_other_space(left: str, right: str) -> None:
    assert trees.same_code(expression(left), expression(right))


@pytest.mark.parametrize("text", ["(a, b)", "()", "(yield)", "[a]", "(a for a in b)"])
def test_parentheses_that_mean_something_stay(text: str) -> None:
    nodes = expression(text)
    assert trees.unwrap(nodes) == nodes


# ---------------------------------------------------------------- places


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_places_are_those_of_the_file(newline: str) -> None:
    text = newline.join(["\ufeff# c", "if x:", "    f( a )  # d", "", "g(b)", ""])
    tree = tree_of(text)
    assert [tree.source(call.expression) for call in tree.calls] == ["f( a )", "g(b)"]
    assert [tree.line_of(call.callee[0]) for call in tree.calls] == [3, 5]
    assert text[tree.line_start(tree.start(tree.calls[0].callee[0])) :].startswith("    f(")


def test_a_missing_final_newline_does_not_push_the_end_out() -> None:
    tree = tree_of("if x:\n    y")
    assert tree.end(tree.root) == len(tree.text)
    assert tree.end(tree.root.children[0]) == len(tree.text)


def test_places_in_a_file_without_code() -> None:
    tree = tree_of("# only\n")
    assert tree.calls == ()
    assert 0 <= tree.start(tree.root) <= tree.end(tree.root) <= len(tree.text)


# ---------------------------------------------------------------- statements


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("if x: pass\n", "x", symbols.if_stmt),
        ("@x\ndef f(): pass\n", "x", symbols.decorated),
        ("async def f(a=x): pass\n", "x", symbols.async_stmt),
        ("y = f(x)\n", "x", symbols.expr_stmt),
        ("if a:\n    y = f(x)\n", "x", symbols.expr_stmt),
        ("x\n", "x", token.NAME),
    ],
)
def test_the_smallest_statement(text: str, name: str, kind: int) -> None:
    tree = tree_of(text)
    assert trees.statement_of(leaf(tree, name)).type in (kind, symbols.async_funcdef)


def test_the_block_of_a_statement() -> None:
    tree = tree_of("a\nif b:\n    c\n    d; e\n    if f: g\nh\n")

    def block(name: str) -> list[str]:
        nodes = trees.block_of(trees.statement_of(leaf(tree, name)))
        return [tree.source((node,)).strip().split("\n")[0] for node in nodes]

    assert block("a") == ["a", "if b:", "h"]
    assert block("e") == ["c", "d; e", "if f: g"]
    assert block("g") == ["g"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_the_leaves(end: str) -> None:
    code = (
        'a\n\n"""s\n  t""" \\\n  .u\nif x:\n\tf(\n # c\x0c\u2028\n 1)\n\x0cmatch y:\n case 1: z\n'
    )
    text = code.replace("\n", end)
    tree = tree_of(text)
    for node in trees.leaves(tree.root):
        if node.value.strip() and node.type != token.INDENT:
            assert tree.line_of(node) == node.lineno
            line = text[tree.line_start(tree.start(node)) : tree.start(node)]
            assert not {"\n", "\r"} & set(line)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_lines_inside_a_span(end: str) -> None:
    text = end.join(["a", "b", "", "c"])
    tree = tree_of(text)
    starts = [text.index("b"), text.index("c") - len(end), text.index("c")]
    assert tree.lines_in(0, 0) == tree.lines_in(0, 1) == []
    assert tree.lines_in(0, len(text)) == starts
    assert tree.lines_in(starts[0], len(text)) == starts[1:]
    assert tree.lines_in(0, starts[2]) == starts[:2]


BRANCHES = """\
match (a, b):
    case [c] if d:
        e
        f; g
    case H(i=j): k
try:
    l
except* M as n:
    o
    p
except* q: r
"""


@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("a", ["match (a, b):", "try:"]),
        ("c", ["match (a, b):", "try:"]),
        ("d", ["match (a, b):", "try:"]),
        ("j", ["match (a, b):", "try:"]),
        ("M", ["match (a, b):", "try:"]),
        ("n", ["match (a, b):", "try:"]),
        ("e", ["e", "f; g"]),
        ("g", ["e", "f; g"]),
        ("k", ["k"]),
        ("p", ["o", "p"]),
        ("r", ["r"]),
    ],
)
def test_blocks_of_cases_and_handlers(name: str, block: list[str]) -> None:
    tree = tree_of(BRANCHES)
    nodes = trees.block_of(trees.statement_of(leaf(tree, name)))
    assert [tree.source((node,)).strip().split("\n")[0] for node in nodes] == block


def test_async_belongs_to_a_decorated_statement() -> None:
    tree = tree_of("@d\nasync def f(a=x): pass\n")
    assert trees.statement_of(leaf(tree, "x")).type == symbols.decorated


@pytest.mark.parametrize("name", ["a", "b", "case", "d", "e", "k", "l", "M"])
def test_what_is_no_part_of_a_case_s_pattern(name: str) -> None:
    assert not trees.in_case_pattern(leaf(tree_of(BRANCHES), name))


@pytest.mark.parametrize("name", ["c", "H", "i", "j", "["])
def test_what_is_part_of_a_case_s_pattern(name: str) -> None:
    assert trees.in_case_pattern(leaf(tree_of(BRANCHES), name))


def test_the_calls_of_a_long_chain_do_not_each_keep_all_before_them() -> None:
    power = expression("x" + ".f()" * 1400)[0]
    tracemalloc.start()
    calls = list(trees.calls_in_power(power))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(calls) == 1400
    assert kept < 1_000_000
    assert [len(call.expression) for call in calls[:2]] == [2801, 2799]
    assert calls[-1].callee == tuple(power.children[:2])
    assert calls[-1].trailer is power.children[2]


def test_places_are_known_whichever_is_asked_for_first() -> None:
    text = "a = f'{b}' + c\nd = rf'{e:{f}}'\n"
    tree = tree_of(text)
    last = leaf(tree, "d")
    assert tree.start(last) == text.index("d =")
    inside = [node for root in tree_of(text).roots[1:] for node in trees.leaves(root)]
    assert {node.value for node in inside} >= {"b", "e", "f"}
    tree = tree_of(text)
    for root in tree.roots[1:]:
        for node in trees.leaves(root):
            if node.type == token.NAME:
                assert tree.text[tree.start(node)] == node.value
                assert node in tree


def test_what_is_of_another_tree_is_not_in_it() -> None:
    tree, other = tree_of("a = 1\n"), tree_of("a = 1\n")
    assert leaf(tree, "a") in tree
    assert leaf(other, "a") not in tree
    assert leaf(tree, "a").clone() not in tree
