"""Small synthetic stand-ins for the data sets that programs load or download.

The samples follow from a seed, which differs from rank to rank.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import catalogue, downloads, tutorials
from .imports import after_import
from .samples import KERAS, TEST, TRAIN, generator, limit_words

_HOMES = (
    "keras.src.datasets",
    "keras.datasets",
    "keras.api._v2.keras.datasets",
    "tensorflow.keras.datasets",
    "tensorflow.python.keras.datasets",
    "tensorflow.python.keras.api.keras.datasets",
    "tensorflow.python.keras.api._v1.keras.datasets",
    "tensorflow.python.keras.api._v2.keras.datasets",
)


def install(seed: int) -> None:
    importlib.import_module("tensorflow").keras.datasets  # noqa: B018 - loads what is lazy
    for name, make in KERAS.items():
        for home in _HOMES:
            _replace_loader(f"{home}.{name}", _loader(make, seed))
    tutorials.install(seed)
    catalogue.install(seed)
    downloads.install(seed)


def _replace_loader(module: str, loader: Callable[..., Any]) -> None:
    def replace(found: ModuleType) -> None:
        setattr(found, "load_data", loader)  # noqa: B010

    if module.partition(".")[0] not in sys.modules:  # a Keras package that TensorFlow does not use
        after_import(module, replace)
        return
    try:
        replace(importlib.import_module(module))
    except ImportError:
        return


def _loader(make: Callable[[Any, int], Any], seed: int) -> Callable[..., Any]:
    def load_data(*_args: Any, **options: Any) -> Any:
        random = generator(seed)
        train, test = make(random, TRAIN), make(random, TEST)
        if options.get("num_words"):
            limit_words(train[0], options["num_words"])
            limit_words(test[0], options["num_words"])
        return train, test

    return load_data
