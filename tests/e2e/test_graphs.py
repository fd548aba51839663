"""Programs with sessions of TensorFlow 1, rewritten and then run by real Horovod workers."""

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


def program(name: str, codemod: str, tensorflow: str, broadcasts: int, updates: int) -> Program:
    times = range(broadcasts, broadcasts + 1)
    return Program(f"programs/{name}", codemod, tensorflow, broadcasts=times, updates=updates)


PROGRAMS = {
    "restore": program("session_restore", "tf1-session", "tf115", 2, 16),
    "class": program("session_class", "tf1-session", "tf215", 1, 16),
    "supervisor": program("session_supervisor", "tf1-session", "tf115", 2, 10),
    # Each of its two variables is updated by itself.
    "own_updates": program("session_own_updates", "tf1-session", "tf115", 1, 64),
    "monitored": program("monitored_hooks", "tf1-monitored-session", "tf115", 2, 12),
}
CONTROLS = [
    ("restore", "average-gradients"),
    ("restore", "broadcast-variables"),
    ("class", "average-computed-gradients"),
    ("own_updates", "average-computed-gradients"),
    ("monitored", "broadcast-when-session-starts"),
]
