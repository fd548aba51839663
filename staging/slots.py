"""Slots: the variables, attributes and items that a block changes, to be read and put back."""

from __future__ import annotations

import ast
import functools

from .backends import backend_of
from .undefined import UNDEFINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import CellType
    from typing import Any, TypeAlias

    Step: TypeAlias = tuple[bool, Any]


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
    """What a slot has, to be put back; what a list or dictionary has, or a list of a back end, too,
    since a block may change that where it is."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.value = slot.get()
        self._items = self._copy()

    def _copy(self) -> Any:
        is_changed = (
            isinstance(self.value, list)
            or type(self.value) is dict
            or hasattr(type(self.value), "array_of")
        )
        return self.value.copy() if is_changed else None

    def now(self) -> Any:
        """What the slot has, a copy of it where that was changed in its place."""
        found = self.slot.get()
        is_changed = self._items is not None and found is self.value and not _alike(
            found, self._items
        )  # fmt: skip
        return found.copy() if is_changed else found

    def restore(self) -> None:
        self.slot.set(self.value)
        if self._items is not None and not _alike(self.value, self._items):
            self._fill(self._items)

    def has_staged(self) -> bool:
        """Whether something staged was put into what the slot has."""
        if self._items is None or _alike(self.value, self._items):
            return False
        if not isinstance(self.value, list | dict):
            return True
        now, before = (x.values() if isinstance(x, dict) else x for x in (self.value, self._items))
        known = {*map(id, before)}
        return any(id(one) not in known and backend_of(type(one)) is not None for one in now)

    def put(self, value: Any) -> None:
        """Give the slot another value; a list or dictionary that is like the one that it has is
        changed in its place, for others who have that."""
        if self._items is not None and type(value) is type(self.value) and value is not self.value:
            self.slot.set(self.value)
            self._fill(value)
        else:
            self.slot.set(value)

    def _fill(self, items: Any) -> None:
        if hasattr(type(self.value), "array_of"):
            self.value.array = items.array
            return
        self.value.clear()
        (self.value.extend if isinstance(self.value, list) else self.value.update)(items)


def _alike(one: Any, other: Any) -> bool:
    """Whether two lists, or dictionaries, have the same objects."""
    if hasattr(type(one), "array_of"):
        return one.array is other.array
    if isinstance(one, dict):
        return [*one] == [*other] and _alike([*one.values()], [*other.values()])
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def slots_of(state: str | None, *blocks: Block) -> list[Slot]:
    """Those that ``state`` names, `x, self.n`, as functions see them; where it is None the
    variables that these share and bind."""
    if state is None:
        return [one for one in shared(*blocks) if isinstance(one, CellSlot)]
    found: list[Slot] = []
    for path, (root, steps) in _parsed(state):
        slot = _variable(root, blocks)
        classes = {part for one in blocks for part in getattr(one, "__qualname__", "").split(".")}
        found.append(PathSlot(path, slot, steps, sorted(classes)) if steps else slot)
    return found


class Bindings:
    """What the variables that functions share are bound to, but those of ``slots``, to be bound to
    again: a block of a graph leaves what others must not have."""

    def __init__(self, slots: Sequence[Slot], *blocks: Block) -> None:
        own = {id(one.cell) for one in slots if isinstance(one, CellSlot)}
        cells = {
            id(cell): CellSlot(name, cell)
            for block in blocks
            if block is not None and hasattr(block, "__code__")
            for name, cell in zip(block.__code__.co_freevars, block.__closure__ or (), strict=True)
            if id(cell) not in own
        }
        self._kept = [*map(Snapshot, cells.values())]

    def restore(self) -> None:
        """What plain values a list or dictionary has got stays: Python has put them there now."""
        for one in self._kept:
            if one.slot.get() is not one.value:
                one.slot.set(one.value)
            if one.has_staged():
                one.restore()


def shared(*blocks: Block) -> list[Slot]:
    """The variables that functions share and bind."""
    found: dict[int, Slot] = {}
    for block in blocks:
        code = getattr(block, "__code__", None)
        if block is None or code is None:
            continue
        bound = _bound(code)
        for name, cell in zip(code.co_freevars, block.__closure__ or (), strict=True):
            if name in bound:
                found.setdefault(id(cell), CellSlot(name, cell))
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
