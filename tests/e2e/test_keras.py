"""Programs with Keras compile() and fit(), rewritten and then run by real Horovod workers."""

from __future__ import annotations

import pytest
from judged import (  # noqa: F401 - the tests of every program
    Program,
    test_one_process_trains_like_the_original,
    test_one_worker_trains_like_the_original,
    test_two_workers_train_one_model,
    test_without_the_rule_the_workers_drift_apart,
)

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
    "resume": program("keras_resume", 3),
    "averaged_by_hand": program("keras_averaged_by_hand", 1),
}
CONTROLS = [
    ("callbacks", "distribute-optimizer"),
    ("subclass", "broadcast-before-fit"),
    ("gan", "average-gradients"),
]
