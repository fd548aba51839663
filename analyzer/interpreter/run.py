"""Run: one abstract run of a project, module by module as Python would, with a record of its calls.

Functions are entered at each call with the arguments of that call, so that facts are those of a
point of the run and not of a name. What would not end (recursion, deep calls, very many of them) is
cut: such a call is recorded, and what it returns is not known.
"""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path

from ..definition import is_generator
from ..module import Module as SourceModule
from ..project import Project
from ..scopes import Binding, Scope
from ..tree import LN
from .objects import (
    NOTHING,
    UNKNOWN,
    Builtin,
    BuiltinMethod,
    Class,
    Function,
    Instance,
    Method,
    Object,
    Objects,
    Super,
    Wrapped,
)
from .state import State, Written

BUILTINS = frozenset(dir(builtins)) | {"unicode", "xrange", "raw_input", "reduce", "basestring"}
# What is followed at most: calls inside one another, calls of one function one by one, rounds of a
# loop, of a recursion, statements for each module on the average.
MAX_DEPTH = 30
MAX_ENTRIES = 12
MAX_ROUNDS = 6
MAX_REPEATS = 3
MAX_STEPS = 20_000
# The items of a container whose keys are not known; what a function returns and yields.
ITEMS = "<items>"
RETURNED = "<returned>"
YIELDED = "<yielded>"


@dataclass(eq=False)
class Frame:
    """One activation of a scope."""

    number: int
    scope: Scope
    module: SourceModule
    outer: Frame | None
    caller: str
    """The function that calls are recorded for; a comprehension's is the one around it."""
    owner: Hashable = None
    """Under what the variables are stored: the frame, or the class whose body it is."""
    receiver: Object | None = None
    left: list[Written] = field(default_factory=list)
    """What the branches wrote that ended in a return, break or raise."""


@dataclass(frozen=True)
class Signature:
    """What is asked of a function at every call of it."""

    parameters: tuple[Binding, ...]
    generator: bool


class Run:
    """The state of the run and what was seen in it."""

    def __init__(self, project: Project, base: Path | None = None) -> None:
        self.project = project
        self._base = base.resolve() if base is not None else None
        self.state = State()
        self.calls: defaultdict[str, set[str]] = defaultdict(set)
        self.frames: dict[int, Frame] = {}
        self.scopes: dict[int, tuple[Scope, SourceModule]] = {}
        self.bases: dict[Class, list[Object]] = {}
        self.names: dict[int, str] = {}
        self.modules: dict[str, Frame] = {}
        self.entered: set[int] = set()
        self.entries: defaultdict[int, int] = defaultdict(int)
        self.waiting: dict[Function, None] = {}
        """The functions that were made, in order."""
        self.active: list[Function] = []
        self.steps = 0
        self.most_steps = MAX_STEPS * max(1, len(project.modules))
        self.last: dict[Function, int] = {}
        """The frame of each function's latest activation."""
        self.cut = 0
        """Calls that were recorded but not followed: too deep, or after too many steps."""
        self.again: set[Function] = set()
        """Functions that called themselves: their bodies are run once more."""
        self.fstrings: dict[int, list[LN]] = {}
        """The expressions in f-strings; kept, for nodes are known by their identity."""
        self._contexts: dict[Hashable, int] = {}
        self._sites: dict[tuple[int, int], int] = {}
        self._signatures: dict[int, Signature] = {}
        self._owners: dict[tuple[int, str], Scope | None] = {}

    def context(self, key: Hashable) -> int:
        """A number for a calling context: the same key has the same one."""
        return self._contexts.setdefault(key, len(self._contexts) + 1)

    def site(self, frame: Frame, node: LN, which: int = 0) -> tuple[int, int]:
        """Where an object is made: the same place of the same frame makes the same one.

        Nodes are numbered as they are met, for their addresses differ from run to run.
        """
        return frame.number, self._sites.setdefault((id(node), which), len(self._sites))

    def record(self, frame: Frame, callee: str) -> None:
        self.calls[frame.caller].add(callee)
        _ = self.calls[callee]

    def module_name(self, source: SourceModule) -> str:
        """The module's dotted path below ``base``, if it is there, or in its repository."""
        path = source.path.resolve()
        if self._base is None or not path.is_relative_to(self._base):
            return source.name
        parts = path.relative_to(self._base).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)

    def learn(self, source: SourceModule) -> None:
        """Name the functions and classes of a module."""
        module = self.module_name(source)
        lambdas: defaultdict[int, int] = defaultdict(int)
        for scope in source.scopes:
            self.scopes[id(scope.node)] = scope, source
            if scope.name == "<lambda>":
                around = scope.parent
                while around is not None and around.kind in ("comprehension", "type"):
                    around = around.parent
                assert around is not None
                lambdas[id(around)] += 1
                parts = [module, around.qualified_name, f"<lambda{lambdas[id(around)]}>"]
            else:
                parts = [module, scope.qualified_name]
            self.names[id(scope.node)] = ".".join(part for part in parts if part)
            if scope.kind == "function":
                _ = self.calls[self.names[id(scope.node)]]

    def in_order(self, objects: Objects) -> list[Object]:
        """The objects in an order that is the same in every run."""
        return sorted(objects, key=self._order) if len(objects) > 1 else list(objects)

    def _order(self, found: Object) -> str:
        return repr(self._label(found))

    def _label(self, found: Object) -> tuple[Hashable, ...]:
        kind = type(found).__name__
        if isinstance(found, Function | Class):
            return kind, self.names[found.node], found.frame
        if isinstance(found, Instance):
            return kind, self.names[found.cls.node], found.cls.frame, found.site
        if isinstance(found, Method):
            return kind, *self._label(found.function), *self._label(found.receiver)
        if isinstance(found, Wrapped):
            return kind, found.how, *self._label(found.function)
        if isinstance(found, Super):
            return kind, *self._label(found.cls), *self._label(found.receiver)
        if isinstance(found, BuiltinMethod):
            return kind, found.name, *self._label(found.owner)
        return kind, repr(found)  # of names and numbers

    def signature(self, function: Function) -> Signature:
        found = self._signatures.get(function.node)
        if found is None:
            scope, _ = self.scopes[function.node]
            bound = [b for held in scope.bindings.values() for b in held if b.kind == "parameter"]
            # `*args` and what follows have no position.
            bound.sort(key=lambda b: b.element if b.element >= (0,) else (len(bound),))
            found = Signature(tuple(bound), is_generator(scope.node))
            self._signatures[function.node] = found
        return found

    # ------------------------------------------------------------ variables

    def holder(self, frame: Frame, name: str) -> Frame | None:
        """The frame whose variable ``name`` is where ``frame`` runs."""
        key = (id(frame.scope), name)
        if key not in self._owners:
            self._owners[key] = frame.scope.owner(name)
        wanted = self._owners[key]
        if wanted is None:
            return None
        current: Frame | None = frame
        while current is not None and current.scope is not wanted:
            current = current.outer
        return current

    def read(self, frame: Frame, name: str) -> Objects:
        holder = self.holder(frame, name)
        if holder is not None:
            return self.state.get(holder.owner, name) or NOTHING
        top = self.modules.get(frame.module.name)
        star = self.state.get(top.owner, name) if top is not None else None
        if star is not None:
            return star
        return frozenset({Builtin(name)}) if name in BUILTINS else UNKNOWN

    def write(self, frame: Frame, name: str, objects: Objects) -> None:
        holder = self.holder(frame, name) or frame
        self.state.set(holder.owner, name, objects)
