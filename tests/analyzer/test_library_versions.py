"""Library facts of TF 1.15, TF 2.15, Keras 2.3 and Horovod: one view of all, and what calls do."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pinsetter.analyzer.library import Library, load
from pinsetter.analyzer.library.declared import declared

FOLDER = Path(__file__).resolve().parents[2] / "analyzer" / "domains" / "tensorflow" / "data"
KERAS = "tensorflow.keras"
V1 = "tensorflow.compat.v1"
MARKS = {"collective", "creates_variables", "prints", "random", "writes"}


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


# ---------------------------------------------------------------- names that stay as they are


@pytest.mark.parametrize("file", tuple(declared().data))
def test_every_file_says_where_it_comes_from(file: str) -> None:
    sources = load().sources
    assert sources[file] == load(file).provenance
    assert sources[file]["generator"] == "analyzer/domains/tensorflow/data/generate.py"
    name, _, version = file.partition("-")
    assert sources[file][name].startswith(f"{version}.")
    assert sources[file]["python"]


def test_tf_2_is_the_same_in_the_merged_view() -> None:
    """What TF 1 and old Keras add takes nothing from TF 2."""
    alone, merged = load("tensorflow-2.15"), load()
    assert merged.provenance == alone.provenance
    for name, found in alone.classes.items():
        assert merged.classes[name].bases == found.bases
        assert merged.classes[name].parameters == found.parameters
        assert set(found.aliases) <= set(merged.classes[name].aliases)
        assert merged.marks(name) == alone.marks(name)
    for table in ("functions", "results", "attributes", "signatures", "effects"):
        before, after = getattr(alone, table), getattr(merged, table)
        assert set(before) <= set(after)
    for name in (*alone.spellings, *alone.classes, *alone.functions):
        assert merged.canonical(name) == alone.canonical(name)
    assert {n: merged.results[n] for n in alone.results} == dict(alone.results)
    assert {n: merged.effects[n] for n in alone.effects} == dict(alone.effects)


@pytest.mark.parametrize(
    "name",
    [
        "horovod.tensorflow.init",
        "horovod.tensorflow.keras.init",
        "tensorflow.Variable",
        "tensorflow.contrib.opt.AdamWOptimizer",
        "tensorflow.data.Dataset",
        "tensorflow.estimator.Estimator",
        "tensorflow.keras.layers.LSTM",
        "tensorflow.profiler.experimental.start",
        "tensorflow.saved_model.experimental.Fingerprint",
        "tensorflow.summary.scalar",
        "tensorflow.train.Checkpoint",
        "tensorflow.train.nonsense",
    ],
)
def test_names_that_keep_their_meaning(library: Library, name: str) -> None:
    assert library.canonical(name) == name


def test_each_view_is_closed() -> None:
    """Every name that a file mentions is a class of that file, or of the view of all."""
    for view in (load(), *map(load, tuple(declared().data))):
        for found in view.classes.values():
            assert set(found.bases) <= set(view.classes)
        for result in (*view.results.values(), *view.attributes.values()):
            assert result in view.classes


def test_recorded_names_are_canonical(library: Library) -> None:
    owners = {n.rpartition(".")[0] for n in (*library.attributes, *library.effects)}
    names = {*owners, *library.attributes, *library.effects, *library.signatures}
    assert {name for name in names if library.canonical(name) != name} == set()


def test_nothing_is_known_of_other_names(library: Library) -> None:
    assert library.marks("torch.save") == frozenset()
    assert library.parameters("torch.save") == ()
    assert library.attribute("torch.nn.Module.weight") is None
    assert library.marks("") == frozenset()


# ---------------------------------------------------------------- spellings


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        # TF 1 as its programs write it
        ("tensorflow.ConfigProto", f"{V1}.ConfigProto"),
        ("tensorflow.Session", f"{V1}.Session"),
        ("tensorflow.Session.run", f"{V1}.Session.run"),
        ("tensorflow.app.run", f"{V1}.app.run"),
        ("tensorflow.get_variable", f"{V1}.get_variable"),
        ("tensorflow.gfile.MakeDirs", f"{V1}.gfile.MakeDirs"),
        ("tensorflow.global_variables_initializer", f"{V1}.global_variables_initializer"),
        ("tensorflow.keras.backend.set_session", f"{V1}.keras.backend.set_session"),
        ("tensorflow.layers.Dense", f"{V1}.layers.Dense"),
        ("tensorflow.layers.dense", f"{V1}.layers.dense"),
        ("tensorflow.logging.info", f"{V1}.logging.info"),
        (
            "tensorflow.losses.sparse_softmax_cross_entropy",
            f"{V1}.losses.sparse_softmax_cross_entropy",
        ),
        ("tensorflow.metrics.accuracy", f"{V1}.metrics.accuracy"),
        ("tensorflow.nn.rnn_cell.LSTMCell", f"{V1}.nn.rnn_cell.LSTMCell"),
        ("tensorflow.placeholder", f"{V1}.placeholder"),
        ("tensorflow.python_io.TFRecordWriter", "tensorflow.io.TFRecordWriter"),
        ("tensorflow.random_normal", "tensorflow.random.normal"),
        ("tensorflow.set_random_seed", f"{V1}.set_random_seed"),
        ("tensorflow.summary.FileWriter", f"{V1}.summary.FileWriter"),
        ("tensorflow.train.AdamOptimizer", f"{V1}.train.AdamOptimizer"),
        ("tensorflow.train.AdamOptimizer.minimize", f"{V1}.train.AdamOptimizer.minimize"),
        ("tensorflow.train.MonitoredTrainingSession", f"{V1}.train.MonitoredTrainingSession"),
        ("tensorflow.train.Saver", f"{V1}.train.Saver"),
        ("tensorflow.train.SessionRunHook", f"{V1}.train.SessionRunHook"),
        ("tensorflow.train.StopAtStepHook", f"{V1}.train.StopAtStepHook"),
        # contrib
        ("tensorflow.contrib.eager.Iterator", "tensorflow.contrib.eager.Iterator"),
        ("tensorflow.contrib.rnn.BasicLSTMCell", f"{V1}.nn.rnn_cell.BasicLSTMCell"),
        ("tensorflow.contrib.slim.conv2d", "tensorflow.contrib.layers.convolution2d"),
        # Keras before it was a part of TensorFlow
        ("keras.callbacks.callbacks.ModelCheckpoint", f"{KERAS}.callbacks.ModelCheckpoint"),
        ("keras.engine.topology.Layer", f"{KERAS}.layers.Layer"),
        ("keras.engine.training.Model", f"{KERAS}.Model"),
        ("keras.layers.Convolution2D", f"{KERAS}.layers.Conv2D"),
        ("keras.layers.core.Dense", f"{KERAS}.layers.Dense"),
        ("keras.layers.normalization.BatchNormalization", f"{KERAS}.layers.BatchNormalization"),
        ("keras.optimizers.adam", f"{KERAS}.optimizers.Adam"),
        ("keras.utils.np_utils.to_categorical", f"{KERAS}.utils.to_categorical"),
        ("tensorflow.python.keras.layers.core.Dense", f"{KERAS}.layers.Dense"),
    ],
)
def test_spellings(library: Library, name: str, canonical: str) -> None:
    assert library.canonical(name) == canonical


# ---------------------------------------------------------------- hierarchy


@pytest.mark.parametrize(
    ("name", "ancestor"),
    [
        ("tensorflow.contrib.opt.AdamWOptimizer", f"{V1}.train.AdamOptimizer"),
        ("tensorflow.contrib.opt.LazyAdamOptimizer", f"{V1}.train.Optimizer"),
        ("tensorflow.contrib.optimizer_v2.AdamOptimizer", f"{V1}.train.Optimizer"),
        ("tensorflow.contrib.rnn.LayerNormBasicLSTMCell", f"{V1}.nn.rnn_cell.RNNCell"),
        ("tensorflow.contrib.tpu.AsyncCheckpointSaverHook", f"{V1}.train.SessionRunHook"),
        ("tensorflow.estimator.DNNClassifier", f"{V1}.estimator.Estimator"),
        ("tensorflow.train.StopAtStepHook", f"{V1}.train.SessionRunHook"),
        ("tensorflow.train.SyncReplicasOptimizer", f"{V1}.train.Optimizer"),
        ("keras.layers.Highway", f"{KERAS}.layers.Layer"),
        ("keras.optimizers.TFOptimizer", f"{KERAS}.optimizers.Optimizer"),
    ],
)
def test_ancestors(library: Library, name: str, ancestor: str) -> None:
    assert ancestor in library.mro(name)


def test_the_views_of_one_version_differ_where_the_versions_do() -> None:
    old = load("tensorflow-1.15")
    assert f"{KERAS}.optimizers.legacy.Adam" not in old.classes
    assert f"{KERAS}.optimizers.Adam" in old.classes
    assert old.canonical(f"{V1}.keras.optimizers.Adam") == f"{KERAS}.optimizers.Adam"
    assert load().canonical(f"{V1}.keras.optimizers.Adam") == f"{KERAS}.optimizers.legacy.Adam"
    assert "tensorflow.contrib.opt.AdamWOptimizer" not in load("tensorflow-2.15").classes


# ---------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("file", "name", "parameter", "default"),
    [
        ("tensorflow-1.15", "tensorflow.train.AdamOptimizer", "learning_rate", "0.001"),
        ("tensorflow-1.15", "tensorflow.train.FtrlOptimizer", "learning_rate_power", "-0.5"),
        ("tensorflow-1.15", "tensorflow.train.MomentumOptimizer", "learning_rate", None),
        ("tensorflow-1.15", "tensorflow.train.RMSPropOptimizer", "decay", "0.9"),
        ("tensorflow-1.15", "tensorflow.train.Saver", "max_to_keep", "5"),
        ("tensorflow-1.15", f"{KERAS}.optimizers.Adadelta", "learning_rate", "0.001"),
        ("tensorflow-1.15", f"{KERAS}.callbacks.ModelCheckpoint", "save_freq", "'epoch'"),
        ("tensorflow-1.15", f"{KERAS}.callbacks.TensorBoard", "log_dir", "'logs'"),
        ("tensorflow-1.15", "tensorflow.train.MonitoredTrainingSession", "is_chief", "True"),
        ("tensorflow-1.15", "tensorflow.train.CheckpointSaverHook", "save_steps", "None"),
        ("keras-2.3", "keras.optimizers.Adadelta", "learning_rate", "1.0"),
        ("keras-2.3", "keras.optimizers.SGD", "learning_rate", "0.01"),
        ("keras-2.3", "keras.callbacks.ModelCheckpoint", "period", "1"),
        ("tensorflow-2.15", f"{KERAS}.optimizers.Adadelta", "learning_rate", "0.001"),
        ("tensorflow-2.15", f"{KERAS}.Model.fit", "epochs", "1"),
        ("horovod-0.28", "horovod.tensorflow.broadcast_variables", "root_rank", None),
        ("horovod-0.28", "horovod.tensorflow.DistributedOptimizer", "sparse_as_dense", "False"),
    ],
)  # fmt: skip
def test_defaults(file: str, name: str, parameter: str, default: str | None) -> None:
    found = {item.name: item.default for item in load(file).parameters(name)}
    assert found[parameter] == default


def test_methods_have_no_self_and_are_inherited(library: Library) -> None:
    names = [item.name for item in library.parameters("tensorflow.train.AdamOptimizer.minimize")]
    assert names[:3] == ["loss", "global_step", "var_list"]
    assert library.parameters("keras.Sequential.fit") == library.parameters("keras.Model.fit")
    assert library.parameters("keras.Model.fit")[0].name == "x"
    first = library.parameters("tensorflow.data.Dataset.from_generator")[0]
    assert (first.name, first.required) == ("generator", True)


def test_positions_of_a_function(library: Library) -> None:
    names = [p.name for p in library.parameters("tensorflow.train.MonitoredTrainingSession")]
    assert names[:4] == ["master", "is_chief", "checkpoint_dir", "scaffold"]


# ---------------------------------------------------------------- what calls return


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ("keras.applications.resnet50.ResNet50", f"{KERAS}.Model"),
        ("tensorflow.data.Dataset.make_initializable_iterator", f"{V1}.data.Iterator"),
        ("tensorflow.data.Dataset.make_one_shot_iterator", f"{V1}.data.Iterator"),
        ("tensorflow.data.TFRecordDataset.make_one_shot_iterator", f"{V1}.data.Iterator"),
        ("tensorflow.get_default_session", f"{V1}.Session"),
        ("tensorflow.get_variable", f"{V1}.Variable"),
        ("tensorflow.keras.backend.get_session", f"{V1}.Session"),
        ("tensorflow.train.MonitoredTrainingSession", f"{V1}.train.MonitoredSession"),
        ("tensorflow.train.import_meta_graph", f"{V1}.train.Saver"),
        ("tensorflow.summary.FileWriter.__enter__", f"{V1}.summary.FileWriter"),
    ],
)
def test_returns(library: Library, call: str, result: str) -> None:
    assert library.returns(call) == result


@pytest.mark.parametrize(
    ("attribute", "kind"),
    [
        ("keras.Model.optimizer", f"{KERAS}.optimizers.Optimizer"),
        ("keras.Sequential.optimizer", f"{KERAS}.optimizers.Optimizer"),
        ("keras.callbacks.ModelCheckpoint.model", f"{KERAS}.Model"),
        ("tensorflow.estimator.DNNClassifier.config", "tensorflow.estimator.RunConfig"),
        ("tensorflow.train.Scaffold.saver", f"{V1}.train.Saver"),
        ("tensorflow.train.CheckpointManager.checkpoint", "tensorflow.train.Checkpoint"),
        ("keras.Model.nonsense", None),
    ],
)
def test_attributes(library: Library, attribute: str, kind: str | None) -> None:
    assert library.attribute(attribute) == kind


# ---------------------------------------------------------------- what calls do


@pytest.mark.parametrize(
    "name",
    [
        "horovod.tensorflow.local_rank",
        "horovod.tensorflow.rank",
        "horovod.tensorflow.size",
        "tensorflow.GradientTape.gradient",
        "tensorflow.data.Dataset.batch",
        "tensorflow.io.gfile.GFile.read",
        "tensorflow.keras.Model.load_weights",
        "tensorflow.keras.Model.get_layer",
        "tensorflow.keras.callbacks.Callback",
        "tensorflow.keras.callbacks.History",
        "tensorflow.keras.callbacks.LambdaCallback",
        "tensorflow.keras.layers.Flatten",
        "tensorflow.keras.models.model_from_json.nonsense",
        "tensorflow.placeholder",
        "tensorflow.train.Saver",
        "tensorflow.train.SessionRunHook",
        "tensorflow.train.latest_checkpoint",
    ],
)
def test_what_has_no_marks(library: Library, name: str) -> None:
    assert library.marks(name) == frozenset()


@pytest.mark.parametrize(
    ("name", "marks"),
    [
        ("tensorflow.print", "prints"),
        ("tensorflow.Print", "prints"),
        ("tensorflow.logging.info", "prints"),
        ("tensorflow.train.LoggingTensorHook", "prints"),
        ("keras.Model.summary", "prints"),
        ("keras.callbacks.ModelCheckpoint", "prints writes"),
        ("keras.callbacks.ModelCheckpoint.on_epoch_end", "prints writes"),
        ("keras.callbacks.CSVLogger", "writes"),
        ("keras.callbacks.TensorBoard", "writes"),
        ("keras.callbacks.BackupAndRestore", "creates_variables writes"),
        ("tensorflow.train.CheckpointSaverHook", "prints writes"),
        ("keras.Model.save_weights", "prints writes"),
        ("keras.Sequential.save_weights", "prints writes"),
        ("tensorflow.io.write_file", "writes"),
        ("tensorflow.io.gfile.GFile.write", "writes"),
        ("tensorflow.io.TFRecordWriter", "writes"),
        ("tensorflow.saved_model.save", "writes"),
        ("tensorflow.train.Saver.save", "writes"),
        ("tensorflow.train.Checkpoint.save", "writes"),
        ("tensorflow.train.CheckpointManager.save", "writes"),
        ("tensorflow.summary.FileWriter", "writes"),
        ("tensorflow.summary.scalar", "writes"),
        ("tensorflow.gfile.MakeDirs", "writes"),
        ("tensorflow.Variable", "creates_variables"),
        ("tensorflow.get_variable", "creates_variables"),
        ("tensorflow.layers.dense", "creates_variables"),
        ("tensorflow.contrib.layers.batch_norm", "creates_variables"),
        ("keras.layers.Dense", "creates_variables"),
        ("keras.layers.Dense.build", "creates_variables"),
        ("tensorflow.train.AdamOptimizer.apply_gradients", "creates_variables"),
        ("tensorflow.random.normal", "random"),
        ("tensorflow.random_uniform", "random"),
        ("tensorflow.data.Dataset.shuffle", "random"),
        ("keras.layers.Dropout", "random"),
        ("horovod.tensorflow.init", "collective"),
        ("horovod.tensorflow.allreduce", "collective"),
        ("horovod.tensorflow.broadcast_variables", "collective"),
        ("horovod.tensorflow.keras.callbacks.MetricAverageCallback", "collective"),
        ("tensorflow.distribute.ReplicaContext.all_reduce", "collective"),
        ("tensorflow.raw_ops.CollectiveReduce", "collective"),
    ],
)
def test_marks(library: Library, name: str, marks: str) -> None:
    assert set(marks.split()) <= library.marks(name)


def test_which_callbacks_and_hooks_write(library: Library) -> None:
    def writers(root: str) -> set[str]:
        return {
            name
            for name in library.classes
            if root in library.mro(name) and "writes" in library.marks(name)
        }

    assert writers(f"{KERAS}.callbacks.Callback") == {
        f"{KERAS}.callbacks.BackupAndRestore",
        f"{KERAS}.callbacks.CSVLogger",
        f"{KERAS}.callbacks.ModelCheckpoint",
        f"{KERAS}.callbacks.SidecarEvaluatorModelExport",
        f"{KERAS}.callbacks.TensorBoard",
        f"{KERAS}.callbacks.experimental.BackupAndRestore",
        f"{V1}.keras.callbacks.TensorBoard",
    }
    assert writers(f"{V1}.train.SessionRunHook") == {
        "tensorflow.contrib.data.CheckpointInputPipelineHook",
        "tensorflow.contrib.tpu.AsyncCheckpointSaverHook",
        "tensorflow.contrib.training.SummaryAtEndHook",
        "tensorflow.data.experimental.CheckpointInputPipelineHook",
        f"{V1}.train.CheckpointSaverHook",
        f"{V1}.train.ProfilerHook",
        f"{V1}.train.StepCounterHook",
        f"{V1}.train.SummarySaverHook",
    }


def test_marks_are_the_known_words(library: Library) -> None:
    assert set().union(*library.effects.values()) == MARKS
    assert all(library.effects.values())


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("file", tuple(declared().data))
def test_files_are_sorted_and_small(file: str) -> None:
    text = (FOLDER / f"{file}.json").read_text(encoding="utf-8")

    def tables(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            yield value
            for item in value.values():
                yield from tables(item)

    for table in tables(json.loads(text)):
        assert list(table) == sorted(table)
    assert len(text) < 400_000


def python_of(variable: str, *default: str) -> Path | None:
    """Return the Python that a variable names, else the one in the end-to-end environment."""
    if variable in os.environ:
        return Path(os.environ[variable]).expanduser()
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    given = os.environ.get("PINSETTER_E2E", "all")
    root = f"{home}/pinsetter-e2e" if given in ("", "all") else given
    return Path(root, *default).expanduser() if default else None


TF_1 = python_of("PINSETTER_TF1_PYTHON")
TF_2 = python_of("PINSETTER_TF2_PYTHON", "tf215", "bin", "python")
needs_tf_2 = pytest.mark.skipif(
    TF_2 is None or not TF_2.is_file(),
    reason=f"needs a TensorFlow 2.15 environment at {TF_2} (set PINSETTER_TF2_PYTHON)",
)


def run(python: Path | None, *arguments: str, given: str = "") -> str:
    done = subprocess.run(
        [str(python), *arguments], input=given, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.mark.parametrize(
    ("python", "file"),
    [
        pytest.param(TF_2, "horovod-0.28", marks=needs_tf_2),
        pytest.param(
            TF_1,
            "tensorflow-1.15",
            marks=pytest.mark.skipif(
                TF_1 is None, reason="set PINSETTER_TF1_PYTHON to a Python with TensorFlow 1.15"
            ),
        ),
        pytest.param(
            TF_1,
            "keras-2.3",
            marks=pytest.mark.skipif(
                TF_1 is None, reason="set PINSETTER_TF1_PYTHON to a Python with Keras 2.3"
            ),
        ),
    ],
)
def test_the_committed_facts_are_what_the_generator_writes(
    python: Path | None, file: str, tmp_path: Path
) -> None:
    out = tmp_path / "facts.json"
    run(python, str(FOLDER / "generate.py"), file.partition("-")[0], "--out", str(out))
    committed = (FOLDER / f"{file}.json").read_text(encoding="utf-8")
    assert out.read_text(encoding="utf-8") == committed


COMPARE = """
import json, sys, types
import keras, tensorflow
def at(name):
    found = {"keras": keras, "tensorflow": tensorflow}[name.partition(".")[0]]
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found
def names(module):
    return {name for name in dir(module) if not name.startswith("_")}
different = []
for name, target in json.load(sys.stdin).items():
    here, there = at(name), at(target)
    if isinstance(here, types.ModuleType) and isinstance(there, types.ModuleType):
        left = names(here) - names(there) - {"api", "enable_v2_behavior", "protobuf", "src"}
        different += [f"{name}.{item}" for item in left]
    elif here is not None and here is not there:
        different.append(name)
print(json.dumps(sorted(different)))
"""


@needs_tf_2
def test_no_name_of_tf_2_means_something_else(library: Library) -> None:
    """TF 2.15 has under each spelling the object of the canonical name, or nothing."""
    spellings = {
        name: target
        for name, target in library.spellings.items()
        if name.startswith(("tensorflow.", "keras.")) and ".python." not in f"{name}."
    }
    assert len(spellings) > 1000
    assert json.loads(run(TF_2, "-c", COMPARE, given=json.dumps(spellings))) == []


FIT = """
import json, os, sys, tempfile
import tensorflow as tf
calls = tf.keras.callbacks
made = {
    "BackupAndRestore": lambda: calls.BackupAndRestore("kept", delete_checkpoint=False),
    "CSVLogger": lambda: calls.CSVLogger("rows.csv"),
    "EarlyStopping": lambda: calls.EarlyStopping("loss"),
    "LambdaCallback": lambda: calls.LambdaCallback(),
    "LearningRateScheduler": lambda: calls.LearningRateScheduler(lambda epoch: 0.1, verbose=1),
    "ModelCheckpoint": lambda: calls.ModelCheckpoint("saved.h5", verbose=1),
    "ProgbarLogger": lambda: calls.ProgbarLogger(),
    "ReduceLROnPlateau": lambda: calls.ReduceLROnPlateau("loss"),
    "TensorBoard": lambda: calls.TensorBoard("logs"),
    "TerminateOnNaN": lambda: calls.TerminateOnNaN(),
}
wrote = {}
for name, make in made.items():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
        model.compile("sgd", "mse")
        model.fit(tf.zeros((2, 1)), tf.zeros((2, 1)), verbose=0, callbacks=[make()])
        wrote[name] = bool(os.listdir())
        os.chdir("/")
print(json.dumps(wrote))
"""


@needs_tf_2
def test_the_callbacks_that_write_are_those_that_leave_files(library: Library) -> None:
    wrote = json.loads(run(TF_2, "-c", FIT).splitlines()[-1])
    marked = {n: "writes" in library.marks(f"{KERAS}.callbacks.{n}") for n in wrote}
    assert marked == wrote
