"""What the methods of tf.data.Dataset return, by calling them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from families import V1
from recorded_classes import nearest
from recorded_names import Api


def dataset_methods(tf: Any, api: Api, folder: Path, eager: bool) -> dict[str, str]:
    """Call the methods of tf.data.Dataset, of today and of TF 1, on small datasets.

    The annotations alone would not do: those of the TF 1 class name the class of today. Where TF is
    not eager, a dataset has no iterator of Python's, and there is no saved dataset to load.
    """
    (folder / "a.txt").write_text("a\n", encoding="utf-8")
    saved = str(folder / "saved")
    if eager:
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
        "padded_batch": lambda kind: kind.range(4).padded_batch(2, []),
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
    if not eager:
        del recipes["__iter__"]
    v2 = tf.compat.v2.data.Dataset
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
