"""Loops of TensorFlow: ``tf.while_loop`` over what a block changes."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .errors import StagingError, StagingTypeError, StagingValueError
from .slots import Bindings, PathSlot, Snapshot, shared
from .tensor_lists import ProbedList, Probing, StagedList, grows, model_of, spec_of
from .tensor_overloads import Counted
from .tensor_values import Known, are_same, converts, form, like, nothing_like, tensors_of, truth
from .undefined import UNDEFINED, Gone, Maybe, ld

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .slots import Slot

_known = Known()
_WHERE = "before a loop and behind its first turn"
_OPTIONS = {
    "back_prop", "maximum_iterations", "parallel_iterations", "shape_invariants", "swap_memory",
}  # fmt: skip


class Loop:
    """One loop. ``test`` is what else it asks, if anything, ``options`` are those of
    ``tf.while_loop``, and ``shape_invariants``: pairs of a variable's value and its shape."""

    def __init__(
        self, slots: Sequence[Slot], body: Any, test: Any, options: Mapping[str, Any] | None
    ) -> None:
        self.slots = slots
        self.body = body
        self.key: Any = None
        """By which was known what becomes of the slots, if it was."""
        self.kept = Bindings(slots, body, test)
        self.before = [*map(Snapshot, slots)]
        self.options = dict(options or {})
        unknown = sorted(self.options.keys() - _OPTIONS)
        if unknown:
            known = ", ".join(sorted(_OPTIONS))
            raise StagingError(f"a loop has no option {unknown[0]!r}; there are {known}")
        self.invariants = self.options.pop("shape_invariants", ())
        self.kinds: list[str] = []
        """Of each slot: tensor, list (a TensorArray), maybe (with a flag), or object (which must
        not change)."""
        self.starts: list[Any] = []
        self.is_probing = False

    # ------------------------------------------------------------ forms of loops

    def run(self, asked: Any, test: Callable[[], Any], step: Callable[[], None]) -> None:
        """While a test, which sees the slots, is true. It was asked once, and is asked again behind
        each turn: what it does, and binds, happens as often as in Python."""
        going: list[Any] = []

        def turn(_: Sequence[Any]) -> None:
            step()
            if not self.is_probing:
                # It sees what the next turn begins with.
                self.set(self.values())
            elif not shared(test):
                return
            going[:] = [truth(test())]

        self.while_(lambda given: given[0], turn, (truth(asked),), lambda _: (going[0],))

    def run_items(
        self, items: Counted, step: Callable[[Any], None], until: Callable[[], Any] | None
    ) -> None:
        """For items with numbers."""

        def test(given: Sequence[Any]) -> Any:
            more = items.has(given[0])
            stopped = until() if until is not None else False
            if stopped is False:
                return more
            return tf.logical_and(more, tf.logical_not(truth(stopped)))

        if items.count is not None:
            self.options.setdefault("maximum_iterations", tf.cast(items.count, tf.int32))
        self.while_(
            test,
            lambda given: step(items.get(given[0])),
            (items.start,),
            lambda given: (items.after(given[0]),),
        )

    # ------------------------------------------------------------ one loop

    def while_(
        self,
        test: Callable[[Any], Any],
        step: Callable[[Any], None],
        leading: tuple[Any, ...],
        after: Callable[[Any], tuple[Any, ...]],
    ) -> None:
        given = tuple(tensors_of(one) for one in leading)
        start = self.entered(lambda: step(given))
        count = len(given)

        def condition(*values: Any) -> Any:
            self.set(values[count:])
            try:
                return truth(test(values[:count]))
            finally:
                self.leave()

        def body(*values: Any) -> Any:
            self.set(values[count:])
            try:
                step(values[:count])
                found = self.values()
                return (*after(values[:count]), *found)
            finally:
                self.leave()

        shapes = self._shapes(given, start)
        found = tf.while_loop(condition, body, (*given, *start), shape_invariants=shapes,
                              **self.options)  # fmt: skip
        self.left(found[count:])

    def _shapes(self, given: tuple[Any, ...], start: Sequence[Any]) -> Any:
        if not self.invariants and "maybe" not in self.kinds:
            return None
        shapes: list[Any] = [tf.nest.map_structure(_shape, one) for one in given]
        at = 0
        for number, (kind, before) in enumerate(zip(self.kinds, self.before, strict=True)):
            if kind == "object":
                continue
            own = [shape for value, shape in self.invariants if value is before.value]
            model = self.models.get(number, start[at])
            shapes.append(own[0] if own else tf.nest.map_structure(_shape, model))
            at += 1
            if kind == "maybe":
                shapes.append(tf.TensorShape([]))
                at += 1
        return tuple(shapes)

    def entered(self, probe: Callable[[], None]) -> list[Any]:
        """The values with which the loop begins."""
        self.models: dict[int, Any] = {}
        self.kinds, self.starts = [], []
        is_unknown = any(one.value is UNDEFINED or not _is_known(one.value) for one in self.before)
        ends = self._probed(probe) if is_unknown else [one.value for one in self.before]
        start: list[Any] = []
        for at, (before, end) in enumerate(zip(self.before, ends, strict=True)):
            kind, own = self._begun(at, before.value, end)
            self.kinds.append(kind)
            self.starts.append(own[0])
            start += () if kind == "object" else own
        return start

    def _begun(self, at: int, before: Any, end: Any) -> tuple[str, list[Any]]:
        """Of which kind a slot is, and with what it begins."""
        if isinstance(before, StagedList):
            return "list", [before.array]
        if grows(before, end):
            model = model_of(self.slots[at].name, before, end)
            return "list", [StagedList.of(before, model).array]
        end = end.value if end.__class__ is Maybe else end
        if before.__class__ is Maybe:
            if end is not UNDEFINED and converts(end):
                self.models[at] = tf.nest.map_structure(_widest, before.value, end)
            return "maybe", [before.value, before.bound]
        if before is not UNDEFINED:
            return ("tensor", [tensors_of(before)]) if converts(before) else ("object", [before])
        if end is UNDEFINED:
            return "object", [before]
        if not converts(end):
            reason = f"{self._name(at)} must be initialized before the loop: it is no tensor"
            raise StagingValueError(reason)
        self.models[at] = end
        return "maybe", [nothing_like(end), tf.constant(False)]

    def _name(self, at: int) -> str:
        return repr(self.slots[at].name)

    def _probed(self, probe: Callable[[], None]) -> list[Any]:
        """What the slots have behind one turn, as specifications: it is traced for that alone."""
        key = _known.key(self.body, [one.value for one in self.before])
        known: list[Any] | None = _known.get(key)
        if known is not None:
            self.key = key
            return known
        ends: list[Any] = []
        self.is_probing = True

        def traced() -> int:
            try:
                for one in self.before:
                    one.slot.set(_begins(one.value))
                probe()
                ends.extend(_specified(one.now()) for one in self.before)
            finally:
                self.leave()
            return 0

        with Probing():
            tf.function(traced, autograph=False).get_concrete_function()
        self.is_probing = False
        if all(form(one) is not None for one in ends):
            _known.keep(key, ends)
        return ends

    def _made(self, values: Sequence[Any]) -> Iterator[tuple[Snapshot, Any]]:
        """What goes through a loop, as the slots have it."""
        at = 0
        for one, kind, start in zip(self.before, self.kinds, self.starts, strict=True):
            if kind == "object":
                yield one, start
                continue
            value = values[at]
            if kind == "list":
                value = StagedList(value)
            elif kind == "maybe":
                value = Maybe(one.slot.name, value, values[at + 1])
            yield one, value
            at += 2 if kind == "maybe" else 1

    def set(self, values: Sequence[Any]) -> None:
        """Give the slots what a turn begins with."""
        for one, value in self._made(values):
            # Nobody asks `ld` for an attribute; that it is bound, the turn that is tried has shown.
            is_path = value.__class__ is Maybe and isinstance(one.slot, PathSlot)
            one.slot.set(value.value if is_path else value)

    def values(self) -> list[Any]:
        """What the slots have at the end of a turn. Raises StagingError."""
        found: list[Any] = []
        for slot, kind, start in zip(self.slots, self.kinds, self.starts, strict=True):
            value = slot.get()
            name = slot.name
            if kind == "object":
                if not are_same(value, start) and value is not UNDEFINED:
                    self._changed(name, start, value)
                continue
            bound: Any = True
            if kind == "list":
                if isinstance(value, list):
                    value = StagedList.of(value, spec_of(StagedList(start)))
                if not isinstance(value, StagedList):
                    raise StagingTypeError(f"{name!r} grows in a loop, and is another list then")
                found.append(value.array)
                continue
            if value is UNDEFINED:
                value, bound = start, False
            elif value.__class__ is Maybe:
                value, bound = value.value, value.bound
            elif not converts(value):
                what = "None" if value is None else type(value).__name__
                raise StagingTypeError(f"{name!r} is {what} behind a turn of a loop, and no tensor")
            value = like(value, start, name, _WHERE)
            if kind == "tensor":
                if bound is not True:
                    raise StagingValueError(f"{name!r} may have no value behind a turn of a loop")
                self._check_shapes(name, start, value)
                found.append(value)
            else:
                found += [value, tf.convert_to_tensor(bound)]
        return found

    def _changed(self, name: str, start: Any, value: Any) -> None:
        if start is UNDEFINED:
            raise StagingValueError(f"{name!r} must be initialized before the loop")
        what = "None" if start is None else f"a {type(start).__name__}"
        raise StagingTypeError(f"{name!r} is {what} before the loop, which a turn of it changes")

    def _check_shapes(self, name: str, start: Any, value: Any) -> None:
        if any(one is before.value for one, _ in self.invariants for before in self.before):
            return
        both = zip(tf.nest.flatten(start), tf.nest.flatten(value), strict=True)
        for one, other in both:
            if not isinstance(one, tf.Tensor) or not isinstance(other, tf.Tensor):
                continue
            if not _within(other.shape, one.shape):
                raise StagingValueError(
                    f"{name!r} has shape {one.shape} before the loop, but shape {other.shape} after"
                    " one iteration; set_loop_options(shape_invariants=...) can say what they share"
                )

    def leave(self) -> None:
        """What a block did with the slots, which belongs to the graph of the block, is undone."""
        for one in self.before:
            one.restore()
        self.kept.restore()

    def left(self, values: Sequence[Any]) -> None:
        """Give the slots what they have behind the loop."""
        self.leave()
        self.kept.leave()
        for one, value in self._made(values):
            is_path = value.__class__ is Maybe and isinstance(one.slot, PathSlot)
            if isinstance(value, StagedList) and isinstance(one.value, list):
                one.fill([Gone(one.slot.name)])
            one.put(ld(value) if is_path else value)


def _within(shape: Any, model: Any) -> bool:
    """Whether all tensors of a shape are of the other, too."""
    if model.rank is None:
        return True
    if shape.rank != model.rank:
        return False
    return all(m is None or m == s for s, m in zip(shape, model, strict=True))


def _is_known(value: Any) -> bool:
    """Whether nothing has to be traced for what a slot is in a loop."""
    if isinstance(value, StagedList):
        return True
    return value.__class__ is not Maybe and not isinstance(value, list) and converts(value)


def _begins(value: Any) -> Any:
    """What a slot has when a turn is traced for nothing else."""
    if value is UNDEFINED or value.__class__ is Maybe or not converts(value):
        return value
    found = tf.nest.map_structure(_not_known, tensors_of(value))
    return ProbedList(found) if isinstance(found, list) else found


def _not_known(value: Any) -> Any:
    """A tensor of which only shape and type are known: what its first value is, is not for other
    turns."""
    if not isinstance(value, tf.Tensor):
        return value
    return tf.raw_ops.PlaceholderWithDefault(input=value, shape=value.shape)


def _widest(one: Any, other: Any) -> Any:
    """What both tensors are of."""
    if not isinstance(one, tf.Tensor):
        return one
    return tf.TensorSpec(one.shape.most_specific_compatible_shape(other.shape), one.dtype)


def _shape(value: Any) -> Any:
    if isinstance(value, tf.TensorArray):
        return tf.TensorShape(None)
    if isinstance(value, tf.Tensor | tf.TensorSpec):
        return value.shape
    return tf.type_spec_from_value(value)


def _specified(value: Any) -> Any:
    if value.__class__ is Maybe:
        return Maybe(value.name, _specified(value.value), True)
    if value is UNDEFINED or not converts(value):
        return value
    return tf.nest.map_structure(
        lambda one: tf.TensorSpec(one.shape, one.dtype) if isinstance(one, tf.Tensor) else one,
        tensors_of(value),
    )


def run(loop: Callable[[], Loop], how: Callable[[Loop], None]) -> None:
    """Run a loop; where that what was known of it does not hold, by what is found out now."""
    found = loop()
    try:
        how(found)
    except (StagingError, TypeError, ValueError):
        if found.key is None:
            raise
        _known.forget(found.key)
        how(loop())


def as_items(items: Any) -> Counted:
    """What is gone through as items with numbers."""
    if isinstance(items, Counted):
        return items
    if isinstance(items, tf.RaggedTensor):
        count = items.nrows()
        return Counted(tf.zeros([], count.dtype), count, lambda at: items[at], count=count)
    if isinstance(items, StagedList):
        items = items.array
    if isinstance(items, tf.TensorArray):
        return Counted(tf.constant(0), items.size(), items.read, count=items.size())
    found = tf.convert_to_tensor(items)
    if found.op.type == "Range":
        start, limit, step = found.op.inputs
        return Counted(start, limit, lambda at: at, step)
    if found.shape.rank == 0:
        raise StagingTypeError("a scalar tensor cannot be gone through")
    count = found.shape[0] if found.shape.rank and found.shape[0] else tf.shape(found)[0]
    rows = tf.TensorArray(found.dtype, size=count, element_shape=found.shape[1:])
    rows = rows.unstack(found)
    return Counted(tf.constant(0), tf.convert_to_tensor(count), rows.read, count=count)
