"""Texts with fields in other styles, and literals written in another way."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from snippets import load_text, outcome, pack_data, rewritten

from pinsetter.codemods.engine.authoring.examples import accepted
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs.pack import Pack

TO = {
    "percent": "$new % ($...values,)", "format": "$new.format($...values)", "f-string": "$new",
}  # fmt: skip
FROM = {"percent": "$text % $given", "format": "$text.format($...given)", "f-string": "f($text)"}


def said(code: str, style: str, to: str) -> tuple[str, list[str], list[str]]:
    of = "$text" if style == "f-string" else "$match"
    condition = {"of": of, "to": to, "text": "new", "values": "values"}
    made = f"f({TO[to]})" if style == "f-string" else TO[to]
    return outcome(code, match=FROM[style], where=[{"formatted": condition}],
                   edit={"replace": "$match", "with": made})  # fmt: skip


@pytest.mark.parametrize("code", [
    '"%s" % x', '"%s %s" % (x,)', '"%s" % (x, y)', 'b"%s" % (x,)', '"%*d" % (1, x)', '"%c" % (x,)',
    '"%d" % (x,)', '"%5s" % (x,)', '"%.2r" % (x,)', '"%(a b)s" % {"a b": 1}', '"%s" % {"a": 1}',
    '"%(a)s" % {"a": 1, "a": 2}', '"%(a)s" % {"a" : 1}', '"%(a)s" % {"a": 1, "b": 2}', "x % (y,)",
    '"%(if)s" % {"if": 1}', '"%(a)s" % {a: 1}', '"%(a)s" % {**a}', '"%" % ()', '"%s" % (*x,)',
    '"%s" % (x for x in y)', '"%s" % (x)', 'f"{x}%s" % (1,)', '"%(a)s %s" % {"a": 1}', '"%#x" % 3',
    '"a" % x', "'%s' % f(x)", '"%s" % (x,) % y', "(  # why\n    '%s' % (x))",
])  # fmt: skip
def test_percent_that_stays(code: str) -> None:
    assert said(code + "\n", "percent", "format") == (code + "\n", [], [])


@pytest.mark.parametrize("code", [
    '"{0} {0}".format(a)', '"{a[b]}".format(a=a)', '"{:{}}".format(a, b)', '"{}".format(*a)',
    '"{}".format(a["b"])', "'{}'.format('b')", '"{}".format(a, b)', '"{} {}".format(a)',
    '"{".format(a)', '"}".format(a)', '"{1} {0}".format(a(), b)', '"{0} {}".format(a, b)',
    '"{}".format(\n    a,\n)', '"{}".format(lambda: 1)', '"{}".format({1: 2})', "x.format(a)",
    '"{}".format(x := 1)', 'b"{}".format(a)', '"a".format()', '"{a}".format(**a)', '"{}".join(a)',
    '"{}".format(**locals())', '"{}" "{{0}".format(a)', "('{}'  # why\n '{}').format(a, b)",
    '"{}".format(a) + x.format',
])  # fmt: skip
def test_format_that_is_no_f_string(code: str) -> None:
    text, reports, _ = said(code + "\n", "format", "f-string")
    if code != '"{}".format(a) + x.format':
        assert (text, reports) == (code + "\n", [])


@pytest.mark.parametrize(("style", "to", "before", "after"), [
    ("percent", "format", '"%s: %.2f%% {}" % (a, b)', '"{}: {:.2f}% {{}}".format(a, b)'),
    ("percent", "format", '"%-5f|%05.1e|%+g" % (a, b, c)',
     '"{:<5f}|{:05.1e}|{:+g}".format(a, b, c)'),
    ("percent", "format", '"%(a)s%(b)r" % {"b": f(x), "a": y}', '"{a}{b!r}".format(b=f(x), a=y)'),
    ("percent", "f-string", '"%(a)s%(b)r" % {"b": f(), "a": y}',
     '"%(a)s%(b)r" % {"b": f(), "a": y}'),
    ("percent", "f-string", '"%(a)s%(b)r" % {"b": x, "a": 1}', 'f"{1}{x!r}"'),
    ("percent", "format", '"%s" % (\n    a,\n)', '"{}".format(\n    a,\n)'),
    ("percent", "format", '"%d %x %5d" % (1, 2, 3)', '"{} {:x} {:5d}".format(1, 2, 3)'),
    ("percent", "format", '"%8s|%-8s" % ("a", "b")', '"{:>8}|{:8}".format("a", "b")'),
    ("percent", "format", r'"\N{BULLET} %s" % (a,)', r'"\N{BULLET} {}".format(a)'),
    ("percent", "format", 'r"\\{%s" % (a,)', 'r"\\{{{}".format(a)'),
    ("percent", "format", '"a" "%s" % 1', '"a" "{}".format(1)'),
    ("percent", "f-string", '"%s {%s}" % (a, b.c)', 'f"{a} {{{b.c}}}"'),
    ("format", "f-string", '"{} {x!r:>4}".format(a + b, x=f(1))', 'f"{a + b} {f(1)!r:>4}"'),
    ("format", "f-string", '"{.x} {y.z}".format(-a, y=b)', 'f"{(-a).x} {b.z}"'),
    ("format", "f-string", "\"{} {!r}\".format(a['b'], ', '.join(c))",
     "f\"{a['b']} {', '.join(c)!r}\""),
    ("format", "f-string", '"""{}""".format(a["b"])', '"""{}""".format(a["b"])'),
    ("format", "f-string", "u'a' '{}'.format(b)", "'a' f'{b}'"),
    ("format", "f-string", '"{a}".format(**locals())', 'f"{a}"'),
    ("format", "percent", '"{:.2f}% {}".format(a, b)', '"%.2f%% %s" % (a, b,)'),
    ("format", "format", '"{0} {1:>3} {{0}}".format(a, b)', '"{} {:>3} {{0}}".format(a, b)'),
    ("f-string", "percent", 'f(f"{a} {b!r} 5% {{}}")', 'f("%s %r 5%% {}" % (a, b,))'),
    ("f-string", "percent", 'f(f"{a, b}" "{%")', 'f("%s" "{%%" % ((a, b),))'),
    ("f-string", "format", 'f(f"{a:.3f}")', 'f("{:.3f}".format(a))'),
    ("f-string", "percent", 'f(f"{a=}")', 'f(f"{a=}")'),
    ("f-string", "percent", 'f(f"{a:>{b}}")', 'f(f"{a:>{b}}")'),
    ("f-string", "percent", 'f(f"{a:5}")', 'f(f"{a:5}")'),
])  # fmt: skip
def test_what_is_said(style: str, to: str, before: str, after: str) -> None:
    assert said(before + "\n", style, to)[0] == after + "\n"


def test_what_is_assumed() -> None:
    assert said('"%s %s" % (a, "b")\n', "percent", "format")[2] == [
        "Assumed: str() and format() make the same of a."
    ]
    assert said('"%.2f %.3f" % (a, 1.5)\n', "percent", "format")[2] == [
        "Assumed: format() takes a for a number, as % does."
    ]
    assert said('"{}".format(a)\n', "format", "f-string")[2] == []
    assert said('"%r" % (a,)\n', "percent", "format")[2] == []


def test_what_stays_of_a_text_is_the_files_own() -> None:
    code = 'x = (\'a, \'\n     \'b {}\'.format(y))\nz = ["c", "d", "e"]\n'
    assert said(code, "format", "f-string")[0] == code.replace("'b {}'.format(y)", "f'b {y}'")


INSIDE = """\
pack: inside
summary: Test.
rules:
  - id: f-string
    title: A title
    why: Because.
    match: $text.format($...arguments)
    where: [{formatted: {of: $match, to: f-string, text: new}}]
    edit: {replace: $match, with: $new}
    examples: [{unchanged: x}]
  - id: inside
    title: A title
    why: Because.
    match: f($x)
    edit: {replace: $match, with: <<template>>}
    examples: [{unchanged: x}]
"""


@pytest.mark.parametrize(("template", "after"), [
    ("g($x, $x)", "x = f'{g(a, a)}: {b}'\n"), ("$x or 1", "x = f'{a or 1}: {b}'\n"),
    ("g('$x')", "x = f'{f(a)}: {b}'\n"), ("{$x}", "x = f'{f(a)}: {b}'\n"),
    ("'lambda: $x'", "x = f'{f(a)}: {b}'\n"),
])  # fmt: skip
def test_other_rules_rewrite_what_goes_into_an_f_string(template: str, after: str) -> None:
    pack = load_text(INSIDE.replace("<<template>>", repr(template) if "'" not in template else
                                    f'"{template}"'))  # fmt: skip
    assert isinstance(pack, Pack), pack
    with TemporaryDirectory() as folder:
        path = Path(folder, "main.py")
        path.write_text("x = '{}: {}'.format(f(a), b)\n")
        plan = make_plan([RuleQuery(pack, [])], [Path(folder)]).plan
        (hunks,) = [accepted(plan)]
        edits = [edit for hunk in hunks for edit in hunk.edits]
        assert apply(path.read_text(), edits) == after


_PIECES = st.lists(
    st.one_of(
        st.text("ab %{}\\'\"é\n", max_size=4),
        st.tuples(st.sampled_from("xyz"), st.sampled_from(["", "r", "s", "a", ".2f", "5.1e"])),
    ),
    min_size=1, max_size=6,
)  # fmt: skip
_VALUES = {"x": 1.5, "y": 2.25, "z": 3.0}


def _source(pieces: list[str | tuple[str, str]], style: str, raw: bool) -> str:
    text, names = "", []
    for piece in pieces:
        if isinstance(piece, str):
            plain = piece.replace('"', "").replace("'", "")
            plain = plain.replace("\\", "").replace("\n", "") if raw else repr(plain)[1:-1]
            text += plain.replace("%", "%%") if style == "percent" else plain.replace(
                "{", "{{").replace("}", "}}")  # fmt: skip
            continue
        name, form = piece
        names.append(name)
        value = name if style == "f-string" else ""
        if style == "percent":
            text += f"%{form or 's'}"
        else:
            text += f"{{{value}{'!' + form if form.isalpha() else ':' + form if form else ''}}}"
    literal = f'{"f" if style == "f-string" else ""}{"r" if raw else ""}"{text}"'
    if style == "f-string":
        return f"f({literal})"
    given = ", ".join(names)
    return f"{literal} % ({given}{',' * bool(names)})" if style == "percent" else (
        f"{literal}.format({given})")  # fmt: skip


@settings(max_examples=20, deadline=None)
@given(
    st.lists(_PIECES, min_size=8, max_size=8), st.sampled_from([*FROM]), st.sampled_from([*TO]),
    st.booleans(),
)  # fmt: skip
def test_another_style_says_the_same(
    texts: list[list[str | tuple[str, str]]], style: str, to: str, raw: bool
) -> None:
    code = "".join(f"r{n} = {_source(text, style, raw)}\n" for n, text in enumerate(texts))
    made, reports, _ = said(code, style, to)
    assert not reports
    before, after = dict(_VALUES, f=str), dict(_VALUES, f=str)
    exec(code, before)
    exec(made, after)
    results = [f"r{n}" for n in range(len(texts))]
    assert [before[r] for r in results] == [after[r] for r in results], made


STRINGS = {"query": "STRING"}


@pytest.mark.parametrize(("before", "spellings", "after"), [
    ("x = u'a' U'b'", {"^[uU]": ""}, "x = 'a' 'b'"),
    ("x = (u'a'  # why\n     u'b')", {"^[uU]": ""}, "x = ('a'  # why\n     'b')"),
    ("x = 'a'", {"^": "b", "a": "c"}, "x = b'c'"),
    ("f(f'{a!r} {g(\"x\")}')", {"!r": ""}, "f(f'{a} {g(\"x\")}')"),
    ("x = 'é'\r\ny = 1", {"é": "e"}, "x = 'e'\r\ny = 1"),
    ("x = 'a'", {"b": "c"}, "x = 'a'"),
])  # fmt: skip
def test_respelled(before: str, spellings: dict[str, str], after: str) -> None:
    edit = {"respell": "$match", "as": spellings}
    assert rewritten(before + "\n", **STRINGS, edit=edit) == after + "\n"


def test_a_literal_may_be_respelled_and_moved() -> None:
    edits = [{"respell": "$x", "as": {"^": "b"}}, {"replace": "$match", "with": "g($y, $x)"}]
    rule = {"match": "f($x, $y)", "edit": edits}
    assert rewritten("f('a' 'b', f('c', d))\n", **rule) == "g(g(d, b'c'), b'a' b'b')\n"
    numbers = {"query": "NUMBER", "edit": {"respell": "$match", "as": {"^0([0-7]+)$": r"0o\1"}}}
    assert rewritten("x = 017, 10, 0\n", **numbers) == "x = 0o17, 10, 0\n"


@pytest.mark.parametrize(("code", "edit", "reason"), [
    ("f('a')", {"respell": "$x", "as": {"'$": ""}}, "which is no literal"),
    ("f('a')", {"respell": "$x", "as": {".*": "1"}}, "which is no literal"),
    ("f(a)", {"respell": "$x", "as": {"^": "b"}}, "a is no literal"),
    ("f('a')", [{"respell": "$x", "as": {"^": "b"}}, {"replace": "$match", "with": "g"}],
     "does not stay"),
])  # fmt: skip
def test_what_cannot_be_respelled(code: str, edit: object, reason: str) -> None:
    text, reports, _ = outcome(code + "\n", match="f($x)", edit=edit)
    assert text == code + "\n"
    assert reason in reports[0]


@pytest.mark.parametrize(("where", "held"), [
    ({"written": ["$x", "'.*"]}, [1, 3, 6, 7, 8]), ({"written": ["$x", "'a'", '"a"']}, [1, 2]),
    ({"written": ["$x", "'.*\\n.*"]}, [3]), ({"bytes_of": ["$x", "ascii"]}, [1, 2, 3]),
    ({"bytes_of": ["$x", "latin-1"]}, [1, 2, 3, 7]), ({"bytes_of": ["$x", "nope"]}, []),
])  # fmt: skip
def test_how_literals_are_written(where: dict[str, object], held: list[int]) -> None:
    lines = ["'a'", '"a"', "'a' \\\n'b'", "b'a'", "f'{a}'", "'é'", r"'\xe9'", r"'\u20ac'"]
    for number, line in enumerate(lines, 1):
        holds = rewritten(f"f({line})\n", match="f($x)", where=[where],
                          edit={"replace": "$match", "with": "yes"}) == "yes\n"  # fmt: skip
        assert holds == (number in held), line


def test_names_and_texts_in_strings_of_a_template() -> None:
    template = "$name = make('$name', f'{$name}: ${key}s', $key)"
    rule = {"match": "$name = make($key)", "edit": {"replace": "$match", "with": template}}
    assert rewritten("a.b = make('k')\n", **rule) == "a.b = make('a.b', f'{a.b}: ks', 'k')\n"
    for code in ("a[0] = make('k')\n", "a = make('{')\n", "a = make(f())\n", "a = make('a\\n')\n"):
        text, reports, _ = outcome(code, **rule)
        assert text == code
        assert "stands in a string" in reports[0]
    for wrong in ("'$...x'", "f('$nope')"):
        problems = load_text(str_of(match="f($...x)", edit={"replace": "$match", "with": wrong}))
        assert not isinstance(problems, Pack)


def str_of(**rule: object) -> str:
    return yaml.safe_dump(pack_data(**rule))


@pytest.mark.parametrize(("rule", "reason"), [
    ({"match": "f($x)", "edit": {"respell": "$x", "as": {"(": ""}}}, "not a regular expression"),
    ({"match": "f($x)", "edit": {"respell": "$x", "as": {"(a)": r"\2"}}}, "no group 2"),
    ({"match": "f($x)", "edit": {"respell": "$x", "as": {"a": r"\w"}}}, "a backslash before 'w'"),
    ({"match": "f($x)", "edit": {"respell": "$x", "as": {"a": "\\"}}}, "a backslash before ''"),
    ({"match": "f($x)", "edit": {"respell": "$y", "as": {"a": ""}}}, "$y"),
    ({"match": "f($x)", "edit": {"respell": "$x"}}, "as"),
    ({"match": "f($x)", "where": [{"written": ["$x", "("]}], "report": "No."}, "not a regular"),
    ({"match": "f($x)", "where": [{"formatted": {"of": "$x", "to": "printf"}}], "report": "No."},
     "printf"),
    ({"match": "f($x)", "edit": {"replace": "$x", "with": "1"}, "unless": ["a", "b"]}, "option"),
])  # fmt: skip
def test_mistakes(rule: dict[str, object], reason: str) -> None:
    problems = load_text(str_of(**rule))
    assert not isinstance(problems, Pack)
    assert any(reason in str(problem) for problem in problems), problems
