"""The judge is judged: every check must be able to fail, or its silence means nothing."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harness import (
    TransformFailed,
    distributed_problems,
    same_losses_problems,
    same_training_problems,
    transform,
)
from worker_runs import (
    ALL,
    Parameter,
    Rank,
    Reason,
    Run,
    available,
    comparable,
    run_plain,
    run_workers,
)

REPOSITORY = Path(__file__).resolve().parents[2]
HANDWRITTEN = REPOSITORY / "fixtures" / "programs" / "handwritten"

found = available()
needs_workers = [
    pytest.mark.e2e,
    pytest.mark.skipif(isinstance(found, Reason), reason=getattr(found, "text", "")),
]


def doubles(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}d", *values)


def rank(number: int, stdout: str = "", final: float = 3.0, **said: Any) -> Rank:
    report = {"exit_code": 0, "files": [], "gradients": [1.0, 1.0 + number], **said}
    parameter = Parameter("w", (1,), doubles(float(number)), doubles(final))
    return Rank(number, stdout, "", report, (parameter,))


def run(*ranks: Rank, exit_code: int = 0, timed_out: bool = False) -> Run:
    return Run((), Path("/nowhere"), ranks, exit_code, timed_out, 1.0, "console")


def with_first(old: Rank, digest: str | None) -> Rank:
    return replaced(old, parameters=tuple(replace(p, first=digest) for p in old.parameters))


def replaced(old: Rank, **fields: Any) -> Rank:
    return Rank(**{**old.__dict__, **fields})


GOOD = (rank(0, "loss 1\n", files=["model.h5"]), rank(1))


def test_right_run_has_no_problems() -> None:
    assert distributed_problems(run(*GOOD)) == []


def test_differences_of_rounding_are_no_problem() -> None:
    assert distributed_problems(run(GOOD[0], rank(1, final=3.0 + 1e-7))) == []


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (run(GOOD[0]), "one worker proves nothing"),
        (run(*GOOD, timed_out=True), "no end within 1 s"),
        (run(*GOOD, exit_code=3), "exit code 3: console"),
        (run(GOOD[0], replaced(GOOD[1], report=None)), "rank 1 was stopped, or never ran"),
        (run(GOOD[0], rank(1, exit_code=1, error="ValueError: no")), "rank 1 failed: ValueError"),
        (run(GOOD[0], replaced(GOOD[1], parameters=())), "rank 1: no trained parameters"),
        (run(GOOD[0], rank(1, final=3.5)), "trained parameters differ by 0.5, most in w"),
        (run(GOOD[0], rank(1, final=math.nan)), "trained parameters differ by inf"),
        (run(GOOD[0], replaced(GOOD[0], number=1, stdout="")), "started from equal values"),
        (run(GOOD[0], rank(1, gradients=[7.0, 1.0])), "computed equal gradients"),
        (run(GOOD[0], rank(1, "hello\n")), "rank 1 printed: 'hello'"),
        (run(GOOD[0], rank(1, files=["a", "b"])), "rank 1 wrote files: a, b"),
        (
            run(GOOD[0], replaced(GOOD[1], parameters=GOOD[1].parameters * 2)),
            "different lists of variables",
        ),
    ],
)
def test_each_fault_is_named(broken: Run, problem: str) -> None:
    assert any(problem in said for said in distributed_problems(broken))


@pytest.mark.parametrize("digests", [("a", "b"), ("a", None), (None, None)])
def test_equal_values_before_the_first_update_are_asked_for(
    digests: tuple[str | None, str | None],
) -> None:
    ranks = [with_first(old, digest) for old, digest in zip(GOOD, digests, strict=True)]
    assert distributed_problems(run(*ranks)) == []
    problems = distributed_problems(run(*ranks), equal_from_first_step=True)
    assert problems == ["the first update started from values that differ: w"]


def test_equal_values_before_the_first_update_are_no_problem() -> None:
    ranks = [with_first(old, "a") for old in GOOD]
    assert distributed_problems(run(*ranks), equal_from_first_step=True) == []


def test_equal_output_is_no_problem() -> None:
    shown = "loss 1\n<keras.Adam object at 0x7f0102030405>\n"
    moved = "loss 1\n<keras.Adam object at 0x7f0908070605>\n"
    assert same_losses_problems(run(rank(0, shown)), run(rank(0, moved))) == []


@pytest.mark.parametrize(
    ("plain", "single", "problem"),
    [
        ("loss 1\nloss 2\n", "loss 1\nloss 3\n", "line 2 differs"),
        ("loss 1\nloss 2\n", "loss 1\n", "line 2 differs"),
        ("", "", "prints nothing"),
    ],
)
def test_other_output_is_named(plain: str, single: str, problem: str) -> None:
    problems = same_losses_problems(run(rank(0, plain)), run(rank(0, single)))
    assert len(problems) == 1
    assert problem in problems[0]


def test_equal_parameters_are_enough_where_nothing_is_printed() -> None:
    assert same_training_problems(run(rank(0)), run(rank(0, final=3.0 + 1e-7))) == []


@pytest.mark.parametrize(
    ("single", "problem"),
    [
        (rank(0, final=3.5), "trained parameters differ from the original's by 0.5, most in w"),
        (replaced(rank(0), parameters=()), "it trained other variables than the original"),
        (rank(0, "hello\n"), "the original prints nothing to compare"),
        (rank(0, exit_code=1, error="ValueError: no"), "rank 0 failed: ValueError: no"),
    ],
)
def test_other_training_is_named(single: Rank, problem: str) -> None:
    (said,) = same_training_problems(run(rank(0)), run(single))
    assert said.startswith(problem)


def test_text_to_ignore_is_not_compared() -> None:
    shown, slower = run(rank(0, "loss 1 (0.2 s)\n")), run(rank(0, "loss 1 (0.9 s)\n"))
    assert same_losses_problems(shown, slower, ignore=r"[\d.]+ s") == []
    assert same_losses_problems(shown, slower) != []


def test_working_directory_is_not_compared() -> None:
    printed = rank(0, "saved /nowhere/rank0/cwd/ckpt-1\n")
    assert comparable(printed, run(printed)) == ["saved <cwd>/ckpt-1"]


def test_progress_and_times_of_keras_are_not_compared() -> None:
    bar = "\r 1/10 [==>...] - ETA: 3s - loss: 2.9 - accuracy: 0.1" + "\b" * 20
    fit = f"Epoch 1/2\n{bar}step\n{bar}\r10/10 [====] - 1s 5ms/step - loss: 0.5\n"
    printed = rank(0, f"{fit}10/10 - 0s - loss: 0.4 - 66ms/epoch - 7ms/step\n")
    assert comparable(printed, run(printed)) == [
        "Epoch 1/2",
        "step",
        "10/10 [====] - loss: 0.5",
        "10/10 - loss: 0.4",
    ]


def test_transform_that_changes_nothing_fails(tmp_path: Path) -> None:
    script = tmp_path / "program" / "main.py"
    script.parent.mkdir()
    script.write_text("print('nothing to do with TensorFlow')\n")
    with pytest.raises(TransformFailed, match="nothing was rewritten"):
        transform(script, tmp_path / "copy", codemod="tf2_gradient_tape")
    assert (tmp_path / "copy" / "main.py").read_text() == script.read_text()


class TestWithWorkers:
    pytestmark = needs_workers

    @pytest.fixture
    def judge(self, tmp_path: Path) -> Callable[[str], list[str]]:
        def judge(name: str, **options: Any) -> list[str]:
            return distributed_problems(
                run_workers(HANDWRITTEN / f"{name}.py", tmp_path / name, **options)
            )

        return judge

    def test_right_program_passes(self, judge: Callable[[str], list[str]]) -> None:
        assert judge("right") == []

    @pytest.mark.parametrize(
        ("program", "problems"),
        [
            ("no_broadcast", ["trained parameters differ"]),
            ("writes_everywhere", ["rank 1 wrote files: final.weights.h5"]),
            ("no_average", ["trained parameters differ"]),
            ("prints_everywhere", ["rank 1 printed"]),
        ][: None if ALL else 2],
    )
    def test_only_the_fault_is_named(
        self, judge: Callable[[str], list[str]], program: str, problems: list[str]
    ) -> None:
        said = judge(program)
        assert len(said) == len(problems), said
        for start, text in zip(problems, said, strict=True):
            assert text.startswith(start)

    def test_crash_of_one_worker_is_named(self, judge: Callable[[str], list[str]]) -> None:
        assert "rank 1 failed: ValueError: worker 1 cannot go on" in judge("crashes_on_one")

    def test_hanging_workers_are_stopped(self, tmp_path: Path) -> None:
        hanging = run_workers(HANDWRITTEN / "hangs_on_one.py", tmp_path / "hangs", timeout=15)
        problems = distributed_problems(hanging)
        assert problems[0].startswith("no end within")
        assert hanging.seconds < 30
        for written in (tmp_path / "hangs").glob("rank*/pid"):
            arguments = Path(f"/proc/{written.read_text()}/cmdline")
            assert not arguments.exists() or b"hangs_on_one" not in arguments.read_bytes()

    def test_plain_run_stops_after_so_many_updates(self, tmp_path: Path) -> None:
        """Both for updates that run eagerly and for those inside a tf.function."""
        for program in ("linear_regression", "traced_class"):
            script = HANDWRITTEN.parent / program / "main.py"
            stopped = run_plain(script, tmp_path / program, max_updates=3).ranks[0]
            assert stopped.said("status") == "stopped"
            assert stopped.said("updates") == 3
            assert all(p.initial not in (None, p.final) for p in stopped.parameters)
