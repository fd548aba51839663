"""A stand-in for tensorflow_datasets, where that is not installed: three sets of pictures."""

from __future__ import annotations

import importlib.util
import re
import sys
import types
from typing import Any

import tensorflow as tf

from .samples import KERAS, TEST, TRAIN, generator

NAME = "tensorflow_datasets"
CLASSES = 10
SHAPES = {"mnist": (28, 28, 1), "fashion_mnist": (28, 28, 1), "cifar10": (32, 32, 3)}


def install(seed: int) -> None:
    if importlib.util.find_spec(NAME) is not None:
        return
    module: Any = types.ModuleType(NAME)

    class Builder:
        def __init__(self, name: str, **_options: Any) -> None:
            self.name = name.partition("/")[0].partition(":")[0]
            if self.name not in SHAPES:
                raise ValueError(f"no stand-in for the data set {name}")
            self.info = _info(self.name)

        def download_and_prepare(self, **_options: Any) -> None:
            pass

        def as_dataset(
            self,
            split: Any = None,
            batch_size: int | None = None,
            as_supervised: bool = False,
            **_options: Any,
        ) -> Any:
            if split is None:
                split = {"train": "train", "test": "test"}
            return tf.nest.map_structure(
                lambda part: self._part(str(part), batch_size, as_supervised), split
            )

        def _part(self, split: str, batch_size: int | None, as_supervised: bool) -> Any:
            random = generator(seed)
            train, test = (KERAS[self.name](random, count) for count in (TRAIN, TEST))
            images, labels = train if split.startswith("train") else test
            chosen = _slice(split, len(images))
            images = images.reshape(-1, *SHAPES[self.name])[chosen]
            labels = labels.reshape(-1).astype("int64")[chosen]
            samples = (images, labels) if as_supervised else {"image": images, "label": labels}
            dataset = tf.data.Dataset.from_tensor_slices(samples)
            if batch_size is None:
                return dataset
            return dataset.batch(len(images) if batch_size == -1 else batch_size)

    def load(name: str, split: Any = None, with_info: bool = False, **options: Any) -> Any:
        builder = Builder(name)
        dataset = builder.as_dataset(split, **options)
        return (dataset, builder.info) if with_info else dataset

    def as_numpy(dataset: Any) -> Any:
        return dataset.as_numpy_iterator()

    module.load, module.builder, module.as_numpy = load, Builder, as_numpy
    module.Split = types.SimpleNamespace(TRAIN="train", TEST="test")
    module.disable_progress_bar = lambda: None
    sys.modules[NAME] = module


def _info(name: str) -> Any:
    label = types.SimpleNamespace(num_classes=CLASSES, names=[str(n) for n in range(CLASSES)])
    image = types.SimpleNamespace(shape=SHAPES[name])
    sizes = {"train": TRAIN, "test": TEST}
    return types.SimpleNamespace(
        name=name,
        features={"image": image, "label": label},
        splits={key: types.SimpleNamespace(num_examples=size) for key, size in sizes.items()},
    )


def _slice(split: str, count: int) -> slice:
    """What train[:80%] or test[10:20] means."""
    found = re.search(r"\[(-?\d*)(%?):(-?\d*)(%?)\]", split)
    if found is None:
        return slice(None)
    start, start_is_percent, end, end_is_percent = found.groups()

    def place(number: str, is_percent: str) -> int | None:
        if not number:
            return None
        return int(number) * count // 100 if is_percent else int(number)

    return slice(place(start, start_is_percent), place(end, end_is_percent))
