"""Small synthetic stand-ins for keras.datasets: no download, true shapes and types."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

TRAIN, TEST = 600, 200
WORDS = 1000

_HOMES = (
    "keras.src.datasets",
    "keras.datasets",
    "keras.api._v2.keras.datasets",
    "tensorflow.keras.datasets",
)


def install(seed: int) -> None:
    """Replace load_data; the samples follow from the seed, which differs from rank to rank."""
    for name, make in _MAKERS.items():
        for home in _HOMES:
            try:
                module = importlib.import_module(f"{home}.{name}")
            except ImportError:
                continue
            setattr(module, "load_data", _loader(make, seed))  # noqa: B010


def _loader(make: Callable[[np.random.Generator, int], Any], seed: int) -> Callable[..., Any]:
    generator = np.random.Generator

    def load_data(*_args: Any, **_options: Any) -> Any:
        random = generator(np.random.PCG64(seed))
        return make(random, TRAIN), make(random, TEST)

    return load_data


def _images(*shape: int, classes: int, label: str, column: bool) -> Callable[..., Any]:
    def make(random: np.random.Generator, count: int) -> Any:
        labels = random.integers(0, classes, size=count)
        # Brighter for a higher class, so that there is something to learn.
        light = (labels * 128 // classes).reshape(-1, *(1 for _ in shape))
        pixels = random.integers(0, 128, size=(count, *shape)) + light
        targets = labels.astype(label)
        return pixels.astype("uint8"), targets.reshape(-1, 1) if column else targets

    return make


def _houses(random: np.random.Generator, count: int) -> Any:
    features = random.normal(size=(count, 13))
    prices = 22.0 + features @ np.linspace(-2.0, 2.0, 13) + random.normal(size=count)
    return features, prices


def _reviews(random: np.random.Generator, count: int) -> Any:
    texts = np.empty(count, dtype=object)
    for index in range(count):
        texts[index] = random.integers(1, WORDS, size=random.integers(10, 60)).tolist()
    return texts, random.integers(0, 2, size=count)


_MAKERS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "mnist": _images(28, 28, classes=10, label="uint8", column=False),
    "fashion_mnist": _images(28, 28, classes=10, label="uint8", column=False),
    "cifar10": _images(32, 32, 3, classes=10, label="uint8", column=True),
    "cifar100": _images(32, 32, 3, classes=100, label="int64", column=True),
    "boston_housing": _houses,
    "imdb": _reviews,
}
