"""One run over programs of several training APIs: each gets its own pack."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import BIN, REPOSITORY, run

from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack

TAPE = """\
import tensorflow as tf
import common
w = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD(0.1)
with tf.GradientTape() as tape:
    loss = w * w
optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
common.say(1)
"""
GRAPH = """\
import tensorflow.compat.v1 as tf
import common
train = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    common.say(2)
"""
BOTH = f"{TAPE}model = tf.keras.Sequential()\nmodel.fit(x, y)\n"
COMMON = """\
import tensorflow as tf
def say(text):
    print(text)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("tape.py", TAPE), ("graph.py", GRAPH), ("common.py", COMMON)):
        (tmp_path / name).write_text(text)
    return tmp_path


def plan(folder: Path, *names: str) -> Planned:
    path = pack_files.find("distribute")
    assert path is not None
    found = packs.load_all(path)
    assert isinstance(found, tuple)
    chosen = [pack for pack in found if not names or pack.name in names]
    return make_plan([PackQuery(pack, []) for pack in chosen], [folder])


def results(planned: Planned) -> dict[str, str]:
    return {
        module.path.name: apply(module.source.text, [e for hunk in hunks for e in hunk.edits])
        for module, hunks in planned.plan.by_module().items()
    }


def test_programs_without_training_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "predict.py").write_text("import tensorflow as tf\nprint(tf.zeros(3))\n")
    assert plan(tmp_path).plan.hunks == []


def test_each_program_gets_its_own_pack(folder: Path) -> None:
    found = results(plan(folder))
    assert "DistributedGradientTape" in found["tape.py"]
    assert "DistributedOptimizer" not in found["tape.py"]
    assert "DistributedOptimizer" in found["graph.py"]
    assert "hvd.broadcast_global_variables(0)" in found["graph.py"]


def test_start_code_before_the_repository_s_imports_stands_apart(tmp_path: Path) -> None:
    (tmp_path / "tape.py").write_text(TAPE.replace("import common", "import os\n\nimport makes"))
    (tmp_path / "makes.py").write_text("import tensorflow as tf\nv = tf.Variable(1.0)\n")
    (tmp_path / "main.py").write_text("import os\n\nimport tape\nimport makes\n\nprint(1)\n")
    found = results(plan(tmp_path))["main.py"]
    begin, end = "import os\n\nimport horovod.tensorflow as hvd\n", "\nhvd.init()\n"
    assert found.startswith(begin)
    assert f"{end}gpus" in found
    behind = found[found.index("    tf.config.experimental.set_visible") :]
    assert behind.partition("\n")[2].startswith("\nimport tape\nimport makes\n")


@pytest.mark.parametrize(
    ("head", "inner", "imports"),
    [
        ("", "", 1),
        ("import horovod.tensorflow.keras as hvd\n", "", 0),
        ("import horovod.tensorflow as hvd\n", "", 0),
        ("import horovod.keras as hvd\n", "", 0),
        ("", "    import horovod.tensorflow as hvd\n", 0),
        ("import horovod.torch as hvd\n", "", 1),
    ],
)
def test_horovod_that_is_there_is_asked_for_the_worker(
    tmp_path: Path, head: str, inner: str, imports: int
) -> None:
    (tmp_path / "fit.py").write_text(
        "import tensorflow as tf\nimport say\nmodel = tf.keras.Sequential()\n"
        "model.compile('sgd', 'mse')\nmodel.fit(x, y)\nsay.say(1)\n"
    )
    (tmp_path / "say.py").write_text(
        f"import tensorflow as tf\n{head}\n\ndef say(text):\n{inner}    print(text)\n"
    )
    found = results(plan(tmp_path))["say.py"]
    assert found.count("import horovod") == bool(head or inner) + imports
    name = "hvd_2" if head and imports else "hvd"
    assert f"    if {name}.rank() == 0:\n        print(text)\n" in found


@pytest.mark.parametrize(
    ("head", "inner", "face"),
    [
        ("from keras.models import Sequential", "", "keras"),
        ("from keras.models import Sequential\nimport tensorflow as tf", "", "keras"),
        ("from tensorflow.keras import Sequential", "", "tensorflow.keras"),
        ("from tensorflow.keras import Sequential", "import keras.utils", "tensorflow.keras"),
        ("Sequential = make()", "from keras.models import Sequential", "keras"),
        ("from more import *", "", "keras"),
    ],
)
def test_which_keras_a_program_has(tmp_path: Path, head: str, inner: str, face: str) -> None:
    (tmp_path / "more.py").write_text("from keras.models import Sequential\n")
    (tmp_path / "fit.py").write_text(
        f"{head}\ndef f():\n    {inner or 'pass'}\n    return Sequential()\n"
        "model = f()\nmodel.compile('sgd', 'mse')\nmodel.fit(x, y, epochs=3)\n"
    )
    found = results(plan(tmp_path))["fit.py"]
    assert f"import horovod.{face} as hvd\n" in found


def test_what_programs_share_is_rewritten_once(folder: Path) -> None:
    planned = plan(folder)
    found = [hunk.rule for hunk in planned.plan.hunks if hunk.module.path.name == "common.py"]
    assert sorted(found) == ["import-hvd", "print-on-first-worker"]
    assert results(planned)["common.py"].count("if ") == 1


def test_a_second_run_proposes_nothing(folder: Path) -> None:
    for name, text in results(plan(folder)).items():
        (folder / name).write_text(text)
    assert plan(folder).plan.hunks == []


@pytest.mark.parametrize("runs", [True, False])
def test_what_only_some_of_the_programs_stand_is_left_alone(folder: Path, runs: bool) -> None:
    (folder / "common.py").write_text(
        f"{COMMON}import tensorflow.compat.v1 as tf1\ndef session():\n    return tf1.Session()\n"
    )
    (folder / "graph.py").write_text(GRAPH.replace("tf.Session()", "common.session()"))
    if runs:
        (folder / "tape.py").write_text(f"{TAPE}common.session()\n")
    planned = plan(folder)
    assert ("visible_device_list" in results(planned)["common.py"]) is not runs
    left = [r for r in planned.reports if r.module.path.name == "common.py"]
    told = any("left alone" in report.text and "tape.py" in report.text for report in left)
    assert told is runs


def test_a_mixture_is_refused_with_its_places(folder: Path) -> None:
    (folder / "both.py").write_text(f"{TAPE}{GRAPH}")
    planned = plan(folder)
    (refused,) = [problem for problem in planned.refused if problem.path.name == "both.py"]
    assert "both.py:7 (gradient_tape), " in refused.reason
    assert "both.py:12 (session)" in refused.reason
    assert refused.hint == "split it into one program for each training API"
    assert "both.py" not in results(planned)
    assert "DistributedOptimizer" in results(planned)["graph.py"]


def test_fit_and_a_tape_stand_together(folder: Path) -> None:
    (folder / "both.py").write_text(BOTH)
    planned = plan(folder)
    assert not planned.refused
    both = results(planned)["both.py"]
    for once in ("hvd.init()", "DistributedGradientTape(", "0.1 * hvd.size()", "gpus["):
        assert both.count(once) == 1
    assert "callbacks=[" in both
    for name, text in results(planned).items():
        (folder / name).write_text(text)
    assert plan(folder).plan.hunks == []


def test_a_pack_for_another_way_says_nothing(folder: Path) -> None:
    (folder / "both.py").write_text(BOTH)
    assert not plan(folder, "tf1-session").refused


@pytest.mark.parametrize("name", ["tf2-gradient-tape", "tf2-keras"])
def test_a_pack_for_one_of_the_ways_names_that_for_both(folder: Path, name: str) -> None:
    (folder / "both.py").write_text(BOTH)
    planned = plan(folder, name)
    (refused,) = planned.refused
    assert "both.py:7 (gradient_tape), " in refused.reason
    assert refused.hint.startswith("tf2-keras-and-tape is for such programs")


def test_one_pack_alone_leaves_the_other_programs(folder: Path) -> None:
    found = results(plan(folder, "tf1-session"))
    assert set(found) == {"graph.py", "common.py"}


SCRIPTS = sorted(path.stem for path in (REPOSITORY / "codemods").glob("[a-z]*.py"))


def test_there_is_a_script_for_every_pack() -> None:
    names = {path.stem.replace("-", "_") for path in [*pack_files.bundled(), *pack_files.choices()]}
    assert names == set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_runs(name: str, tmp_path: Path) -> None:
    script = REPOSITORY / "codemods" / f"{name}.py"
    command = [str(BIN / "bowler"), "run", str(script), "--"]
    given: list[str | Path] = ["--check", tmp_path]
    if name == "lower_control_flow":
        # It needs places, and somebody to write for.
        place = tmp_path / "a.py"
        place.write_text("def f(x):\n    if x > 0: print(x)\n    return x\n")
        given = ["--check", "--set", "target=jax", f"{place}:2"]
    assert run(*given, command=command).code == 0


# The others are for any code.
OF_TRAINING = [
    path for path in pack_files.bundled() if (found := packs.load(path)) and found.training_apis
]


@pytest.mark.parametrize("pack", [path.stem for path in OF_TRAINING])
def test_every_pack_has_its_training_api(pack: str) -> None:
    loaded = packs.load(pack_files.find(pack) or Path())
    assert isinstance(loaded, Pack)
    assert loaded.training_apis


def test_the_choice_has_all_packs() -> None:
    found = packs.load_all(pack_files.find("distribute") or Path())
    assert isinstance(found, tuple)
    assert sorted(pack.path for pack in found) == OF_TRAINING
    assert len({pack.training_apis for pack in found}) == len(found)


def test_sharding_is_offered(folder: Path) -> None:
    (folder / "tape.py").write_text(f"{TAPE}for batch in tf.data.Dataset.range(9):\n    optimizer"
                                    ".apply_gradients(batch)\n")  # fmt: skip
    command = [str(BIN / "pinsetter"), "run", "distribute"]
    assert (
        b".shard(hvd.size(), hvd.rank())" in run("--diff", "--shard", folder, command=command).out
    )
    assert b".shard(" not in run("--diff", folder, command=command).out


def test_data_that_only_validates_is_not_sharded() -> None:
    """The demo's training and validation data are made alike, and both go into its own fit()."""
    command = [str(BIN / "pinsetter"), "run", "tf2_gradient_tape"]
    shown = run("--diff", "--shard", REPOSITORY / "fixtures" / "demo", command=command).out
    assert shown.count(b".shard(") == 1
    assert b"(make_samples(count, seed)).apply(\n+        lambda part" in shown
    assert b"-    return tf.data.Dataset" not in shown
