"""Programs with compile() and fit() of Keras, rewritten and then run by real Horovod workers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness import (
    distributed_problems,
    finished_problems,
    same_losses_problems,
    transform,
)
from worker_runs import Reason, Run, available, run_plain, run_workers

found = available()
if isinstance(found, Reason):
    pytest.skip(found.text, allow_module_level=True)

pytestmark = pytest.mark.e2e

CODEMOD = "tf2_keras"
PROGRAMS_FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "programs"
# The recorder sees a variable that the first step makes only after the broadcast.
NOT_SEEN = "all ranks started from equal values: the broadcast is not proved"


@dataclass(frozen=True)
class Program:
    optimizers: int
    built_by_fit: bool = False


PROGRAMS = {
    "keras_callbacks": Program(1),
    "keras_subclass": Program(1, built_by_fit=True),
    "keras_gan": Program(2, built_by_fit=True),
    "keras_batches": Program(2),
    "keras_resume": Program(3),
}


def script(name: str) -> Path:
    return PROGRAMS_FOLDER / name / "main.py"


def files(run: Run) -> list[str]:
    """What rank 0 wrote; an event file's name ends in time, host and process."""
    return sorted(
        re.sub(r"(events\.out\.tfevents)\..*", r"\1", name) for name in run.ranks[0].files
    )


@pytest.fixture(scope="module", params=PROGRAMS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def original(name: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_plain(script(name), tmp_path_factory.mktemp("original") / "run")


@pytest.fixture(scope="module")
def rewritten(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return transform(script(name), tmp_path_factory.mktemp("new") / name, codemod=CODEMOD)


def test_one_worker_trains_like_the_original(
    original: Run, rewritten: Path, tmp_path: Path
) -> None:
    single = run_workers(rewritten, tmp_path / "run", workers=1)
    assert same_losses_problems(original, single) == []
    assert files(single) == files(original)


def test_two_workers_train_one_model_from_the_first_step(
    name: str, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    two = run_workers(rewritten, tmp_path / "run")
    problems = distributed_problems(two, equal_from_first_step=True)
    if PROGRAMS[name].built_by_fit:
        problems = [problem for problem in problems if problem != NOT_SEEN]
    assert problems == []
    for rank in two.ranks:
        assert rank.said("distributed_optimizers") == PROGRAMS[name].optimizers
    assert two.ranks[0].stdout, "rank 0 reports the training"
    assert files(two) == files(original)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("keras_callbacks", "distribute-optimizer"),
        ("keras_subclass", "broadcast-before-fit"),
        ("keras_gan", "average-gradients"),
    ],
)
def test_without_the_rule_the_workers_drift_apart(name: str, rule: str, tmp_path: Path) -> None:
    """Negative control: the equality above is the rules' work, and not an accident of the setup."""
    broken = transform(script(name), tmp_path / name, codemod=CODEMOD, skip=(rule,))
    run = run_workers(broken, tmp_path / "run")
    assert finished_problems(run) == []
    problems = distributed_problems(run)
    assert any(text.startswith("trained parameters differ") for text in problems), problems
