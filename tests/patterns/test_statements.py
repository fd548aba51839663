"""Statements instead of a statement, and nothing instead of one."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
import yaml
from rewriting import File
from snippets import load_text, outcome, pack_data, pack_of, rewritten

from pinsetter.patterns.edits.edit import apply

EQUAL = {"match": "same($a, $b)", "edit": {"replace": "$match", "with": "assert $a == $b"}}
TWO = {
    "match": "try_it($f, $...args)",
    "edit": {"replace": "$match", "with": "with it:\n    $f($...args)\n"},
}
GONE = {"match": "drop($...args)", "edit": {"delete": "$match"}}


@pytest.mark.parametrize("rule", [EQUAL, TWO, GONE], ids=["one", "block", "none"])
@pytest.mark.parametrize(
    "place",
    ["x = {}", "return {}", "print({})", "{}.more()", "await {}", "-{}", "({})", "yield {}",
     "if {}: pass", "assert {}", "{} if a else b", "lambda: {}"],
)  # fmt: skip
def test_a_part_of_a_statement_is_left_alone(rule: dict[str, object], place: str) -> None:
    call = str(rule["match"]).partition("(")[0] + "(1, 2)"
    head = "async def f():\n    " if place.startswith(("return", "await", "yield")) else ""
    code = f"{head}{place.format(call)}\n"
    text, reports, _ = outcome(code, **rule)
    assert text == code
    assert all("only a part of its statement" in report for report in reports)
    assert reports or "await" in place


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("same(a, b)\n", "assert a == b\n"),
        ("same(a, b)", "assert a == b"),
        ("same(a or b, lambda: 1)  # why\n", "assert (a or b) == (lambda: 1)  # why\n"),
        ("if x: same(1, 2)\n", "if x: assert 1 == 2\n"),
        ("a; same(1, 2); b\r\n", "a; assert 1 == 2; b\r\n"),
        ("if x:\n\tsame(\n\t\t1,  # one\n\t\t2)\n", "if x:\n\t# one\n\tassert 1 == 2\n"),
        ("same(a\n  .b, c)\n", "assert (a\n  .b) == c\n"),
        ("same('''a\nb''', c)\n", "assert '''a\nb''' == c\n"),
    ],
)
def test_one_statement_for_one(before: str, after: str) -> None:
    assert rewritten(before, **EQUAL) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("try_it(f)\n", "with it:\n    f()\n"),
        ("try_it(f, 1, *a, k=2)", "with it:\n    f(1, *a, k=2)"),
        ("if x: try_it(f)\n", "if x:\n    with it:\n        f()\n"),
        ("if x:\n  try_it(f)  # why\n", "if x:\n  with it:\n    f()  # why\n"),
        ("a; try_it(f); b\n", "a\nwith it:\n    f()\nb\n"),
        ("try_it(lambda: 1)\r\n", "with it:\r\n    (lambda: 1)()\r\n"),
    ],
)
def test_a_block_for_a_statement(before: str, after: str) -> None:
    assert rewritten(before, **TWO) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("drop(1)\nx\n", "x\n"),
        ("x\ndrop(1)", "x\n"),
        ("def f():\n    drop(\n        1)\n    x\n", "def f():\n    x\n"),
        ("def f():\n\tdrop()\n", "def f():\n\tpass\n"),
        ("def f():\n    drop()\n    drop()\nx\n", "def f():\n    pass\nx\n"),
        ("if x: drop()\n", "if x: pass\n"),
        ("a; drop(); b\n", "a; b\n"),
        ("if x:\n    drop()\nelse:\n    drop()\n    y\n", "if x:\n    pass\nelse:\n    y\n"),
        ("# kept\ndrop()\n# and this\n", "# kept\n# and this\n"),
    ],
)
def test_a_deleted_statement(before: str, after: str) -> None:
    assert rewritten(before, **GONE) == after


def test_comments_that_go_with_a_deleted_statement_are_named() -> None:
    _, _, warnings = outcome("drop(  # in\n)  # behind\nx\n", **GONE)
    assert warnings == ["The comment '# in' is left out.", "The comment '# behind' is left out."]


BLOCK = "def f():\n    drop(1)\n    drop(2)\n    drop(3)\n"


@pytest.mark.parametrize("some", [c for n in range(4) for c in itertools.combinations(range(3), n)])
def test_whichever_are_deleted_no_block_is_empty(some: tuple[int, ...]) -> None:
    pack = pack_of(**GONE)
    text = File(pack, BLOCK).outcomes(pack.rules[0]).text(some)
    compile(text, "f.py", "exec")
    assert text.count("drop") == 3 - len(some)
    assert ("pass" in text) == (len(some) == 3)


def test_what_another_rule_changes_inside_is_changed_in_the_new_statement() -> None:
    packs = [pack_of(**EQUAL), pack_of(match="old($x)", edit={"replace": "$match", "with": "$x"})]
    code = "same(old(f), 1)\n"
    edits = [
        replace(edit, rank=(number, *edit.rank))
        for number, pack in enumerate(packs)
        for each in File(pack, code).outcomes(pack.rules[0]).applied
        for edit in each.application.edits
    ]
    assert apply(code, edits) == "assert f == 1\n"


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ({"replace": "$match", "with": "assert $a =="}, "the template is not Python"),
        ({"replace": "$match", "with": "assert $q"}, "nothing is called $q here"),
        ({"delete": "$q"}, "nothing is called $q here"),
        ({"delete": "$match", "with": "x"}, ""),
        ({"wrap": "$match", "with": "assert $it"}, "the template is not an expression"),
    ],
)
def test_mistakes(edit: dict[str, str], reason: str) -> None:
    found = load_text(yaml.safe_dump(pack_data(match="same($a, $b)", edit=edit)))
    assert isinstance(found, list)
    assert reason in "\n".join(map(str, found))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for x in y:\n    out(x)\nz\n", "all_out(y)\nz\n"),
        ("for x in y: out(x)\nz\n", "all_out(y)\nz\n"),
        ("if a:\n    for x in y:\n        out(x)\nelse:\n    b\n",
         "if a:\n    all_out(y)\nelse:\n    b\n"),
        ("for x in y:\n    out(x)", "all_out(y)"),
        ("for x in y:\n    out(x)  # why\nz\n", "all_out(y)  # why\nz\n"),
        ("for x in y:\n    out(x)\nelse:\n    z\n", None),
        ("for x in y:\n    out(x)\n    z\n", None),
    ],
)  # fmt: skip
def test_a_block_becomes_a_statement(before: str, after: str | None) -> None:
    rule = {
        "match": "for $x in $y:\n    out($x)",
        "edit": {"replace": "$match", "with": "all_out($y)"},
    }
    assert rewritten(before, **rule) == (before if after is None else after)


CLOSED = {
    "match": "try:\n    $...body\nfinally:\n    $f.close()",
    "edit": {"replace": "$match", "with": "with closing($f):\n    $...body\n"},
}
CHOSEN = {
    "match": "if True:\n    $...body\nelse:\n    $...rest",
    "edit": {"replace": "$match", "with": "$...body\n"},
}
AROUND = {
    "match": "if old($x):\n    $...body\nelse:\n    $...rest",
    "edit": {
        "replace": "$match",
        "with": "for x in y:\n    if new($x):\n        begin()\n        $...body\n        end()\n"
        "    else:\n        $...rest\n    last()\n",
    },
}


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        (CLOSED, "try:\n    a\nfinally:\n    f.open()\n", None),
        (CLOSED, "try:\n    a\nexcept E:\n    b\nfinally:\n    f.close()\n", None),
        (CLOSED, "try:\n    a\n    # why\n    b(1,\n      2)\n    # end\n"
         "finally:\n    f.close()\nx\n",
         "with closing(f):\n    a\n    # why\n    b(1,\n      2)\n    # end\nx\n"),
        (CLOSED, "def g():\r\n  try:\r\n    s = '''\r\n x'''\r\n  finally: f.close()\r\n  y\r\n",
         "def g():\r\n  with closing(f):\r\n    s = '''\r\n x'''\r\n  y\r\n"),
        (CLOSED, "try: a; b\nfinally: f.close()", "with closing(f):\n    a; b"),
        (CHOSEN, "if False:\n    a\nelse:\n    b\n", None),
        (CHOSEN, "if True:\n    # one\n    a\n    if b:\n\n        c(\n    1)\n"
         "    s = '''\n  x'''\nelse:\n    d\n",
         "# one\na\nif b:\n\n    c(\n1)\ns = '''\n  x'''\n"),
        (CHOSEN, "def g():\n\tif True:\n\t\ta\n\telse:\n\t\tb\n\tc\n", "def g():\n\ta\n\tc\n"),
        (CHOSEN, "if True: a; b\nelse: c\nd\n", "a; b\nd\n"),
        (AROUND,
         "if z:\n    if old(1):\n        a\n\n        b  # b\n    else:\n        c\n    d\n",
         "if z:\n    for x in y:\n        if new(1):\n            begin()\n            a\n\n"
         "            b  # b\n            end()\n        else:\n            c\n"
         "        last()\n    d\n"),
    ],
)  # fmt: skip
def test_blocks_stay_in_other_code(rule: dict[str, object], before: str, after: str | None) -> None:
    assert rewritten(before, **rule) == (before if after is None else after)


@pytest.mark.parametrize("rule", [CHOSEN, AROUND], ids=["left", "right"])
@pytest.mark.parametrize(
    "other",
    [
        {"match": "a()", "edit": {"insert": "if before:\n    it()", "place": "before"}},
        {"match": "a()", "edit": {"insert": "if after:\n    it()", "place": "after"}},
        {"match": "a()", "edit": {"guard": "first()"}},
        {"match": "a()", "edit": {"replace": "$match", "with": "b()"}},
        {"match": "a()", "edit": {"delete": "$match"}},
        {"match": "a()", "edit": {"replace": "$match", "with": "with it:\n    b()\n"}},
    ],
)
def test_what_other_rules_do_inside_is_moved_along(
    rule: dict[str, object], other: dict[str, object]
) -> None:
    """Both together are one after the other."""
    head = "if True:" if rule is CHOSEN else "if old(1):"
    code = f"def g():\n    {head}\n        a()\n    else:\n        c()\n    d()\n"
    packs = [pack_of(**rule), pack_of(**other)]
    edits = [
        replace(edit, rank=(number, *edit.rank))
        for number, pack in enumerate(packs)
        for each in File(pack, code).outcomes(pack.rules[0]).applied
        for edit in each.application.edits
    ]
    assert apply(code, edits) == rewritten(rewritten(code, **other), **rule)


def test_blocks_in_another_order_are_refused() -> None:
    edit = {"replace": "$match", "with": "if not $x:\n    $...rest\nelse:\n    $...body\n"}
    rule = {"match": "if $x:\n    $...body\nelse:\n    $...rest", "edit": edit}
    text, (report,), _ = outcome("if a:\n    b\nelse:\n    c\n", **rule)
    assert text == "if a:\n    b\nelse:\n    c\n"
    assert "its blocks would change their order" in report


def test_comments_of_a_head_that_goes_are_named() -> None:
    _, _, warnings = outcome("if True:  # why\n    a\nelse:\n    # other\n    b\n", **CHOSEN)
    assert any("# why" in warning for warning in warnings), warnings
    assert any("# other" in warning for warning in warnings), warnings


def test_statements_are_only_put_back() -> None:
    rule = {"match": "if $x:\n    $...body", "edit": {"insert": "$...body", "place": "before"}}
    text, (report,), _ = outcome("if a:\n    b\n", **rule)
    assert text == "if a:\n    b\n"
    assert "only put back where the statement around is replaced" in report


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        (GONE, "drop()\nx\n", "x\n"),
        (GONE, "drop()\n", ""),
        (CHOSEN, "if True:\n    a\nelse:\n    b\n", "a\n"),
        (CHOSEN, "if True: a\nelse: b\n", "a\n"),
        (CLOSED, "try:\n    a\nfinally:\n    f.close()\n", "with closing(f):\n    a\n"),
        ({"match": "old($x)", "edit": {"remove": "$match"}},
         "@old(1)\ndef f(): pass\n", "def f(): pass\n"),
    ],
)  # fmt: skip
def test_a_byte_order_mark_stays(rule: dict[str, object], before: str, after: str) -> None:
    assert rewritten(f"\ufeff{before}", **rule) == f"\ufeff{after}"


def test_lines_that_end_as_long_ago_are_moved() -> None:
    code = "if True:\r    a\r    b\relse:\r    c\rd\r"
    assert rewritten(code, **CHOSEN) == "a\rb\rd\r"


def test_a_block_with_other_white_space_than_around_is_left_alone() -> None:
    code = "class C:\n    if old(1):\n\ta\n    else:\n\tc\n"
    text, reports, _ = outcome(code, **AROUND)
    assert text == code
    assert any("other white space" in report for report in reports)


def test_a_comment_behind_the_last_block_is_not_lost_in_silence() -> None:
    code = "if True:\n    a\nelse:\n    b  # done\nx\n"
    text, _, warnings = outcome(code, **CHOSEN)
    assert text == "a\nx\n"
    assert any("# done" in warning for warning in warnings)
