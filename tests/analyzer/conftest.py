"""The ``write`` fixture: a Repository from file names and texts, or from the text of main.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from repository import Repository, Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def build(files: Mapping[str, str] | str, given: Sequence[str] = ("",)) -> Repository:
        named = {"main.py": files} if isinstance(files, str) else files
        return Repository(tmp_path / "repo", named, given)

    return build
