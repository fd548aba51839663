"""Write the library facts of TensorFlow as JSON, drawn from the installed TensorFlow itself.

Usage: ``python analyzer/library/generate.py [--out FILE]``, with a Python that has TensorFlow.

What a class is, what it is derived from and under how many names it can be imported is read off the
live objects. What a call returns is read off annotations, and where there are none, or where they
say less than what comes back, the call is made. Two runs on one installation write the same bytes.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import json
import os
import platform
import sys
import tempfile
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

V1 = "tensorflow.compat.v1"
KERAS = "tensorflow.keras"

# Trees that hold the same things as another: their classes are compared before this is written.
SAME_TREES = {
    "keras": KERAS,
    "tensorflow.compat.v2": "tensorflow",
    f"{V1}.compat.v1": V1,
    f"{V1}.compat.v2": "tensorflow",
}

# By hand, because nothing installed can vouch for them. `tf_keras` is Keras 2 under the name that
# it has from TensorFlow 2.16 on, and is no part of 2.15. `tensorflow.python.keras` is a private
# copy of an older Keras: its classes are other objects, but code that imports it means tf.keras.
SPELLED_BY_HAND = {
    "tensorflow.python.keras": KERAS,
    "tf_keras": KERAS,
}

# Where the names of a public module are defined. Whatever else hangs on the `tensorflow` module
# (tensorflow.python, .core, .tools, .tsl) is there because something imported it.
API_MODULES = (
    "keras.api.",
    "tensorboard.summary._tf.",
    "tensorflow._api.",
    "tensorflow_estimator.python.estimator.api.",
)

# Classes are recorded if they are one of these or derived from one; of the first group, with the
# parameters of their constructors.
ROOTS_WITH_PARAMETERS = (
    "tensorflow.GradientTape",
    "tensorflow.compat.v1.InteractiveSession",
    "tensorflow.compat.v1.Session",
    "tensorflow.compat.v1.estimator.Estimator",
    "tensorflow.compat.v1.summary.FileWriter",
    "tensorflow.compat.v1.train.Checkpoint",
    "tensorflow.compat.v1.train.MonitoredSession",
    "tensorflow.compat.v1.train.Optimizer",
    "tensorflow.compat.v1.train.Saver",
    "tensorflow.compat.v1.train.Scaffold",
    "tensorflow.compat.v1.train.SessionCreator",
    "tensorflow.compat.v1.train.SessionRunHook",
    "tensorflow.compat.v1.train.SingularMonitoredSession",
    "tensorflow.compat.v1.train.Supervisor",
    "tensorflow.estimator.Estimator",
    "tensorflow.estimator.EstimatorSpec",
    "tensorflow.estimator.EvalSpec",
    "tensorflow.estimator.RunConfig",
    "tensorflow.estimator.TrainSpec",
    "tensorflow.keras.callbacks.Callback",
    "tensorflow.keras.mixed_precision.LossScaleOptimizer",
    "tensorflow.keras.optimizers.Optimizer",
    "tensorflow.keras.optimizers.legacy.Optimizer",
    "tensorflow.keras.optimizers.schedules.LearningRateSchedule",
    "tensorflow.train.Checkpoint",
    "tensorflow.train.CheckpointManager",
)
OTHER_ROOTS = (
    "tensorflow.Module",
    "tensorflow.Variable",
    "tensorflow.compat.v1.Variable",
    "tensorflow.compat.v1.data.Dataset",
    "tensorflow.compat.v1.data.Iterator",
    "tensorflow.compat.v1.distribute.Strategy",
    "tensorflow.compat.v1.gfile.FastGFile",
    "tensorflow.data.Dataset",
    "tensorflow.data.Iterator",
    "tensorflow.distribute.Strategy",
    "tensorflow.io.TFRecordWriter",
    "tensorflow.io.gfile.GFile",
    "tensorflow.keras.Model",
    "tensorflow.keras.layers.Layer",
    "tensorflow.keras.losses.Loss",
    "tensorflow.keras.metrics.Metric",
    "tensorflow.summary.SummaryWriter",
)

# Functions that rules speak of, by name or, with a final star, all that a module holds.
FUNCTIONS = (
    "tensorflow.compat.v1.app.run",
    "tensorflow.compat.v1.data.make_initializable_iterator",
    "tensorflow.compat.v1.data.make_one_shot_iterator",
    "tensorflow.compat.v1.disable_eager_execution",
    "tensorflow.compat.v1.disable_v2_behavior",
    "tensorflow.compat.v1.enable_eager_execution",
    "tensorflow.compat.v1.get_default_session",
    "tensorflow.compat.v1.gfile.*",
    "tensorflow.compat.v1.global_variables_initializer",
    "tensorflow.compat.v1.initialize_all_variables",
    "tensorflow.compat.v1.keras.backend.get_session",
    "tensorflow.compat.v1.keras.backend.set_session",
    "tensorflow.compat.v1.keras.estimator.model_to_estimator",
    "tensorflow.compat.v1.py_func",
    "tensorflow.compat.v1.saved_model.*",
    "tensorflow.compat.v1.set_random_seed",
    "tensorflow.compat.v1.train.*",
    "tensorflow.config.*",
    "tensorflow.config.experimental.*",
    "tensorflow.distribute.get_strategy",
    "tensorflow.estimator.train_and_evaluate",
    "tensorflow.function",
    "tensorflow.io.gfile.*",
    "tensorflow.io.write_file",
    "tensorflow.io.write_graph",
    "tensorflow.keras.applications.*",
    "tensorflow.keras.estimator.model_to_estimator",
    "tensorflow.keras.models.*",
    "tensorflow.keras.optimizers.get",
    "tensorflow.keras.utils.audio_dataset_from_directory",
    "tensorflow.keras.utils.get_file",
    "tensorflow.keras.utils.image_dataset_from_directory",
    "tensorflow.keras.utils.plot_model",
    "tensorflow.keras.utils.save_img",
    "tensorflow.keras.utils.set_random_seed",
    "tensorflow.keras.utils.text_dataset_from_directory",
    "tensorflow.keras.utils.timeseries_dataset_from_array",
    "tensorflow.numpy_function",
    "tensorflow.print",
    "tensorflow.py_function",
    "tensorflow.random.set_seed",
    "tensorflow.saved_model.*",
    "tensorflow.summary.*",
    "tensorflow.train.*",
)

KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_POSITIONAL: "var_positional",
    inspect.Parameter.VAR_KEYWORD: "var_keyword",
}


class Api(NamedTuple):
    """The public names, and what they stand for."""

    module_aliases: dict[str, str]
    class_names: dict[int, list[str]]  # by id; the spelling to use comes first
    function_names: dict[int, list[str]]
    objects: dict[int, Any]

    def name(self, thing: Any) -> str | None:
        """Return the canonical name of a public class or function, and None for anything else."""
        names = self.class_names.get(id(thing)) or self.function_names.get(id(thing))
        return names[0] if names else None

    def find(self, name: str) -> Any:
        """Return what a public name stands for, whichever of its spellings this is."""
        spelled = respell(name, self.module_aliases)
        for names in (self.class_names, self.function_names):
            for key, spellings in names.items():
                if spelled in spellings:
                    return self.objects[key]
        raise SystemExit(f"generate.py: this TensorFlow has no {name}")


def main() -> int:
    """Write the facts and say what was written."""
    parser = argparse.ArgumentParser(description="Write the library facts of TensorFlow as JSON.")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="where to write (default: tensorflow-<major.minor>.json beside this script)",
    )
    out: Path | None = parser.parse_args().out

    warnings.simplefilter("ignore")  # deprecated names are recorded like all others
    tf = importlib.import_module("tensorflow")
    keras = importlib.import_module("keras")
    tf.get_logger().setLevel("ERROR")
    importlib.import_module("absl.logging").set_verbosity("error")

    api = public_api(tf, keras)
    classes = class_facts(api)
    functions = function_facts(api)
    facts = {
        "provenance": {
            "generator": "analyzer/library/generate.py",
            "keras": keras.__version__,
            "python": ".".join(platform.python_version_tuple()[:2]),
            "tensorflow": tf.__version__,
        },
        "module_aliases": api.module_aliases,
        "classes": classes,
        "functions": functions,
        "returns": return_facts(tf, api, classes, functions),
    }
    if out is None:
        version = ".".join(tf.__version__.split(".")[:2])
        out = Path(__file__).resolve().parent / f"tensorflow-{version}.json"
    text = json.dumps(facts, indent=1, sort_keys=True) + "\n"
    out.write_bytes(text.encode("utf-8"))
    counts = ", ".join(f"{len(facts[key])} {key}" for key in facts if key != "provenance")
    print(f"wrote {out}: {counts}; {len(text):,} bytes")
    return 0


# ---------------------------------------------------------------- names


def public_api(tf: Any, keras: Any) -> Api:
    """Walk the public modules and group their names by the object that they stand for."""
    modules = {
        **dict(walk("tensorflow", tf)),
        **dict(walk(V1, tf.compat.v1)),
    }
    twins = {
        "keras": keras,
        "tensorflow.compat.v2": tf.compat.v2,
        f"{V1}.compat.v1": tf.compat.v1.compat.v1,
        f"{V1}.compat.v2": tf.compat.v1.compat.v2,
    }
    for twin, tree in SAME_TREES.items():
        check_same_classes(twin, twins[twin], tree, modules)

    aliases = {**SAME_TREES, **SPELLED_BY_HAND}
    aliases.update(equal_modules(modules, aliases))
    objects: dict[int, Any] = {}
    class_names: dict[int, set[str]] = {}
    function_names: dict[int, set[str]] = {}
    for path, module in modules.items():
        for name, value in public_names(module):
            spelled = respell(f"{path}.{name}", aliases)
            if isinstance(value, type):
                class_names.setdefault(id(value), set()).add(spelled)
            elif callable(value) and not isinstance(value, types.ModuleType):
                function_names.setdefault(id(value), set()).add(spelled)
            objects[id(value)] = value
    return Api(
        module_aliases=aliases,
        class_names={key: order(names, objects[key]) for key, names in class_names.items()},
        function_names={key: order(names, objects[key]) for key, names in function_names.items()},
        objects=objects,
    )


def walk(path: str, module: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the public modules under one, with their paths; the `compat` nests are left out."""
    yield path, module
    above = (*above, module.__name__)
    for name, value in public_names(module):
        if (
            isinstance(value, types.ModuleType)
            and is_api(value)
            and value.__name__ not in above  # the lazy loaders lead back to where they started
            and not (path.endswith(".compat") and name in ("v1", "v2"))
        ):
            yield from walk(f"{path}.{name}", value, above)


def is_api(module: types.ModuleType) -> bool:
    """Tell whether a module holds public names on purpose."""
    return f"{module.__name__}.".startswith(API_MODULES)


def public_names(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a module that do not begin with an underscore, in order."""
    for name in sorted(dir(module)):
        if not name.startswith("_"):
            try:
                value = getattr(module, name)
            except (AttributeError, ImportError):  # a lazy loader whose target is not installed
                continue
            yield name, value


def check_same_classes(twin: str, module: Any, tree: str, modules: dict[str, Any]) -> None:
    """Stop if a tree that counts as an alias holds a class that the other has under no such name.

    Classes only: many operations are wrapped once more on their way into each tree.
    """
    for path, other in modules.items():
        inside = f"{path}.".startswith(f"{tree}.") and (tree == V1 or not path.startswith(V1))
        if not inside:
            continue
        same = module
        for part in path[len(tree) + 1 :].split("."):
            same = getattr(same, part, None) if part else same
        for name, value in public_names(same) if same is not None else ():
            if isinstance(value, type) and getattr(other, name, None) is not value:
                raise SystemExit(f"generate.py: {twin} is no alias: {path}.{name} differs")


def equal_modules(modules: dict[str, Any], aliases: dict[str, str]) -> dict[str, str]:
    """Pair the modules of one tree that hold the same things, as tf.losses and tf.keras.losses.

    A pair that follows from the pair of their parents is left out.
    """
    groups: dict[tuple[bool, frozenset[tuple[str, int]]], list[str]] = {}
    for path, module in modules.items():
        content = frozenset(
            (name, id(value))
            for name, value in public_names(module)
            if not isinstance(value, types.ModuleType)
        )
        if content:
            groups.setdefault((path.startswith(V1), content), []).append(path)
    found: dict[str, str] = {}
    for paths in groups.values():
        first = min(paths, key=lambda path: (".keras" not in path, path.count("."), path))
        found.update({path: first for path in paths if path != first})
    for path in sorted(found, key=len, reverse=True):
        others = {key: value for key, value in {**aliases, **found}.items() if key != path}
        if respell(path, others) == respell(found[path], others):
            del found[path]
    return {path: respell(target, found) for path, target in found.items()}


def respell(name: str, aliases: dict[str, str]) -> str:
    """Apply module aliases, the longest first, until none applies."""
    for _ in range(20):
        for end in range(len(parts := name.split(".")), 0, -1):
            target = aliases.get(".".join(parts[:end]))
            if target is not None:
                name = ".".join([target, *parts[end:]])
                break
        else:
            return name
    raise SystemExit(f"generate.py: the module aliases go round in circles at {name}")


def order(names: Iterable[str], thing: Any) -> list[str]:
    """Sort the names of one object so that the one most people write comes first."""
    home = getattr(thing, "__module__", None) or ""
    own = getattr(thing, "__name__", "")

    def rank(name: str) -> tuple[Any, ...]:
        parts = name.split(".")
        passed_on = name.startswith("tensorflow.estimator.") and not home.startswith(
            "tensorflow_estimator"
        )
        return (
            2 if passed_on else int(name.startswith(V1)),
            "experimental" in parts,
            len(parts),
            parts[-1] != own,
            "models" not in parts,
            len(name),
            name,
        )

    return sorted(names, key=rank)


# ---------------------------------------------------------------- classes and functions


def class_facts(api: Api) -> dict[str, Any]:
    """Return bases, aliases and, for some, constructor parameters, by canonical name."""
    with_parameters = {api.find(name) for name in ROOTS_WITH_PARAMETERS}
    roots = with_parameters | {api.find(name) for name in OTHER_ROOTS}
    pending = [
        thing
        for thing in (api.objects[key] for key in api.class_names)
        if not roots.isdisjoint(mro(thing))
    ]
    facts: dict[str, Any] = {}
    while pending:
        thing = pending.pop()
        canonical, *aliases = api.class_names[id(thing)]
        if canonical in facts:
            continue
        made = what_a_call_makes(thing, api)
        bases = public_bases(made, api, but=thing)
        pending += bases  # so that every base is recorded too
        facts[canonical] = {
            "aliases": sorted(aliases),
            "bases": [api.class_names[id(base)][0] for base in bases],
        }
        if not with_parameters.isdisjoint(mro(thing)):
            facts[canonical]["parameters"] = parameters(made)
    return facts


def mro(thing: type) -> tuple[type, ...]:
    """Return a class and its ancestors; issubclass would also ask the hooks of abstract classes."""
    return thing.__mro__


def what_a_call_makes(thing: type, api: Api) -> type:
    """Return the class of the instances, which is another one where the public class is a front.

    tf.keras.mixed_precision.LossScaleOptimizer derives from nothing, but calling it with an
    optimizer makes an instance of a private class that derives from Optimizer.
    """
    if thing is api.find("tensorflow.keras.mixed_precision.LossScaleOptimizer"):
        return type(thing(api.find("tensorflow.keras.optimizers.SGD")()))
    return thing


def public_bases(thing: type, api: Api, but: type) -> list[type]:
    """Return the nearest ancestors that have a public name, without those that another implies."""
    found: list[type] = []
    pending = list(thing.__bases__)
    while pending:
        base = pending.pop(0)
        if id(base) in api.class_names and base is not but:
            found.append(base)
        else:
            pending[:0] = base.__bases__
    unique = list(dict.fromkeys(found))
    return [base for base in unique if not any(base in mro(other)[1:] for other in unique)]


def parameters(thing: Any) -> list[list[str | None]]:
    """Return name, kind and default of each parameter of the constructor."""
    # Not inspect.signature(thing): a metaclass with a __call__ of its own would answer for it.
    # Unwrapped, because a deprecated class without a constructor has object's, decorated.
    plain = inspect.unwrap(thing.__init__) is object.__init__
    maker: Callable[..., Any] = thing.__new__ if plain else thing.__init__
    if maker is object.__new__:
        return []
    listed = list(inspect.signature(maker).parameters.values())[1:]
    return [[item.name, KINDS[item.kind], default_source(item.default)] for item in listed]


def default_source(value: Any) -> str | None:
    """Return a default as Python source, "<object>" if it has none, and None if there is none."""
    if value is inspect.Parameter.empty:
        return None
    return repr(value) if is_literal(value) else "<object>"


def is_literal(value: Any) -> bool:
    """Tell whether the repr of a value is a literal that evaluates to it."""
    if type(value) in (tuple, list):
        return all(map(is_literal, value))
    if type(value) is float:
        return value - value == 0  # neither inf nor nan
    return value is None or type(value) in (int, str, bool)


def function_facts(api: Api) -> dict[str, Any]:
    """Return the other spellings of the functions that rules speak of, by canonical name."""
    wanted = {respell(name.replace(".*", ""), api.module_aliases): name for name in FUNCTIONS}
    whole = {module for module, name in wanted.items() if name.endswith(".*")}
    facts = {}
    for names in api.function_names.values():
        for name in names:
            if name in wanted or name.rpartition(".")[0] in whole:
                facts[names[0]] = {"aliases": sorted(names[1:])}
                wanted.pop(name, None)
    missing = [name for name in wanted.values() if not name.endswith(".*")]
    if missing:
        raise SystemExit(f"generate.py: this TensorFlow has no {', '.join(sorted(missing))}")
    return facts


# ---------------------------------------------------------------- what calls return


def return_facts(
    tf: Any, api: Api, classes: dict[str, Any], functions: dict[str, Any]
) -> dict[str, str]:
    """Return the class that a call gives, by the canonical name of the function or method."""
    facts = annotated(api, classes, functions)
    with tempfile.TemporaryDirectory() as folder:
        facts.update(dataset_methods(tf, api, Path(folder)))
        facts.update(calls(tf, api, Path(folder)))
        facts.update(v1_calls(tf, api, Path(folder)))
    return {name: value for name, value in facts.items() if value in classes}


def nearest(thing: type, api: Api) -> str:
    """Return the canonical name of the first public class among a class and its ancestors."""
    for ancestor in mro(thing):
        if id(ancestor) in api.class_names and ancestor is not object:
            return api.class_names[id(ancestor)][0]
    return "object"


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


def dataset_methods(tf: Any, api: Api, folder: Path) -> dict[str, str]:
    """Call the methods of tf.data.Dataset, of today and of TF 1, on small datasets.

    The annotations alone would not do: those of the TF 1 class name the class of today.
    """
    (folder / "a.txt").write_text("a\n", encoding="utf-8")
    saved = str(folder / "saved")
    tf.data.Dataset.range(4).save(saved)
    recipes: dict[str, Callable[[Any], Any]] = {
        "__iter__": lambda kind: iter(kind.range(4)),
        "apply": lambda kind: kind.range(4).apply(lambda data: data.take(1)),
        "batch": lambda kind: kind.range(4).batch(2),
        "bucket_by_sequence_length": lambda kind: kind.from_tensors(
            [1, 2]
        ).bucket_by_sequence_length(lambda row: tf.shape(row)[0], [2], [1, 1]),
        "cache": lambda kind: kind.range(4).cache(),
        "choose_from_datasets": lambda kind: kind.choose_from_datasets(
            [kind.range(2), kind.range(2)], kind.range(2)
        ),
        "concatenate": lambda kind: kind.range(4).concatenate(kind.range(2)),
        "counter": lambda kind: kind.counter(),
        "enumerate": lambda kind: kind.range(4).enumerate(),
        "filter": lambda kind: kind.range(4).filter(lambda row: row > 1),
        "filter_with_legacy_function": lambda kind: kind.range(4).filter_with_legacy_function(
            lambda row: row > 1
        ),
        "flat_map": lambda kind: kind.range(4).flat_map(lambda row: kind.from_tensors(row)),
        "from_generator": lambda kind: kind.from_generator(lambda: iter([1]), tf.int64),
        "from_sparse_tensor_slices": lambda kind: kind.from_sparse_tensor_slices(
            tf.sparse.from_dense([[1, 0]])
        ),
        "from_tensor_slices": lambda kind: kind.from_tensor_slices([1, 2]),
        "from_tensors": lambda kind: kind.from_tensors([1, 2]),
        "group_by_window": lambda kind: kind.range(4).group_by_window(
            lambda row: row % 2, lambda key, rows: rows.batch(2), window_size=2
        ),
        "ignore_errors": lambda kind: kind.range(4).ignore_errors(),
        "interleave": lambda kind: kind.range(4).interleave(lambda row: kind.from_tensors(row)),
        "list_files": lambda kind: kind.list_files(str(folder / "*.txt")),
        "load": lambda kind: kind.load(saved),
        "map": lambda kind: kind.range(4).map(lambda row: row),
        "map_with_legacy_function": lambda kind: kind.range(4).map_with_legacy_function(
            lambda row: row
        ),
        "padded_batch": lambda kind: kind.range(4).padded_batch(2),
        "prefetch": lambda kind: kind.range(4).prefetch(1),
        "ragged_batch": lambda kind: kind.range(4).ragged_batch(2),
        "random": lambda kind: kind.random(),
        "range": lambda kind: kind.range(4),
        "rebatch": lambda kind: kind.range(4).batch(2).rebatch(1),
        "rejection_resample": lambda kind: kind.range(4).rejection_resample(
            lambda row: tf.cast(row % 2, tf.int32), [0.5, 0.5]
        ),
        "repeat": lambda kind: kind.range(4).repeat(),
        "sample_from_datasets": lambda kind: kind.sample_from_datasets(
            [kind.range(2), kind.range(2)]
        ),
        "scan": lambda kind: kind.range(4).scan(
            tf.constant(0, tf.int64), lambda state, row: (state, row)
        ),
        "shard": lambda kind: kind.range(4).shard(2, 0),
        "shuffle": lambda kind: kind.range(4).shuffle(2),
        "skip": lambda kind: kind.range(4).skip(1),
        "snapshot": lambda kind: kind.range(4).snapshot(str(folder / "snapshot")),
        "sparse_batch": lambda kind: kind.from_tensors(tf.sparse.from_dense([1, 0])).sparse_batch(
            1, [2]
        ),
        "take": lambda kind: kind.range(4).take(1),
        "take_while": lambda kind: kind.range(4).take_while(lambda row: row < 1),
        "unbatch": lambda kind: kind.range(4).batch(2).unbatch(),
        "unique": lambda kind: kind.range(4).unique(),
        "window": lambda kind: kind.range(4).window(2),
        "with_options": lambda kind: kind.range(4).with_options(tf.data.Options()),
        "zip": lambda kind: kind.zip((kind.range(4), kind.range(4))),
    }
    v2 = tf.data.Dataset
    v1 = tf.compat.v1.data.Dataset
    promised = {
        name
        for name, value in inspect.getmembers(v2, inspect.isroutine)
        if getattr(value, "__annotations__", {}).get("return") == "DatasetV2"
    }
    if promised - set(recipes):
        raise SystemExit(
            f"generate.py: no call to try {', '.join(sorted(promised - set(recipes)))}"
        )
    facts = {}
    for kind, prefix in ((v2, "tensorflow.data.Dataset"), (v1, f"{V1}.data.Dataset")):
        for name, recipe in recipes.items():
            if hasattr(kind, name):
                facts[f"{prefix}.{name}"] = nearest(type(recipe(kind)), api)
    return facts


def calls(tf: Any, api: Api, folder: Path) -> dict[str, str]:
    """Make the calls whose return no annotation tells."""
    facts: dict[str, str] = {}

    def record(name: str, *results: Any) -> None:
        """Note the nearest public class that is common to the results of one function."""
        shared = [
            ancestor
            for ancestor in mro(type(results[0]))
            if all(ancestor in mro(type(other)) for other in results)
        ]
        public = next(ancestor for ancestor in shared if id(ancestor) in api.class_names)
        owner, _, method = name.rpartition(".")
        known = api.name(api.find(name)) if method != "__enter__" else f"{owner}.{method}"
        facts[str(known)] = nearest(public, api)

    keras = tf.keras
    inputs = keras.Input((1,))
    model = keras.Model(inputs, keras.layers.Dense(1)(inputs))
    model.compile(keras.optimizers.legacy.SGD(), "mse")
    model.save(folder / "model.keras")
    record("tensorflow.keras.models.load_model", keras.models.load_model(folder / "model.keras"))
    record("tensorflow.keras.models.clone_model", keras.models.clone_model(model))
    record("tensorflow.keras.models.model_from_json", keras.models.model_from_json(model.to_json()))

    small = keras.applications.MobileNet(
        input_shape=(32, 32, 3), alpha=0.25, weights=None, classes=2
    )
    for key, names in api.function_names.items():
        function = api.objects[key]
        home = getattr(function, "__module__", None) or ""
        if names[0].startswith("tensorflow.keras.applications.") and home.startswith(
            "keras.src.applications."
        ):
            takes = inspect.signature(function).parameters
            if "weights" in takes and "include_top" in takes:
                record(names[0], small)

    to_estimator = keras.estimator.model_to_estimator
    record(
        "tensorflow.keras.estimator.model_to_estimator",
        to_estimator(keras_model=model, model_dir=str(folder / "estimator")),
    )

    optimizers = keras.optimizers
    record(
        "tensorflow.keras.optimizers.get",
        *(optimizers.get(name) for name in ("adam", "rmsprop", "sgd")),
    )
    record(
        "tensorflow.keras.optimizers.deserialize",
        *(optimizers.deserialize(optimizers.serialize(optimizers.get(n))) for n in ("adam", "sgd")),
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
    return facts


def v1_calls(tf: Any, api: Api, folder: Path) -> dict[str, str]:
    """Make the calls that belong to a graph and a session."""
    v1 = tf.compat.v1
    facts: dict[str, str] = {}
    with tf.Graph().as_default():
        rows = v1.data.Dataset.range(4)
        facts[f"{V1}.data.Dataset.make_one_shot_iterator"] = nearest(
            type(rows.make_one_shot_iterator()), api
        )
        facts[f"{V1}.data.Dataset.make_initializable_iterator"] = nearest(
            type(rows.make_initializable_iterator()), api
        )
        facts[f"{V1}.data.make_one_shot_iterator"] = nearest(
            type(v1.data.make_one_shot_iterator(rows)), api
        )
        facts[f"{V1}.data.make_initializable_iterator"] = nearest(
            type(v1.data.make_initializable_iterator(rows)), api
        )
        facts[f"{V1}.data.Iterator.from_structure"] = nearest(
            type(v1.data.Iterator.from_structure(tf.int64)), api
        )
        v1.train.get_or_create_global_step()
        with v1.Session() as session:
            facts[f"{V1}.Session.__enter__"] = nearest(type(session), api)
        with v1.train.MonitoredTrainingSession() as session:
            facts[f"{V1}.train.MonitoredTrainingSession"] = nearest(type(session), api)
            facts[f"{V1}.train.MonitoredSession.__enter__"] = nearest(type(session), api)
        with v1.train.SingularMonitoredSession() as session:
            facts[f"{V1}.train.SingularMonitoredSession.__enter__"] = nearest(type(session), api)
        with v1.summary.FileWriter(str(folder / "v1")) as writer:
            facts[f"{V1}.summary.FileWriter.__enter__"] = nearest(type(writer), api)
    return facts


if __name__ == "__main__":
    sys.exit(main())
