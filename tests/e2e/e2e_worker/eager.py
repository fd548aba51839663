"""Makes eager execution repeatable: a seed, and one thread for each operation.

TF 1 has a context for it only when a program asks for eager execution, and must not have it before.
"""

from __future__ import annotations

import functools
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import ops as framework


def prepare(seed: int) -> None:
    if tf.executing_eagerly():
        _prepare_context(seed)
        return
    original = framework.enable_eager_execution_internal

    @functools.wraps(original)
    def enable(*args: Any, **kwargs: Any) -> Any:
        original(*args, **kwargs)
        _prepare_context(seed)

    framework.enable_eager_execution_internal = enable


def _prepare_context(seed: int) -> None:
    tf.config.threading.set_intra_op_parallelism_threads(1)
    if hasattr(tf.config.experimental, "enable_op_determinism"):
        tf.config.experimental.enable_op_determinism()
    context.set_global_seed(seed)
