"""Templates keep the meaning of the code that they are put around, and of where it stands."""

import ast

import pytest
from snippets import rewritten, wrapped

from pinsetter.patterns.edits.template import Kind, captures_in, read_template, sentence


@pytest.mark.parametrize(
    "argument",
    [
        "a", "a.b", "a()", "a[0]", "(a)", "(a + b)", "[a]", "{a}", "{a: b}", "'a' 'b'", "...",
        "a * b", "a / b", "a // b", "a % b", "a ** b", "-a", "~a", "-a ** b", "0.1", "1j", "a @ b",
        "[x for x in y]", "(x for x in y)", "(yield)", "(a := b)", "`a`",
    ],
)  # fmt: skip
def test_a_factor_needs_no_parentheses(argument: str) -> None:
    assert wrapped(f"f({argument})\n") == f"f({argument} * size())\n"


@pytest.mark.parametrize(
    "argument",
    [
        "a + b", "a - b", "a << b", "a & b", "a ^ b", "a | b", "a < b", "a in b", "a not in b",
        "a is not b", "not a", "a and b", "a or b", "a if b else c", "lambda: a", "lambda x: x + 1",
        "x for x in y",
    ],
)  # fmt: skip
def test_what_binds_less_tightly_is_parenthesised(argument: str) -> None:
    assert wrapped(f"f({argument})\n") == f"f(({argument}) * size())\n"


@pytest.mark.parametrize("argument", ["*a", "**a", "key=a", "a, b", ""])
def test_what_is_not_one_expression_is_left_alone(argument: str) -> None:
    assert wrapped(f"f({argument})\n") == f"f({argument})\n"


def test_an_awaited_argument_is_a_factor() -> None:
    code = "async def g():\n    f(await a.b())\n"
    assert wrapped(code) == "async def g():\n    f(await a.b() * size())\n"


@pytest.mark.parametrize(
    ("argument", "template", "result"),
    [
        ("a ** b", "$it.x", "(a ** b).x"),
        ("a.b", "$it.x", "a.b.x"),
        ("1", "$it.x", "(1).x"),
        ("-a", "$it ** 2", "(-a) ** 2"),
        ("a ** b", "$it ** 2", "(a ** b) ** 2"),
        ("a - b", "c - $it", "c - (a - b)"),
        ("a - b", "$it - c", "a - b - c"),
        ("a or b", "not $it", "not (a or b)"),
        ("a if b else c", "$it if d else e", "(a if b else c) if d else e"),
        ("lambda: a", "$it if d else e", "(lambda: a) if d else e"),
        ("a or b", "$it if d else e", "a or b if d else e"),
        ("x for x in y", "list($it)", "list(x for x in y)"),
        ("x for x in y", "list($it, 1)", "list((x for x in y), 1)"),
        ("a + b", "g($it, 1)", "g(a + b, 1)"),
        ("a if b else c", "[$it]", "[a if b else c]"),
        ("a", "${it}[0]", "a[0]"),
    ],
)
def test_each_template_asks_for_its_own_parentheses(
    argument: str, template: str, result: str
) -> None:
    assert wrapped(f"f({argument})\n", template) == f"f({result})\n"
    ast.parse(result)


TERNARY = "$it if first() else other()"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = make()\n", "x = make() if first() else other()\n"),
        ("g(make())\n", "g(make() if first() else other())\n"),
        ("g(k=make())\n", "g(k=make() if first() else other())\n"),
        ("x = make(), 1\n", "x = make() if first() else other(), 1\n"),
        ("x[make()]\n", "x[make() if first() else other()]\n"),
        ("make().x\n", "(make() if first() else other()).x\n"),
        ("make() ** 2\n", "(make() if first() else other()) ** 2\n"),
        ("2 ** make()\n", "2 ** (make() if first() else other())\n"),
        ("-make()\n", "-(make() if first() else other())\n"),
        ("x = make() + 1\n", "x = (make() if first() else other()) + 1\n"),
        ("x = not make()\n", "x = not (make() if first() else other())\n"),
        ("x = make() if a else b\n", "x = (make() if first() else other()) if a else b\n"),
        ("[x for x in make()]\n", "[x for x in (make() if first() else other())]\n"),
        ("[x for x in y if make()]\n", "[x for x in y if (make() if first() else other())]\n"),
        ("[make() for x in y]\n", "[make() if first() else other() for x in y]\n"),
        ("x = [*make()]\n", "x = [*(make() if first() else other())]\n"),
        ("with make() as x: pass\n", "with make() if first() else other() as x: pass\n"),
        ("for x in make(): pass\n", "for x in make() if first() else other(): pass\n"),
        ("lambda: make()\n", "lambda: (make() if first() else other())\n"),
    ],
)
def test_the_whole_is_parenthesised_where_it_stands(before: str, after: str) -> None:
    edit = {"wrap": "$match", "with": TERNARY}
    assert rewritten(before, match="make()", edit=edit) == after
    ast.parse(after)


def test_what_is_awaited_is_wrapped_inside() -> None:
    edit = {"wrap": "$match", "with": TERNARY}
    result = rewritten("async def f():\n    x = await make()\n", match="make()", edit=edit)
    assert result == "async def f():\n    x = await (make() if first() else other())\n"


def test_a_tuple_stays_one_argument() -> None:
    edit = {"wrap": "$match", "with": "$it, 1"}
    assert rewritten("g(make())\n", match="make()", edit=edit) == "g((make(), 1))\n"


@pytest.mark.parametrize(
    "head",
    ["import tensorflow as tf", "import tensorflow", "import tensorflow as flow"],
)
def test_inserted_code_uses_the_file_s_names(head: str) -> None:
    local = head.split()[-1]
    edit = {"wrap": "$match", "with": "tf.stop_gradient($it)"}
    result = rewritten(f"{head}\nmake()\n", match="make()", edit=edit)
    assert result == f"{head}\n{local}.stop_gradient(make())\n"


def test_a_missing_import_is_added_under_a_free_name() -> None:
    edit = {"wrap": "$match", "with": "hvd.f($it)"}
    result = rewritten("import tensorflow\nhvd = 1\nmake()\n", match="make()", edit=edit)
    assert "import horovod.tensorflow as hvd_2\n" in result
    assert "hvd_2.f(make())" in result


def test_an_alias_is_no_part_of_another_word() -> None:
    imports = {"tf": "tensorflow"}
    template = read_template("a.tf.b(mytf.c, $tf, tfx.d, tf=1)", Kind.EXPRESSION)
    assert template.names(imports) == set()
    assert read_template("f(tf.d)", Kind.EXPRESSION).names(imports) == {"tf"}


def test_captures_are_told_apart_from_other_dollars() -> None:
    assert captures_in("$a.b(${c}_d, $...e)") == {"a", "c", "e"}
    assert sentence("${a}_b, $...c", {"a": "x", "c": "y, z"}) == "x_b, y, z"
