"""Seeds that differ from rank to rank, whatever the program fixes.

Equal seeds on all ranks hide a missing broadcast and a missing average: every worker then starts
from the same weights and sees the same samples. So the offset reaches the program's own seeds, too.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf


def install(seed: int, offset: int) -> None:
    """Seed everything with seed + offset, and add offset to whatever the program seeds with."""
    random.seed(seed + offset)
    np.random.seed(seed + offset)
    tf.random.set_seed(seed + offset)
    if offset == 0:
        return
    for holder, name in (
        (random, "seed"),
        (np.random, "seed"),
        (np.random, "default_rng"),
        (tf.random, "set_seed"),
        (tf.compat.v1, "set_random_seed"),
        (tf.keras.utils, "set_random_seed"),
        (tf.random.Generator, "from_seed"),
    ):
        setattr(holder, name, _shifted(getattr(holder, name), seed, offset))

    fallback = seed

    class RandomState(np.random.RandomState):  # type: ignore[misc]
        def __init__(self, seed: Any = None) -> None:
            super().__init__(_shift(seed, fallback, offset))

    np.random.RandomState = RandomState


def _shift(given: Any, fallback: int, offset: int) -> Any:
    if given is None:
        return fallback + offset
    return given + offset if isinstance(given, (int, np.integer)) else given


def _shifted(original: Callable[..., Any], fallback: int, offset: int) -> Callable[..., Any]:
    @functools.wraps(original)
    def shifted(*args: Any, **kwargs: Any) -> Any:
        if args:
            return original(_shift(args[0], fallback, offset), *args[1:], **kwargs)
        if "seed" in kwargs:
            kwargs["seed"] = _shift(kwargs["seed"], fallback, offset)
            return original(**kwargs)
        return original(fallback + offset, **kwargs)

    return shifted
