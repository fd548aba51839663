"""The judge is judged for each training API, in both TensorFlows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from e2e_worker.relocation import compiled
from harness import distributed_problems
from worker_runs import ALL, Environment, Reason, Run, available, run_plain, run_workers

HANDWRITTEN = Path(__file__).resolve().parents[2] / "fixtures" / "programs" / "handwritten"
APIS = ("keras", "session", "monitored_session", "estimator")

TF2, TF1 = available("tf215"), available("tf115")
# What both see alike is tried with TF 1.15, which starts in half the time.
ANY = TF2 if isinstance(TF1, Reason) else TF1


def needs(found: Environment | Reason) -> pytest.MarkDecorator:
    return pytest.mark.skipif(isinstance(found, Reason), reason=getattr(found, "text", ""))


def workers(program: str, out: Path, environment: Any, **options: Any) -> Run:
    assert isinstance(environment, Environment)
    script = HANDWRITTEN / f"{program}.py"
    return run_workers(script, out / "run", environment=environment, **options)


def assert_right(run: Run, api: str, updates: int) -> None:
    # The callback of Keras broadcasts when the first batch is over.
    from_first_step = api != "keras"
    assert distributed_problems(run, equal_from_first_step=from_first_step) == []
    for rank in run.ranks:
        assert rank.said("updates") == updates
        assert len(rank.said("gradients")) == updates
        assert rank.said("broadcasts") in (1, 2)
        assert rank.said("distributed_optimizers") == 1
    assert from_first_step == (
        run.ranks[0].said("first_values") == run.ranks[1].said("first_values")
    )


@pytest.mark.e2e
@needs(TF2)
@pytest.mark.parametrize("api", APIS)
def test_right_program_passes(api: str, tmp_path: Path) -> None:
    assert_right(workers(f"{api}/right", tmp_path, TF2), api, updates=6)


@pytest.mark.e2e
@needs(TF1)
@pytest.mark.parametrize("api", APIS if ALL else APIS[-2:])
def test_right_program_that_is_stopped_passes(api: str, tmp_path: Path) -> None:
    run = workers(f"{api}/right", tmp_path, TF1, max_updates=4)
    assert [rank.said("status") for rank in run.ranks] == ["stopped", "stopped"]
    assert_right(run, api, updates=4)


DIFFER = "trained parameters differ"


@pytest.mark.e2e
@needs(ANY)
@pytest.mark.parametrize(
    ("program", "problems"),
    [
        (
            "keras/prints_and_writes_everywhere",
            ["rank 1 printed", "rank 1 wrote files: weights.h5"],
        ),
        ("session/no_broadcast", [DIFFER]),
        ("monitored_session/no_average", [DIFFER]),
        ("estimator/no_broadcast", [DIFFER]),
        ("keras/no_broadcast", [DIFFER]),
        ("keras/no_average", [DIFFER]),
        ("session/no_average", [DIFFER]),
        ("monitored_session/no_broadcast", [DIFFER]),
        ("monitored_session/writes_everywhere", ["rank 1 wrote files: tmp/checkpoints/checkpoint"]),
    ][: None if ALL else 3],
)
def test_only_the_fault_is_named(program: str, problems: list[str], tmp_path: Path) -> None:
    said = distributed_problems(workers(program, tmp_path, ANY))
    assert len(said) == len(problems), said
    for start, text in zip(problems, said, strict=True):
        assert text.startswith(start)


@pytest.mark.e2e
@needs(ANY)
def test_worker_that_stops_by_itself_is_seen(tmp_path: Path) -> None:
    said = distributed_problems(workers("keras/stops_on_one", tmp_path, ANY, timeout=15))
    assert said[0].startswith("no end within")


@pytest.mark.e2e
@needs(TF1)
def test_data_sets_of_tutorials_are_at_hand(tmp_path: Path) -> None:
    script = tmp_path / "program" / "main.py"
    script.parent.mkdir()
    script.write_text(
        "from keras.datasets import mnist\n"
        "from tensorflow.examples.tutorials.mnist import input_data\n"
        "for one_hot in (False, True):\n"
        "    data = input_data.read_data_sets('/tmp/data', one_hot=one_hot)\n"
        "    images, labels = data.train.next_batch(50)\n"
        "    print(images.shape, labels.shape, data.test.num_examples)\n"
        "print(mnist.load_data()[0][0].shape)\n"
    )
    assert isinstance(TF1, Environment)
    run = run_plain(script, tmp_path / "run", environment=TF1)
    assert run.ranks[0].stdout.splitlines() == [
        "(50, 784) (50,) 200",
        "(50, 784) (50, 10) 200",
        "(600, 28, 28)",
    ]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'/tmp/model'", "<own>/model"),
        ("'/tmp'", "<own>"),
        ("f'/tmp/{1}/tmp'", "<own>/1/tmp"),
        ("f'{1}/tmp'", "1/tmp"),
        ("'/tmpfs and /tmp'", "/tmpfs and /tmp"),
    ],
)
def test_every_worker_has_a_tmp_of_its_own(expression: str, value: str) -> None:
    names: dict[str, Any] = {}
    exec(compiled(f"found = {expression}".encode(), "main.py", Path("<own>")), names)
    assert names["found"] == value
