"""Programs with Estimators, rewritten and then run by real Horovod workers."""

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


def program(name: str, tensorflow: str, trainings: int, updates: int) -> Program:
    """``trainings``: as many broadcasts."""
    times = range(trainings, trainings + 1)
    folder = f"programs/{name}"
    return Program(folder, "tf1-estimator", tensorflow, broadcasts=times, updates=updates)


PROGRAMS = {
    "model_fn": program("estimator_model_fn", "tf115", 2, 12),
    # One Estimator has two optimizers.
    "canned": program("estimator_canned", "tf115", 3, 32),
    "keras_optimizer": program("estimator_keras_optimizer", "tf215", 2, 12),
}
CONTROLS = [
    ("model_fn", "broadcast-when-training-starts"),
    ("model_fn", "average-gradients"),
    ("keras_optimizer", "average-gradients-of-keras-optimizer"),
]
