"""Programs with tf.GradientTape, rewritten and then run by real Horovod workers."""

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
from worker_runs import Reason, Run, available, run_plain, run_workers

found = available()
if isinstance(found, Reason):
    pytest.skip(found.text, allow_module_level=True)

pytestmark = pytest.mark.e2e

CODEMOD = "tf2_gradient_tape"
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@dataclass(frozen=True)
class Program:
    script: Path
    broadcasts: int  # one for each optimizer, and one for each set of variables it trains
    arguments: tuple[str, ...] = ()


PROGRAMS = {
    "linear_regression": Program(FIXTURES / "programs/linear_regression/main.py", 2),
    "gan": Program(FIXTURES / "programs/gan/main.py", 4),
    "raw_convolution": Program(FIXTURES / "programs/raw_convolution/main.py", 2),
    "traced_class": Program(FIXTURES / "programs/traced_class/main.py", 2),
    "schedule": Program(FIXTURES / "programs/schedule/main.py", 2),
    "checkpoints": Program(FIXTURES / "programs/checkpoints/main.py", 2),
    "gradient_penalty": Program(FIXTURES / "programs/gradient_penalty/main.py", 4),
    "mixed_precision": Program(FIXTURES / "programs/mixed_precision/main.py", 2),
    "accumulated_gradients": Program(FIXTURES / "programs/accumulated_gradients/main.py", 2),
    "demo": Program(FIXTURES / "demo/train.py", 2, ("--epochs", "2")),
}


def files(run: Run) -> list[str]:
    """What rank 0 wrote; an event file's name ends in time, host and process."""
    return sorted(
        re.sub(r"(events\.out\.tfevents)\..*", r"\1", name) for name in run.ranks[0].files
    )


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
    return run_plain(program.script, out, arguments=program.arguments)


@pytest.fixture(scope="module")
def rewritten(program: Program, transformed: Transform) -> Path:
    return transformed(program)


def test_one_process_trains_like_the_original(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    """Without horovodrun: the rewritten program stays usable on its own."""
    alone = run_plain(rewritten, tmp_path / "run", arguments=program.arguments)
    assert same_losses_problems(original, alone) == []
    assert files(alone) == files(original)


def test_one_worker_trains_like_the_original(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    single = run_workers(rewritten, tmp_path / "run", workers=1, arguments=program.arguments)
    assert same_losses_problems(original, single) == []
    assert files(single) == files(original)


def test_two_workers_train_one_model(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    two = run_workers(rewritten, tmp_path / "run", arguments=program.arguments)
    assert distributed_problems(two) == []
    for rank in two.ranks:
        # Equal parameters would also come from a broadcast at every step, which is not training.
        assert rank.said("broadcasts") in range(program.broadcasts, program.broadcasts + 2)
        assert rank.said("distributed_tapes") > 0
    assert two.ranks[0].stdout, "rank 0 reports the training"
    # With fewer steps for each, what is written every few steps may be less.
    assert set(files(two)) <= set(files(original))
    assert bool(files(two)) == bool(files(original))


@pytest.mark.parametrize("rule", ["average-gradients", "broadcast-after-first-step"])
@pytest.mark.parametrize("name", ["linear_regression", "traced_class"])
def test_without_the_rule_the_workers_drift_apart(
    name: str, rule: str, transformed: Transform, tmp_path: Path
) -> None:
    """Negative control: the equality above is the rules' work, and not an accident of the setup."""
    broken = run_workers(transformed(PROGRAMS[name], rule), tmp_path / "run")
    assert finished_problems(broken) == []
    problems = distributed_problems(broken)
    assert any(text.startswith("trained parameters differ") for text in problems), problems
