"""Values of TensorFlow in what a block changes: which may go through ``tf.cond`` and
``tf.while_loop``, as which tensors, and what stands for one that is not there."""

from __future__ import annotations

import numbers

import numpy as np
import tensorflow as tf

from .errors import StagingTypeError, StagingValueError
from .undefined import UNDEFINED, Maybe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_MOST = 4096
_PLAIN = bool | int | float | complex | str | bytes | np.ndarray | np.generic


def is_tensor(value: Any) -> bool:
    """Whether it is one tensor, or something that consists of tensors and is kept as it is."""
    return isinstance(value, tf.TensorArray) or bool(tf.is_tensor(value))


def converts(value: Any) -> bool:
    """Whether a value, or all that a structure has, are tensors, or can be."""
    try:
        flat = tf.nest.flatten(value)
    except TypeError:  # keys of a dictionary that have no order
        return False
    return all(is_tensor(one) or isinstance(one, _PLAIN | tf.TensorSpec) for one in flat)


def tensors_of(value: Any) -> Any:
    """The same structure of tensors. Raises StagingTypeError."""
    return tf.nest.map_structure(_tensor, value)


def _tensor(value: Any) -> Any:
    if isinstance(value, tf.TensorArray | tf.Tensor):
        return value
    if isinstance(value, tf.Variable) or not is_tensor(value):
        try:
            return tf.convert_to_tensor(value)
        except (TypeError, ValueError) as error:
            raise StagingTypeError(f"{value!r} is no tensor: {error}") from None
    return value


def like(value: Any, model: Any, name: str, where: str) -> Any:
    """A value as a structure of tensors as ``model`` is one; plain numbers take its types. Raises
    StagingTypeError or StagingValueError, which say how they differ: ``where``."""
    try:
        tf.nest.assert_same_structure(model, value, expand_composites=False)
    except (TypeError, ValueError):
        reason = f"{name!r} does not have the same nested structure {where}"
        raise StagingTypeError(reason) from None
    flat = [
        _as(one, like_it, name, where)
        for one, like_it in zip(tf.nest.flatten(value), tf.nest.flatten(model), strict=True)
    ]
    return tf.nest.pack_sequence_as(model, flat)


def _as(value: Any, model: Any, name: str, where: str) -> Any:
    if isinstance(model, tf.TensorArray) or isinstance(value, tf.TensorArray):
        if type(model) is not type(value):
            raise StagingTypeError(f"{name!r} is a TensorArray not everywhere: {where}")
        return value
    if not is_tensor(value) and isinstance(model, tf.Tensor | tf.TensorSpec):
        if _fits(value, model.dtype):
            return tf.convert_to_tensor(value, model.dtype)
    found = _tensor(value)
    if hasattr(found, "dtype") and found.dtype != getattr(model, "dtype", None):
        types = f"{_dtype(model)} and {_dtype(found)}"
        raise StagingTypeError(f"{name!r} has different types {where}: {types}")
    of_tensors = isinstance(model, tf.Tensor | tf.TensorSpec) and isinstance(found, tf.Tensor)
    if not of_tensors and not isinstance(found, type(model)):
        types = f"{type(model).__name__} and {type(found).__name__}"
        raise StagingTypeError(f"{name!r} has different types {where}: {types}")
    return found


def _fits(value: Any, dtype: tf.DType) -> bool:
    """Whether a plain number keeps its value in a type."""
    if isinstance(value, bool):
        return bool(dtype == tf.bool)
    if isinstance(value, numbers.Integral):
        return bool(dtype.is_integer or dtype.is_floating or dtype.is_complex)
    return isinstance(value, float) and bool(dtype.is_floating or dtype.is_complex)


def _dtype(value: Any) -> str:
    return value.dtype.name if hasattr(value, "dtype") else type(value).__name__


def nothing_like(value: Any) -> Any:
    """What goes through in the place of a value that is not there. Raises StagingValueError."""
    return tf.nest.map_structure(_nothing, value)


def _nothing(value: Any) -> Any:
    if isinstance(value, tf.TensorArray):
        return tf.TensorArray(value.dtype, size=0, dynamic_size=True, clear_after_read=False,
                              infer_shape=False, element_shape=value.element_shape)  # fmt: skip
    if not isinstance(value, tf.Tensor | tf.TensorSpec):
        raise StagingValueError(f"{type(value).__name__} has no value on some way")
    shape = [size or 0 for size in value.shape] if value.shape.rank is not None else []
    return tf.zeros(shape, value.dtype)


def truth(value: Any) -> Any:
    """A tensor, or a number, as the boolean that Python takes it for."""
    found = tf.convert_to_tensor(value)
    if found.dtype == tf.string:
        found = tf.not_equal(found, "")
    elif found.dtype != tf.bool:
        found = tf.not_equal(found, tf.zeros([], found.dtype))
    if found.shape.rank and found.shape.num_elements() == 1:
        return tf.reshape(found, [])
    return found


def form(value: Any) -> Any:
    """What two values have in common for which the same has to be traced, None if that is not
    known: structure, types and shapes."""
    if value is UNDEFINED:
        return "undefined"
    if value.__class__ is Maybe:
        inner = form(value.value)
        return None if inner is None else ("maybe", inner)
    if hasattr(type(value), "array_of"):
        return "list", value.array.dtype, str(value.array.element_shape)
    if value is None or (isinstance(value, _PLAIN) and not isinstance(value, np.ndarray)):
        return type(value), value
    if not converts(value):
        return None
    flat = tf.nest.flatten(value)
    leaves = [one if isinstance(one, _PLAIN) else (type(one), getattr(one, "dtype", None),
              str(getattr(one, "shape", ""))) for one in flat]  # fmt: skip
    return str(tf.nest.map_structure(type, value)), str(leaves)


class Known:
    """What was found out about blocks while they were traced, for the next time that they are
    traced with values of the same form: nested ones are, many times."""

    def __init__(self) -> None:
        self._found: dict[Any, Any] = {}

    def key(self, block: Any, values: Sequence[Any]) -> Any:
        """None where nothing can be kept."""
        code = getattr(block, "__code__", None)
        forms = tuple(map(form, values))
        return None if code is None or None in forms else (code, forms)

    def get(self, key: Any) -> Any:
        return self._found.get(key) if key is not None else None

    def keep(self, key: Any, found: Any) -> None:
        if key is not None:
            if len(self._found) > _MOST:
                self._found.clear()
            self._found[key] = found

    def forget(self, key: Any) -> None:
        self._found.pop(key, None)


def are_same(one: Any, other: Any) -> bool:
    """Whether two values are one, or equal numbers or texts, so that no tensor need decide."""
    if one is other:
        return True
    return type(one) is type(other) and isinstance(one, bool | int | float | str | bytes) and (
        repr(one) == repr(other)
    )  # fmt: skip
