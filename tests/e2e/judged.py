"""What every rewritten program must show on real workers; a module for each training API."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness import (
    distributed_problems,
    exchange_problems,
    finished_problems,
    same_losses_problems,
    transform,
)
from worker_runs import Environment, Run, available, run_plain, run_workers

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@dataclass(frozen=True)
class Program:
    """A program and what a run of it must count; None is not asked."""

    folder: str
    codemod: str
    tensorflow: str = "tf215"
    script: str = "main.py"
    arguments: tuple[str, ...] = ()
    options: tuple[str, ...] = ()  # of the codemod
    broadcasts: range | None = None  # on each worker
    updates: int | None = None  # of all workers together
    optimizers: int | None = None
    tapes: bool = False
    from_first_step: bool = True
    steps_an_update: int = 1  # each averages its gradients

    @property
    def path(self) -> Path:
        return FIXTURES / self.folder / self.script

    @property
    def environment(self) -> Environment:
        found = available(self.tensorflow)
        if not isinstance(found, Environment):
            pytest.skip(found.text)
        return found

    def plain(self, script: Path, out: Path) -> Run:
        return run_plain(script, out, arguments=self.arguments, environment=self.environment)

    def workers(self, script: Path, out: Path, workers: int) -> Run:
        return run_workers(
            script, out, workers=workers, arguments=self.arguments, environment=self.environment
        )


Transform = Callable[..., Path]


def files(run: Run) -> list[str]:
    """What rank 0 wrote; an event file's name ends in time, host and process, a checkpoint's in the
    step, of which workers that share the work make fewer."""
    names = (re.sub(r"(events\.out\.tfevents)\..*", r"\1", name) for name in run.ranks[0].files)
    return sorted({re.sub(r"-\d+\b", "-N", name) for name in names})


def test_one_process_trains_like_the_original(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    """Without horovodrun: the rewritten program stays usable on its own."""
    alone = program.plain(rewritten, tmp_path / "run")
    assert same_losses_problems(original, alone) == []
    assert files(alone) == files(original)


def test_one_worker_trains_like_the_original(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    single = program.workers(rewritten, tmp_path / "run", 1)
    assert same_losses_problems(original, single) == []
    assert files(single) == files(original)


def test_two_workers_train_one_model(
    program: Program, original: Run, rewritten: Path, tmp_path: Path
) -> None:
    two = program.workers(rewritten, tmp_path / "run", 2)
    assert distributed_problems(two, equal_from_first_step=program.from_first_step) == []
    for rank in two.ranks:
        # Equal parameters would also come from a broadcast at every step, which is not training.
        assert program.broadcasts is None or rank.said("broadcasts") in program.broadcasts
        assert program.updates is None or rank.said("updates") == program.updates // 2
        assert program.optimizers in (None, rank.said("distributed_optimizers"))
        assert not program.tapes or rank.said("distributed_tapes") > 0
    assert exchange_problems(two, program.steps_an_update) == []
    assert two.ranks[0].stdout, "rank 0 reports the training"
    assert set(files(two)) <= set(files(original)), "of its kinds; fewer steps may leave fewer"
    assert bool(files(two)) == bool(files(original))


def test_without_the_rule_the_workers_drift_apart(
    control: tuple[Program, str], transformed: Transform, tmp_path: Path
) -> None:
    """Negative control: the equality above is the rules' work, and not an accident of the setup."""
    program, rule = control
    assert program.environment
    broken = program.workers(transformed(program, rule), tmp_path / "run", 2)
    assert finished_problems(broken) == []
    problems = distributed_problems(broken)
    assert any(text.startswith("trained parameters differ") for text in problems), problems


def rewrite(program: Program, into: Path, skip: tuple[str, ...]) -> Path:
    """A rewritten copy of a program; ``skip`` names the rules to leave out."""
    return transform(program.path, into / program.path.parent.name, codemod=program.codemod,
                     skip=skip, options=program.options)  # fmt: skip
