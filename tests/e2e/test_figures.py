"""Programs that print averages over their steps: two workers print what one process does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import distributed_problems
from judged import (  # noqa: F401 - the tests of every program
    Program,
    test_one_process_trains_like_the_original,
    test_one_worker_trains_like_the_original,
)
from worker_runs import Run

pytestmark = pytest.mark.e2e

PROGRAMS = {
    "session": Program("programs/average_cost", "tf1-session", "tf115"),
    "tape": Program("programs/average_loss", "tf2-gradient-tape", from_first_step=False),
}


def test_two_workers_print_the_averages_of_one_process(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    """The programs hardly learn, so that an average over half of the steps is the same, and half of
    it if it is still divided by all of them."""
    two = program.workers(rewritten, tmp_path / "run", 2)
    assert distributed_problems(two, equal_from_first_step=program.from_first_step) == []
    alone = original.ranks[0]
    assert [rank.said("updates") for rank in two.ranks] == [alone.said("updates") // 2] * 2
    assert averages(two) == pytest.approx(averages(original), rel=0.1)
    assert sum("last step" in line for line in two.ranks[0].stdout.splitlines()) == sum(
        "last step" in line for line in alone.stdout.splitlines()
    )


def averages(run: Run) -> list[float]:
    return [float(text) for text in re.findall(r"(?:cost|loss) ([0-9.]+)", run.ranks[0].stdout)]
