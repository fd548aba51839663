"""Programs with Estimators, rewritten and then run by real Horovod workers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness import (
    distributed_problems,
    finished_problems,
    same_losses_problems,
    transform,
)
from worker_runs import Environment, Run, available, run_plain, run_workers

pytestmark = pytest.mark.e2e

CODEMOD = "tf1-estimator"
PROGRAMS_FOLDER = Path(__file__).resolve().parents[2] / "fixtures/programs"


@dataclass(frozen=True)
class Program:
    script: Path
    trainings: int  # as many broadcasts
    updates: int  # of all workers together
    tensorflow: str = "tf115"

    @property
    def environment(self) -> Environment:
        found = available(self.tensorflow)
        if not isinstance(found, Environment):
            pytest.skip(found.text)
        return found


PROGRAMS = {
    "model_fn": Program(PROGRAMS_FOLDER / "estimator_model_fn/main.py", 2, 12),
    # One Estimator has two optimizers.
    "canned": Program(PROGRAMS_FOLDER / "estimator_canned/main.py", 3, 32),
    "keras_optimizer": Program(
        PROGRAMS_FOLDER / "estimator_keras_optimizer/main.py", 2, 12, "tf215"
    ),
}


def files(run: Run) -> list[str]:
    """What rank 0 wrote; an event file's name ends in time, host and process, a checkpoint's in the
    step, of which workers that share the work make fewer."""
    names = (re.sub(r"ckpt-\d+", "ckpt", name) for name in run.ranks[0].files)
    return sorted({re.sub(r"(events\.out\.tfevents)\..*", r"\1", name) for name in names})


Transform = Callable[..., Path]


@pytest.fixture(scope="module")
def transformed(tmp_path_factory: pytest.TempPathFactory) -> Transform:
    """A rewritten copy of a program; skip names the rules to leave out."""

    def transformed(program: Program, *skip: str) -> Path:
        into = tmp_path_factory.mktemp("transformed") / program.script.parent.name
        return transform(program.script, into, codemod=CODEMOD, skip=skip)

    return transformed


@pytest.fixture(scope="module", params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> Program:
    return PROGRAMS[request.param]


@pytest.fixture(scope="module")
def original(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("original") / "run"
    return run_plain(program.script, out, environment=program.environment)


@pytest.fixture(scope="module")
def rewritten(program: Program, transformed: Transform) -> Path:
    return transformed(program)


def test_one_worker_trains_like_the_original(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    single = run_workers(rewritten, tmp_path / "run", workers=1, environment=program.environment)
    assert same_losses_problems(original, single) == []
    assert files(single) == files(original)


def test_two_workers_train_one_model(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    two = run_workers(rewritten, tmp_path / "run", environment=program.environment)
    assert distributed_problems(two, equal_from_first_step=True) == []
    for rank in two.ranks:
        assert rank.said("broadcasts") == program.trainings
        assert rank.said("updates") == program.updates // 2
    assert two.ranks[0].stdout, "rank 0 reports the training"
    assert files(two) == files(original)


@pytest.mark.parametrize(
    ("name", "skip"),
    [
        ("model_fn", ("broadcast-when-training-starts",)),
        ("model_fn", ("average-gradients",)),
        ("keras_optimizer", ("average-gradients-of-keras-optimizer",)),
    ],
)
def test_without_the_rule_the_workers_drift_apart(
    name: str, skip: tuple[str, ...], transformed: Transform, tmp_path: Path
) -> None:
    """Negative control: the equality above is the rules' work, and not an accident of the setup."""
    program = PROGRAMS[name]
    script = transformed(program, *skip)
    broken = run_workers(script, tmp_path / "run", environment=program.environment)
    assert finished_problems(broken) == []
    problems = distributed_problems(broken)
    assert any(text.startswith("trained parameters differ") for text in problems), problems
