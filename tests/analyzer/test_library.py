"""Library facts: how TensorFlow's names are spelled, what derives from what, what calls return."""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path

import pytest

from pinsetter.analyzer.library import Library, load, respelled

REPOSITORY = Path(__file__).resolve().parents[2]
KERAS = "tensorflow.keras"
V1 = "tensorflow.compat.v1"


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


def default(library: Library, name: str, parameter: str) -> str | None:
    found = library.classes[name].parameter(parameter)
    assert found is not None, f"{name} has no parameter {parameter}"
    return found.default


# ---------------------------------------------------------------- names that stay as they are


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Adam",
        "horovod.tensorflow.DistributedGradientTape",
        "kerastuner.Tuner",
        "my.keras.optimizers.Adam",
        "numpy.random.seed",
        "tensorflow",
        "tensorflow.keras.optimizers.Adamantium",
        "tensorflow.optimizersque",
        "tensorflow_addons.optimizers.AdamW",
        "torch.optim.Adam",
    ],
)
def test_unknown_names_come_back_unchanged(library: Library, name: str) -> None:
    assert library.canonical(name) == name


def test_unknown_names_return_nothing(library: Library) -> None:
    assert library.returns("torch.optim.Adam") is None
    assert library.returns("tensorflow.data.Dataset.cardinality") is None
    assert library.returns("take") is None
    assert library.returns("") is None


@pytest.mark.parametrize(
    "name",
    [
        "tensorflow.GradientTape",
        "tensorflow.data.Dataset",
        "tensorflow.keras.Model",
        "tensorflow.keras.optimizers.Adam",
        "tensorflow.keras.optimizers.legacy.Adam",
        f"{V1}.Session",
        f"{V1}.data.Dataset",
        f"{V1}.train.AdamOptimizer",
        f"{V1}.train.SessionRunHook",
    ],
)
def test_canonical_names_are_classes_and_stay(library: Library, name: str) -> None:
    assert library.canonical(name) == name
    assert name in library.classes


# ---------------------------------------------------------------- spellings


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("keras", KERAS),
        ("keras.Model", f"{KERAS}.Model"),
        ("keras.optimizers.Adam", f"{KERAS}.optimizers.Adam"),
        ("tensorflow.compat.v2.optimizers.Adam", f"{KERAS}.optimizers.Adam"),
        ("tensorflow.keras.models.Model", f"{KERAS}.Model"),
        ("tensorflow.keras.models.Sequential", f"{KERAS}.Sequential"),
        ("tensorflow.keras.optimizers.experimental.Adam", f"{KERAS}.optimizers.Adam"),
        ("tensorflow.losses.MeanSquaredError", f"{KERAS}.losses.MeanSquaredError"),
        ("tensorflow.optimizers.Adam", f"{KERAS}.optimizers.Adam"),
        ("tensorflow.python.keras.optimizers.Adam", f"{KERAS}.optimizers.Adam"),
        ("tf_keras.optimizers.Adam", f"{KERAS}.optimizers.Adam"),
        (f"{V1}.GradientTape", "tensorflow.GradientTape"),
        (f"{V1}.GradientTape.gradient", "tensorflow.GradientTape.gradient"),
        (f"{V1}.compat.v1.Session", f"{V1}.Session"),
        (f"{V1}.compat.v2.data.Dataset.map", "tensorflow.data.Dataset.map"),
        ("tensorflow.compat.v2.compat.v1.Session", f"{V1}.Session"),
        ("tensorflow.estimator.SessionRunHook", f"{V1}.train.SessionRunHook"),
        (
            "tensorflow.config.experimental.set_visible_devices",
            "tensorflow.config.set_visible_devices",
        ),
        (
            "tensorflow.config.experimental.list_physical_devices",
            "tensorflow.config.list_physical_devices",
        ),
        (
            "keras.applications.resnet50.ResNet50",
            f"{KERAS}.applications.ResNet50",
        ),
        ("keras.saving.load_model", f"{KERAS}.models.load_model"),
    ],
)
def test_spellings(library: Library, name: str, canonical: str) -> None:
    assert library.canonical(name) == canonical


def test_canonical_is_idempotent_and_no_alias_goes_in_a_circle(library: Library) -> None:
    for name in library.spellings:
        seen = [name]
        while (target := respelled(seen[-1], library.spellings)) is not None:
            assert target not in seen, f"{name} goes round in a circle: {seen}"
            seen.append(target)
        assert library.canonical(name) == seen[-1]


def test_no_prefix_gives_back_what_starts_with_itself(library: Library) -> None:
    """A target under its own alias would grow for ever."""
    for name, target in library.spellings.items():
        assert not f"{target}.".startswith(f"{name}."), f"{name} -> {target}"


def test_recorded_names_are_canonical(library: Library) -> None:
    names = {*library.classes, *library.functions, *library.results, *library.results.values()}
    assert {name for name in names if library.canonical(name) != name} == set()


def test_no_spelling_stands_for_two_things(library: Library) -> None:
    aliases = [alias for found in library.classes.values() for alias in found.aliases]
    aliases += [alias for found in library.functions.values() for alias in found]
    assert len(aliases) == len(set(aliases))
    assert set(aliases).isdisjoint([*library.classes, *library.functions])


# ---------------------------------------------------------------- hierarchy


def test_every_base_is_a_recorded_class(library: Library) -> None:
    bases = {base for found in library.classes.values() for base in found.bases}
    assert bases - set(library.classes) == set()


@pytest.mark.parametrize("name", ["Adadelta", "Adagrad", "Adam", "Nadam", "RMSprop", "SGD"])
def test_optimizers_of_today_and_of_keras_2_10_are_different_classes(
    library: Library, name: str
) -> None:
    today = f"{KERAS}.optimizers.Optimizer"
    legacy = f"{KERAS}.optimizers.legacy.Optimizer"
    assert library.mro(f"{KERAS}.optimizers.{name}") == (f"{KERAS}.optimizers.{name}", today)
    assert today not in library.mro(f"{KERAS}.optimizers.legacy.{name}")
    assert legacy in library.mro(f"{KERAS}.optimizers.legacy.{name}")


def test_the_keras_of_tf_1_has_the_legacy_optimizers(library: Library) -> None:
    assert library.canonical(f"{V1}.keras.optimizers.SGD") == f"{KERAS}.optimizers.legacy.SGD"


def test_a_loss_scale_optimizer_is_an_optimizer(library: Library) -> None:
    scaled = f"{KERAS}.mixed_precision.LossScaleOptimizer"
    assert f"{KERAS}.optimizers.Optimizer" in library.mro(scaled)


def test_mro_puts_each_class_before_its_bases(library: Library) -> None:
    for name in library.classes:
        line = library.mro(name)
        assert len(line) == len(set(line))
        for place, ancestor in enumerate(line):
            assert all(base in line[place:] for base in library.classes[ancestor].bases)


def test_models_layers_and_datasets(library: Library) -> None:
    assert library.mro("keras.Sequential") == (
        f"{KERAS}.Sequential",
        f"{KERAS}.Model",
        f"{KERAS}.layers.Layer",
        "tensorflow.Module",
    )
    assert "tensorflow.data.Dataset" in library.mro("tensorflow.data.TFRecordDataset")
    assert "tensorflow.data.Dataset" in library.mro(f"{V1}.data.Dataset")


# ---------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        (f"{KERAS}.optimizers.SGD", "0.01"),
        (f"{KERAS}.optimizers.Adam", "0.001"),
        (f"{KERAS}.optimizers.Adadelta", "0.001"),
        (f"{KERAS}.optimizers.legacy.SGD", "0.01"),
        (f"{V1}.train.AdamOptimizer", "0.001"),
    ],
)
def test_default_learning_rates(library: Library, name: str, rate: str) -> None:
    assert default(library, name, "learning_rate") == rate
    parameters = library.classes[name].parameters
    assert parameters[0].name == "learning_rate"
    assert parameters[0].kind == "positional"


def test_what_must_be_given_is_required(library: Library) -> None:
    rate = library.classes[f"{V1}.train.GradientDescentOptimizer"].parameter("learning_rate")
    assert rate is not None
    assert rate.required
    assert rate.default is None
    rest = library.classes["tensorflow.train.Checkpoint"].parameter("kwargs")
    assert rest is not None
    assert not rest.required
    assert rest.kind == "var_keyword"


def test_defaults_are_literals_or_say_that_they_are_not(library: Library) -> None:
    for found in library.classes.values():
        for parameter in found.parameters:
            if parameter.default not in (None, "<object>"):
                ast.literal_eval(parameter.default)


def test_parameters_are_recorded_for_those_that_rules_read(library: Library) -> None:
    assert library.classes[f"{KERAS}.layers.Dense"].parameters == ()
    assert library.classes[f"{V1}.train.SessionRunHook"].parameters == ()
    assert default(library, "tensorflow.GradientTape", "persistent") == "False"
    assert default(library, "tensorflow.train.CheckpointManager", "checkpoint_name") == "'ckpt'"
    assert default(library, f"{V1}.Session", "config") == "None"


# ---------------------------------------------------------------- what calls return


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ("tensorflow.data.Dataset.take", "tensorflow.data.Dataset"),
        ("tensorflow.data.Dataset.from_tensor_slices", "tensorflow.data.Dataset"),
        ("tensorflow.data.TFRecordDataset.map", "tensorflow.data.Dataset"),
        ("tensorflow.compat.v2.data.Dataset.batch", "tensorflow.data.Dataset"),
        (f"{V1}.data.Dataset.map", f"{V1}.data.Dataset"),
        (f"{V1}.data.TFRecordDataset.make_one_shot_iterator", f"{V1}.data.Iterator"),
        (f"{V1}.train.MonitoredTrainingSession", f"{V1}.train.MonitoredSession"),
        ("keras.applications.ResNet50", f"{KERAS}.Model"),
        ("keras.applications.vgg16.VGG16", f"{KERAS}.Model"),
        ("keras.models.load_model", f"{KERAS}.Model"),
        ("keras.models.clone_model", f"{KERAS}.Model"),
        ("keras.optimizers.get", f"{KERAS}.optimizers.Optimizer"),
        ("keras.preprocessing.image_dataset_from_directory", "tensorflow.data.Dataset"),
        ("keras.utils.text_dataset_from_directory", "tensorflow.data.Dataset"),
        ("tensorflow.summary.create_file_writer", "tensorflow.summary.SummaryWriter"),
        ("tensorflow.GradientTape.__enter__", "tensorflow.GradientTape"),
    ],
)
def test_returns(library: Library, call: str, result: str) -> None:
    assert library.returns(call) == result


def test_every_result_is_a_recorded_class(library: Library) -> None:
    assert set(library.results.values()) - set(library.classes) == set()


# ---------------------------------------------------------------- provenance


def tensorflow_python() -> Path:
    """Return the Python of the TensorFlow environment that the end-to-end tests use."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    given = os.environ.get("PINSETTER_E2E", "all")
    root = f"{home}/pinsetter-e2e" if given in ("", "all") else given
    return Path(root).expanduser() / "tf215" / "bin" / "python"


@pytest.mark.skipif(
    not tensorflow_python().is_file(),
    reason=f"needs a TensorFlow 2.15 environment at {tensorflow_python()} (set PINSETTER_E2E)",
)
def test_the_committed_facts_are_what_the_generator_writes(tmp_path: Path) -> None:
    folder = REPOSITORY / "analyzer" / "domains" / "tensorflow" / "data"
    out = tmp_path / "facts.json"
    subprocess.run(
        [str(tensorflow_python()), str(folder / "generate.py"), "--out", str(out)],
        check=True,
        capture_output=True,
        text=True,
    )
    committed = (folder / "tensorflow-2.15.json").read_text(encoding="utf-8")
    assert out.read_text(encoding="utf-8") == committed
