"""What tells a traced step that it is the first: a flag, if there is one optimizer only."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import BIN, REPOSITORY, run

MAIN = (REPOSITORY / "fixtures" / "programs" / "several_steps" / "main.py").read_text()
FLAG, TABLE = "hvd_first_step_done = tf.Variable(", "hvd_first_step_done = {}"


@pytest.mark.parametrize(
    ("main", "other", "expected"),
    [
        (MAIN, "", FLAG),
        (MAIN.replace("\n    main()", "\n    for seed in 1, 2:\n        main()"), "", TABLE),
        (MAIN, "import main\nmain.main()\nmain.main()\n", TABLE),
        (MAIN, "from main import main\nmain()\n", TABLE),
    ],
)
def test_the_function_that_a_script_runs(
    tmp_path: Path, main: str, other: str, expected: str
) -> None:
    (tmp_path / "main.py").write_text(main)
    if other:
        (tmp_path / "other.py").write_text(other)
    done = run(tmp_path, "--diff", command=[str(BIN / "pinsetter"), "run", "distribute"])
    assert expected in done.said


BY_NAME = (REPOSITORY / "fixtures" / "programs" / "step_by_name" / "main.py").read_text()
MADE = "self.step = tf.function(self._step) if compiled else self._step\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", "first_batch = True"),
        (MADE, "self.step = tf.function(self._step)\n", "first_batch = True"),
        (MADE, "self.step = wrap(tf.function(self._step))\n", TABLE),
        (MADE, "s = [tf.function(self._step)]\n        self.step = s[0]\n", TABLE),
        (MADE, f"{MADE}        apply(self.step)\n", TABLE),
        (MADE, f"{MADE}        self.step(images, labels)\n", TABLE),
        ("learner.learn(", "learner.step(images, labels)\n    learner.learn(", TABLE),
    ],
)
def test_a_step_that_is_called_by_another_name(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    assert old in BY_NAME
    (tmp_path / "main.py").write_text(BY_NAME.replace(old, new, 1) if old else BY_NAME)
    done = run(tmp_path, "--diff", command=[str(BIN / "pinsetter"), "run", "distribute"])
    assert expected in done.said
    assert ("first_batch" in done.said) == (expected != TABLE)


GIVEN = """\
import tensorflow as tf

strategy = tf.distribute.get_strategy()


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.model(x) - y) ** 2)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    @tf.function
    def traced_step(self, x, y):
        return strategy.reduce("SUM", strategy.run(self.step, args=(x, y)), axis=None)

    def train(self, data):
        for x, y in data:
            self.traced_step(x, y)


def main():
    data = tf.data.Dataset.from_tensors((tf.ones((4, 3)), tf.ones((4, 1)))).repeat(8)
    Trainer(tf.keras.Sequential([tf.keras.layers.Dense(1)]), tf.keras.optimizers.Adam()).train(data)


main()
"""
HANDED = "strategy.run(self.step, args=(x, y))"
FIRST_BATCH = """\
            if first_batch:
+                hvd.broadcast_variables(self.model.trainable_variables, root_rank=0)
+                hvd.broadcast_variables(self.optimizer.variables(), root_rank=0)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (HANDED, "runner.run(self.step, args=(x, y))"),
        (HANDED, "strategy.run(Trainer.step, args=(self, x, y))"),
        (HANDED, "strategy.run(wrap(self.step), args=(x, y))"),
        (HANDED, "strategy.run(fn=self.step, args=(x, y))"),
        (HANDED, f"{HANDED} + self.step(x, y)"),
        (HANDED, f"{HANDED} + strategy.run(self.step, args=(x, y))"),
        (HANDED, "(lambda: strategy.run(self.step, args=(x, y)))()"),
        ("\nmain()", "\nmain()\nregister(Trainer.step)"),
        ("\nmain()", "\nmain()\ngetattr(Trainer, 'step')"),
        ("class Trainer:", "class Trainer(tf.keras.Model):"),
        ("class Trainer:", "class Trainer(Unknown):"),
        ("    def step(", "    @wrap\n    def step("),
        ("self.traced_step(x, y)", "yield self.traced_step(x, y)"),
    ],
)
def test_a_step_that_others_may_call(tmp_path: Path, old: str, new: str) -> None:
    assert old in GIVEN
    (tmp_path / "main.py").write_text(GIVEN.replace(old, new, 1))
    done = run(tmp_path, "--diff", command=[str(BIN / "pinsetter"), "run", "distribute"])
    assert "first_batch" not in done.said


@pytest.mark.parametrize(
    "given",
    [
        HANDED,
        "strategy.run(self.step, (x, y))",
        "strategy.run(self.step, args=[x, y])",
        "strategy.experimental_run_v2(self.step, args=(x, y))",
        # What its own parameters are is not asked here.
        "strategy.run(self.step, args=batch)",
        "strategy.run(self.step, (x,), {'y': y})",
    ],
)
def test_a_step_that_is_given_to_what_calls_it(tmp_path: Path, given: str) -> None:
    (tmp_path / "main.py").write_text(GIVEN.replace(HANDED, given, 1))
    done = run(tmp_path, "--diff", command=[str(BIN / "pinsetter"), "run", "distribute"])
    assert FIRST_BATCH in done.said


@pytest.mark.parametrize(
    ("parameters", "given", "expected"),
    [
        ("model, optimizer, x, y", "args=(self.model, self.optimizer, x, y)", True),
        ("x, y, model, optimizer", "(x, y, self.model, self.optimizer)", True),
        ("model, optimizer, x, y", "args=(*self.both, x, y)", False),
        ("model, optimizer, x, y", "args=everything(x, y)", False),
        ("model, optimizer, x, y", "args=(make(), self.optimizer, x, y)", False),
        ("x, y, model=None, optimizer=None", "(x, y), {'model': self.model}", False),
        ("*model", "(self.model, self.optimizer, x, y)", False),
    ],
)
def test_what_the_step_is_given(
    tmp_path: Path, parameters: str, given: str, expected: bool
) -> None:
    begin, end = GIVEN.index("    def step"), GIVEN.index("    @tf.function")
    step = GIVEN[begin:end].replace("self, x, y", parameters).replace("self.", "")
    function = "\n".join(line.removeprefix("    ") for line in step.splitlines())
    text = GIVEN[:begin] + GIVEN[end:].replace(HANDED, f"strategy.run(step, {given})")
    (tmp_path / "main.py").write_text(text.replace("class Trainer", f"{function}\nclass Trainer"))
    done = run(tmp_path, "--diff", command=[str(BIN / "pinsetter"), "run", "distribute"])
    assert (FIRST_BATCH in done.said) == expected, done.said
    assert ("first_batch" in done.said) == expected
