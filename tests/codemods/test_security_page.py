"""Every row of SECURITY.md has a test, and the test exists."""

from __future__ import annotations

import re

import pytest
from commands import REPOSITORY

_ROW = re.compile(r"^\| (?!threat |---|\*\*)(?P<threat>.+?) \| .+ \| (?P<test>[^|]+) \|$", re.M)
_TEST = re.compile(r"`(?P<file>test_\w+\.py)::(?P<name>test_\w+)`")
ROWS = _ROW.findall((REPOSITORY / "SECURITY.md").read_text("utf-8"))


def test_the_table_is_found() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize(("threat", "cell"), ROWS, ids=[str(n) for n in range(len(ROWS))])
def test_a_threat_has_a_test(threat: str, cell: str) -> None:
    named = _TEST.fullmatch(cell)
    assert named, f"{threat}: {cell}"
    (path,) = (REPOSITORY / "tests").rglob(named["file"])
    assert f"\ndef {named['name']}(" in path.read_text("utf-8"), cell
