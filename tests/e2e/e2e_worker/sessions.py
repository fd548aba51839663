"""Watches what sessions run, in graphs of TF 1.

While a graph is built, a marker is put before each update and each broadcast: an operation that
counts how often it is run. What a session is about to run is known from the markers its fetches
lead to. So the variables are read before the first update, while the graph may be closed or final
already, and a program with enough updates is stopped before a run: an error inside it could leave
the other worker waiting for this one.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.client import session as sessions
from tensorflow.python.framework import ops as framework

from .notes import Notes, UpdatesReached

# Operations that run functions, in which a marker may be hidden from the graph's edges.
CALLS = frozenset(
    {"If", "StatelessIf", "While", "StatelessWhile", "PartitionedCall", "StatefulPartitionedCall"}
)


class _Marker:
    def __init__(self, kind: str, keys: list[Hashable]) -> None:
        self.kind = kind
        self.keys = keys


class _Marked:
    """What is known of one graph."""

    def __init__(self) -> None:
        self.reads: dict[Hashable, tuple[str, Any]] = {}
        self.markers: dict[str, _Marker] = {}
        self.hidden: list[_Marker] = []
        self._reached: dict[frozenset[str], list[_Marker]] = {}

    def add(self, operation: Any, marker: _Marker) -> None:
        if operation.graph is self.graph_of_reads():
            self.markers[operation.name] = marker
        else:
            self.hidden.append(marker)

    def graph_of_reads(self) -> Any:
        return next(iter(self.reads.values()))[1].graph

    def reached(self, operations: list[Any]) -> list[_Marker]:
        known = frozenset(operation.name for operation in operations)
        if known not in self._reached:
            self._reached[known] = list(self._search(operations))
        return self._reached[known]

    def _search(self, operations: list[Any]) -> Iterator[_Marker]:
        waiting, met, calls = list(operations), {op.name for op in operations}, False
        while waiting:
            operation = waiting.pop()
            if operation.name in self.markers:
                yield self.markers[operation.name]
            calls = calls or operation.type in CALLS
            for before in (*(t.op for t in operation.inputs), *operation.control_inputs):
                if before.name not in met:
                    met.add(before.name)
                    waiting.append(before)
        if calls:
            yield from self.hidden


class Sessions:
    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._reading = False

    def install(self) -> None:
        base = sessions.BaseSession
        base._do_run = self._around_run(base._do_run)
        base.make_callable = self._around_make_callable(base.make_callable)
        callables = base._Callable
        callables.__init__ = self._around_new_callable(callables.__init__)
        callables.__call__ = self._around_callable(callables.__call__)

    # While a graph is built.

    @contextlib.contextmanager
    def marked(self, kind: str, variables: Iterable[Any], after: Iterable[Any]) -> Iterator[None]:
        """Operations made in this context are an update, or a broadcast, of the variables."""
        marked, keys = self._read(variables)
        if marked is None:
            yield
            return
        if kind == "update":
            for key in keys:
                self._notes.trains(key, marked.reads[key][0])
        with tf.device(None), tf.control_dependencies(list(after)):
            counted = tf.numpy_function(getattr(self, f"_count_{kind}"), [], tf.int64)
        marked.add(counted.op, _Marker(kind, keys))
        with tf.control_dependencies([counted]):
            yield

    def tied(self, gradients: list[Any]) -> list[Any]:
        """The same gradients; whoever uses one has a fingerprint of all taken."""
        dense = [g.values if isinstance(g, tf.IndexedSlices) else g for g in gradients]
        dense = [g for g in dense if g is not None]
        if not dense:
            return gradients
        with tf.device(None):
            taken = tf.numpy_function(self._notes.fingerprint, dense, tf.int64)

        def after(gradient: Any) -> Any:
            if gradient is None:
                return None
            if isinstance(gradient, tf.IndexedSlices):
                values = tf.identity(gradient.values)
                return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
            return tf.identity(gradient)

        with tf.control_dependencies([taken]):
            return [after(gradient) for gradient in gradients]

    def _read(self, variables: Iterable[Any]) -> tuple[_Marked | None, list[Hashable]]:
        marked: _Marked | None = None
        keys: list[Hashable] = []
        for variable in variables:
            graph = variable.graph
            if marked is None:
                if not hasattr(graph, "_e2e_marked"):
                    graph._e2e_marked = _Marked()
                marked = graph._e2e_marked
            # A program may build the same graph again: an Estimator does so for each call.
            key = (variable.name, str(variable.shape))
            if key not in marked.reads:
                with graph.as_default(), tf.control_dependencies(None), tf.device(None):
                    marked.reads[key] = (variable.name, variable.read_value())
            keys.append(key)
        return marked, keys

    def _count_update(self) -> Any:
        if self._notes.enough():
            raise RuntimeError("enough updates")  # whoever ran it knows by `stopping`
        self._notes.updates += 1
        return np.int64(0)

    def _count_broadcast(self) -> Any:
        self._notes.broadcasts += 1
        return np.int64(0)

    # While sessions run.

    def _around_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def _do_run(
            session: Any, handle: Any, target_list: Any, fetch_list: Any, *rest: Any
        ) -> Any:
            operations = [*target_list, *(tensor.op for tensor in fetch_list)]
            run = functools.partial(original, session, handle, target_list, fetch_list, *rest)
            return self._watch(session, operations, run)

        return _do_run

    def _around_make_callable(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def make_callable(session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
            made = original(session, fetches, *args, **kwargs)
            operations = [
                getattr(session.graph.as_graph_element(fetch), "op", fetch)
                for fetch in tf.nest.flatten(fetches)
            ]

            @functools.wraps(made)
            def call(*args: Any, **kwargs: Any) -> Any:
                return self._watch(session, operations, functools.partial(made, *args, **kwargs))

            return call

        return make_callable

    def _around_new_callable(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def new(made: Any, session: Any, options: Any) -> None:
            original(made, session, options)
            names = [name.split(":")[0] for name in (*options.fetch, *options.target)]
            made._e2e_operations = [session.graph.get_operation_by_name(name) for name in names]

        return new

    def _around_callable(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(made: Any, *args: Any, **kwargs: Any) -> Any:
            run = functools.partial(original, made, *args, **kwargs)
            return self._watch(made._session, made._e2e_operations, run)

        return call

    def _watch(self, session: Any, operations: list[Any], run: Callable[[], Any]) -> Any:
        notes = self._notes
        marked: _Marked | None = getattr(session.graph, "_e2e_marked", None)
        if marked is None or self._reading:
            return run()
        reached = marked.reached(operations)
        updates = [marker for marker in reached if marker.kind == "update"]
        if updates and notes.enough():
            raise UpdatesReached
        for key, value in self._values(session, marked, self._unread(reached)):
            notes.seen(key, marked.reads[key][0], value)
            if notes.values[key].trained and any(key in marker.keys for marker in updates):
                notes.before_update(key, value)
        before = (notes.updates, notes.broadcasts)
        try:
            result = run()
        except Exception:
            if notes.stopping:
                raise UpdatesReached from None
            raise
        if (notes.updates, notes.broadcasts) != before:
            trained = [key for key in marked.reads if key in notes.values]
            trained = [key for key in trained if notes.values[key].trained]
            for key, value in self._values(session, marked, trained):
                notes.values[key].final = value
        return result

    def _unread(self, reached: Iterable[_Marker]) -> list[Hashable]:
        """Variables whose value will not be to be had any more after this run."""
        values = self._notes.values
        missing: dict[Hashable, None] = {}
        for marker in reached:
            for key in marker.keys:
                known = values.get(key)
                if (
                    known is None
                    or known.initial is None
                    or (marker.kind == "update" and known.first is None)
                ):
                    missing[key] = None
        return list(missing)

    def _values(
        self, session: Any, marked: _Marked, keys: list[Hashable]
    ) -> Iterable[tuple[Hashable, Any]]:
        if not keys:
            return []
        self._reading = True
        try:
            return list(zip(keys, session.run([marked.reads[key][1] for key in keys])))  # noqa: B905
        except tf.errors.FailedPreconditionError:  # some are never initialised in this session
            return list(self._initialised(session, marked, keys))
        finally:
            self._reading = False

    def _initialised(
        self, session: Any, marked: _Marked, keys: list[Hashable]
    ) -> Iterator[tuple[Hashable, Any]]:
        for key in keys:
            with contextlib.suppress(tf.errors.FailedPreconditionError):
                yield key, session.run(marked.reads[key][1])


def limit_threads() -> None:
    """One thread for each operation, as in eager execution: sums come out equal from run to run."""
    original = sessions.BaseSession.__init__

    @functools.wraps(original)
    def init(session: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:
        limited = tf.compat.v1.ConfigProto()
        if config is not None:
            limited.CopyFrom(config)
        limited.intra_op_parallelism_threads = limited.intra_op_parallelism_threads or 1
        limited.inter_op_parallelism_threads = limited.inter_op_parallelism_threads or 2
        original(session, target, graph, limited)

    sessions.BaseSession.__init__ = init


def seed_graphs(seed: int) -> None:
    """A new graph has no seed of its own, and what it draws would differ from run to run."""
    original = framework.Graph.__init__

    @functools.wraps(original)
    def init(graph: Any, *args: Any, **kwargs: Any) -> None:
        original(graph, *args, **kwargs)
        if type(graph) is framework.Graph:
            graph.seed = seed

    framework.Graph.__init__ = init
    # Not get_default_graph: that makes one, after which a program cannot choose eager execution.
    default = framework._default_graph_stack._global_default_graph
    if default is not None:
        default.seed = seed
