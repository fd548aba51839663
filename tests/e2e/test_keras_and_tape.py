"""Programs that train with fit() and with steps of their own, run by real Horovod workers."""

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

PROGRAMS = {
    "fit": Program(
        "programs/fit_or_steps",
        "distribute",
        arguments=("--mode", "fit"),
        optimizers=1,
    ),
    "steps": Program(
        "programs/fit_or_steps",
        "distribute",
        arguments=("--mode", "steps"),
        broadcasts=range(2, 3),
        optimizers=1,  # for fit(), of which it computes the gradients
        tapes=True,
        from_first_step=False,
    ),
    "one_after_the_other": Program(
        "programs/fit_then_steps",
        "tf2-keras-and-tape",
        optimizers=0,
        tapes=True,
        from_first_step=False,
    ),
}
CONTROLS = [
    ("fit", "distribute-optimizer"),
    ("steps", "average-gradients"),
    ("steps", "broadcast-after-first-step"),
    ("one_after_the_other", "broadcast-before-fit"),
]
