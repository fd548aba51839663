"""Fixtures: a script in a folder of its own."""

from pathlib import Path

import pytest
from commands import TRAIN


@pytest.fixture
def script(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    path = folder / "train.py"
    path.write_text(TRAIN)
    return path
