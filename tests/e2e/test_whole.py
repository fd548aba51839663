"""A program of which one module was given: left alone, or rewritten and then run as a whole."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness import CLI
from judged import (  # noqa: F401 - the tests of every program
    FIXTURES,
    Program,
    test_one_process_trains_like_the_original,
    test_one_worker_trains_like_the_original,
    test_two_workers_train_one_model,
)

PROGRAMS = {
    "keras": Program(
        "programs/keras_two_modules", "tf2-keras", optimizers=1, from_first_step=False
    ),
    "tape": Program(
        "demo", "tf2-gradient-tape", script="train.py", tapes=True, from_first_step=False
    ),
}


def run(script: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", CLI, "run", "distribute", script.name, "--write", *options]
    return subprocess.run(
        command, cwd=script.parent, capture_output=True, text=True, check=False, timeout=120
    )


def copied(program: Program, into: Path) -> Path:
    shutil.copytree(program.path.parent, into, ignore=shutil.ignore_patterns("__pycache__"))
    return into / program.script


def sources(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.py")}


@pytest.fixture(scope="module")
def rewritten(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    script = copied(program, tmp_path_factory.mktemp("whole") / "copy")
    done = run(script, "--whole-program")
    assert done.returncode == 0, done.stderr
    return script


pytestmark = pytest.mark.e2e


def test_one_module_alone_is_left_as_it_is(program: Program, tmp_path: Path) -> None:
    script = copied(program, tmp_path / "copy")
    done = run(script)
    assert done.returncode == 2
    assert "refused: " in done.stderr
    assert "was not given" in done.stderr
    assert sources(script.parent) == sources(program.path.parent)


def test_it_is_rewritten_as_with_its_folder(
    program: Program, rewritten: Path, tmp_path: Path
) -> None:
    folder = copied(program, tmp_path / "copy").parent
    command = [sys.executable, "-m", CLI, "run", "distribute", str(folder), "--write"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert sources(folder) == sources(rewritten.parent)
