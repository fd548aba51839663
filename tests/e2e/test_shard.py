"""Programs rewritten with --shard: each worker passes over its own part of the data."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import distributed_problems, same_parameters_problems
from judged import (  # noqa: F401 - the tests of every program
    Program,
    test_one_process_trains_like_the_original,
    test_one_worker_trains_like_the_original,
)
from worker_runs import Run

pytestmark = pytest.mark.e2e

SHARD = ("--shard",)
PROGRAMS = {
    "tape": Program(
        "programs/samples_tape",
        "tf2-gradient-tape",
        options=SHARD,
        from_first_step=False,  # the broadcast follows the first step
    ),
    "fit": Program("programs/samples_fit", "tf2-keras", options=SHARD),
}


def test_two_workers_train_each_sample_as_often_as_one_process(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    """The gradient of a sample's weight is the same wherever it is seen, and no other sample's
    changes it: a sample that is left out, or seen by both workers, gives other weights."""
    two = program.workers(rewritten, tmp_path / "run", 2)
    assert distributed_problems(two, equal_from_first_step=program.from_first_step) == []
    assert same_parameters_problems(original, two) == []
    alone = original.ranks[0]
    assert [rank.said("updates") for rank in two.ranks] == [alone.said("updates") // 2] * 2
    # As many epochs, each over a part: half of the epochs over all of the data would be as right.
    # What is held out is all seen by each worker.
    epochs = [line.split()[:4] for line in alone.stdout.splitlines()]
    assert [line.split()[:4] for line in two.ranks[0].stdout.splitlines()] == epochs
