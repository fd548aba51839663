"""Programs that train on several GPUs of one machine: one in each worker, after it."""

from __future__ import annotations

import pytest
from judged import (  # noqa: F401 - the tests of every program
    Program,
    test_one_process_trains_like_the_original,
    test_one_worker_trains_like_the_original,
    test_two_workers_train_one_model,
)

pytestmark = pytest.mark.e2e

PROGRAMS = {
    "steps": Program(
        "programs/mirrored_steps", "tf2-gradient-tape", tapes=True,
        from_first_step=False,
    ),
    "fit": Program("programs/mirrored_fit", "tf2-keras", optimizers=1),
}  # fmt: skip
