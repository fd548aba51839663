"""What is left of the empty lines around statements that are deleted."""

from __future__ import annotations

import pytest
from snippets import rewritten


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
    ("a; go()\n\nb\n", "a; pass\n\nb\n"),
    ("if x:\n\n    go()\n\nb\n", "if x:\n    pass\n\nb\n"),
])  # fmt: skip
def test_empty_lines(before: str, after: str) -> None:
    assert rewritten(before, match="go()", edit={"delete": "$match"}) == after
