"""The back end of TensorFlow: where a tensor of a graph decides, ``if`` is ``tf.cond`` and a loop
``tf.while_loop``; eager tensors are Python's business.

What the blocks change goes through as tensors. What is the same on all ways stays what it is, also
if it is no tensor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from .backends import register
from .control import if_, not_, otherwise_of
from .errors import StagingError, StagingTypeError, StagingValueError, error_in
from .signals import CONTINUE, Return
from .slots import Bindings, Snapshot, slots_of
from .tensor_datasets import is_dataset, run_dataset
from .tensor_lists import Probing, StagedList, spec_of, tried
from .tensor_loops import Loop, as_items, run
from .tensor_overloads import OVERLOADS, Counted
from .tensor_values import (
    Known,
    are_same,
    converts,
    like,
    nothing_like,
    tensors_of,
    truth,
)
from .undefined import UNDEFINED, Maybe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .signals import Left
    from .slots import Slot

_known = Known()
_FIRST = "run the packs lower-continues, lower-returns and lower-breaks first"
_THEN, _ELSE = "where the condition is true", "where it is false"


class _Again(Exception):
    """The branch that was traced first has to give more."""


@dataclass
class _Given:
    """What one branch gives for one slot: tensors, or an object that is none, and whether it is
    bound. ``raw`` is what it was before it became tensors."""

    raw: Any
    value: Any = UNDEFINED
    bound: Any = True

    @property
    def is_object(self) -> bool:
        return self.raw is not UNDEFINED and self.value is UNDEFINED


def _given(raw: Any) -> _Given:
    if raw is UNDEFINED:
        return _Given(raw, bound=False)
    if raw.__class__ is Maybe:
        return _Given(raw, raw.value, raw.bound)
    if Probing.depth and isinstance(raw, list | StagedList):
        return _Given(raw)
    if isinstance(raw, StagedList):
        return _Given(raw, raw.array)
    if not converts(raw):
        return _Given(raw)
    return _Given(raw, tensors_of(raw))


class Branches:
    """The two ways of one ``if``."""

    def __init__(self, slots: Sequence[Slot], blocks: Sequence[Any]) -> None:
        self.slots = slots
        self.blocks = blocks
        self.before = [*map(Snapshot, slots)]
        self.kept = Bindings(slots, *blocks)
        self.models: dict[int, Any] = {}
        self.flagged: set[int] = set()
        self.lists: dict[int, Any] = {}
        self._check_signals: Callable[[], None]

    def taken(self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Left:
        """Trace both, and give the slots what they have behind it."""
        key = _known.key(self.blocks[0], [one.value for one in self.before])
        found = _known.get(key)
        if found is not None:
            self.models, self.flagged = dict(found[0]), set(found[1])
            try:
                return self._agreed(test, then, otherwise, key)
            except (StagingError, TypeError, ValueError):
                # What they gave then may be of another type than what they give now.
                _known.forget(key)
                self.models, self.flagged = {}, set()
        return self._agreed(test, then, otherwise, key)

    def _agreed(
        self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any], key: Any
    ) -> Left:
        for _ in range(3 * len(self.slots) + 3):
            try:
                signal = self._tried(truth(test), then, otherwise)
            except _Again:
                continue
            if self.models or self.flagged:
                _known.keep(key, (self.models, self.flagged))
            return signal
        raise AssertionError("the branches never agree")

    def _tried(self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Left:
        ends: list[list[_Given]] = []
        signals: list[Left] = []

        def traced(block: Callable[[], Any], is_first: bool) -> list[Any]:
            try:
                signal = block()
                raw = [one.now() for one in self.before]
            finally:
                self._restore()
            found = [*map(_given, raw)]
            if isinstance(signal, Return):
                found.append(_given(signal.value))
            signals.append(signal)
            ends.append(found)
            return self._outputs(found, ends[0] if not is_first else None, signals)

        self._check_signals = lambda: _check(signals, then, otherwise)
        outputs = tf.cond(test, lambda: traced(then, True), lambda: traced(otherwise, False))
        return self._received(test, [*tf.nest.flatten(outputs)], ends, signals)

    def _name(self, at: int) -> str:
        return self.slots[at].name if at < len(self.slots) else "the result"

    def _outputs(
        self, found: list[_Given], first: list[_Given] | None, signals: list[Left]
    ) -> list[Any]:
        if first is not None:
            self._check_signals()
        outputs: list[Any] = []
        for at, given in enumerate(found):
            one = found[at] = self._as_list(at, given, first)
            if first is not None:
                self._agree(at, one, first[at])
            model = self.models.get(at, UNDEFINED)
            if first is not None and first[at].value is not UNDEFINED:
                model = first[at].value
            if model is not UNDEFINED and not one.is_object:
                one.value = self._like(one, model, self._name(at))
            if one.value is not UNDEFINED:
                outputs += tf.nest.flatten(one.value)
            if at in self.flagged:
                outputs.append(tf.convert_to_tensor(one.bound))
        return outputs or [tf.constant(0)]

    def _like(self, one: _Given, model: Any, name: str) -> Any:
        """What a branch gives, as the other gives it."""
        if one.value is UNDEFINED:
            return nothing_like(model)
        is_made = isinstance(one.raw, Maybe | StagedList)
        return like(one.value if is_made else one.raw, model, name, "in both branches")

    def _as_list(self, at: int, one: _Given, first: list[_Given] | None) -> _Given:
        """A list as a staged one, where that is what it is on the other way."""
        if Probing.depth:
            return one
        if (
            first is not None
            and isinstance(one.raw, StagedList)
            and isinstance(first[at].raw, list)
        ):
            self.lists[at] = spec_of(one.raw)
            raise _Again
        if first is not None and isinstance(first[at].raw, StagedList):
            self.lists.setdefault(at, spec_of(first[at].raw))
        if at not in self.lists or not isinstance(one.raw, list):
            return one
        return _given(StagedList.of(one.raw, self.lists[at]))

    def _agree(self, at: int, one: _Given, first: _Given) -> None:
        """Whether what both branches give goes together. Raises what says why it does not."""
        if at not in self.models:
            if first.value is UNDEFINED and one.value is not UNDEFINED and not first.is_object:
                self._again(at, one.value)
            if _is_narrower(first, one):
                self._again(at, one.value)
        if at not in self.flagged:
            both = {type(b) if not isinstance(b, bool) else b for b in (first.bound, one.bound)}
            if any(not isinstance(b, bool) for b in both):
                self.flagged.add(at)
                raise _Again
        name = self._name(at)
        if first.is_object or one.is_object:
            if not are_same(first.raw, one.raw) and not _are_tried(first.raw, one.raw):
                self._objects_differ(name, first.raw, one.raw)

    def _again(self, at: int, value: Any) -> None:
        self.models[at] = tf.nest.map_structure(_spec, value)
        raise _Again

    def _objects_differ(self, name: str, first: Any, other: Any) -> None:
        if first is UNDEFINED or other is UNDEFINED:
            where = "else" if other is UNDEFINED else "main"
            reason = f"{name!r} must also be initialized in the {where} branch: it is no tensor"
            raise StagingValueError(reason)
        if first is None or other is None:
            which = _THEN if first is None else _ELSE
            raise StagingTypeError(f"{name!r} is None {which}, and something else otherwise")
        kinds = f"{type(first).__name__} {_THEN} and {type(other).__name__} {_ELSE}"
        raise StagingTypeError(f"{name!r} is {kinds}, which no tensor can decide")

    def _received(
        self, test: Any, outputs: list[Any], ends: list[list[_Given]], signals: list[Left]
    ) -> Left:
        results: list[Any] = []
        first, second = ends
        for at, (one, other) in enumerate(zip(first, second, strict=True)):
            value: Any = UNDEFINED
            if one.value is not UNDEFINED:
                count = len(tf.nest.flatten(one.value))
                value = tf.nest.pack_sequence_as(one.value, outputs[:count])
                del outputs[:count]
            bound = outputs.pop(0) if at in self.flagged else _bound(one.bound, other.bound, test)
            if isinstance(one.raw, StagedList) and value is not UNDEFINED:
                value = StagedList(value)
            elif are_same(one.raw, other.raw):
                value, bound = one.raw, True
            elif one.is_object:
                are_tried = _are_tried(one.raw, other.raw)
                value = tried(one.raw, other.raw) if are_tried else one.raw
            if value is UNDEFINED or bound is True:
                results.append(value)
            else:
                results.append(Maybe(self._name(at), value, bound))
        self.kept.leave()
        for snapshot, value in zip(self.before, results, strict=False):
            snapshot.put(value)
        if not isinstance(signals[0], Return):
            return signals[0]
        return Return(results[-1])

    def _restore(self) -> None:
        for one in self.before:
            one.restore()
        self.kept.restore()


def _are_tried(*ways: Any) -> bool:
    return Probing.depth > 0 and all(isinstance(one, list | StagedList) for one in ways)


def _bound(one: Any, other: Any, test: Any) -> Any:
    if one is other:
        return one
    return test if one else tf.logical_not(test)


def _is_narrower(first: _Given, other: _Given) -> bool:
    """Whether the first is a plain number that has to be of the type of the other, a tensor."""
    if first.value is UNDEFINED or other.value is UNDEFINED:
        return False
    if not isinstance(first.raw, int | float) or isinstance(first.raw, bool):
        return False
    if isinstance(other.raw, int | float):
        return isinstance(first.raw, int) and isinstance(other.raw, float)
    types = [getattr(one.value, "dtype", None) for one in (first, other)]
    return None not in types and types[0] != types[1]


def _spec(value: Any) -> Any:
    return tf.TensorSpec(value.shape, value.dtype) if isinstance(value, tf.Tensor) else value


def _check(signals: Sequence[Left], then: Any, otherwise: Any) -> None:
    one, other = signals
    if isinstance(one, Return) and isinstance(other, Return):
        return
    if one is not other:
        what = "returns" if Return in (type(one), type(other)) else "leaves a loop"
        reason = f"one branch {what}, and the other goes on: a tensor decides which; {_FIRST}"
        raise error_in(then if one is not None else otherwise, reason)


class TensorBackend:
    """The back end of tensors, and of what is gone through."""

    overloads: Mapping[Any, Callable[..., Any]] = OVERLOADS

    def takes(self, value: Any) -> bool:
        return not tf.executing_eagerly() or isinstance(value, Counted)

    def if_(
        self, test: Any, then: Callable[[], Left], rest: Sequence[Any], state: str | None
    ) -> Left:
        otherwise = otherwise_of(rest, state)
        return Branches(slots_of(state, then, *rest), (then, *rest)).taken(test, then, otherwise)

    def while_(
        self,
        asked: Any,
        test: Callable[[], Any],
        body: Callable[[], Left],
        otherwise: Any,
        state: str | None,
        options: Mapping[str, Any] | None,
    ) -> Left:
        run(
            lambda: Loop(slots_of(state, test, body), body, test, options),
            lambda loop: loop.run(asked, test, lambda: _turn(body)),
        )
        return otherwise() if otherwise is not None else None

    def for_(
        self,
        items: Any,
        body: Callable[[Any], Left],
        otherwise: Any,
        state: str | None,
        until: Callable[[], Any] | None,
        options: Mapping[str, Any] | None,
    ) -> Left:
        def how(loop: Loop) -> None:
            if is_dataset(items):
                run_dataset(loop, items, lambda item: _turn(body, item), until)
            else:
                loop.run_items(as_items(items), lambda item: _turn(body, item), until)

        run(lambda: Loop(slots_of(state, body, until), body, until, options), how)
        return self._else(otherwise, until, state)

    def rest_of_for(
        self,
        items: Iterator[Any],
        body: Callable[[Any], Left],
        otherwise: Any,
        state: str | None,
        until: Callable[[], Any],
    ) -> Left:
        """Items of Python's own, all of which have to be gone through."""
        for item in items:
            here = slots_of(state, body, until)

            def turn(item: Any = item) -> None:
                _turn(body, item)

            Branches(here, (body, until)).taken(self.not_(until()), turn, lambda: None)
        return self._else(otherwise, until, state)

    def _else(self, otherwise: Any, until: Callable[[], Any] | None, state: str | None) -> Left:
        if otherwise is None:
            return None
        if until is None:
            return otherwise()  # type: ignore[no-any-return]
        return if_(not_(until()), otherwise, state=state)

    def if_expression(
        self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]
    ) -> Any:
        found = Branches((), (then, otherwise)).taken(
            test, lambda: Return(then()), lambda: Return(otherwise())
        )
        assert isinstance(found, Return)
        return found.value

    def and_(self, value: Any, following: Callable[[], Any]) -> Any:
        return self._connected(value, following, None)

    def or_(self, value: Any, following: Callable[[], Any]) -> Any:
        return self._connected(value, None, following)

    def _connected(
        self, value: Any, then: Callable[[], Any] | None, otherwise: Callable[[], Any] | None
    ) -> Any:
        """Of several values the one that Python would take, as a boolean unless they are alike."""
        decided = tf.constant(then is None)
        is_truth = getattr(value, "dtype", None) == tf.bool
        own = (lambda: decided) if is_truth else (lambda: value)
        return self.if_expression(value, then or own, otherwise or own)

    def not_(self, value: Any) -> Any:
        return tf.logical_not(truth(value))

    def check(self, test: Any, message: Callable[[], Any] | None) -> None:
        said = message() if message is not None else "assertion failed"
        data = tf.nest.flatten(said) if converts(said) else [str(said)]
        tf.debugging.Assert(truth(test), data)

    def set_item(self, owner: Any, key: Any, value: Any) -> Any:
        """The tensor that has another item."""
        if isinstance(owner, StagedList):
            owner[key] = value
            return owner
        if isinstance(owner, tf.TensorArray):
            return owner.write(key, value)
        if isinstance(owner, tf.Variable):
            owner[key].assign(value)
            return owner
        if isinstance(key, slice | tuple) or key is Ellipsis:
            return _with_slice(owner, key, value)
        at = tf.convert_to_tensor(key)
        at = tf.where(at < 0, at + tf.shape(owner, at.dtype)[0], at)
        value = tf.convert_to_tensor(value, owner.dtype)
        value = tf.broadcast_to(value, tf.shape(owner)[1:])
        return tf.tensor_scatter_nd_update(owner, [[at]], [value])

    def scope(self, name: str) -> Any:
        if tf.executing_eagerly():
            return None
        # The graph takes no other letters, and some of these not first.
        return tf.name_scope(re.sub(r"[^A-Za-z0-9_.-]", "_", name).lstrip("_-") or "function")

    def checked(self, value: Maybe) -> Any:
        reason = f"{value.name!r} has no value here: only some ways lead to one"
        with tf.control_dependencies([tf.debugging.Assert(value.bound, [reason])]):
            return tf.nest.map_structure(
                lambda one: tf.identity(one) if isinstance(one, tf.Tensor) else one, value.value
            )


def _with_slice(owner: Any, key: Any, value: Any) -> Any:
    size = tf.size(owner)
    places = tf.reshape(tf.range(size), tf.shape(owner))[key]
    value = tf.broadcast_to(tf.convert_to_tensor(value, owner.dtype), tf.shape(places))
    flat = tf.tensor_scatter_nd_update(
        tf.reshape(owner, [-1]), tf.reshape(places, [-1, 1]), tf.reshape(value, [-1])
    )
    return tf.reshape(flat, tf.shape(owner))


def _turn(body: Callable[..., Left], *item: Any) -> None:
    signal = body(*item)
    if signal is None or signal is CONTINUE:
        return
    what = "returns a value" if isinstance(signal, Return) else "is left by a break"
    reason = f"a loop {what}, and a tensor decides how many turns it has; {_FIRST}"
    raise error_in(body, reason)


_BACKEND = TensorBackend()
for _kind in (tf.Tensor, tf.Variable, tf.RaggedTensor, tf.data.Dataset, tf.data.Iterator, Counted,
              tf.TensorArray, StagedList):  # fmt: skip
    register(_kind, _BACKEND)

__all__ = ["StagingError", "TensorBackend"]
