"""Watches a program train: which variables, from which values, how many updates, how many calls.

Calls made while tf.function traces are followed into the graph (tf.numpy_function), because how
often such a call *runs* is what matters, and that is known only then. Sessions of TF 1 are let pass
unwatched.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

FINGERPRINTS = 1000


class UpdatesReached(BaseException):
    """Ends a program that has trained long enough; not an Exception, so it passes `except`."""


class Recorder:
    def __init__(self, max_updates: int | None) -> None:
        self.max_updates = max_updates
        self.updates = 0
        self.broadcasts = 0
        self.distributed_tapes = 0
        self.stopping = False
        # One number for each call of tape.gradient, before any averaging over the workers.
        self.gradients: list[float] = []
        self._trained: dict[int, Any] = {}
        self._initial: dict[int, Any] = {}
        self._alive: list[Any] = []  # an id is only worth something while its object lives
        self._quiet = False

    def install(self) -> None:
        for optimizer in (
            tf.keras.optimizers.Optimizer,
            tf.keras.optimizers.legacy.Optimizer,
            tf.compat.v1.train.Optimizer,
        ):
            optimizer.apply_gradients = self._around_update(optimizer.apply_gradients)
        tf.GradientTape.gradient = self._around_gradient(tf.GradientTape.gradient)
        for name in ("jacobian", "batch_jacobian"):
            setattr(tf.GradientTape, name, self._silently(getattr(tf.GradientTape, name)))

    def watch_horovod(self, hvd: Any) -> None:
        hvd.broadcast_variables = self._around_broadcast(hvd.broadcast_variables)
        hvd.DistributedGradientTape = self._around_wrapping(hvd.DistributedGradientTape)

    def results(self) -> Iterator[tuple[str, Any, Any]]:
        """Name, first and last value of each trained variable, in the order of first use."""
        for key, variable in self._trained.items():
            with contextlib.suppress(Exception):  # never initialised, or of a graph that is gone
                yield variable.name, self._initial.get(key), variable.numpy()

    # What is put around the calls. TensorFlow must not convert any of it.

    def _around_update(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def apply_gradients(optimizer: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            if self._quiet or not _watchable():
                return original(optimizer, grads_and_vars, *args, **kwargs)
            pairs = list(grads_and_vars)
            variables = [variable for _, variable in pairs]
            for variable in variables:
                self._trained.setdefault(id(variable), variable)
            if tf.executing_eagerly():
                if self._enough():
                    raise UpdatesReached
                self._observe(variables, [variable.numpy() for variable in variables])
                self.updates += 1
                with self._silence():
                    return original(optimizer, pairs, *args, **kwargs)

            def before(*values: Any) -> Any:
                if self._enough():
                    raise RuntimeError("enough updates")  # the launcher knows by `stopping`
                self._observe(variables, values)
                self.updates += 1
                return np.int64(0)

            with tf.control_dependencies(_dense(gradient for gradient, _ in pairs)):
                counted = tf.numpy_function(before, [v.read_value() for v in variables], tf.int64)
            with tf.control_dependencies([counted]), self._silence():
                return original(optimizer, pairs, *args, **kwargs)

        return _unconverted(apply_gradients)

    def _around_gradient(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def gradient(tape: Any, *args: Any, **kwargs: Any) -> Any:
            gradients = original(tape, *args, **kwargs)
            if not self._quiet and _watchable():
                self._run(self._fingerprint, _dense(tf.nest.flatten(gradients)))
            return gradients

        return _unconverted(gradient)

    def _around_broadcast(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def broadcast_variables(variables: Any, *args: Any, **kwargs: Any) -> Any:
            listed = list(variables)

            def before(*values: Any) -> Any:
                self._observe(listed, values)
                self.broadcasts += 1
                return np.int64(0)

            if _watchable():
                self._run(before, [variable.read_value() for variable in listed])
            return original(listed, *args, **kwargs)

        return _unconverted(broadcast_variables)

    def _around_wrapping(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def wrap(*args: Any, **kwargs: Any) -> Any:
            self.distributed_tapes += 1
            return original(*args, **kwargs)

        return _unconverted(wrap)

    def _silently(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def silent(*args: Any, **kwargs: Any) -> Any:
            with self._silence():
                return original(*args, **kwargs)

        return _unconverted(silent)

    # What is noted.

    def _enough(self) -> bool:
        self.stopping = self.max_updates is not None and self.updates >= self.max_updates
        return self.stopping

    def _observe(self, variables: Iterable[Any], values: Iterable[Any]) -> None:
        for variable, value in zip(variables, values):  # noqa: B905 - Python 3.9 has no strict=
            if id(variable) not in self._initial:
                self._alive.append(variable)
                self._initial[id(variable)] = np.array(value)

    def _fingerprint(self, *gradients: Any) -> Any:
        if len(self.gradients) < FINGERPRINTS:
            self.gradients.append(float(sum(np.abs(g).sum(dtype="float64") for g in gradients)))
        return np.int64(0)

    def _run(self, note: Callable[..., Any], tensors: list[Any]) -> None:
        """Call note with the tensors' values: now, or in the graph whenever this point is run."""
        if tf.executing_eagerly():
            note(*(tensor.numpy() for tensor in tensors))
        else:
            tf.numpy_function(note, tensors, tf.int64)

    @contextlib.contextmanager
    def _silence(self) -> Iterator[None]:
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before


def _watchable() -> bool:
    return bool(tf.compat.v1.executing_eagerly_outside_functions())


def _dense(gradients: Iterable[Any]) -> list[Any]:
    return [g.values if isinstance(g, tf.IndexedSlices) else g for g in gradients if g is not None]


def _unconverted(function: Callable[..., Any]) -> Callable[..., Any]:
    wrapped: Callable[..., Any] = tf.autograph.experimental.do_not_convert(function)
    return wrapped
