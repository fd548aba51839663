"""Helpers that run where Horovod is not started must keep working there."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import tape_pack

from pinsetter.codemods.engine.planning import Planned, make_plan
from pinsetter.codemods.engine.query import PackQuery
from pinsetter.patterns.edit import apply

TRAIN = """\
import helper
import tensorflow as tf
import network
w = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD(0.1)
with tf.GradientTape() as tape:
    loss = w * w
optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
helper.say(1)
network.say(1)
"""
SAY = "def say(text):\n    print(text)\n"
PLAIN = "    if hvd.rank() == 0:\n"
CAREFUL = "    if not hvd.is_initialized() or hvd.rank() == 0:\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "helper.py").write_text(SAY)
    (tmp_path / "network.py").write_text(f"import tensorflow as tf\n{SAY}")
    return tmp_path


def results(folder: Path) -> tuple[Planned, dict[str, str]]:
    planned = make_plan([PackQuery(tape_pack(), [])], [folder])
    edits = {
        m: [e for h in hunks for e in h.edits] for m, hunks in planned.plan.by_module().items()
    }
    return planned, {m.path.name: apply(m.source.text, found) for m, found in edits.items()}


def test_a_module_that_needs_tensorflow_is_imported_after_the_start(repository: Path) -> None:
    _, found = results(repository)
    assert PLAIN in found["network.py"]
    assert found["train.py"].index("hvd.init()") < found["train.py"].index("import network")


def test_a_module_without_tensorflow_may_be_imported_before_the_start(repository: Path) -> None:
    _, found = results(repository)
    assert CAREFUL in found["helper.py"]


def test_a_module_of_a_program_that_is_not_rewritten_asks_first(repository: Path) -> None:
    (repository / "predict.py").write_text("import network\nnetwork.say(2)\n")
    planned, found = results(repository)
    assert CAREFUL in found["network.py"]
    assert "predict.py" not in found
    hunk = next(h for h in planned.plan.hunks if h.rule == "print-on-first-worker"
                and h.module.path.name == "network.py")  # fmt: skip
    assert any("predict.py" in warning for warning in hunk.warnings)


def test_rates_in_shared_modules_are_left_alone_with_a_note(repository: Path) -> None:
    (repository / "network.py").write_text(
        f"import tensorflow as tf\n{SAY}def adam():\n    return tf.keras.optimizers.Adam(0.1)\n"
    )
    (repository / "fit.py").write_text("import network\nnetwork.adam()\n")
    planned, found = results(repository)
    assert "Adam(0.1)" in found["network.py"]
    assert any("fit.py" in report.text for report in planned.reports)


def test_the_second_run_proposes_nothing(repository: Path) -> None:
    (repository / "predict.py").write_text("import network\nnetwork.say(2)\n")
    _, found = results(repository)
    for name, text in found.items():
        (repository / name).write_text(text)
    planned, _ = results(repository)
    assert planned.plan.hunks == []
