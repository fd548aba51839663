"""Loops over datasets, as reductions of these, and over their iterators."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .tensor_values import truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .tensor_loops import Loop

    Step = Callable[[Any], None]
    Until = Callable[[], Any] | None


def is_dataset(items: Any) -> bool:
    return isinstance(items, tf.data.Dataset | tf.data.Iterator)


def run_dataset(loop: Loop, items: Any, step: Step, until: Until) -> None:
    """For the elements of a dataset, or of an iterator of one."""
    if isinstance(items, tf.data.Iterator):
        _run_iterator(loop, items, step, until)
        return
    spec = items.element_spec
    start = loop.entered(lambda: step(tf.nest.map_structure(_example, spec)))

    def stepped(values: Sequence[Any], item: Any) -> list[Any]:
        loop.set(values)
        step(item)
        return loop.values()

    def turn(values: Sequence[Any], item: Any) -> tuple[Any, ...]:
        # The first is there for loops without state, which are run for their effects.
        number, *own = values
        try:
            return number, *stepped(own, item)
        finally:
            loop.leave()

    def scan(values: Sequence[Any], item: Any) -> Any:
        number, *own = values
        loop.set(own)
        try:
            stopped = truth(until()) if until is not None else False
            after = tf.cond(stopped, lambda: own, lambda: stepped(own, item)) if own else own
        finally:
            loop.leave()
        return (number, *after), ((number, *after), tf.logical_not(stopped))

    begun = (tf.constant(0), *start)
    if until is None:
        found = items.reduce(begun, turn)
    else:
        taken = items.scan(begun, scan).take_while(lambda _, going: going)
        found = taken.reduce(begun, lambda _, element: element[0])
    loop.left([*found][1:])


def _run_iterator(loop: Loop, items: Any, step: Step, until: Until) -> None:
    """An iterator is asked once more than it has elements."""
    more: list[Any] = []

    def test(given: Sequence[Any]) -> Any:
        if until is None:
            return given[0]
        return tf.logical_and(given[0], tf.logical_not(truth(until())))

    def turn(_: Sequence[Any]) -> None:
        found = items.get_next_as_optional()
        more[:] = [found.has_value()]
        if loop.is_probing:
            step(found.get_value())
            return
        values = [tf.constant(0), *loop.values()]

        def taken() -> list[Any]:
            loop.set(values[1:])
            step(found.get_value())
            return [values[0], *loop.values()]

        loop.set(tf.cond(more[0], taken, lambda: values)[1:])

    loop.while_(test, turn, (tf.constant(True),), lambda _: (more[0],))


def _example(spec: Any) -> Any:
    if isinstance(spec, tf.TensorSpec):
        return tf.raw_ops.Placeholder(dtype=spec.dtype, shape=spec.shape)
    return spec
