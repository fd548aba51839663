"""Prints: a condition for each, a note where there are many, or one statement for all."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import BIN, run

HEAD = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
"""
FIT = "model.fit(x, y)\n"
DISTRIBUTE = [str(BIN / "pinsetter"), "run", "distribute", "main.py"]
SILENT = """\
if hvd.rank() != 0:
    sys.stdout = open(os.devnull, "w")
    logging.disable(logging.CRITICAL)
"""


def proposed(folder: Path, prints: int, *options: str) -> tuple[str, str]:
    """The script as it would be, and what is said."""
    script = folder / "main.py"
    said = "".join(f"print({number})\nx = y = {number}\n" for number in range(prints))
    script.write_text(f"{HEAD}{said}{FIT}")
    done = run("--write", *options, command=DISTRIBUTE, cwd=folder)
    return script.read_text(), done.err


@pytest.mark.parametrize("prints", [0, 5])
def test_a_few_have_a_condition_each(tmp_path: Path, prints: int) -> None:
    text, said = proposed(tmp_path, prints)
    assert text.count("if hvd.rank() == 0:\n") == prints
    assert "quiet" not in said


def test_of_many_it_is_noted(tmp_path: Path) -> None:
    text, said = proposed(tmp_path, 6)
    assert text.count("if hvd.rank() == 0:\n") == 6
    assert said.count("--option quiet") == 1
    assert "main.py:5: note: print-on-first-worker: 6 statements of the program print" in said


def test_one_statement_is_enough(tmp_path: Path) -> None:
    text, said = proposed(tmp_path, 6, "--option", "quiet")
    assert SILENT in text
    assert text.index("hvd.init()") < text.index(SILENT) < text.index("print(0)")
    assert "hvd.rank() == 0" not in text
    assert "--option quiet" not in said
    again = run("--check", command=DISTRIBUTE, cwd=tmp_path)
    assert again.code == 0, again.err
    quiet = run("--check", "--option", "quiet", command=DISTRIBUTE,
                cwd=tmp_path)  # fmt: skip
    assert quiet.code == 0, quiet.err


def test_what_programs_share_is_noted_once(tmp_path: Path) -> None:
    said = "".join(f"    print({number})\n    x = {number}\n" for number in range(6))
    (tmp_path / "shared.py").write_text(f"import tensorflow as tf\ndef say():\n{said}")
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(f"{HEAD}from shared import say\nsay()\n{FIT}")
    done = run("--check", command=[*DISTRIBUTE[:3], "."], cwd=tmp_path)
    assert done.err.count("6 statements of the program print") == 1
