"""Watches a program train: which variables, from which values, how many updates, how many calls.

Calls made while tf.function traces are followed into the graph (tf.numpy_function), because how
often such a call *runs* is what matters, and that is known only then. Graphs of TF 1 are left to
sessions.py.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import def_function
from tensorflow.python.framework import ops as framework
from tensorflow.python.ops import gradients_util

from .imports import after_import
from .notes import Notes, UpdatesReached
from .sessions import Sessions


def _variable_classes() -> list[Any]:
    from tensorflow.python.ops import resource_variable_ops, variables

    found = [resource_variable_ops.BaseResourceVariable]
    return [*found, variables.RefVariable] if hasattr(variables, "RefVariable") else found


def _is_of_gradients(value: Any) -> bool:
    """Whether a tensor of a graph is made of what `tf.gradients` added to that."""
    waiting, met = [getattr(value, "op", None)], set()
    while waiting:
        operation = waiting.pop()
        if operation is None or operation.name in met:
            continue
        met.add(operation.name)
        if "gradients" in operation.name.split("/"):
            return True
        waiting += [tensor.op for tensor in operation.inputs]
    return False


class Recorder:
    def __init__(self, max_updates: int | None) -> None:
        self.notes = Notes(max_updates)
        self._sessions = Sessions(self.notes)
        self._quiet = False

    def install(self) -> None:
        self._sessions.install()
        for optimizer in _optimizers():
            # Those of the libraries pass on to another optimizer, perhaps only now and then.
            self._watch_classes(
                optimizer,
                "apply_gradients",
                self._around_update,
                ("horovod", "keras", "tensorflow"),
            )
        tape = tf.GradientTape
        tape.gradient = self._around_gradients(tape.gradient)
        for name in ("jacobian", "batch_jacobian"):
            setattr(tape, name, self._silently(getattr(tape, name)))
        helper = gradients_util._GradientsHelper
        gradients_util._GradientsHelper = self._around_graph_gradients(helper)
        for variable in _variable_classes():
            variable.assign = self._around_assign(variable.assign)
        function = def_function.Function
        function.__call__ = self._around_function(function.__call__)
        after_import("keras", self._watch_keras)
        after_import("horovod.tensorflow", self._watch_horovod)
        for module in ("horovod.tensorflow.keras", "horovod.keras"):
            after_import(module, self._watch_horovod_keras)

    def _watch_keras(self, keras: Any) -> None:
        """The Keras package before it became TensorFlow's: its optimizers apply no gradients."""
        base = keras.optimizers.Optimizer
        if not hasattr(base, "apply_gradients"):
            self._watch_classes(base, "get_updates", self._around_keras_updates, ("horovod",))

    def _watch_horovod(self, hvd: Any) -> None:
        hvd.broadcast_variables = self._around_broadcast(hvd.broadcast_variables)
        hvd.DistributedGradientTape = self._counting(
            "distributed_tapes", hvd.DistributedGradientTape
        )
        hvd.broadcast_object = self._counting("object_broadcasts", hvd.broadcast_object)
        self._watch_horovod_keras(hvd)

    def _watch_horovod_keras(self, hvd: Any) -> None:
        hvd.DistributedOptimizer = self._counting(
            "distributed_optimizers", hvd.DistributedOptimizer
        )
        if hvd.__name__.endswith(".keras"):
            hvd.broadcast = self._around_value_broadcast(hvd.broadcast)

    def _watch_classes(
        self, base: Any, method: str, around: Callable[..., Any], except_in: tuple[str, ...]
    ) -> None:
        """Put it around the method of a class, and of the subclasses that have one of their own."""

        def watch(cls: Any) -> None:
            if method in cls.__dict__ and cls.__module__.partition(".")[0] not in except_in:
                setattr(cls, method, around(cls.__dict__[method]))

        def init_subclass(cls: Any, **kwargs: Any) -> None:
            super(base, cls).__init_subclass__(**kwargs)
            watch(cls)

        setattr(base, method, around(base.__dict__[method]))
        waiting = base.__subclasses__()
        while waiting:
            cls = waiting.pop()
            watch(cls)
            waiting.extend(cls.__subclasses__())
        base.__init_subclass__ = classmethod(init_subclass)

    # What is put around the calls. TensorFlow must not convert any of it.

    def _around_update(self, original: Callable[..., Any]) -> Callable[..., Any]:
        notes = self.notes

        @functools.wraps(original)
        def apply_gradients(optimizer: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            if notes.updating:
                return original(optimizer, grads_and_vars, *args, **kwargs)
            pairs = list(grads_and_vars)
            variables = [variable for _, variable in pairs]
            gradients = _dense(gradient for gradient, _ in pairs)
            if not _functions():
                with notes.one_update(), self._sessions.marked("update", variables, gradients):
                    return original(optimizer, pairs, *args, **kwargs)
            for variable in variables:
                notes.trains(id(variable), variable.name, variable)

            def before(*values: Any) -> Any:
                for variable, value in zip(variables, values):  # noqa: B905 - no strict= in 3.7
                    notes.before_update(id(variable), value)
                notes.updates += 1
                notes.applied += len(gradients)
                return np.int64(0)

            if tf.executing_eagerly():
                if notes.enough():
                    raise UpdatesReached
                before(*(variable.numpy() for variable in variables))
                with notes.one_update():
                    return original(optimizer, pairs, *args, **kwargs)

            def before_in_graph(*values: Any) -> Any:
                if notes.enough():
                    raise RuntimeError("enough updates")  # the launcher knows by `stopping`
                return before(*values)

            with tf.control_dependencies(gradients):
                values = [variable.read_value() for variable in variables]
                counted = tf.numpy_function(before_in_graph, values, tf.int64)
            with tf.control_dependencies([counted]), notes.one_update():
                return original(optimizer, pairs, *args, **kwargs)

        return _unconverted(apply_gradients)

    def _around_keras_updates(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def get_updates(optimizer: Any, loss: Any, params: Any) -> Any:
            if self.notes.updating:
                return original(optimizer, loss, params)
            with self.notes.one_update(), self._sessions.marked("update", params, ()):
                return original(optimizer, loss, params)

        return get_updates

    def _around_assign(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """What a program's own step gives a variable, in a graph, is an update as well."""

        @functools.wraps(original)
        def assign(variable: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
            own = not (self.notes.updating or self._quiet or tf.executing_eagerly())
            if not own or _functions() or not _is_of_gradients(value):
                return original(variable, value, *args, **kwargs)
            with self.notes.one_update(), self._sessions.marked("update", [variable], ()):
                return original(variable, value, *args, **kwargs)

        return _unconverted(assign)

    def _around_gradients(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def gradients(*args: Any, **kwargs: Any) -> Any:
            computed = original(*args, **kwargs)
            if self._quiet:
                return computed
            flat = tf.nest.flatten(computed)
            if _functions():
                self._run(self.notes.fingerprint, _dense(flat))
                return computed
            return tf.nest.pack_sequence_as(computed, self._sessions.tied(flat))

        return _unconverted(gradients)

    def _around_graph_gradients(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """What tf.gradients, which has several names, and all optimizers of TF 1 come to."""
        watched = self._around_gradients(original)

        @functools.wraps(original)
        def helper(*args: Any, **kwargs: Any) -> Any:
            inside = kwargs.get("src_graph") is not None  # it differentiates a function's body
            return (original if inside else watched)(*args, **kwargs)

        return helper

    def _around_broadcast(self, original: Callable[..., Any]) -> Callable[..., Any]:
        notes = self.notes

        @functools.wraps(original)
        def broadcast_variables(variables: Any, *args: Any, **kwargs: Any) -> Any:
            listed = list(variables)
            if not _functions():
                with self._sessions.marked("broadcast", listed, ()):
                    return original(listed, *args, **kwargs)

            def before(*values: Any) -> Any:
                for variable, value in zip(listed, values):  # noqa: B905 - no strict= in 3.7
                    notes.seen(id(variable), variable.name, value, variable)
                notes.broadcasts += 1
                return np.int64(0)

            self._run(before, [variable.read_value() for variable in listed])
            return original(listed, *args, **kwargs)

        return _unconverted(broadcast_variables)

    def _around_value_broadcast(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """A variable that the first step makes is sent as a value before it can be watched."""
        sent = self.notes.sent

        @functools.wraps(original)
        def broadcast(value: Any, *args: Any, **kwargs: Any) -> Any:
            sent.append(float(np.abs(np.asarray(value, dtype="float64")).sum()))
            return original(value, *args, **kwargs)

        return _unconverted(broadcast)

    def _around_function(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Stop before a function that updates: inside it, the other might be left waiting."""
        notes = self.notes

        @functools.wraps(original)
        def call(function: Any, *args: Any, **kwargs: Any) -> Any:
            if not tf.executing_eagerly():
                return original(function, *args, **kwargs)
            if getattr(function, "_e2e_updates", False) and notes.enough():
                raise UpdatesReached
            before = notes.updates
            try:
                return original(function, *args, **kwargs)
            finally:
                if notes.updates > before:
                    function._e2e_updates = True

        return call

    def _counting(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        notes = self.notes

        @functools.wraps(original)
        def counted(*args: Any, **kwargs: Any) -> Any:
            before = getattr(notes, name)
            result = original(*args, **kwargs)
            setattr(notes, name, before + 1)  # once, if it passes on to another one
            return result

        return _unconverted(counted)

    def _silently(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def silent(*args: Any, **kwargs: Any) -> Any:
            with self._silence():
                return original(*args, **kwargs)

        return _unconverted(silent)

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


def _optimizers() -> list[Any]:
    found = [tf.compat.v1.train.Optimizer, tf.keras.optimizers.Optimizer]
    if hasattr(tf.keras.optimizers, "legacy"):
        found.append(tf.keras.optimizers.legacy.Optimizer)
    return found


def _functions() -> bool:
    """Whether code runs eagerly, or is traced for it: not in a graph for sessions."""
    return bool(framework.executing_eagerly_outside_functions())


def _dense(gradients: Iterable[Any]) -> list[Any]:
    return [g.values if isinstance(g, tf.IndexedSlices) else g for g in gradients if g is not None]


def _unconverted(function: Callable[..., Any]) -> Callable[..., Any]:
    wrapped: Callable[..., Any] = tf.autograph.experimental.do_not_convert(function)
    return wrapped
