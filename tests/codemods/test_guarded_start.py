"""Where an entry script starts Horovod that other programs load: under its `__main__` guard."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_kinds_of_programs import results

HEAD = "import tensorflow as tf\n"
STEP = """\
def build():
    return tf.keras.Sequential([tf.keras.layers.Dense(1)])

def train(model, optimizer):
    for _ in range(8):
        with tf.GradientTape() as tape:
            loss = model(tf.random.normal([4, 3]))
        slopes = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(slopes, model.trainable_variables))

def main():
    train(build(), tf.keras.optimizers.SGD(0.1))
"""
GUARD = 'if __name__ == "__main__":\n    main()\n'
OTHER = f"{HEAD}import model\nmodel.train(model.build(), tf.keras.optimizers.Adam(0.1))\n"
PROJECT = '[project]\nname = "it"\nversion = "1"\n[project.scripts]\ntrain = "model:main"\n'
UNDER = '__main__":\n    hvd.init()\n    gpus = '
ABOVE = "\nhvd.init()\ngpus = "


def made(folder: Path, *files: tuple[str, str]) -> str:
    """The first file after the run."""
    _, (text, *_) = results(folder, dict(files))
    return text


@pytest.mark.parametrize(
    ("model", "more"),
    [
        (f"{HEAD}{STEP}{GUARD}", ()),
        (f"{HEAD}{STEP}{GUARD}", (("other.py", OTHER), ("pyproject.toml", PROJECT))),
        (f"{HEAD}{STEP}{GUARD}".replace(":\n    main", ": main"), (("other.py", OTHER),)),
        # Something runs before the guard.
        (f"{HEAD}tf.random.set_seed(1)\n{STEP}{GUARD}", (("other.py", OTHER),)),
        (f"{HEAD}print('begin')\n{STEP}{GUARD}", (("other.py", OTHER),)),
        (f"{HEAD}OPTIMIZER = tf.keras.optimizers.SGD(0.1)\n{STEP}{GUARD}".replace(
            "tf.keras.optimizers.SGD(0.1))", "OPTIMIZER)"), (("other.py", OTHER),)),
        (f"{HEAD}{STEP}{GUARD}{GUARD}", (("other.py", OTHER),)),
        (f"{HEAD}{STEP}{GUARD}else:\n    print(1)\n", (("other.py", OTHER),)),
    ],
    ids=["by itself", "a command", "one line", "seed", "print", "optimizer", "two guards", "else"],
)  # fmt: skip
def test_it_stands_above_all(tmp_path: Path, model: str, more: tuple[tuple[str, str], ...]) -> None:
    text = made(tmp_path, ("model.py", model), *more)
    assert ABOVE in text
    assert UNDER not in text


@pytest.mark.parametrize("rate", ["0.1", "RATE"])
@pytest.mark.parametrize("guard", [GUARD, GUARD.replace("main()", "# run it\n    main()")])
def test_it_stands_under_the_guard(tmp_path: Path, rate: str, guard: str) -> None:
    model = f"{HEAD}RATE = 0.1\n{STEP.replace('0.1', rate)}{guard}"
    files = {"model.py": model, "other.py": OTHER}
    _, texts = results(tmp_path, files)
    assert UNDER in texts[0]
    assert ABOVE not in texts[0]
    assert ABOVE in texts[1]
    again, same = results(tmp_path, dict(zip(files, texts, strict=True)))
    assert not again.plan.hunks
    assert same == texts


def test_numbers_that_are_divided_where_they_are_set_keep_it_above(tmp_path: Path) -> None:
    step = STEP.replace("range(8)", "range(STEPS)")
    text = made(tmp_path, ("model.py", f"{HEAD}STEPS = 8\n{step}{GUARD}"), ("other.py", OTHER))
    before = text[: text.index("def build")]
    assert ("hvd.size()" in before) == (ABOVE in text)
