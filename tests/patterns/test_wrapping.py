"""New lines that are too long are broken where a formatter would; what stands there stays."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewriting import File
from snippets import pack_of

from pinsetter.analyzer.files.line_length import line_length
from pinsetter.patterns.edits.style import style_of
from pinsetter.patterns.edits.wrapping import Style, wrapped

LIMIT = 40


def broken(code: str, limit: int = LIMIT, aligned: bool = False, old: str = "") -> str:
    """The code, all of it new, with its long lines broken."""
    style = Style(limit, "    ", "\n", aligned, (0,))
    (found,) = wrapped(old, [(0, len(old), code)], style)
    return found[2]


@pytest.mark.parametrize(
    "code",
    [
        "",
        "x = 1\n",
        f"x = {'a' * 36}\n",
        # Nothing to break at.
        f"{'a' * 50}\n",
        f"x = '{'a b ' * 20}'\n",
        f"# {'a b ' * 20}\n",
        f"import {'a' * 50}\n",
        f"x = '''{'a, ' * 20}\n{'b, ' * 20}'''\n",
        # A tool is told something of this line.
        "value = function(first_one, second_one, x)  # noqa: E501\n",
        # Strings in the fields of a string.
        f"x = f'{{a['{'b, ' * 15}']}}'\n",
        "value = function(f'{a['b, c']}', first, second)\n",
        # No bracket is around the string.
        f"raise Error or '{'a b ' * 10}'\n",
        # What nobody writes.
        f"f({'a, ' * 1000})\n",
    ],
)
def test_what_stays(code: str) -> None:
    assert broken(code) == code


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("value = function(first_one, second_one, x)",
         ["value = function(", "    first_one, second_one, x", ")"]),
        ("value = function(first_one, second=second_one, *rest, third=3)",
         ["value = function(", "    first_one,", "    second=second_one,", "    *rest,",
          "    third=3", ")"]),
        ("value = function(first_one, second=second_one, third=3, four=4)",
         ["value = function(", "    first_one,", "    second=second_one,", "    third=3,",
          "    four=4,", ")"]),
        ("value = first_of_all(a) if condition() else second(b)",
         ["value = (", "    first_of_all(a)", "    if condition()", "    else second(b)", ")"]),
        ("return first_of_all_of_them + second_of_all + 1",
         ["return (", "    first_of_all_of_them", "    + second_of_all", "    + 1", ")"]),
        ("if first_of_all_of_them(a) and second_of(b):",
         ["if (", "    first_of_all_of_them(a)", "    and second_of(b)", "):"]),
        ("with first(second_one(a, b)) as it, third(c) as d:",
         ["with first(", "    second_one(a, b)", ") as it, third(c) as d:"]),
        ("values = [function(x) for x in function_of(y) if x or z]",
         ["values = [", "    function(x)", "    for x in function_of(y)", "    if x or z", "]"]),
        ("values = function(lambda a, b: first(a, b), second_one=2)",
         ["values = function(", "    lambda a, b: first(a, b),", "    second_one=2,", ")"]),
        ("values[first_of_all_of_them, second_of_all] = 1",
         ["values[", "    first_of_all_of_them, second_of_all", "] = 1"]),
        ("value = function(first_one, second_one, x)  # why",
         ["value = function(", "    first_one, second_one, x", ")  # why"]),
        ("    self.value = function(first_one, second_1)",
         ["    self.value = function(", "        first_one, second_1", "    )"]),
        ("total += first_of_all_of_them * second_of_all_1",
         ["total += (", "    first_of_all_of_them", "    * second_of_all_1", ")"]),
        ("value = function(a)(second_one_of_them, -third_one)",
         ["value = function(a)(", "    second_one_of_them, -third_one", ")"]),
        ("print('a %s' % function(first_one), file=second, end='')",
         ["print(", "    'a %s' % function(first_one),", "    file=second,", "    end='',", ")"]),
        ("value = function(first_one); other = function(second)",
         ["value = function(first_one)", "other = function(second)"]),
        ("if value: one = function(first_one); other = second",
         ["if value: one = function(", "    first_one", "); other = second"]),
    ],
)  # fmt: skip
def test_where_lines_are_broken(code: str, lines: list[str]) -> None:
    assert broken(code + "\n").splitlines() == lines
    assert broken("\n".join(lines) + "\n").splitlines() == lines


def test_further_lines_of_a_statement() -> None:
    code = "model.fit(x, y, first=first_one_of_them_all,\n          second=2)\n"
    assert broken(code) == (
        "model.fit(x, y,\n          first=first_one_of_them_all,\n          second=2)\n"
    )
    code = "model.fit(\n    first=first_one(a) if condition() else b,\n)\n"
    assert broken(code) == (
        "model.fit(\n    first=first_one(a)\n    if condition()\n    else b,\n)\n"
    )


def test_the_last_line_of_a_statement() -> None:
    code = "function(first,\n         second=2, third=function(a, b), c=[d])\n"
    assert broken(code) == (
        "function(first,\n         second=2, third=function(a, b),\n         c=[d])\n"
    )
    code = "function(first,\n         second=function_of(a, b, c, d, e, f))\n"
    assert broken(code) == (
        "function(first,\n         second=function_of(\n"
        "             a, b, c, d, e, f\n         ))\n"
    )
    code = "x = function(first,\n             s)[function(b), third_one, 4] = 5\n"
    assert broken(code).splitlines()[0] == "x = function(first,"


def test_a_line_that_opens_brackets_which_others_close() -> None:
    """What the others were aligned with stands elsewhere then: all of it is broken anew."""
    code = (
        "model.fit(\n    x, y,\n"
        "    verbose=2 if a else 0, callbacks=[first_one(0), second(), third(\n"
        "        rate)])\n"
    )
    assert broken(code) == (
        "model.fit(\n    x,\n    y,\n    verbose=2 if a else 0,\n    callbacks=[\n"
        "        first_one(0),\n        second(),\n        third(rate),\n    ],\n)\n"
    )
    code = code.replace("x, y,\n", "x, y,  # why\n")
    assert broken(code) == (
        "model.fit(\n    x, y,  # why\n    verbose=2 if a else 0,\n    callbacks=[\n"
        "        first_one(0),\n        second(),\n        third(\n        rate)])\n"
    )
    code = "x = function(first_one, second_of_all=call(\n    argument))\n"
    assert broken(code) == ("x = function(\n    first_one,\n    second_of_all=call(argument),\n)\n")


def test_a_comment_behind_a_line() -> None:
    code = "    value = function(first_one)          # why\n"
    assert broken(code) == "    value = function(first_one)  # why\n"
    code = "    value = function(first_one)  # why it is so\n"
    assert broken(code) == "    # why it is so\n    value = function(first_one)\n"
    code = "value = function(first_one, second_one)   # why it is so, and not otherwise\n"
    assert broken(code) == (
        "# why it is so, and not otherwise\nvalue = function(first_one, second_one)\n"
    )


def test_many_lines_are_broken_anew() -> None:
    """Where a guard indents lines that are aligned far to the right, say."""
    code = (
        "    print('a of them'.format(function(one),\n"
        "                             function_of(two),\n"
        "                             function_of(three)\n"
        "                             ))\n"
    )
    assert broken(code) == (
        "    print(\n        'a of them'.format(\n            function(one),\n"
        "            function_of(two),\n            function_of(three),\n        )\n    )\n"
    )
    # What its lines say of themselves stays where it is.
    for other in ("function_of(two),  # why\n", "function_of(two), \\\n"):
        kept = broken(code.replace("function_of(two),\n", other))
        assert kept.startswith("    print('a of them'.format(")


@pytest.mark.parametrize(
    "string",
    [
        f"'{'a' * 50}'",
        f"' {'a' * 50}'",
        f"'{'a' * 50} '",
        f"f'{{{'a' * 20} if {'b' * 20}}}'",
        f"'a \\N{{LATIN SMALL LETTER A}} {'a b' * 10}'",
    ],
)
def test_strings_that_stay_in_one_piece(string: str) -> None:
    assert broken(f"print(\n    {string}\n)\n") == f"print(\n    {string}\n)\n"


def test_a_string_that_was_too_long_before_stays_in_one_piece() -> None:
    """As in a file whose formatter divides none."""
    line = f"print('{'a b ' * 12}')\n"
    style = Style(LIMIT, "    ", "\n", False, (0,))
    (found,) = wrapped(line, [(0, len(line), f"if x:\n    {line}")], style)
    assert f"'{'a b ' * 12}'" in found[2]


@pytest.mark.parametrize(
    ("string", "lines"),
    [
        (f"'{'a b ' * 10}'", [f"'{'a b ' * 8}a '", "'b a b '"]),
        (f"rb'{'a b ' * 10}'", [f"rb'{'a b ' * 8}'", "rb'a b a b '"]),
        (f"f'{{x}} {'a b ' * 9}'", [f"f'{{x}} {'a b ' * 7}'", "'a b a b '"]),
        (f"f'{'a ' * 13}{{x:>{{y}} }} b'", [f"'{'a ' * 13}'", "f'{x:>{y} } b'"]),
        (f"'{'a' * 20}  {'b' * 20}'", [f"'{'a' * 20}  '", f"'{'b' * 20}'"]),
        (f"'{'a' * 20} {'b' * 20}'.format(", [f"'{'a' * 20} '", f"'{'b' * 20}'.format("]),
        (f"'{'a' * 20} {'b' * 20}' % (", [f"'{'a' * 20} '", f"'{'b' * 20}' % ("]),
    ],
)
def test_a_string_in_brackets_is_divided(string: str, lines: list[str]) -> None:
    opened = string.endswith("(")
    tail = "        x, y\n    )\n" if opened else ""
    code = f"print(\n    {string}\n{tail})\n"
    made = broken(code)
    assert made.splitlines()[1:3] == [f"    {line}" for line in lines]
    assert broken(made) == made
    assert ast.dump(ast.parse(made)) == ast.dump(ast.parse(code))


@pytest.mark.parametrize("limit", [30, 40, 60])
def test_a_statement_of_several_lines_means_the_same(limit: int) -> None:
    code = (
        "value = (first.method_of(one, two)\n              .another(three, [four, five], **six)\n"
        "              .last(seven if eight else nine, lambda a: a + 1)\n              )\n"
        "print('%s %s' % (function(one),\n                 function(two[1:2, ...])), end='',\n"
        "      file=third)\n"
    )
    new = broken(code, limit)
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(code))
    assert broken(new, limit) == new


@pytest.mark.parametrize("limit", [12, 16, 24, 30])
@pytest.mark.parametrize(
    "code",
    [
        "total = sum(values) + \\\n    1; print(total, total_of(others), sep=third)\n",
        "total = sum_of(values) + sum_of(others) + \\\n    1\n",
        "return_of = first and second_of(values) and \\\n    third_of(values) == fourth\n",
        "assert first == \\\n    second or third_of(values, others) if fourth else fifth\n",
        "total = first * \\\n    second + function_of(third)[fourth]; x = y = z + zzzz\n",
    ],
)
def test_lines_that_a_backslash_joins_mean_the_same(code: str, limit: int) -> None:
    """Neither the half of a value nor that of a statement is one."""
    new = broken(code, limit)
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        # It fits, or would not, or has no branches of its own.
        "x = function(a,\n             b) if c else d\n",
        "x = [function(a,\n              b)\n     for e in ff(g) if c]\n",
        f"x = function(a,\n             b) if {'c' * 40} else d\n",
        "f(lambda: function_of(a_b, b_c,\n                      c_d) if c else d)\n",
        "f(function_of(a_b, b_c,\n              c_d) if c else d)\n",
    ],
)
def test_branches_that_stay(code: str) -> None:
    made = broken(code)
    assert "\n    if " not in made
    assert "\n  if " not in made


@pytest.mark.parametrize(
    ("code", "made"),
    [
        (
            "f([\n    one(first=a,\n        second=b) if is_first() else other(),\n    c,\n])\n",
            "f([\n    one(first=a,\n        second=b)\n    if is_first()\n    else other(),\n"
            "    c,\n])\n",
        ),
        (
            "f(x, hooks=one(first=a,\n               b=b) if is_it() else other(), c=c)\n",
            "f(x, hooks=one(first=a,\n               b=b)\n     if is_it()\n"
            "     else other(), c=c)\n",
        ),
        (
            "    x = function(first_one,\n                 b) if condition(1) else other()\n",
            "    x = (\n        function(first_one,\n                 b)\n"
            "        if condition(1)\n        else other()\n    )\n",
        ),
        (
            "x = function(\n    first_one, b  # why\n    , c) if condition(1, 23) else other()\n",
            "x = (\n    function(\n        first_one, b  # why\n        , c)\n"
            "    if condition(1, 23)\n    else other()\n)\n",
        ),
        (
            "return function(first_one,\n                b) if condition(1) else other()\n",
            "return (\n    function(first_one,\n             b)\n    if condition(1)\n"
            "    else other()\n)\n",
        ),
    ],
)
def test_branches_of_an_expression_that_has_several_lines(code: str, made: str) -> None:
    assert broken(code) == made
    assert broken(made) == made


def test_what_follows_a_bracket_that_ends() -> None:
    code = "    x = function(first_one,\n                 b).method(condition(1), other(2))\n"
    assert broken(code) == (
        "    x = function(first_one,\n                 b\n    ).method(condition(1), other(2))\n"
    )
    assert broken(broken(code)) == broken(code)
    # It would not fit there, either.
    code = "x = function(first_one,\n             b).method(condition_of_all(1), other_of_all())\n"
    assert broken(code).endswith(").method(condition_of_all(1), other_of_all())\n")


def test_what_is_aligned_here_stays_so() -> None:
    code = "function(first=function_of(a, b, c, d, e),\n         second=2)\n"
    assert broken(code) == ("function(\n    first=function_of(a, b, c, d, e),\n    second=2,\n)\n")
    code = "function(first, second=function_of(a, b),\n         third=2)\n"
    assert broken(code) == (
        "function(first,\n         second=function_of(a, b),\n         third=2)\n"
    )


@pytest.mark.parametrize(
    ("file", "unit"),
    [
        ("def f():\n  x = f(\n      a)\n", "    "),
        ("def f():\n  x = f(\n    a)\n", "  "),
        ("def f():\n    x = f(\n      a, b(\n        c))\n    y = f(a,\n          b)\n", "  "),
        ("def f():\n\tx = f(\n\t\t\ta)\n", "\t"),
        ("def f():\n    x = f(\n  a)\n", "    "),
        ("def f():\n    x = 1\n", "    "),
    ],
)
def test_how_far_further_lines_are_indented(file: str, unit: str) -> None:
    assert style_of(File(pack_of(match="f($x)", report="here"), file).module).unit == unit


def test_a_file_that_aligns_is_aligned() -> None:
    code = "function(first=first_one(a) if b else third,\n         second=2)\n"
    assert broken(code, aligned=True) == (
        "function(first=first_one(a) if b\n         else third,\n         second=2)\n"
    )
    code = "value = function(first_one, second_one, x)\n"
    made = "value = function(first_one, second_one,\n                 x)\n"
    assert broken(code, aligned=True) == made
    code = "value_of_all_of_them = function(first_one_of_all, x)\n"
    assert broken(code, aligned=True) == (
        "value_of_all_of_them = function(\n    first_one_of_all, x\n)\n"
    )


def test_lines_that_the_file_has_stay() -> None:
    line = "value = function(first_one, second_one, x)\n"
    style = Style(LIMIT, "    ", "\n", False, (0, len(line)))
    made = [(len(line), len(line), line.replace("value", "other"))]
    (found,) = wrapped(line, made, style)
    assert found[0] == len(line)
    assert found[2].startswith("other = function(\n")
    block = f"f(a,\n  {'b' * 40}, c,\n  d)\n"
    style = Style(LIMIT, "    ", "\n", False, (0,))
    (found,) = wrapped(block, [(2, 3, f"{'a' * 20}, {'a' * 20}")], style)
    assert f"  {'b' * 40}, c,\n" in block[: found[0]] + found[2] + block[found[1] :]


def test_the_file_decides() -> None:
    pack = pack_of(match="f($x)", edit={"wrap": "$match", "with": "wrapped_around_it($it)"})
    rule = pack.rules[0]
    short = f"value = f({'a' * 60})\n"
    made = File(pack, short).outcomes(rule)
    assert made.text([0]) == f"value = wrapped_around_it(\n    f({'a' * 60})\n)\n"
    assert made.text([]) == short
    long = f"{short}{'b' * 100} = 1\n"
    assert "wrapped_around_it(f(" in File(pack, long).outcomes(rule).text([0])


@pytest.mark.parametrize(
    ("code", "limit"),
    [
        ("x = 1", 79),
        (f"x = 1  # {'a' * 100}\n# {'a' * 200}\n", 79),
        (f"f(x,  # {'a' * 100}\n  y)\n", 79),
        (f"x = '{'a' * 100}'\n", 106),
        (f"f({'a' * 100},  # b\n  y)\n", 103),
        (f'"""{"a" * 100}\n{"b" * 120}\n"""\nx = 1\n', 79),
    ],
)
def test_comments_do_not_count(code: str, limit: int) -> None:
    assert style_of(File(pack_of(match="f($x)", edit={"append": "y"}), code).module).limit == limit


@pytest.mark.parametrize(("by", "unit"), [(2, 2), (4, 4), (8, 8), (19, 4)])
def test_what_is_aligned_by_hand_is_no_indentation(by: int, unit: int) -> None:
    code = f"f(\n{' ' * by}x)\nif x:\n    y\n"
    style = style_of(File(pack_of(match="f($x)", edit={"append": "y"}), code).module)
    assert style.unit == " " * unit


TOKENS = st.sampled_from(
    ["a", "bb", "ccc(d, e)", "[f, g]", "'h i'", "x if y else z", "k + l", "m or n", "-o",
     "'h i j k l m n o p q r s t u v w x y z'",
     "lambda p, q: r", "{s: t}", "u.v", "w[1, 2:3]", "(yield)", "f'{a}'"]
)  # fmt: skip
EXPRESSIONS = st.recursive(
    TOKENS,
    lambda inner: st.builds(
        lambda name, parts, last: f"{name}({', '.join([*parts, *last])})",
        st.sampled_from(["f", "module.function", "", "g(x)"]),
        st.lists(inner.map(lambda code: f"({code})"), min_size=1, max_size=4),
        st.sampled_from([[], ["*rest"], ["last=1"]]),
    ),
    max_leaves=12,
)


def words(code: str) -> str:
    """The tokens, but for those that breaking lines adds or takes away."""
    tokens = (t.string for t in tokenize.generate_tokens(io.StringIO(code).readline))
    return " ".join(t for t in tokens if t.strip("(),;\n ")).replace(" ' '", " ")


@settings(deadline=None)
@given(EXPRESSIONS,
       st.sampled_from(["x = {}", "return {}", "{}", "if {}: pass", "x += {}", "x = {}; y = z",
                        "if x: y = {}; z", "x(y,\n  z={},\n  w=1)", "x(y,\n  z={})",
                        "x(z={},\n  y)", "x = f(a,\n      {}) if y else z",
                        "return f(\n  {}\n) if y else z",
                        "g(w, f(a,\n       {}) if y else z, w)", "g(h=f(\n  {}) if y else z)"]),
       st.integers(20, 80), st.booleans())  # fmt: skip
def test_it_means_the_same(code: str, statement: str, limit: int, aligned: bool) -> None:
    line = statement.format(code)
    function = "async def f():\n    "
    try:
        before = ast.dump(ast.parse(f"{function}{line}\n"))
    except SyntaxError:
        return
    made = broken(f"{line}\n", limit, aligned)
    indented = made.replace("\n", "\n    ").rstrip()
    assert ast.dump(ast.parse(f"{function}{indented}\n")) == before
    assert broken(made, limit, aligned) == made
    assert words(made) == words(f"{line}\n")


@pytest.mark.parametrize(
    ("name", "text", "length"),
    [
        ("pyproject.toml", "[tool.black]\nline-length = 100\n", 100),
        ("pyproject.toml", "[tool.black]\n", 88),
        ("pyproject.toml", "[tool.ruff]\nline-length = 90\n", 90),
        ("pyproject.toml", "[tool.ruff.lint]\nselect = ['E']\n", None),
        ("pyproject.toml", "[tool.ruff.format]\n", 88),
        ("pyproject.toml", "[tool.yapf]\ncolumn_limit = 70\n", 70),
        ("pyproject.toml", "[tool.black\n", None),
        ("pyproject.toml", "[tool]\nblack = 3\n", None),
        ("ruff.toml", "line-length = 110\n", 110),
        (".style.yapf", "[style]\nbased_on_style = google\ncolumn_limit = 95\n", 95),
        ("setup.cfg", "[flake8]\nmax-line-length = 120\n", 120),
        ("tox.ini", "[pycodestyle]\nmax-line-length = 99\n[tox]\n", 99),
        (".flake8", "[flake8]\nmax-line-length: 101\n", 101),
        (".flake8", "[flake8]\nmax-line-length = long\n", None),
        (".flake8", "flake8", None),
        (".editorconfig", "root = true\n[*.py]\nmax_line_length = 98\n", 98),
        (".editorconfig", "[*]\nmax_line_length = off\n", None),
        ("README.md", "[flake8]\nmax-line-length = 120\n", None),
    ],
)
def test_what_a_repository_says(tmp_path: Path, name: str, text: str, length: int | None) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "package").mkdir()
    (tmp_path / name).write_text(text)
    assert line_length(tmp_path / "package" / "main.py") == length


def test_the_nearest_folder_says_it(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    (inner / ".git").mkdir(parents=True)
    (tmp_path / ".flake8").write_text("[flake8]\nmax-line-length = 120\n")
    assert line_length(inner / "main.py") is None
    assert line_length(tmp_path / "main.py") == 120
    (inner / ".flake8").write_bytes(b"\xff[flake8]\nmax-line-length = 120\n")
    assert line_length(inner / "main.py") in (None, 120)
