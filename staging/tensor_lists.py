"""StagedList: a list that grows in a loop of which a tensor decides how many turns it has."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .errors import StagingTypeError, StagingValueError
from .tensor_values import is_tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class StagedList:
    """Tensors of one type; ``array`` is the TensorArray that has them. It is changed in its place,
    as a list is."""

    def __init__(self, array: Any) -> None:
        self.array = array

    # By which those know it that need not know of tensors.
    array_of = True

    def __copy__(self) -> StagedList:
        return StagedList(self.array)

    @classmethod
    def of(cls, items: list[Any], model: Any) -> StagedList:
        """One with the items of a list of Python, which are as ``model``."""
        array = empty_like(model, len(items))
        for at, item in enumerate(items):
            array = array.write(at, tf.convert_to_tensor(item, model.dtype))
        return cls(array)

    def append(self, value: Any) -> None:
        self.array = self.array.write(self.array.size(), value)

    def extend(self, values: Iterable[Any]) -> None:
        for value in values:
            self.append(value)

    def __iadd__(self, values: Iterable[Any]) -> StagedList:
        self.extend(values)
        return self

    def pop(self) -> Any:
        """The last one, which goes."""
        last = self.array.size() - 1
        value = self.array.read(last)
        rest = self.array.gather(tf.range(last))
        array = empty_like(value, 0)
        self.array = array.unstack(rest)
        return value

    def clear(self) -> None:
        self.array = empty_like(spec_of(self), 0)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return self.array.stack()[at]
        if not is_tensor(at) and at < 0:
            at = self.array.size() + at
        return self.array.read(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        self.array = self.array.write(at, value)

    def __len__(self) -> int:
        raise StagingTypeError("how many items a staged list has, is known when the program runs")

    def __iter__(self) -> Iterator[Any]:
        raise StagingTypeError("a staged list is gone through by converted functions alone")

    def __repr__(self) -> str:
        return f"StagedList({self.array!r})"


class Probing:
    """While it lasts, a turn of a loop is traced to see what becomes of its variables, and lists of
    branches may have different lengths."""

    depth = 0

    def __enter__(self) -> None:
        Probing.depth += 1

    def __exit__(self, *_: object) -> None:
        Probing.depth -= 1


def empty_like(model: Any, size: int) -> Any:
    """A TensorArray for what is as ``model``, a tensor or specification."""
    return tf.TensorArray(model.dtype, size=size, dynamic_size=True, clear_after_read=False,
                          element_shape=model.shape)  # fmt: skip


class ProbedList(list[Any]):
    """A list in a turn that is only tried: which item a tensor means does not matter."""

    def __getitem__(self, at: Any) -> Any:
        return super().__getitem__(-1 if is_tensor(at) else at)

    def __setitem__(self, at: Any, value: Any) -> None:
        if not is_tensor(at):
            super().__setitem__(at, value)

    def __copy__(self) -> ProbedList:
        return ProbedList(self)


def grows(before: Any, end: Any) -> bool:
    """Whether a list has another length behind a turn of a loop."""
    if isinstance(end, StagedList):
        return isinstance(before, list)
    return isinstance(before, list) and isinstance(end, list) and len(before) != len(end)


def tried(*ways: Any) -> StagedList | ProbedList:
    """What a list is, in a turn that is only tried, behind branches that leave it as these."""
    specs: list[Any] = []
    for one in ways:
        if isinstance(one, StagedList):
            return StagedList(empty_like(spec_of(one), 0))
        specs = max(specs, [*map(_spec, one)], key=len)
    return ProbedList(tf.raw_ops.Placeholder(dtype=one.dtype, shape=one.shape) for one in specs)


def _spec(item: Any) -> Any:
    found = item if isinstance(item, tf.Tensor) else tf.convert_to_tensor(item)
    return tf.TensorSpec(found.shape, found.dtype)


def spec_of(value: StagedList) -> Any:
    """What its items are."""
    return tf.TensorSpec(value.array.element_shape, value.array.dtype)


def model_of(name: str, before: list[Any], end: Any) -> Any:
    """What all items of a growing list are. Raises StagingValueError or StagingTypeError."""
    items = [*before, *([spec_of(end)] if isinstance(end, StagedList) else end)]
    if not items:
        raise StagingValueError(f"of which type the items of {name!r} are, is not known")
    if not all(is_tensor(one) or isinstance(one, tf.TensorSpec | int | float) for one in items):
        raise StagingTypeError(f"{name!r} grows in a loop, and its items are no tensors")
    found = [one if isinstance(one, tf.TensorSpec) else tf.convert_to_tensor(one) for one in items]
    kinds = {one.dtype for one in found}
    if len(kinds) > 1:
        said = ", ".join(sorted(kind.name for kind in kinds))
        reason = f"{name!r} grows in a loop, and its items are of several types: {said}"
        raise StagingTypeError(reason)
    shape = found[0].shape
    for one in found:
        shape = shape.most_specific_compatible_shape(one.shape)
    return tf.TensorSpec(shape, found[0].dtype)


def _stacked(value: StagedList, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    found = value.array.stack()
    return found if dtype is None else tf.cast(found, dtype)


tf.register_tensor_conversion_function(StagedList, _stacked)
