"""Programs with tf.GradientTape, rewritten and then run by real Horovod workers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judged import (  # noqa: F401 - the tests of every program
    Program,
    test_one_process_trains_like_the_original,
    test_one_worker_trains_like_the_original,
    test_two_workers_train_one_model,
    test_without_the_rule_the_workers_drift_apart,
)

pytestmark = pytest.mark.e2e


def program(name: str, broadcasts: int) -> Program:
    """``broadcasts``: one for each optimizer, and one for each set of variables it trains."""
    return Program(
        f"programs/{name}",
        "tf2-gradient-tape",
        broadcasts=range(broadcasts, broadcasts + 2),
        tapes=True,
        from_first_step=False,  # the broadcast follows the first step
    )


PROGRAMS = {
    "linear_regression": program("linear_regression", 2),
    "gan": program("gan", 4),
    "traced_gan": program("traced_gan", 4),
    "quiet": Program(
        "programs/linear_regression",
        "tf2-gradient-tape",
        options=("--option", "quiet"),
        tapes=True,
        from_first_step=False,
    ),
    "raw_convolution": program("raw_convolution", 2),
    "traced_class": program("traced_class", 2),
    "several_steps": program("several_steps", 2),
    "step_by_name": program("step_by_name", 2),
    "returned_step": program("returned_step", 2),
    "schedule": program("schedule", 2),
    "checkpoints": program("checkpoints", 4),
    "gradient_penalty": program("gradient_penalty", 6),
    "mixed_precision": program("mixed_precision", 2),
    # Its tape averages in each of the steps whose gradients are added up.
    "accumulated_gradients": replace(program("accumulated_gradients", 2), steps_an_update=2),
    "started_by_hand": program("started_by_hand", 4),
    "pinned_by_hand": program("pinned_by_hand", 2),
    "traced_gradients": replace(program("traced_gradients", 2), tapes=False),
    "minimize": Program(
        "programs/minimize",
        "tf2-gradient-tape",
        broadcasts=range(4, 5),  # one of the optimizers steps in two ways
        updates=16,
        optimizers=2,
        tapes=True,
        from_first_step=False,
    ),
    "demo": Program(
        "demo",
        "tf2-gradient-tape",
        script="train.py",
        arguments=("--epochs", "2"),
        broadcasts=range(2, 4),
        tapes=True,
        from_first_step=False,
    ),
}
CONTROLS = [
    (name, rule)
    for name in ("linear_regression", "traced_class", "traced_gan")
    for rule in ("average-gradients", "broadcast-after-first-step")
] + [
    ("minimize", "distribute-minimizing-optimizer"),
    ("traced_gradients", "average-computed-gradients"),
]
