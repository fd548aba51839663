"""Facts of control and data flow that rules ask for: one example of each kind."""

from __future__ import annotations

import pytest
from snippets import load_text

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.packs.pack import Pack

HEAD = "pack: facts\nsummary: For a test.\nrules:\n"
RULE = """\
  - id: fact
    title: A fact
    why: For a test.
    {pattern}
    where: [{{{condition}}}]
    report: "It is: {shown}."
    examples:
"""
LOOP = 'query: "(while_stmt< any* > | if_stmt< any* > | expr_stmt< any* >)"'
READ = "match: use($x)"
FUNCTION = "query: funcdef< any* >"

# The predicate and its pattern, what more it is told, code, and what is said; None for nothing.
CASES = [
    ("reads", LOOP, "", "x = 1\n", None),
    ("reads", LOOP, "", "while x.y: z = f(lambda w: w + v)\n", "f, v, x, x.y"),
    ("reads", LOOP, "", "if a[b]: c['d'] += [e for e in g]\n", "a, b, c, c['d'], g"),
    ("reads", LOOP, "", "x = f'{y!r:{z}}'\n", "y, z"),
    ("writes", LOOP, "", "f(x)\n", None),
    ("writes", LOOP, "", "while x:\n    y, (z, *w) = v\n    import a.b\n    def g(): h = 1\n",
     "a, g, w, y, z"),
    ("writes", LOOP, "", "self.x = y[0] = 1\n", "self.x, y[0]"),
    ("writes", LOOP, "", "if (x := y): del z\n", "x, z"),
    ("changes", LOOP, "", "x = 1\n", None),
    ("changes", LOOP, "", "x.y = 1\n", "x"),
    ("changes", LOOP, "", "if x: y[0] += 1\n", "y, y[0]"),
    ("live", LOOP, "", "def f():\n    x = 1\n    x = 2\n", None),
    ("live", LOOP, "", "def f(y):\n    x = 1\n    return x + y\n", "x, y"),
    ("live", LOOP, "", "def f(y):\n    while y: x()\n", None),
    ("live", LOOP, ", at: start", "def f(y):\n    while y: y = x\n    x = 1\n", "x, y"),
]  # fmt: skip
BLOCK = "match: |\n      while $c:\n          $...body\n"
BODY = "match: |\n      def $f():\n          $...body\n"
SECOND = "match: |\n      x()\n      $...body\n      y()\n"
CALL = "match: use($x, $...rest)"
STORE = "match: $x = $y"
# The same of parts of what a pattern fits.
PARTS = [
    ("reads: {of: $...rest, as: found}", CALL, "use(a)\n", None),
    ("live: {of: $...rest, as: found}", CALL, "def f(a):\n    use(a)\n    a\n", None),
    ("writes: {of: $c, as: found}", BLOCK, "while x: y = 1\n", None),
    ("reads: {of: $...body, as: found}", BLOCK, "while x: y = z = 1\n", None),
    ("reads: {of: $c, as: found}", BLOCK, "while x.y > z: a(b)\n", "x, x.y, z"),
    ("writes: {of: $c, as: found}", BLOCK, "while (x := y()): z = 1\n", "x"),
    ("reads: {of: $...body, as: found}", BLOCK, "while x:\n    y = z\n    if a: y.b; c.d = 1\n",
     "a, c, y, y.b, z"),
    ("changes: {of: $...body, as: found}", BLOCK, "while x: y = 1; z[y] = 2\n", "z"),
    ("reads: {of: $...body, as: found}", SECOND, "x()\na = b\nif c: d = e\ny()\n", "b, c, e"),
    ("live: {of: $...body, as: found}", SECOND, "def f(b):\n x()\n a = b\n b = a; a()\n y()\n b\n",
     "b"),
    ("live: {of: $...body, as: found}", SECOND,
     "def f(a, b):\n for b in a:\n  x()\n  if a: break\n  c = d = b\n  y()\n return c, b\n d = 1\n",
     "a, b, c"),
    ("live: {of: $...body, at: start, as: found}", SECOND,
     "def f(b):\n x()\n a = b\n b = a; a()\n y()\n a\n", "b"),
    ("live: {of: $...body, as: found}", BLOCK,
     "def f(b):\n while b:\n  a = b\n  b = a\n return c\n c = 1\n", "b, c"),
    ("reads: {of: $x, as: found}", CALL, "a = use(b.c, d).e\n", "b, b.c"),
    ("reads: {of: $...rest, as: found}", CALL, "use(a, *b, c=d.e, **f[g])\n", "b, d, d.e, f, g"),
    ("reads: {of: $match, as: found}", CALL, "a = use(b, lambda c: c + d).e\n", "b, d, use"),
    ("reads: {of: $x, as: found}", "match: $x.y", "a.b.y.z\n", "a, a.b"),
    ("reads: {of: $y, as: found}", STORE, "a[b] = c.d\n", "c, c.d"),
    # What is not evaluated stands for its statement.
    ("reads: {of: $x, as: found}", STORE, "a[b] = c.d\n", "a, b, c, c.d"),
    ("writes: {of: $x, as: found}", STORE, "a.b, c = d\n", "a.b, c"),
]  # fmt: skip
CONTROL = {
    "return": True,
    "raise x": True,
    "x = 1": False,
    "if x: return 1\n    else: raise x": True,
    "if x: return 1\n    elif y: return 2": False,
    "while True: x()": True,
    "while True:\n        for y in x: break": True,
    "while True:\n        if x: break": False,
    "while x: return": False,
    "for x in y: return": False,
    "with x: return": False,
    "try: return\n    finally: pass": True,
    "try: x()\n    except A: return\n    else: return": True,
    "try: return\n    except A: x()": False,
    "try: x()\n    except A: x()\n    finally: return": True,
    "x(lambda: 1); return; x()": True,
}


def told(pattern: str, condition: str, code: str, shown: str = "$found") -> str | None:
    """What a rule with this condition says of code; None if it does not hold."""
    example = "      - unchanged: ''\n"
    pack = load_text(
        HEAD + RULE.format(pattern=pattern, condition=condition, shown=shown) + example
    )
    assert isinstance(pack, Pack), pack
    reports = outcome_of(pack, pack.rules[0], code).reports
    return reports[0].removeprefix("It is: ").removesuffix(".") if reports else None


@pytest.mark.parametrize(("name", "pattern", "more", "code", "wanted"), CASES)
def test_what_statements_do(
    name: str, pattern: str, more: str, code: str, wanted: str | None
) -> None:
    assert told(pattern, f"{name}: {{of: $match, as: found{more}}}", code) == wanted


@pytest.mark.parametrize(("condition", "pattern", "code", "wanted"), PARTS)
def test_what_parts_do(condition: str, pattern: str, code: str, wanted: str | None) -> None:
    assert told(pattern, condition, code) == wanted


@pytest.mark.parametrize("body", CONTROL)
def test_whether_control_gets_behind_a_block(body: str) -> None:
    code = f"class A:\n    def f():\n        {body.replace(chr(10), chr(10) + '    ')}\n"
    found = told(BODY, "leaves_always: $...body", code, "so")
    assert (found is not None) == CONTROL[body]


@pytest.mark.parametrize("body", CONTROL)
def test_whether_control_gets_behind_it(body: str) -> None:
    found = told(FUNCTION, "leaves_always: $match", f"def f():\n    {body}\n", "so")
    assert (found is not None) == CONTROL[body]


@pytest.mark.parametrize(
    ("code", "value", "lines"),
    [
        ("def f():\n    x = a.b\n    use(x)\n", "a.b", "2"),
        ("def f():\n    if y: x = 1\n    else: x = 2\n    use(x)\n", None, "2, 3"),
        ("def f():\n    if y: x = 1\n    use(x)\n", None, None),
        ("def f(x):\n    use(x)\n    x = 1\n", None, "1"),
        ("def f():\n    x, y = 1\n    use(x)\n", None, "2"),
        ("def f():\n    x = 1\n    while y:\n        use(x)\n        x = 2\n", None, "2, 5"),
        ("def f():\n    global x\n    x = 1\n    use(x)\n", None, None),
        ("def f():\n    use(x.y)\n", None, None),
    ],
)
def test_which_bindings_reach_it(code: str, value: str | None, lines: str | None) -> None:
    assert told(READ, "reaching: {of: $x, as: found}", code) == value
    assert told(READ, "reaching: {of: $x, lines: found}", code) == lines


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("def f(x):\n    use(x)\n", False),
        ("def f():\n    if y: x = 1\n    use(x)\n", True),
        ("def f():\n    x = 1\n    del x\n    use(x)\n", True),
        ("use(x)\n", False),
    ],
)
def test_whether_a_name_may_have_no_value(code: str, wanted: bool) -> None:
    assert (told(READ, "may_be_unbound: $x", code, "so") is not None) == wanted
