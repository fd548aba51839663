"""What is left of the empty lines around statements that are deleted."""

from __future__ import annotations

import pytest
import yaml
from snippets import load_text, outcome, pack_data, rewritten

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.packs.pack import Pack


@pytest.mark.parametrize(("before", "after"), [
    ("a\ngo()\nb\n", "a\nb\n"), ("a\n\ngo()\nb\n", "a\n\nb\n"), ("a\ngo()\n\nb\n", "a\n\nb\n"),
    ("a\n\ngo()\n\nb\n", "a\n\nb\n"), ("a\n\n\ngo()\n\nb\n", "a\n\n\nb\n"),
    ("a\n\ngo()\n\n\nb\n", "a\n\n\nb\n"), ("a\n\n\ngo()\n", "a\n"), ("a\n\ngo()", "a\n"),
    ("a\n\ngo()\n\n", "a\n\n"), ("\ngo()\n\nb\n", "\nb\n"), ("go()\n\nb\n", "\nb\n"),
    ("if x:\n    a\n\n    go()\nelse:\n    b\n", "if x:\n    a\nelse:\n    b\n"),
    ("if x:\n    a\n\n    go()\n\nb\n", "if x:\n    a\n\nb\n"),
    ("if x:\n    a\n\n    go()\n    b\n", "if x:\n    a\n\n    b\n"),
    ("a\n\n# why\ngo()\n\nb\n", "a\n\n# why\n\nb\n"),
    ("a = 1 \\\n\ngo()\n\nb\n", "a = 1 \\\n\n\nb\n"),
    ("a = '''\n\n'''\n\ngo()\n\nb\n", "a = '''\n\n'''\n\nb\n"),
    ("a\r\n\r\ngo()\r\n\r\nb\r\n", "a\r\n\r\nb\r\n"), ("a\r\rgo()\r\rb\r", "a\r\rb\r"),
    ("a\n \t\ngo()\n\nb\n", "a\n\nb\n"),
    ("a\n\ngo()\n\ngo()\n\nb\n", "a\n\nb\n"), ("a\n\ngo()\n\n\ngo()\n\nb\n", "a\n\n\nb\n"),
    ("if x:\n    a\n\n    go()\n\n    go()\n\nb\n", "if x:\n    a\n\nb\n"),
    ("a; go()\n\nb\n", "a\n\nb\n"), ("go(); a\n", "a\n"), ("a; go(); b  # c\n", "a; b  # c\n"),
    ("a; go();\n", "a;\n"), ("go(); a;\n", "a;\n"), ("go(); go()\n", "pass\n"),
    ("a; go(); go()\n", "a\n"), ("go(); a; go()\n", "a\n"), ("if x: go(); a\n", "if x: a\n"),
    ("if x: go()\n", "if x: pass\n"), ("go();\n", "pass;\n"),
    ("if x:\n\n    go()\n\nb\n", "if x:\n    pass\n\nb\n"),
])  # fmt: skip
def test_empty_lines(before: str, after: str) -> None:
    assert rewritten(before, match="go()", edit={"delete": "$match"}) == after


@pytest.mark.parametrize(("before", "after"), [
    ("if go():\n    a\n    # b\n\n    # c\n\n# d\ne\n", "\n# d\ne\n"),
    ("if x:\n    if go():\n        a\n        # b\n    # c\n    d\n", "if x:\n    # c\n    d\n"),
    ("if x:\n    if go():\n        a\n        # b\n# c\n", "if x:\n    pass\n# c\n"),
    ("if go():\n    a\n# b\n", "# b\n"), ("if go(): a\n# b\n", "# b\n"),
    ("if go():\n    a\n    # b", ""),
])  # fmt: skip
def test_comments_at_the_end_of_a_block(before: str, after: str) -> None:
    """They go with it, and are named."""
    rule = {"match": "if go(): $...body", "edit": {"delete": "$match"}}
    text, _, warnings = outcome(before, **rule)
    assert text == after
    assert [warning.split("'")[1] for warning in warnings] == [
        comment for comment in ("# b", "# c") if comment in before and comment not in after
    ]


@pytest.mark.parametrize(("before", "after"), [
    ("a; import x, y\nu(x)\nu(y)\n", "a; pass\nv(1)\nv(1)\n"),
    ("a; import x\nu(x)\n", "a\nv(1)\n"), ("import x; a\nu(x)\n", "a\nv(1)\n"),
    ("a; from z import x, y\nu(x)\ny\n", "a; from z import y\nv(1)\ny\n"),
])  # fmt: skip
def test_imports_that_share_a_line(before: str, after: str) -> None:
    data = pack_data(match="u($x)", edit={"replace": "$match", "with": "v(1)"})
    pack = load_text(yaml.safe_dump({**data, "removes_imports": True}))
    assert isinstance(pack, Pack), pack
    assert outcome_of(pack, pack.rules[0], before).text == after
