"""What is proposed today is no failure any more; what is more is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import HUNKS, PLAIN, TRAIN, Result, run


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text(TRAIN)
    return tmp_path


def checked(tree: Path, *arguments: str) -> Result:
    return run("--check", "code", *arguments, cwd=tree)


def test_where_nothing_is_proposed_it_is_empty(tree: Path) -> None:
    (tree / "code" / "train.py").write_text(PLAIN)
    assert checked(tree, "--write-baseline", "base.json").code == 0
    assert json.loads((tree / "base.json").read_text())["decisions"] == []
    assert checked(tree, "--decisions", "base.json").code == 0


def test_it_changes_no_file_and_saves_no_review(tree: Path) -> None:
    found = checked(tree, "--write-baseline", "base.json")
    assert found.code == 0
    assert f"baseline   {HUNKS} hunk(s) in base.json" in found.err
    assert (tree / "code" / "train.py").read_text() == TRAIN
    listed = run("--check", "code", "--resume", cwd=tree)
    assert listed.code == 2, "there is no review"


def test_a_check_fails_for_what_is_more(tree: Path) -> None:
    checked(tree, "--write-baseline", "base.json")
    found = checked(tree, "--decisions", "base.json")
    assert found.code == 0, found.said
    assert f"{HUNKS} rejected" in found.err
    (tree / "code" / "new.py").write_text(TRAIN)
    found = checked(tree, "--decisions", "base.json")
    assert found.code == 1
    assert "new.py:" in found.err
    assert not any(line.startswith("code/train.py:") for line in found.err.splitlines())
    (tree / "code" / "new.py").unlink()
    (tree / "code" / "train.py").write_text(TRAIN + "\n\nprint('more')\n")
    found = checked(tree, "--decisions", "base.json")
    assert found.code == 0, "it requires what is not to be taken"
    (tree / "code" / "train.py").write_text(TRAIN.replace("import", "import os\nimport", 1))
    found = checked(tree, "--decisions", "base.json")
    assert found.code == 1
    assert "not decided any more: the lines around it changed" in found.err


def test_the_same_is_the_same_file(tree: Path) -> None:
    for name in ("one.json", "two.json"):
        checked(tree, "--write-baseline", name)
    one, two = (json.loads((tree / name).read_text()) for name in ("one.json", "two.json"))
    for data in (one, two):
        for decision in data["decisions"]:
            del decision["decided"]
    assert one == two


@pytest.mark.parametrize(
    "arguments",
    [["--write-baseline", "x"], ["--write", "--write-baseline", "x"],
     ["--check", "--decisions", "train.json", "--write-baseline", "x"]],
)  # fmt: skip
def test_it_is_for_a_check(tree: Path, arguments: list[str]) -> None:
    (tree / "train.json").write_text("{}")
    found = run("code", *arguments, cwd=tree)
    assert found.code == 3
    assert "--write-baseline needs --check, and no --decisions." in found.err
    assert not (tree / "x").exists()


def test_where_something_failed_there_is_none(tree: Path) -> None:
    (tree / "code" / "broken.py").write_text("import tensorflow as tf\ndef broken(:\n")
    assert checked(tree, "--write-baseline", "base.json").code == 2
    assert not (tree / "base.json").exists()


def test_a_folder_that_is_not_there(tree: Path) -> None:
    found = checked(tree, "--write-baseline", "nowhere/base.json")
    assert found.code == 2
    assert "nowhere/base.json: not written: " in found.err
