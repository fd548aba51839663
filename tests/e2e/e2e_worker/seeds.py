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
from tensorflow.python.framework import random_seed

from . import eager
from .sessions import seed_graphs


def install(seed: int, offset: int) -> None:
    """Seed everything with seed + offset, and add offset to whatever the program seeds with.

    Where the program asks for no seed, as an Estimator does for its graphs, it gets this one.
    """
    random.seed(seed + offset)
    np.random.seed(seed + offset)
    eager.prepare(seed + offset)
    seed_graphs(seed + offset)
    if not hasattr(random_seed, "_graph_to_seed_dict"):
        random_seed.get_seed = _counted(random_seed.get_seed)
    for holder, name in (
        (random, "seed"),
        (np.random, "seed"),
        (np.random, "default_rng"),
        (tf, "set_random_seed"),
        (tf.random, "set_random_seed"),
        (tf.random, "set_seed"),
        (tf.compat.v1, "set_random_seed"),
        (tf.compat.v1.random, "set_random_seed"),
        (random_seed, "set_random_seed"),  # an Estimator seeds each of its graphs with this one
        (tf.keras.utils, "set_random_seed"),
        (getattr(tf.random, "Generator", None), "from_seed"),
    ):
        if hasattr(holder, name):
            setattr(holder, name, _shifted(getattr(holder, name), seed, offset))

    fallback = seed

    class RandomState(np.random.RandomState):  # type: ignore[misc]
        def __init__(self, seed: Any = None) -> None:
            super().__init__(_shift(seed, fallback, offset))

    np.random.RandomState = RandomState


def _counted(original: Callable[..., Any]) -> Callable[..., Any]:
    """TF 1 seeds what draws by how many operations there are: a rewritten program has others."""

    @functools.wraps(original)
    def get_seed(op_seed: Any) -> Any:
        if op_seed is None and not tf.executing_eagerly():
            graph = tf.compat.v1.get_default_graph()
            if graph.seed is not None:
                op_seed = graph._e2e_drawing = getattr(graph, "_e2e_drawing", 0) + 1
        return original(op_seed)

    return get_seed


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
