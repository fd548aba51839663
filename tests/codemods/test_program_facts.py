"""What ``pinsetter facts`` says of programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import BIN, Result, run

FACTS = [str(BIN / "pinsetter"), "facts"]
TRAIN = """\
import tensorflow as tf
import helper
optimizer = tf.keras.optimizers.Adam()
with tf.GradientTape() as tape:
    loss = helper.loss()
optimizer.apply_gradients(zip(tape.gradient(loss, []), []))
"""
GRAPH = """\
step = tf.compat.v1.train.AdamOptimizer(0.1).minimize(helper.loss())
with tf.compat.v1.Session() as session:
    session.run(step)
"""
FIT = "import helper\nimport tensorflow as tf\ntf.keras.Sequential([]).fit([])\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "fit.py").write_text(FIT)
    (tmp_path / "helper.py").write_text("def loss():\n    return 0\n")
    return tmp_path


def facts(*arguments: str, cwd: Path) -> Result:
    return run(*arguments, command=FACTS, cwd=cwd)


def programs(cwd: Path) -> dict[str, Any]:
    found = json.loads(facts(".", "--json", cwd=cwd).out)["programs"]
    return {program["entry"]: program for program in found}


def test_a_program_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")
    (found,) = programs(tmp_path).values()
    assert found["entry_because"] == "no module imports it"
    assert found["shared_by"] == {}
    assert "refused" not in found
    assert b"shared" not in facts(".", cwd=tmp_path).out


def test_a_shared_helper(repository: Path) -> None:
    found = programs(repository)
    assert found["train.py"]["shared_by"] == {"helper.py": ["fit.py"]}
    assert found["fit.py"]["shared_by"] == {"helper.py": ["train.py"]}
    assert "helper.py" not in found
    lines = [line.split() for line in facts(".", cwd=repository).out.decode().splitlines()]
    assert ["helper.py", "fit.py,", "train.py"] in lines
    (row,) = [words for words in lines if words[:1] == ["train.py"]]
    assert row[-4:] == ["gradient_tape", "2,", "1", "shared"]


def test_a_mixture_for_which_there_is_a_pack_is_not_refused(repository: Path) -> None:
    (repository / "train.py").write_text(TRAIN + FIT)
    assert "refused" not in programs(repository)["train.py"]
    distribute = [str(BIN / "pinsetter"), "run", "distribute"]
    said = run(".", "--check", cwd=repository, command=distribute).err
    assert "more than one way" not in said


def test_a_mixture_is_refused_in_the_same_words_as_in_a_run(repository: Path) -> None:
    (repository / "train.py").write_text(TRAIN + GRAPH)
    refused = programs(repository)["train.py"]["refused"]
    assert "train.py:6 (gradient_tape), train.py:8 (session)" in refused
    assert f"train.py: refused: {refused}" in facts(".", cwd=repository).out.decode()
    said = run(".", "--check", cwd=repository)
    assert said.code == 2
    assert f"train.py: refused: {refused}" in said.err


def test_packaging_that_cannot_be_read_is_a_note(repository: Path) -> None:
    (repository / "setup.py").write_text("setup(entry_points=read('scripts'))\n")
    result = facts(".", "--json", cwd=repository)
    assert result.code == 0
    assert "note: " in result.err
    assert "setup.py:1: entry_points is no literal" in result.err
