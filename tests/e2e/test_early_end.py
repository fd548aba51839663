"""Programs that end by their own figures: the workers end together, where worker 0 says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import distributed_problems
from judged import (  # noqa: F401 - the tests of every program
    Program,
    Transform,
    test_one_process_trains_like_the_original,
    test_one_worker_trains_like_the_original,
)
from worker_runs import ALL, Run, run_workers

pytestmark = pytest.mark.e2e

PROGRAMS = {
    "tape": Program("programs/early_end", "tf2-gradient-tape", from_first_step=False),
}


def test_two_workers_end_together(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    two = program.workers(rewritten, tmp_path / "run", 2)
    assert distributed_problems(two, equal_from_first_step=False) == []
    said = [line.split()[0:4] for line in two.ranks[0].stdout.splitlines()]
    assert ["good", "enough", "after"] in [words[:3] for words in said]
    assert two.ranks[0].said("updates") == two.ranks[1].said("updates")


@pytest.mark.skipif(not ALL, reason="waits until it is stopped")
def test_without_it_one_waits_for_the_other(
    program: Program, transformed: Transform, tmp_path: Path
) -> None:
    script = transformed(program, "end-steps-alike")
    hanging = run_workers(script, tmp_path / "run", timeout=40, environment=program.environment)
    assert distributed_problems(hanging)
