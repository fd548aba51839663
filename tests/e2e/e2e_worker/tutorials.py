"""A stand-in for the data sets of TF 1's tutorials, which TF 2 has no more and which download."""

from __future__ import annotations

import collections
import sys
import types
from typing import Any

import numpy as np
import tensorflow as tf

from .imports import after_import
from .samples import TEST, TRAIN, digits, generator

HOME = "tensorflow.examples.tutorials.mnist.input_data"
CONTRIB = "tensorflow.contrib.learn.python.learn.datasets.mnist"

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


class DataSet:
    def __init__(self, images: Any, labels: Any) -> None:
        self.images = images
        self.labels = labels
        self.num_examples = len(images)
        self.epochs_completed = 0
        self._left: Any = np.arange(0)

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> Any:
        while len(self._left) < batch_size:
            order = np.arange(self.num_examples)
            if shuffle:
                np.random.shuffle(order)
            self._left = np.concatenate([self._left, order])
        taken, self._left = self._left[:batch_size], self._left[batch_size:]
        if len(self._left) == 0:
            self.epochs_completed += 1
        return self.images[taken], self.labels[taken]


def install(seed: int) -> None:
    def read_data_sets(
        train_dir: Any = None,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = tf.float32,
        reshape: bool = True,
        validation_size: int = 5000,
        **_options: Any,
    ) -> Any:
        random = generator(seed)
        held_back = min(validation_size, TRAIN // 10)

        def make(count: int) -> DataSet:
            images, labels = digits(random, count)
            images = images.reshape((count, 784) if reshape else (count, 28, 28, 1))
            if tf.as_dtype(dtype) == tf.float32:
                images = images.astype("float32") / np.float32(255)
            return DataSet(images, np.eye(10)[labels] if one_hot else labels)

        return Datasets(make(TRAIN - held_back), make(held_back), make(TEST))

    _add_module(HOME, {"read_data_sets": read_data_sets, "DataSet": DataSet})
    after_import(CONTRIB, lambda found: setattr(found, "read_data_sets", read_data_sets))


def _add_module(name: str, content: dict[str, Any]) -> None:
    parent: Any = tf
    parts = name.split(".")
    for depth in range(2, len(parts) + 1):
        module: Any = types.ModuleType(".".join(parts[:depth]))
        module.__path__ = []
        sys.modules[module.__name__] = module
        setattr(parent, parts[depth - 1], module)
        parent = module
    parent.__dict__.update(content)
