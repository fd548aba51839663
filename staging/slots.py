"""Slots: the variables, attributes and items that a block changes, to be read and put back."""

from __future__ import annotations

import ast
import functools
from copy import copy
from types import FunctionType, ModuleType

from .backends import backend_of
from .errors import warn_of_change
from .undefined import UNDEFINED, Gone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import CellType
    from typing import Any, TypeAlias

    Step: TypeAlias = tuple[bool, Any]


# Libraries that have tensors of their own: what these do with their objects is their business.
OF_TENSORS = {
    "jax", "keras", "numpy", "pinsetter", "tensorflow", "tensorflow_probability", "tf_keras",
    "torch",
}  # fmt: skip


class CellSlot:
    """A variable of a function around."""

    def __init__(self, name: str, cell: CellType) -> None:
        self.name, self.cell = name, cell

    def get(self) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            return UNDEFINED

    def set(self, value: Any) -> None:
        if value is not UNDEFINED:
            self.cell.cell_contents = value
        elif self.get() is not UNDEFINED:
            del self.cell.cell_contents


class GlobalSlot:
    """A name of a module."""

    def __init__(self, name: str, names: dict[str, Any]) -> None:
        self.name, self._names = name, names

    def get(self) -> Any:
        return self._names.get(self.name, UNDEFINED)

    def set(self, value: Any) -> None:
        if value is not UNDEFINED:
            self._names[self.name] = value
        else:
            self._names.pop(self.name, None)


class PathSlot:
    """An attribute or item: ``self.n``, ``d['k']``. ``classes`` are those of which a private name
    may be."""

    def __init__(
        self, path: str, root: Slot, steps: Sequence[Step], classes: Iterable[str]
    ) -> None:
        self.name, self._root = path, root
        self._steps, self._classes = steps, tuple(classes)

    def _parent(self) -> Any:
        found = self._root.get()
        for step in self._steps[:-1]:
            found = self._read(found, step)
        return found

    def _read(self, owner: Any, step: Step) -> Any:
        is_item, name = step
        return owner[name] if is_item else getattr(owner, self._private(owner, name))

    def _private(self, owner: Any, name: str) -> str:
        if not name.startswith("__") or name.endswith("__"):
            return name
        spelled = [f"_{one.lstrip('_')}{name}" for one in self._classes]
        return next((one for one in spelled if hasattr(owner, one)), name)

    def get(self) -> Any:
        try:
            return self._read(self._parent(), self._steps[-1])
        except (AttributeError, LookupError):
            return UNDEFINED

    def set(self, value: Any) -> None:
        if self._root.get() is UNDEFINED or self.get() is value:
            return
        owner, (is_item, name) = self._parent(), self._steps[-1]
        if is_item and value is not UNDEFINED:
            owner[name] = value
        elif is_item:
            del owner[name]
        elif value is not UNDEFINED:
            setattr(owner, self._private(owner, name), value)
        else:
            delattr(owner, self._private(owner, name))


if TYPE_CHECKING:
    Slot: TypeAlias = CellSlot | GlobalSlot | PathSlot
    Block: TypeAlias = Callable[..., Any] | None


class Snapshot:
    """What a slot has, to be put back; what a list, dictionary or set has, or a list of a back end,
    too, since a block may change that where it is, and with ``deep`` the attributes of objects."""

    def __init__(self, slot: Slot, deep: bool = False) -> None:
        self.slot = slot
        self.value = slot.get()
        self._place = vars(self.value) if deep and _is_users(self.value) else self.value
        is_changed = isinstance(self._place, list | dict | set) or _is_of_backend(self._place)
        self._items = copy(self._place) if is_changed else None

    @property
    def is_changed(self) -> bool:
        """Whether a block has changed, in its place, what the slot has had."""
        return self._items is not None and not _alike(self._place, self._items)

    def now(self) -> Any:
        """What the slot has, a copy of it where that was changed in its place."""
        found = self.slot.get()
        return copy(found) if found is self.value and self.is_changed else found

    def gone(self) -> Any:
        """What it was changed to, with Gone for what is staged; None if nothing of it is."""
        if not self.is_changed or _is_of_backend(self._place):
            return copy(self._place) if self.is_changed else None
        known = {*map(id, _items_of(self._items))}
        new = {
            id(one) for one in _items_of(self._place)
            if id(one) not in known and (type(one) is Gone or backend_of(type(one)) is not None)
        }  # fmt: skip
        if not new:
            return None
        own = Gone(self.slot.name)
        if isinstance(self._place, dict):
            return {key: own if id(one) in new else one for key, one in self._place.items()}
        kind: Any = type(self._items)
        return kind(own if id(one) in new else one for one in self._place)

    def restore(self) -> None:
        if self.slot.get() is not self.value:
            self.slot.set(self.value)
        if self.is_changed:
            self.fill(self._items)

    def put(self, value: Any) -> None:
        """Give the slot another value; a list or dictionary that is like the one that it has is
        changed in its place, for others who have that."""
        if self._items is not None and type(value) is type(self.value) and value is not self.value:
            self.slot.set(self.value)
            self.fill(value)
        else:
            self.slot.set(value)

    def fill(self, items: Any) -> None:
        """Let what the slot has had have other items."""
        if _is_of_backend(self._place):
            self._place.array = items.array
        elif items is not self._place:
            self._place.clear()
            (self._place.extend if isinstance(self._place, list) else self._place.update)(items)


def _is_users(value: Any) -> bool:
    """Whether the attributes of an object are those that a class of the user's own gives it."""
    if type(value).__module__.partition(".")[0] in OF_TENSORS:
        return False
    return hasattr(value, "__dict__") and not isinstance(value, FunctionType | ModuleType | type)


def _is_of_backend(value: Any) -> bool:
    return hasattr(type(value), "array_of")


def _items_of(value: Any) -> list[Any]:
    return [*(value.values() if isinstance(value, dict) else value)]


def _alike(one: Any, other: Any) -> bool:
    """Whether two lists, dictionaries or sets have the same objects."""
    if _is_of_backend(one):
        return one.array is other.array
    if isinstance(one, dict) and [*one] != [*other]:
        return False
    return [*map(id, _items_of(one))] == [*map(id, _items_of(other))]


def slots_of(state: str | None, *blocks: Block) -> list[Slot]:
    """Those that ``state`` names, `x, self.n`, as functions see them; where it is None the
    variables that these share and bind."""
    if state is None:
        return [*shared(*blocks)]
    found: list[Slot] = []
    for path, (root, steps) in _parsed(state):
        slot = _variable(root, blocks)
        classes = {part for one in blocks for part in getattr(one, "__qualname__", "").split(".")}
        found.append(PathSlot(path, slot, steps, sorted(classes)) if steps else slot)
    return found


class Bindings:
    """What the variables that functions share are bound to, but those of ``slots``, to be bound to
    again, and those that functions among them bind. What a block puts there that is staged belongs
    to its graph: it is not there while other blocks are traced, and then it is Gone. What is not
    staged has happened now, which is a warning."""

    def __init__(self, slots: Sequence[Slot], *blocks: Block) -> None:
        own = {id(one.cell) for one in slots if isinstance(one, CellSlot)}
        self._block = blocks[0]
        free = {id(one.cell): one for one in _cells(*blocks) if id(one.cell) not in own}
        self._kept = [Snapshot(one, deep=True) for one in free.values()]
        functions = [one.value for one in self._kept if isinstance(one.value, FunctionType)]
        inner = [one for one in shared(*functions) if id(one.cell) not in free.keys() | own]
        self._inner = [*map(Snapshot, inner)]
        self._gone: dict[int, Callable[[], None]] = {}

    def restore(self) -> None:
        for one in (*self._kept, *self._inner):
            gone, now = one.gone(), one.slot.get()
            if gone is not None:
                self._gone[id(one)] = functools.partial(one.fill, gone)
            elif one in self._inner and now is not one.value:
                if backend_of(type(now)) is None:
                    warn_of_change(self._block, one.slot.name)
                    continue
                self._gone[id(one)] = functools.partial(one.slot.set, Gone(one.slot.name))
            elif one.is_changed:
                warn_of_change(self._block, one.slot.name)
                continue
            one.restore()

    def leave(self) -> None:
        """All blocks are traced."""
        for change in self._gone.values():
            change()


def _cells(*blocks: Block) -> Iterator[CellSlot]:
    """The variables of others that functions use."""
    for block in blocks:
        code = getattr(block, "__code__", None)
        if block is not None and code is not None:
            for name, cell in zip(code.co_freevars, block.__closure__ or (), strict=True):
                yield CellSlot(name, cell)


def shared(*blocks: Block) -> list[CellSlot]:
    """The variables that functions share and bind."""
    found: dict[int, CellSlot] = {}
    for block in blocks:
        code = getattr(block, "__code__", None)
        bound = _bound(code) if code is not None else frozenset()
        for one in _cells(block):
            if one.name in bound:
                found.setdefault(id(one.cell), one)
    return list(found.values())


@functools.lru_cache(maxsize=4096)
def _bound(code: Any) -> frozenset[str]:
    """The names of functions around that code binds, in functions inside it as well."""
    import dis

    names = {
        str(one.argval) for one in dis.get_instructions(code)
        if one.opname in ("STORE_DEREF", "DELETE_DEREF") and one.argval in code.co_freevars
    }  # fmt: skip
    for one in code.co_consts:
        if isinstance(one, type(code)):
            names |= _bound(one) & {*code.co_freevars}
    return frozenset(names)


def _variable(name: str, blocks: Sequence[Block]) -> Slot:
    for block in blocks:
        code = getattr(block, "__code__", None)
        if block is not None and code is not None and name in code.co_freevars:
            return CellSlot(name, (block.__closure__ or ())[code.co_freevars.index(name)])
    spaces = (getattr(one, "__globals__", None) for one in blocks)
    return GlobalSlot(name, next(filter(None, spaces), {}))


@functools.lru_cache(maxsize=1024)
def _parsed(state: str) -> tuple[tuple[str, tuple[str, tuple[Step, ...]]], ...]:
    if not state:
        return ()
    tree = ast.parse(f"({state},)", mode="eval").body
    assert isinstance(tree, ast.Tuple)
    return tuple((ast.unparse(one), _steps(one)) for one in tree.elts)


def _steps(path: ast.expr) -> tuple[str, tuple[Step, ...]]:
    steps: list[Step] = []
    while not isinstance(path, ast.Name):
        if isinstance(path, ast.Attribute):
            steps.append((False, path.attr))
            path = path.value
        else:
            assert isinstance(path, ast.Subscript)
            steps.append((True, ast.literal_eval(path.slice)))
            path = path.value
    return path.id, tuple(reversed(steps))
