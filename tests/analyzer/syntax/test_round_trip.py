"""Nothing of a text is lost, whatever its layout, and each leaf says where it stands."""

from __future__ import annotations

import pytest
from syntax_trees import check_places, leaves, problem_of, tree_of

from pinsetter.analyzer.syntax import parse

LAYOUTS = [
    "",
    "\n",
    "\n\n\n",
    " ",
    "   ",
    "\t\n",
    "  \n  \n",
    "\f",
    "\f\n",
    "# a",
    "# a\n",
    "#",
    "   # a",
    "   # a\n# b\n\n",
    "\n\n  # a",
    "x",
    "x\n",
    "x;",
    "x; ",
    "x;  # a\n",
    "x \t \n",
    "x  # a\n",
    "x#a\n",
    "\nx\n   \n\n",
    "x\n  # a",
    "x\n# a\n  # b",
    "x\n\f",
    "\fx\n",
    "\f\fx\n",
    "x\n\fy\n",
    "x\n\f\ny\n",
    "x = \f1\n",
    "if x:\n\f  y\n",
    "if x:\n  y\n\f\n  z\n",
    "if x:\n  y\n\f  z\n",
    "class A:\n    x\n\n\f\n    y\n",
    "if x:\n\ty\n\tz\n",
    "if x:\n\tif y:\n\t    z\n\tw\n",
    "if x:\n        y\n\tz\n",
    "if x:\n \ty\n  \tz\n",
    "if x:\n  y\n",
    "if x:\n  y",
    "if x:\n  y;",
    "if x: y",
    "if x: y; z\n",
    "if x:\n    y\n    # a",
    "if x:\n    y\n  # a\n# b\n      # c\nz\n# d",
    "if x:  # a\n    # b\n    y  # c\n  # d\n# e\n    # f\nz\n# g",
    "if x:\n# a\n    y\n        # b\n    z\n",
    "if x:\n    y\n\n\n\nz\n",
    "if x:\n    if y:\n        z\n    # a\nelse:  # b\n    # c\n    w\n",
    "if x:\n    if y:\n        if z:\n            w",
    "if x:\n    if y:\n        z\n\n    # a\n\n# b\nw",
    "@a\n\n# b\n@c  # d\n\n\n# e\nasync def f(): await g()\n",
    "def f(a,  # b\n      c):  # d\n    # e\n    return a\n\n\n# g\n",
    "f(  # a\n)\n",
    "f(\n# a\n\n\n  # b\n  x\n# c\n  ,\n)\n",
    "x = [\n  # a\n  1,  # b\n  # c\n]\n",
    "{\n\n}\n",
    "{  # a\n x : y ,# b\n** z }\n",
    "(\n\fx\n)\n",
    "(x\n\t\n,)",
    "f ( x ) [ y ] . z\n",
    "x  =  1  if  y  else  2\n",
    "lambda  :  x\n",
    "from . import x\nfrom .  . import y\nfrom...import z\n",
    "'''a\n  b\n\n'''\n",
    "'''\n\n'''",
    "if x:\n    '''a\nb'''\n    y\n",
    "x = 'a' \"b\" '''c\n'''\n",
    "x = ('a'  # b\n     'c')\n",
    "'a\\\nb'\n",
    "f'{x # a\n}'\n",
    "f'''{\n  x\n}\n''' + y\n",
    "match x:  # a\n\n  # b\n    case 1:  # c\n        pass\n    # d\n\n    case _: pass\n# e\n",
    "try:\n    x\n# a\nexcept* A:\n    y\n  # b\nelse: z\n",
]

CONTINUATIONS = [
    "x = 1 + \\\n    2\n",
    "x \\\n= \\\n\\\n1\n",
    "x = 1 \\\n\n",
    "x = 1 \\\n",
    "\\\n",
    "\\\nx\n",
    "\\\n\\\nx\n",
    "\\\n\n",
    "\\\n# a\n",
    "x\n\\\ny\n",
    "x\n\\\n\\\ny\n",
    "x\n\\\n\n",
    "x\n\\\n",
    "x; \\\ny\n",
    "x \\\n# a\n",
    "assert x, \\\n  'y'\n",
    "from a \\\n import \\\n    b\n",
    "if x \\\n  and y:\n    z\n",
    "if x:\n    y \\\n + z\n    w\n",
    "if x: \\\n  y\n",
    "if x:\n    \\\n  y\n",
    "if x:\n    \\\n    y\n    z\n",
    "if x:\n  y\n\\\nz\n",
    "if x:\n  y\n\\\n  z\n",
    "if x:\n  y\n  \\\n  z\n",
    "(x \\\n + \\\n y)\n",
    "[\\\n]\n",
    "f(x, \\\n  # a\n  y)\n",
    "'a' \\\n'b'\n",
    "'''a''' \\\n'''b\n''' \\\n + c\n",
    "x.\\\ny\n",
    "@ \\\na\ndef \\\nf(): pass\n",
    "class A \\\n: pass\n",
    "x = 1 \\\n;\n",
    "async \\\ndef f(): await \\\nx\n",
    "match \\\nx \\\n:\n    case \\\n1: pass\n",
    "type \\\nX = \\\nint\n",
    "with \\\n(a as b): pass\n",
    "try: pass\nexcept \\\n* A: pass\n",
    "not \\\nx\n",
    "x not \\\nin y\n",
]


@pytest.mark.parametrize("text", LAYOUTS)
def test_layouts_are_kept(text: str) -> None:
    check_places(text)


@pytest.mark.parametrize("text", CONTINUATIONS)
def test_continuation_lines_are_kept(text: str) -> None:
    check_places(text)


@pytest.mark.parametrize(
    "text",
    [
        "if x:\n  y\n  \\\n\nz\n",
        "if x:\n  y\n    \\\n\n  z\n",
        "x\n  \\\n\ny\n",
        "  \\\n\nx\n",
        "if x:\n  y\n  \\\n  # a\n  z\n",
        "if x:\n  y\n    \\\n    # a\n  z\n",
        "x\n  \\\n# a\ny\n",
    ],
)
def test_a_blank_line_may_be_continued(text: str) -> None:
    check_places(text)


@pytest.mark.parametrize(
    "text",
    ["x ", "x\t", "x  # a", "x #", "x = 1; ", "if x: y  ", "if x:\n    y # a", "x\ny \f", "'a' "],
)
def test_blanks_and_comments_may_end_the_file(text: str) -> None:
    check_places(text)


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
@pytest.mark.parametrize("text", [t for t in LAYOUTS + CONTINUATIONS if "\n" in t])
def test_other_newlines_are_kept(text: str, newline: str) -> None:
    other = text.replace("\n", newline)
    tree = tree_of(other)
    check_places(other)
    assert [leaf.type for leaf in leaves(tree)] == [leaf.type for leaf in leaves(parse(text))]


@pytest.mark.parametrize("first", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("text", [t for t in LAYOUTS + CONTINUATIONS if t.count("\n") > 1])
def test_mixed_newlines_are_kept(text: str, first: str) -> None:
    kinds = [first, "\r\n", "\n", "\r", "\r\n", "\n"]
    parts = text.split("\n")
    mixed = "".join(part + kinds[n % len(kinds)] for n, part in enumerate(parts[:-1])) + parts[-1]
    check_places(mixed)


@pytest.mark.parametrize("text", [t for t in LAYOUTS + CONTINUATIONS if t])
def test_a_byte_order_mark_is_kept_and_not_counted(text: str) -> None:
    marked, plain = tree_of(f"\ufeff{text}"), parse(text)
    check_places(f"\ufeff{text}")
    places = [[(leaf.lineno, leaf.column) for leaf in leaves(tree)] for tree in (marked, plain)]
    assert places[0] == places[1]
    assert next(leaves(marked)).prefix == f"\ufeff{next(leaves(plain)).prefix}"


def may_be_indented(text: str) -> bool:
    """A string's lines have no indentation; form feeds, tabs and bare continuations change it."""
    marks = ("'''", "'a\\\n", "f'{x #", "\f", "\t", "\n\\\n")
    return not text.startswith("\\") and not any(mark in text for mark in marks)


@pytest.mark.parametrize("text", [*filter(may_be_indented, LAYOUTS + CONTINUATIONS)])
def test_layouts_are_kept_inside_a_block(text: str) -> None:
    lines = [f"    {line}" if line.strip() else line for line in text.splitlines(True)]
    inner = f"if a:\n    b\n{''.join(lines)}"
    check_places(inner)
    check_places(f"{inner}\n    c\n")
    check_places(f"{inner}\nc\n")


@pytest.mark.parametrize("text", ["\\", "x\n\\", "x\n\n  \\"])
def test_a_continuation_may_be_the_last_line(text: str) -> None:
    check_places(text)


@pytest.mark.parametrize("text", ["x = 1 \\", "x = 1\\", "(x)\\", "if x: y\\"])
def test_a_continuation_may_end_the_file(text: str) -> None:
    check_places(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\0", 1),
        ("x\0", 1),
        ("x = 1\ny = '\0'\n", 2),
        ("# a\n\n# \0\n", 3),
        ("'''\n\n\0'''\n", 3),
        ("x\r\n\0", 2),
        ("x\ry\r\0", 3),
        ("\ufeffx\n\0", 2),
    ],
)
def test_nul_is_refused(text: str, line: int) -> None:
    problem = problem_of(text)
    assert "NUL" in problem.reason
    assert problem.line == line


@pytest.mark.parametrize("text", ["x\ufeff", "x\n\ufeffy\n", "\ufeff\ufeffx\n", "x = \ufeff1\n"])
def test_a_byte_order_mark_elsewhere_is_refused(text: str) -> None:
    assert "U+FEFF" in problem_of(text).reason


def test_every_leaf_is_in_the_tree_once_and_knows_its_parent() -> None:
    tree = tree_of("if x:\n    f(y)  # a\nelse:\n    match z:\n        case [1]: pass\n")
    for leaf in leaves(tree):
        assert leaf in leaf.parent.children
        assert leaf.get_suffix() is not None or leaf.next_sibling is None
    assert tree.parent is None
    assert tree.clone() == tree
