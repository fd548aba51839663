"""Programs with Keras compile() and fit(), rewritten and then run by real Horovod workers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from harness import finished_problems
from judged import (  # noqa: F401 - the tests of every program
    Program,
    Transform,
    test_one_process_trains_like_the_original,
    test_one_worker_trains_like_the_original,
    test_two_workers_train_one_model,
    test_without_the_rule_the_workers_drift_apart,
)
from worker_runs import ALL

pytestmark = pytest.mark.e2e


def program(name: str, optimizers: int, built: bool = False) -> Program:
    """``built``: the model has its variables before ``fit``; for others Horovod's callback
    broadcasts after the first batch."""
    return Program(f"programs/{name}", "tf2-keras", optimizers=optimizers, from_first_step=built)


PROGRAMS = {
    "callbacks": program("keras_callbacks", 1, built=True),
    "subclass": program("keras_subclass", 1),
    # Its own step averages what its tapes compute; its optimizers only apply it.
    "gan": Program(
        "programs/keras_gan", "tf2-keras", optimizers=0, tapes=True, from_first_step=False
    ),
    "batches": program("keras_batches", 2, built=True),
    "unbuilt": program("keras_unbuilt", 1),
    "resume": program("keras_resume", 3),
    "averaged_by_hand": program("keras_averaged_by_hand", 1),
    "unknown_model": program("keras_unknown_model", 1),
}
CONTROLS = [
    ("callbacks", "distribute-optimizer"),
    ("subclass", "broadcast-before-fit"),
    ("gan", "average-gradients"),
    ("unbuilt", "broadcast-before-batches"),
    ("unknown_model", "distribute-optimizer"),
]
LOAD = "import sys; from tensorflow import keras; keras.models.load_model(sys.argv[1])"


@pytest.mark.parametrize("skip", [(), ("name-as-keras",)] if ALL else [()])
def test_keras_alone_loads_what_is_saved(
    transformed: Transform, tmp_path: Path, skip: tuple[str, ...]
) -> None:
    """Only where the class of the optimizer is named as one of Keras."""
    program = PROGRAMS["unbuilt"]
    environment = program.environment
    two = program.workers(transformed(program, *skip), tmp_path / "run", 2)
    assert finished_problems(two) == []
    saved = tmp_path / "run" / "rank0" / "cwd" / "model.keras"
    command = [str(environment.python), "-c", LOAD, str(saved)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (loaded.returncode == 0) == (not skip), loaded.stderr
