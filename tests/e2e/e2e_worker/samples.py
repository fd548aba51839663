"""Random samples with true shapes and types, in which there is something to learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

TRAIN, TEST = 600, 200
WORDS = 1000

_Generator, _PCG64 = np.random.Generator, np.random.PCG64  # before programs' seeds are shifted


def generator(seed: int) -> Any:
    return _Generator(_PCG64(seed))


def _images(*shape: int, classes: int, label: str, column: bool) -> Callable[[Any, int], Any]:
    def make(random: Any, count: int) -> Any:
        labels = random.integers(0, classes, size=count)
        # Brighter for a higher class, so that there is something to learn.
        light = (labels * 128 // classes).reshape(-1, *(1 for _ in shape))
        pixels = random.integers(0, 128, size=(count, *shape)) + light
        targets = labels.astype(label)
        return pixels.astype("uint8"), targets.reshape(-1, 1) if column else targets

    return make


def _houses(random: Any, count: int) -> Any:
    features = random.normal(size=(count, 13))
    prices = 22.0 + features @ np.linspace(-2.0, 2.0, 13) + random.normal(size=count)
    return features, prices


def _texts(classes: int) -> Callable[[Any, int], Any]:
    def make(random: Any, count: int) -> Any:
        texts = np.empty(count, dtype=object)
        for index in range(count):
            texts[index] = random.integers(1, WORDS, size=random.integers(10, 60)).tolist()
        return texts, random.integers(0, classes, size=count)

    return make


def limit_words(texts: Any, count: int) -> None:
    unknown = 2
    for index, text in enumerate(texts):
        texts[index] = [word if word < count else unknown for word in text]


digits = _images(28, 28, classes=10, label="uint8", column=False)
colours = _images(32, 32, 3, classes=10, label="uint8", column=True)

KERAS: dict[str, Callable[[Any, int], Any]] = {
    "mnist": digits,
    "fashion_mnist": digits,
    "cifar10": colours,
    "cifar100": _images(32, 32, 3, classes=100, label="int64", column=True),
    "boston_housing": _houses,
    "imdb": _texts(2),
    "reuters": _texts(46),
}
