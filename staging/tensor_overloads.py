"""What builtin functions are for tensors."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import tensorflow as tf

from .tensor_lists import StagedList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Counted:
    """Items with numbers, from ``start`` by ``step`` to before ``limit``; ``count`` is how many
    they are, if that is known without computing it."""

    start: Any
    limit: Any
    get: Callable[[Any], Any]
    step: Any = None
    count: Any = None

    def has(self, at: Any) -> Any:
        if self.step is None:
            return tf.less(at, self.limit)
        step = tf.get_static_value(self.step)
        if step is not None:
            return tf.less(at, self.limit) if step > 0 else tf.greater(at, self.limit)
        up = tf.greater(self.step, tf.zeros([], self.step.dtype))
        return tf.where(up, tf.less(at, self.limit), tf.greater(at, self.limit))

    def after(self, at: Any) -> Any:
        return at + (tf.ones([], at.dtype) if self.step is None else self.step)


def _range(*limits: Any) -> Any:
    return tf.range(*limits)


def _len(value: Any) -> Any:
    if isinstance(value, StagedList):
        return value.array.size()
    if isinstance(value, tf.TensorArray):
        return value.size()
    if isinstance(value, tf.data.Dataset):
        return value.cardinality()
    if isinstance(value, tf.RaggedTensor):
        return value.nrows()
    found = tf.convert_to_tensor(value)
    if found.shape.rank == 0:
        raise TypeError("len of a scalar tensor")
    known = found.shape[0] if found.shape.rank is not None else None
    return known if known is not None else tf.shape(found)[0]


def _print(*values: Any, **more: Any) -> None:
    """Python's own ``print`` of what the tensors are when the program runs."""
    kept = [*values]
    places = [at for at, value in enumerate(values) if isinstance(value, tf.Tensor | tf.Variable)]

    def printed(*found: Any) -> None:
        for at, value in zip(places, found, strict=True):
            kept[at] = value.decode() if isinstance(value, bytes) else value
        print(*kept, **more)

    tf.numpy_function(printed, [values[at] for at in places], [])


def _int(value: Any, base: int = 10) -> Any:
    if value.dtype == tf.string:
        if base != 10:
            raise NotImplementedError("int of a text tensor of another base")
        return tf.strings.to_number(value, tf.int32)
    return tf.cast(value, tf.int32)


def _float(value: Any) -> Any:
    if value.dtype == tf.string:
        return tf.strings.to_number(value, tf.float32)
    return tf.cast(value, tf.float32)


def _enumerate(items: Any, start: Any = 0) -> Any:
    if isinstance(items, tf.data.Dataset):
        return items.enumerate(start)
    from .tensor_loops import as_items

    rows = as_items(items)
    shift = tf.convert_to_tensor(start) - rows.start
    return Counted(rows.start, rows.limit, lambda at: (at + shift, rows.get(at)), rows.step,
                   rows.count)  # fmt: skip


def _zip(*items: Any) -> Any:
    if all(isinstance(one, tf.data.Dataset) for one in items):
        return tf.data.Dataset.zip(items)
    from .tensor_loops import as_items

    rows = [as_items(tf.convert_to_tensor(one) if isinstance(one, list | tuple | range) else one)
            for one in items]  # fmt: skip
    limit = reduce(tf.minimum, (one.limit for one in rows))
    return Counted(rows[0].start, limit, lambda at: tuple(one.get(at) for one in rows))


def _map(function: Any, *items: Any) -> Any:
    if not all(isinstance(one, tf.data.Dataset) for one in items):
        return map(function, *items)
    return (items[0] if len(items) == 1 else tf.data.Dataset.zip(items)).map(function)


def _filter(function: Any, items: Any) -> Any:
    return items.filter(function) if isinstance(items, tf.data.Dataset) else filter(function, items)


def _any(items: Any) -> Any:
    if isinstance(items, tf.data.Dataset):
        return items.reduce(tf.constant(False), tf.logical_or)
    return tf.reduce_any(tf.cast(items, tf.bool))


def _all(items: Any) -> Any:
    if isinstance(items, tf.data.Dataset):
        return items.reduce(tf.constant(True), tf.logical_and)
    return tf.reduce_all(tf.cast(items, tf.bool))


def _sorted(items: Any, *, key: Any = None, reverse: Any = False) -> Any:
    direction = "DESCENDING" if reverse else "ASCENDING"
    if key is None:
        return tf.sort(items, direction=direction)
    return tf.gather(items, tf.argsort(tf.map_fn(key, items), direction=direction))


def _max(*values: Any) -> Any:
    return tf.reduce_max(values[0], 0) if len(values) == 1 else reduce(tf.maximum, values)


def _min(*values: Any) -> Any:
    return tf.reduce_min(values[0], 0) if len(values) == 1 else reduce(tf.minimum, values)


def _sum(items: Any, start: Any = 0) -> Any:
    return tf.reduce_sum(items, 0) + tf.cast(start, items.dtype)


def _next(items: Any, *default: Any) -> Any:
    if not default:
        return items.get_next()
    found = items.get_next_as_optional()
    return tf.cond(found.has_value(), found.get_value, lambda: tf.nest.map_structure(
        lambda one, spec: tf.convert_to_tensor(one, spec.dtype), default[0], items.element_spec
    ))  # fmt: skip


OVERLOADS: dict[Any, Callable[..., Any]] = {
    abs: tf.abs, all: _all, any: _any, bool: lambda value: tf.cast(value, tf.bool),
    enumerate: _enumerate, filter: _filter, float: _float, int: _int, len: _len, map: _map,
    max: _max, min: _min, next: _next, print: _print, range: _range, round: tf.round,
    sorted: _sorted, sum: _sum, zip: _zip, operator.not_: lambda value: tf.logical_not(value),
}  # fmt: skip
