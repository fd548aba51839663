"""What tells a traced step that it is the first: a flag, if there is one optimizer only."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import BIN, REPOSITORY, run

MAIN = (REPOSITORY / "fixtures" / "programs" / "several_steps" / "main.py").read_text()
FLAG, TABLE = "hvd_first_step_done = tf.Variable(", "hvd_first_step_done = tf.lookup."


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
