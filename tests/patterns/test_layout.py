"""Inserted code takes the file's own shape; what it stands beside keeps its."""

import pytest
from snippets import followed, guarded, preceded, rewritten

CLEAN = [
    "",
    "\n",
    "other()\n",
    "'''step()'''\n",
    "# step()\n# report()\n",
    "x = [\n  1,\n]",
    "def f():\r\n\tpass\r\n",
]


@pytest.mark.parametrize("code", CLEAN)
def test_code_without_a_match_keeps_every_byte(code: str) -> None:
    assert guarded(code) == followed(code) == preceded(code) == code


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("report()\n", "if first():\n    report()\n"),
        ("report()", "if first():\n    report()"),
        ("report()\r\n", "if first():\r\n    report()\r\n"),
        ("report()  # why\n", "if first():\n    report()  # why\n"),
        ("\ufeffreport()\n", "\ufeffif first():\n    report()\n"),
        ("while x:\n\treport()\n", "while x:\n\tif first():\n\t\treport()\n"),
        ("while x:\n  report()\n", "while x:\n  if first():\n    report()\n"),
        ("report(\n    1,\n)\n", "if first():\n    report(\n        1,\n    )\n"),
        ("report(1,\r\n\r\n       2)\r\n", "if first():\r\n    report(1,\r\n\r\n           2)\r\n"),
        ("report(1,\n# why\n       2)\n", "if first():\n    report(1,\n    # why\n           2)\n"),
        ("report(1, \\\n  2)\n", "if first():\n    report(1, \\\n      2)\n"),
        (
            'report("""a\n  b\n""",\n       2)\n',
            'if first():\n    report("""a\n  b\n""",\n           2)\n',
        ),
        (
            "# above\nreport()\n# below\n",
            "# above\nif first():\n    report()\n# below\n",
        ),
        ("report(1,\r       2)\r", "if first():\r    report(1,\r           2)\r"),
        ("report(1,\r\r  # why\r  2)", "if first():\r    report(1,\r\r      # why\r      2)"),
        ('report("""a\r  b\r""",\r 2)\r', 'if first():\r    report("""a\r  b\r""",\r     2)\r'),
        (
            "match x:\n  case 1:\n    report()\n",
            "match x:\n  case 1:\n    if first():\n      report()\n",
        ),
        ("try: x\nexcept* E:\n\treport()", "try: x\nexcept* E:\n\tif first():\n\t\treport()"),
        (
            "if x:\n    y\nif z:\n    y\ndef f():\n\treport()\n",
            "if x:\n    y\nif z:\n    y\ndef f():\n\tif first():\n\t\treport()\n",
        ),
        (
            "async def f():\n    await report()\n",
            "async def f():\n    if first():\n        await report()\n",
        ),
    ],
)
def test_a_guarded_statement(before: str, after: str) -> None:
    assert guarded(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = report()\n", "a = report() if first() else None\n"),
        ("a = b = report()\n", "a = b = report() if first() else None\n"),
        ("def f(): return report()\n", "def f(): return report() if first() else None\n"),
        ("while x: report()\n", "while x: report() if first() else None\n"),
        ("a; report(); b\n", "a; report() if first() else None; b\n"),
        ("report();\n", "report() if first() else None;\n"),
        ("match x:\n  case 1: report()", "match x:\n  case 1: report() if first() else None"),
        ("try: x\nexcept* E: report()\n", "try: x\nexcept* E: report() if first() else None\n"),
        ("class A: report()\n", "class A: report() if first() else None\n"),
    ],
)
def test_a_guard_where_no_block_fits(before: str, after: str) -> None:
    assert guarded(before) == after


@pytest.mark.parametrize(
    "code",
    [
        "if report(): pass\n",
        "[report() for x in y]\n",
        "f = lambda: report()\n",
        "f(report())\n",
        "a += report()\n",
        "x and report()\n",
        "@report()\ndef f(): pass\n",
        "assert report()\n",
        "match report():\n    case 1: pass\n",
        "match x:\n    case 1 if report(): pass\n",
        "match x:\n    case report(): pass\n",
        "with (a as b, report()): pass\n",
        "@report().x\ndef f(): pass\n",
        "type A = report()\n",
        "def f[T: report()](): pass\n",
        "def f(x=report()): pass\n",
    ],
)
def test_no_guard_where_a_value_is_needed(code: str) -> None:
    assert guarded(code) == code


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("step()\n", "step()\ndone()\n"),
        ("step()", "step()\ndone()"),
        ("step()\r\n", "step()\r\ndone()\r\n"),
        ("step()  # why\nx\n", "step()  # why\ndone()\nx\n"),
        ("if x: step()\n", "if x:\n    step()\n    done()\n"),
        ("if x:step()\n", "if x:\n    step()\n    done()\n"),
        ("if x: step()  # why\n", "if x:\n    step()\n    done()  # why\n"),
        ("if x: a; step(); b\n", "if x:\n    a\n    step()\n    done()\n    b\n"),
        ("a; step(); b\n", "a\nstep()\ndone()\nb\n"),
        ("if x:\n\ta; step()\n", "if x:\n\ta\n\tstep()\n\tdone()\n"),
        ("a = 1; step()", "a = 1\nstep()\ndone()"),
        ("if x: pass\nelse: step()\n", "if x: pass\nelse:\n    step()\n    done()\n"),
        ("for x in y:\n  step()\n", "for x in y:\n  step()\n  done()\n"),
        (
            "def f():\n  if (a and\nb): step()\n",
            "def f():\n  if (a and\nb):\n    step()\n    done()\n",
        ),
        ("step()\r", "step()\rdone()\r"),
        ("if x:\r\tstep()", "if x:\r\tstep()\r\tdone()"),
        ("if x: a; step()", "if x:\n    a\n    step()\n    done()"),
        ("if x:\n    step()  # why", "if x:\n    step()  # why\n    done()"),
        ("step()\n# end", "step()\ndone()\n# end"),
        ("if x: \\\n  step()\n", "if x:\n    step()\n    done()\n"),
        ("match x:\n  case 1: step()\n", "match x:\n  case 1:\n    step()\n    done()\n"),
        ("match x:\n  case 1: step()", "match x:\n  case 1:\n    step()\n    done()"),
        (
            "match x:\r\n\tcase [1,\r\n 2]: a; step()\r\n\tcase _: pass\r\n",
            "match x:\r\n\tcase [1,\r\n 2]:\r\n\t\ta\r\n\t\tstep()\r\n\t\tdone()\r\n"
            "\tcase _: pass\r\n",
        ),
        ("match x:\n case 1:\n  step()", "match x:\n case 1:\n  step()\n  done()"),
        ("try: x\nexcept* E: step()\n", "try: x\nexcept* E:\n    step()\n    done()\n"),
        ("with (a as b,\n  c): step()\n", "with (a as b,\n  c):\n    step()\n    done()\n"),
        ("match x:\n case 1 if step(): a\n", "match x:\n case 1 if step(): a\ndone()\n"),
        ("if x:step();step()\n", "if x:\n    step()\n    done()\n    step()\n    done()\n"),
        ("a = step(1,\n  2)\n", "a = step(1,\n  2)\ndone()\n"),
        ("@d\ndef f():\n    step()\n\n\nx\n", "@d\ndef f():\n    step()\n    done()\n\n\nx\n"),
    ],
)
def test_lines_after_a_statement(before: str, after: str) -> None:
    assert followed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f():\n    return step()\n", "result = step()\n    done()\n    return result\n"),
        ("def f(): return step()\n", "\n    result = step()\n    done()\n    return result\n"),
        (
            "def f():\n    result = 1\n    return step()",
            "result_2 = step()\n    done()\n    return",
        ),
    ],
)
def test_lines_after_a_return_come_before_it(before: str, after: str) -> None:
    assert after in followed(before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("step()\n", "begin()\nstep()\n"),
        ("\ufeffstep()\n", "\ufeffbegin()\nstep()\n"),
        ("# why\nstep()\n", "# why\nbegin()\nstep()\n"),
        ("if x: step()\n", "if x:\n    begin()\n    step()\n"),
        ("a; step()\n", "a\nbegin()\nstep()\n"),
        ("match x:\n case 1: step()", "match x:\n case 1:\n  begin()\n  step()"),
        ("match x:\n case 1 if step(): a\n", "begin()\nmatch x:\n case 1 if step(): a\n"),
        ("match step():\r  case 1: a\r", "begin()\rmatch step():\r  case 1: a\r"),
        ("@d\nasync def f(a=step()): a\n", "begin()\n@d\nasync def f(a=step()): a\n"),
        ("if x:\r\n\tstep()\r\n", "if x:\r\n\tbegin()\r\n\tstep()\r\n"),
        ("def f():\n    return step()\n", "def f():\n    begin()\n    return step()\n"),
    ],
)
def test_lines_before_a_statement(before: str, after: str) -> None:
    assert preceded(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('step("""a\n  b""")\n', 'kept = """a\n  b"""\nstep("""a\n  b""")\n'),
        ('step("a\u2028b\x0c")\n', 'kept = "a\u2028b\x0c"\nstep("a\u2028b\x0c")\n'),
        ("if x:\n  step(g(a,\n       b))\n", "  kept = g(a,\n       b)\n  step("),
        ("step(a +\n     b)\n", "kept = (a +\n     b)\nstep("),
        ("step(a  # why\n     .b)\n", "kept = (a  # why\n     .b)\nstep("),
        ("step(a +\r     b)\r", "kept = (a +\r     b)\rstep("),
        ("step(a  # why\r\n     .b)\r\n", "kept = (a  # why\r\n     .b)\r\nstep("),
        ("step(a \\\n     .b)\n", "kept = (a \\\n     .b)\nstep("),
    ],
)
def test_a_capture_of_several_lines_keeps_them(before: str, after: str) -> None:
    edit = {"insert": "kept = $x", "place": "before"}
    assert after in rewritten(before, match="step($x)", edit=edit)


def test_templates_take_the_file_s_indentation() -> None:
    edit = {"insert": "if $x:\n    for a in b:\n        c()\n", "place": "after"}
    code = "def f():\n\tstep(y)\n"
    result = "def f():\n\tstep(y)\n\tif y:\n\t\tfor a in b:\n\t\t\tc()\n"
    assert rewritten(code, match="step($x)", edit=edit) == result


def test_captures_of_a_condition_of_an_edit_are_known_in_it() -> None:
    edit = {"if": [{"matches": {"$x": "g($y)"}}], "insert": "keep($y)", "place": "after"}
    rule = {"match": "step($x)", "edit": [edit]}
    assert rewritten("step(h(1))\n", **rule) == "step(h(1))\n"
    assert rewritten("step(g(1))\n", **rule) == "step(g(1))\nkeep(1)\n"


BLOCKS = """\
match x:
    case [1, y]:
        with (open(y) as file,
              other):
            report(y,
                   1)
    case _: pass
"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end"])
def test_a_guarded_block_inside_a_case(end: str, last: str) -> None:
    code = (BLOCKS + last).replace("\n", end)
    rule = {"match": "with $f as $g, $...more:\n    $...body", "edit": {"guard": "first()"}}
    lines = BLOCKS.splitlines()
    expected = [
        *lines[:2],
        "        if first():",
        *("    " + x for x in lines[2:6]),
        lines[6],
        last,
    ]
    assert rewritten(code, **rule) == end.join(expected)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_guarded_match_statement(end: str) -> None:
    code = "match f(x):\n  case 1:\n    a\n\n  # why\n  case 2: b".replace("\n", end)
    rule = {"match": "match f($x):\n  case 1: $...a\n  case 2: $...b", "edit": {"guard": "first()"}}
    assert rewritten(code, **rule).split(end) == [
        "if first():", "  match f(x):", "    case 1:", "      a", "", "    # why", "    case 2: b",
    ]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_a_template_end_as_the_file_s_do(end: str) -> None:
    edit = {"wrap": "$x", "with": "g($it,\n  1)"}
    assert rewritten(f"f(a){end}", match="f($x)", edit=edit) == f"f(g(a,{end}  1)){end}"


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("await f(1)", "(await f(1)).x"),
        ("g(await f(1))", "g((await f(1)).x)"),
        ("await f(1) ** 2", "(await f(1)).x ** 2"),
    ],
)
def test_what_is_awaited_keeps_together(code: str, result: str) -> None:
    edit = {"wrap": "$match", "with": "$it.x"}
    source = f"async def h():\n    {code}\n"
    expected = f"async def h():\n    {result}\n"
    assert rewritten(source, match="await f($x)", edit=edit) == expected
