"""Objects: what the abstract interpreter computes with, each standing for one or more real ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Unknown:
    """Anything at all."""


@dataclass(frozen=True)
class Constant:
    """A literal. ``kind`` keeps ``1``, ``True`` and ``"1"`` apart as keys."""

    kind: str
    value: object


@dataclass(frozen=True)
class Opaque:
    """An instance of the builtin class ``kind`` of which nothing else is known."""

    kind: str


@dataclass(frozen=True)
class Module:
    """A module of the project, by its dotted name."""

    name: str


@dataclass(frozen=True)
class Result:
    """What calling ``callee``, which is not of the project, gave at ``site``; ``[]``: an item."""

    callee: str
    site: tuple[int, int]


@dataclass(frozen=True)
class Unseen:
    """Something that comes from where nothing was seen: a parameter, or a ``path`` from one.

    The parameter ``x`` of ``m.f``: ``m.f(x)``; what follows is written as in Python, without
    arguments and indices: ``m.f(x).model()[]``.
    """

    path: str


@dataclass(frozen=True)
class External:
    """What ``name`` means outside the project; ``owner``: what it is an attribute of."""

    name: str
    owner: Result | Instance | None = None


@dataclass(frozen=True)
class Builtin:
    """A builtin function or class."""

    name: str


@dataclass(frozen=True)
class Function:
    """A function or lambda: the scope's node, and the frame in which it was made."""

    node: int
    frame: int


@dataclass(frozen=True)
class Class:
    """A class: its node, and the frame in which it was made."""

    node: int
    frame: int


@dataclass(frozen=True)
class Instance:
    """An instance of ``cls`` that was made at ``site`` (a frame and a node)."""

    cls: Class
    site: tuple[int, int]


@dataclass(frozen=True)
class Container:
    """A list, tuple, dict, set or generator that was made at ``site``."""

    kind: str
    site: tuple[int, int]


@dataclass(frozen=True)
class Method:
    """``function`` bound to ``receiver``, an instance or, for class methods, a class."""

    function: Function
    receiver: Instance | Class


@dataclass(frozen=True)
class BuiltinMethod:
    """A method of a builtin class; ``owner`` is the object it is bound to."""

    kind: str
    name: str
    owner: Container | Opaque | Constant


@dataclass(frozen=True)
class Wrapped:
    """A function under ``staticmethod``, ``classmethod`` or ``property``."""

    how: str
    function: Function


@dataclass(frozen=True)
class Partial:
    """``functools.partial``: ``function`` with the arguments that were given at ``site``."""

    function: Object
    site: tuple[int, int]


@dataclass(frozen=True)
class Super:
    """``super()``: the attributes of ``receiver`` from behind ``cls`` on."""

    cls: Class
    receiver: Instance | Class


Object: TypeAlias = (
    "Unknown | Constant | Opaque | Module | External | Result | Unseen | Builtin | Function | Class"
    " | Instance | Container | Method | BuiltinMethod | Wrapped | Partial | Super"
)  # fmt: skip
Objects: TypeAlias = frozenset[Object]

UNKNOWN: Objects = frozenset({Unknown()})
NONE: Objects = frozenset({Constant("NoneType", None)})
NOTHING: Objects = frozenset()
