"""Programs of several kinds that run the same training steps are rewritten by one pack."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import tape_pack
from test_jobs import training

from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import apply

MODEL = """\
import numpy as np
import tensorflow as tf

class Model(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}

def made():
    model = Model()
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-3))
    return model
"""
FIT = "import model\nimport numpy as np\nmodel.made().fit(np.zeros([8, 3]), epochs=8)\n"
STEPS = """\
import model
import numpy as np
made = model.made()
for _ in range(8):
    print(made.train_step((np.random.rand(4, 3), np.random.rand(4, 1))))
"""
OWN = """\
import model
import tensorflow as tf
w = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(8):
    with tf.GradientTape() as tape:
        loss = w * w
    optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
print(model.__doc__)
"""
LAYERS = (
    "import tensorflow as tf\nWIDTH = 3\ndef layer():\n    return tf.keras.layers.Dense(WIDTH)\n"
)
ALONE = "horovod.tensorflow as hvd\n"
TOGETHER = "horovod.tensorflow.keras as hvd\n"


def results(folder: Path, files: dict[str, str], whole: bool = True) -> tuple[Planned, list[str]]:
    """What is planned, and the texts of the given files after it."""
    for name, text in files.items():
        (folder / name).write_text(text)
    packs = training() if whole else [PackQuery(tape_pack(), [])]
    planned = make_plan(packs, [folder])
    found = dict(files)
    for module, hunks in planned.plan.by_module().items():
        edits = [edit for hunk in hunks for edit in hunk.edits]
        found[module.path.name] = apply(module.source.text, edits)
    return planned, list(found.values())


def test_programs_that_share_no_step_have_packs_of_their_own(tmp_path: Path) -> None:
    fit = FIT.replace("model", "layers").replace("layers.made()", "layers.layer()")
    files = {"layers.py": LAYERS, "steps.py": OWN.replace("model", "layers"), "fit.py": fit}
    _, (_, steps, _) = results(tmp_path, files)
    assert ALONE in steps


def test_what_is_imported_and_not_run_makes_no_kind(tmp_path: Path) -> None:
    _, (_, _, own) = results(tmp_path, {"model.py": MODEL, "fit.py": FIT, "own.py": OWN})
    assert ALONE in own


def test_one_kind_stays_what_it_is(tmp_path: Path) -> None:
    _, (model, steps) = results(tmp_path, {"model.py": MODEL, "steps.py": STEPS})
    assert ALONE in model
    assert ALONE in steps


def test_a_pack_for_one_kind_does_as_ever(tmp_path: Path) -> None:
    files = {"model.py": MODEL, "fit.py": FIT, "steps.py": STEPS}
    planned, (model, fit, steps) = results(tmp_path, files, whole=False)
    assert (model, fit, steps) == (MODEL, FIT, STEPS)
    assert any("fit.py" in str(problem) for problem in planned.refused)


def test_a_call_that_no_program_can_make_is_none_of_a_model(tmp_path: Path) -> None:
    """What calls `train_step` of something unknown, and loads what only others load."""
    other = "import sys\nfor x in sys.argv:\n    sys.argv[0].train_step(x)\n"
    apart, _ = results(tmp_path, {"model.py": MODEL, "fit.py": FIT, "other.py": other})
    eager = {hunk.rule for hunk in apart.plan.hunks}
    together, _ = results(tmp_path, {"model.py": MODEL, "fit.py": f"import other\n{FIT}"})
    assert "broadcast-after-first-step" not in eager
    assert "broadcast-after-first-step" in {hunk.rule for hunk in together.plan.hunks}


@pytest.mark.parametrize("further", [{}, {"again.py": STEPS}])
def test_those_that_share_steps_have_one_pack(tmp_path: Path, further: dict[str, str]) -> None:
    files = {"model.py": MODEL, "fit.py": FIT, "steps.py": STEPS, **further}
    planned, texts = results(tmp_path, files)
    assert not planned.refused
    assert "DistributedGradientTape" in texts[0]
    assert all(TOGETHER in text for text in texts)
    again, same = results(tmp_path, dict(zip(files, texts, strict=True)))
    assert not again.plan.hunks
    assert same == texts
