"""Python beside a pack that does what it should not."""

from __future__ import annotations

from pathlib import Path

import pytest
from prepared import invoke

PACK = """\
pack: mine
summary: For a test.
python: mine.py
rules:
  - id: take
    title: Take
    why: Because.
    match: take($x)
    where: [{python: asked}]
    let:
      made: [{python: text}]
    edit: {replace: $match, with: took($made)}
    examples:
      - unchanged: x
"""
GOOD = "def asked(found): return True\ndef text(found): return 'x'\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(PACK)
    (tmp_path / "code.py").write_text("take(1)\n")
    return tmp_path


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (f"import sys\nsys.exit(7)\n{GOOD}", "mine.py:2: SystemExit: 7"),
        (f"import no_such_module\n{GOOD}", "mine.py:1: ModuleNotFoundError"),
        (GOOD.replace("True", "1 / 0"), "mine.py:1: ZeroDivisionError"),
        (GOOD.replace("'x'", "'x y'"), "text returns 'x y'"),
        (GOOD.replace("'x'", "3 +"), "not Python"),
        ("def asked(found): return True\n", "defines no function 'text'"),
    ],
)
def test_what_fails_is_told(code: str, said: str, folder: Path) -> None:
    (folder / "mine.py").write_text(code)
    found = invoke("run", "./mine.yaml", "code.py", "--write")
    assert found.code == 2, found
    assert said in found.err
    assert (folder / "code.py").read_text() == "take(1)\n"


def test_what_makes_nothing_is_reported(folder: Path) -> None:
    (folder / "mine.py").write_text(GOOD.replace("'x'", "None"))
    found = invoke("run", "./mine.yaml", "code.py", "--check")
    assert found.code == 0, found
    assert "text makes nothing of it" in found.err


def test_a_change_of_the_file_counts(folder: Path) -> None:
    """What is proposed is kept from run to run."""
    for value, code in (("False", 0), ("True", 1), ("False", 0)):
        (folder / "mine.py").write_text(GOOD.replace("True", value))
        assert invoke("run", "./mine.yaml", "code.py", "--check").code == code


def test_looking_at_a_pack_runs_nothing(folder: Path) -> None:
    (folder / "mine.py").write_text(f"open('run', 'w')\n{GOOD}")
    assert invoke("list", "./mine.yaml").code == 0
    assert invoke("explain", "take").code != 0
    assert not (folder / "run").exists()
    assert invoke("run", "./mine.yaml", "code.py", "--check").code == 1
    assert (folder / "run").exists()


def test_two_files_of_one_name(folder: Path) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "mine.yaml").write_text(PACK)
    (folder / "mine.py").write_text(GOOD)
    (other / "mine.py").write_text(GOOD.replace("True", "False"))
    assert invoke("run", "./mine.yaml", "code.py", "--check").code == 1
    assert invoke("run", "./other/mine.yaml", "code.py", "--check").code == 0
