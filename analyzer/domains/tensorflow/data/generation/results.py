"""What calls return, by annotations and by making the calls."""

from __future__ import annotations

import contextlib
import inspect
import io
import tempfile
from pathlib import Path
from typing import Any

from datasets import dataset_methods
from families import CONTRIB, KERAS, V1
from recorded_classes import is_v1, nearest, shared
from recorded_names import Api


def return_facts(
    tf: Any, api: Api, classes: dict[str, Any], functions: dict[str, Any]
) -> dict[str, str]:
    """Return the class that a call gives, by the canonical name of the function or method."""
    facts = annotated(api, classes, functions)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if api.layout.library == "keras":
            facts.update(keras_calls(api.layout.trees[KERAS], api, folder))
        elif api.layout.bare_v1:
            facts.update(dataset_methods(tf, api, folder, eager=False))
            facts.update(keras_calls(tf.keras, api, folder))
            facts.update(v1_calls(tf, api, folder))
            facts.update(last_v1_calls(tf, api, folder))
        elif api.layout.library == "tensorflow":
            facts.update(dataset_methods(tf, api, folder, eager=True))
            facts.update(keras_calls(tf.keras, api, folder))
            facts.update(calls(tf, api, folder))
            facts.update(v1_calls(tf, api, folder))
    if api.layout.bare_v1:
        facts.update(bare_methods(facts, api))
    return {name: value for name, value in facts.items() if value in classes}


def bare_methods(facts: dict[str, str], api: Api) -> dict[str, str]:
    """Return the facts on methods that a class has under ``compat.v1`` only, without ``compat``.

    A program of TF 1 that says ``tensorflow.data.Dataset`` means the class of compat.v1.
    """
    found = {}
    for name, value in facts.items():
        owner, _, method = name.rpartition(".")
        bare = f"tensorflow{owner[len(V1) :]}"
        today = api.get(bare) if is_v1(owner) else None
        if isinstance(today, type) and api.name(today) == bare and not hasattr(today, method):
            found[f"{bare}.{method}"] = value
    return found


def annotated(api: Api, classes: dict[str, Any], functions: dict[str, Any]) -> dict[str, str]:
    """Read the return annotations of the recorded functions and of the classes' own methods."""
    callables: dict[str, Any] = {name: api.find(name) for name in functions}
    for name in classes:
        for attribute, value in vars(api.find(name)).items():
            if not attribute.startswith("_"):
                plain = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                if inspect.isroutine(plain):
                    callables[f"{name}.{attribute}"] = plain
    facts = {}
    for name, function in callables.items():
        inner = inspect.unwrap(function)
        answer = getattr(inner, "__annotations__", {}).get("return")
        if isinstance(answer, str):
            answer = getattr(inner, "__globals__", {}).get(answer)
        if isinstance(answer, type) and answer.__module__ != "builtins":
            facts[name] = nearest(answer, api)
    return facts


class Recorder:
    """Collects what calls return."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.facts: dict[str, str] = {}

    def __call__(self, name: str, *results: Any) -> None:
        """Note the nearest public class that is common to the results of one function."""
        owner, _, method = name.rpartition(".")
        kind = self.api.get(owner)
        usual = self.api.name(self.api.get(name))
        if isinstance(kind, type):
            usual = f"{self.api.name(kind)}.{method}"
        if usual is None:
            raise SystemExit(f"generate.py: this {self.api.layout.library} has no {name}")
        self.facts[usual] = shared(results, self.api)


def keras_calls(keras: Any, api: Api, folder: Path) -> dict[str, str]:
    """Make the calls of Keras whose return no annotation tells; every Keras has them."""
    record = Recorder(api)
    model = small_model(keras)
    saved = str(folder / "model.h5")
    with contextlib.redirect_stdout(io.StringIO()):
        model.save(saved)
        record("tensorflow.keras.models.load_model", keras.models.load_model(saved))
        record("tensorflow.keras.models.clone_model", keras.models.clone_model(model))
        record(
            "tensorflow.keras.models.model_from_json",
            keras.models.model_from_json(model.to_json()),
        )
        small = keras.applications.MobileNet(
            input_shape=(32, 32, 3), alpha=0.25, weights=None, classes=2
        )
    for key, names in api.function_names.items():
        if names[0].startswith("tensorflow.keras.applications."):
            takes = set(inspect.signature(api.objects[key]).parameters)
            passes_on = takes == {"args", "kwargs"} and names[0].rpartition(".")[2][0].isupper()
            if passes_on or {"weights", "include_top"} <= takes:
                record(names[0], small)
    optimizers = keras.optimizers
    record(
        "tensorflow.keras.optimizers.get",
        *(optimizers.get(name) for name in ("adam", "rmsprop", "sgd")),
    )
    record(
        "tensorflow.keras.optimizers.deserialize",
        *(optimizers.deserialize(optimizers.serialize(optimizers.get(n))) for n in ("adam", "sgd")),
    )
    return record.facts


def small_model(keras: Any, optimizer: Any = "sgd") -> Any:
    """Return a compiled model with one layer."""
    inputs = keras.layers.Input((1,))
    model = keras.models.Model(inputs, keras.layers.Dense(1)(inputs))
    model.compile(optimizer, "mse")
    return model


def calls(tf: Any, api: Api, folder: Path) -> dict[str, str]:
    """Make the calls of TF 2 whose return no annotation tells."""
    record = Recorder(api)
    keras = tf.keras
    record(
        "tensorflow.keras.estimator.model_to_estimator",
        keras.estimator.model_to_estimator(
            keras_model=small_model(keras, keras.optimizers.legacy.SGD()),
            model_dir=str(folder / "estimator"),
        ),
    )

    for label in ("one", "two"):
        for what in ("images", "texts", "sounds"):
            (folder / what / label).mkdir(parents=True)
        image = tf.io.encode_png(tf.zeros((2, 2, 3), tf.uint8))
        (folder / "images" / label / "a.png").write_bytes(image.numpy())
        sound = tf.audio.encode_wav(tf.zeros((8, 1)), 8)
        (folder / "sounds" / label / "a.wav").write_bytes(sound.numpy())
        (folder / "texts" / label / "a.txt").write_text("a", encoding="utf-8")
    utils = keras.utils
    with contextlib.redirect_stdout(io.StringIO()):  # Keras prints what files it found
        record(
            "tensorflow.keras.utils.image_dataset_from_directory",
            utils.image_dataset_from_directory(folder / "images", image_size=(2, 2)),
        )
        record(
            "tensorflow.keras.utils.text_dataset_from_directory",
            utils.text_dataset_from_directory(folder / "texts"),
        )
        record(
            "tensorflow.keras.utils.audio_dataset_from_directory",
            utils.audio_dataset_from_directory(folder / "sounds"),
        )
    record(
        "tensorflow.keras.utils.timeseries_dataset_from_array",
        utils.timeseries_dataset_from_array([[1.0], [2.0]], [1.0, 2.0], 1),
    )
    (folder / "table.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    record(
        "tensorflow.data.experimental.make_csv_dataset",
        tf.data.experimental.make_csv_dataset(str(folder / "table.csv"), 1, shuffle=False),
    )

    writer = tf.summary.create_file_writer(str(folder / "logs"))
    record("tensorflow.summary.create_file_writer", writer)
    record("tensorflow.summary.create_noop_writer", tf.summary.create_noop_writer())
    writer.close()
    record("tensorflow.distribute.get_strategy", tf.distribute.get_strategy())

    with tf.GradientTape() as tape:
        record("tensorflow.GradientTape.__enter__", tape)
    with tf.io.TFRecordWriter(str(folder / "rows")) as rows:
        record("tensorflow.io.TFRecordWriter.__enter__", rows)
    with tf.io.gfile.GFile(str(folder / "file"), "w") as file:
        record("tensorflow.io.gfile.GFile.__enter__", file)
    return record.facts


def v1_calls(tf: Any, api: Api, folder: Path) -> dict[str, str]:
    """Make the calls that belong to a graph and a session; TF 1 and TF 2 have them."""
    v1 = tf.compat.v1
    record = Recorder(api)
    with tf.Graph().as_default():
        rows = v1.data.Dataset.range(4)
        iterator = rows.make_one_shot_iterator()
        record(f"{V1}.data.Dataset.make_one_shot_iterator", iterator)
        record(f"{V1}.data.Dataset.make_initializable_iterator", rows.make_initializable_iterator())
        record(f"{V1}.data.make_one_shot_iterator", v1.data.make_one_shot_iterator(rows))
        record(f"{V1}.data.make_initializable_iterator", v1.data.make_initializable_iterator(rows))
        record(f"{V1}.data.Iterator.from_structure", v1.data.Iterator.from_structure(tf.int64))
        step = v1.train.get_or_create_global_step()
        record(f"{V1}.train.get_or_create_global_step", step)
        record(f"{V1}.train.get_global_step", v1.train.get_global_step())
        with v1.Session() as session:
            record(f"{V1}.Session.__enter__", session)
            record(f"{V1}.get_default_session", v1.get_default_session())
        with v1.train.MonitoredTrainingSession() as session:
            record(f"{V1}.train.MonitoredTrainingSession", session)
            record(f"{V1}.train.MonitoredSession.__enter__", session)
        with v1.train.SingularMonitoredSession() as session:
            record(f"{V1}.train.SingularMonitoredSession.__enter__", session)
        with v1.summary.FileWriter(str(folder / "v1")) as writer:
            record(f"{V1}.summary.FileWriter.__enter__", writer)
    return record.facts


def last_v1_calls(tf: Any, api: Api, folder: Path) -> dict[str, str]:
    """Make the calls of which only TF 1 has data."""
    record = Recorder(api)
    strategy = tf.distribute.get_strategy()
    with tf.Graph().as_default():
        weight = tf.get_variable("weight", (1,))
        record(f"{V1}.get_variable", weight, tf.get_variable("other", (1,), use_resource=True))
        record(f"{V1}.train.create_global_step", tf.train.create_global_step())
        record(f"{CONTRIB}.layers.xavier_initializer", tf.contrib.layers.xavier_initializer())
        session = tf.keras.backend.get_session()
        record(f"{V1}.keras.backend.get_session", session)
        record(
            f"{V1}.keras.estimator.model_to_estimator",
            tf.keras.estimator.model_to_estimator(
                keras_model=small_model(tf.keras, tf.keras.optimizers.SGD()),
                model_dir=str(folder / "estimator"),
            ),
        )
        saver = tf.train.Saver([weight])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            saver.save(session, str(folder / "saved-v1"))
        meta = str(folder / "saved-v1.meta")
    with tf.Graph().as_default():
        record(f"{V1}.train.import_meta_graph", tf.train.import_meta_graph(meta))
    with tf.GradientTape() as tape:
        record("tensorflow.GradientTape.__enter__", tape)
    with tf.io.TFRecordWriter(str(folder / "rows")) as rows:
        record("tensorflow.io.TFRecordWriter.__enter__", rows)
    with tf.io.gfile.GFile(str(folder / "file"), "w") as file:
        record("tensorflow.io.gfile.GFile.__enter__", file)
    record("tensorflow.distribute.get_strategy", strategy)
    return record.facts


def attribute_facts(tf: Any, api: Api, classes: dict[str, Any]) -> dict[str, str]:
    """Return the classes of attributes, read off instances, by ``Class.attribute``.

    An instance of each class is asked for its public attributes; what several instances hold is
    recorded as their nearest common class.
    """
    if api.layout.library == "horovod":
        return {}
    groups = keras_instances(api.layout.trees[KERAS] if api.layout.library == "keras" else tf.keras)
    with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        if api.layout.library == "tensorflow":
            groups.update(tensorflow_instances(tf, folder))
        facts = {}
        for owner, instances in groups.items():
            for name in sorted(set.intersection(*(set(dir(item)) for item in instances))):
                if not name.startswith("_"):
                    found = [value_of(item, name) for item in instances]
                    kind = shared(found, api)
                    if kind in classes and not any(map(inspect.isclass, found)):
                        facts[f"{api.name(api.find(owner))}.{name}"] = kind
    return facts


def value_of(instance: Any, name: str) -> Any:
    """Return an attribute, None where a property cannot be read."""
    try:
        return getattr(instance, name)
    except Exception:
        return None


def keras_instances(keras: Any) -> dict[str, list[Any]]:
    """Return models as they are after ``compile``, and callbacks as ``fit`` prepares them."""
    models = [small_model(keras, optimizer) for optimizer in ("sgd", "adam")]
    sequential = keras.models.Sequential([keras.layers.Dense(1)])
    sequential.compile("rmsprop", "mse")
    callbacks = [keras.callbacks.Callback() for _ in range(2)]
    callbacks[0].set_model(models[0])
    callbacks[1].set_model(sequential)
    return {
        "tensorflow.keras.Model": [*models, sequential],
        "tensorflow.keras.callbacks.Callback": callbacks,
    }


def tensorflow_instances(tf: Any, folder: str) -> dict[str, list[Any]]:
    """Return instances of the classes whose attributes programs use."""
    v1 = tf.compat.v1
    step = v1.train.get_or_create_global_step()
    checkpoint = tf.compat.v2.train.Checkpoint()
    made: dict[str, Any] = {
        "tensorflow.train.CheckpointManager": tf.train.CheckpointManager(checkpoint, folder, 1),
        "tensorflow.estimator.EstimatorSpec": v1.estimator.EstimatorSpec(
            "train", loss=tf.constant(1.0), train_op=step, scaffold=v1.train.Scaffold()
        ),
        f"{V1}.estimator.Estimator": v1.estimator.Estimator(
            lambda features: features, model_dir=folder
        ),
    }
    with tf.Graph().as_default():  # a scaffold finalizes its graph
        v1.train.get_or_create_global_step()
        made[f"{V1}.train.Scaffold"] = v1.train.Scaffold().finalize()
    return {name: [instance] for name, instance in made.items()}
