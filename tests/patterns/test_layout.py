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
        ("if x:\n\treport()\n", "if x:\n\tif first():\n\t\treport()\n"),
        ("if x:\n  report()\n", "if x:\n  if first():\n    report()\n"),
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
        ("if x: report()\n", "if x: report() if first() else None\n"),
        ("a; report(); b\n", "a; report() if first() else None; b\n"),
        ("report();\n", "report() if first() else None;\n"),
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
