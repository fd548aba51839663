"""What a run says of a pack that cannot be used, or of which something is worth telling."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import BIN, run

PACK = """\
pack: own
summary: For a test.
imports: {np: numpy}
rules:
  - id: take
    title: Take otherwise
    why: It is said otherwise.
    match: np.take($...args)
    edit: {append: mode=None}
    examples:
      - unchanged: x
"""
COMMAND = [str(BIN / "pinsetter"), "run"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text("import numpy\nprint(1)\n")
    (tmp_path / "packs").mkdir()
    return tmp_path


def told(folder: Path, pack: str) -> tuple[int, str]:
    (folder / "packs/own.yaml").write_text(pack)
    done = run("packs/own.yaml", "main.py", "--check", command=COMMAND, cwd=folder)
    assert "Traceback" not in done.said
    return done.code, done.err


def test_nothing_is_said_of_a_good_pack(folder: Path) -> None:
    code, said = told(folder, PACK)
    assert code == 0
    assert "own.yaml" not in said


def test_all_that_is_wrong_is_said_with_the_place(folder: Path) -> None:
    pack = PACK.replace("numpy", "numpi").replace("- unchanged: x", "- unchanged: x =")
    code, said = told(folder, pack.replace("title:", "titel:"))
    assert code == 2
    first, second, *_ = [line for line in said.splitlines() if line.startswith("packs/own.yaml:")]
    assert first.startswith("packs/own.yaml:3:15: there is no module 'numpi' here (did you mean")
    assert second.startswith("packs/own.yaml:5:5: rules.0: the key 'title' is missing")
    assert "packs/own.yaml:6:5: rules.0.titel: unknown key 'titel' (did you mean 'title'?)" in said
    assert "packs/own.yaml:11:23: take: the example is not Python: line 1" in said
    assert "    imports: {np: numpi}\n                  ^\n" in said


def test_what_is_worth_telling_is_said_once(folder: Path) -> None:
    code, said = told(folder, PACK.replace("numpy", "our_company.arrays"))
    assert code == 0
    note = "packs/own.yaml:3:15: note: 'our_company' is not known here; names of it cannot be"
    assert said.count(note) == 1
