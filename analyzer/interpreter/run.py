"""Run: one abstract run of a project, module by module as Python would, with a record of its calls.

Functions are entered at each call with the arguments of that call, so that facts are those of a
point of the run and not of a name. What would not end (recursion, deep calls, very many of them) is
cut: such a call is recorded, and what it returns is not known.
"""

from __future__ import annotations

import builtins
from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path

from ..files.import_path import ImportTarget
from ..library import Library, load
from ..names.module import Module as SourceModule
from ..names.project import Project
from ..names.scopes import Scope
from ..syntax.tree import LN
from .objects import (
    NOTHING,
    Builtin,
    BuiltinMethod,
    Class,
    Container,
    External,
    Function,
    Instance,
    Method,
    Object,
    Objects,
    Partial,
    Result,
    Super,
    Unseen,
    Wrapped,
)
from .state import Place, State, Written
from .stores import Kind, Store, Stores

BUILTINS = frozenset(dir(builtins)) | {"unicode", "xrange", "raw_input", "reduce", "basestring"}
# What is followed at most: calls inside one another, calls of one function one by one, rounds of a
# loop, of a recursion, statements for each module on the average: fewer if there are many modules.
MAX_DEPTH = 30
MAX_ENTRIES = 6
MAX_ROUNDS = 6
MAX_REPEATS = 3
MAX_STEPS = 8_000
FEWER_STEPS = 500
MANY = 30
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
    reads: list[Place] = field(default_factory=list)
    """The places that the statement which runs now has read."""


class Run:
    """The state of the run and what was seen in it."""

    def __init__(
        self, project: Project, base: Path | None = None, library: Library | None = None
    ) -> None:
        self.project = project
        self.library = library or load()
        self._base = base.resolve() if base is not None else None
        self.state = State()
        self.stores = Stores()
        self.uses: defaultdict[Object, dict[str, tuple[SourceModule, LN]]] = defaultdict(dict)
        """The attributes that something that is not of the project was asked for first where."""
        self.handed: defaultdict[Object, dict[tuple[str, str], tuple[SourceModule, LN]]]
        self.handed = defaultdict(dict)
        """As what an object was given to what is not of the project: callee and keyword."""
        self.made_by: defaultdict[Object, set[tuple[Object, str]]] = defaultdict(set)
        """The method of what that gave a result."""
        self.instances: defaultdict[Class, dict[Instance, None]] = defaultdict(dict)
        self.bases_used: dict[Object, None] = {}
        """The classes of which there are instances, and their bases."""
        self.unordered = False
        """Whether a call that nobody makes stored something where another one may read it."""
        self.escaped: dict[Object, None] = {}
        """Functions that were given to what is not of the project, which may call them."""
        self.calls: defaultdict[str, set[str]] = defaultdict(set)
        self.frames: dict[int, Frame] = {}
        self.scopes: dict[int, tuple[Scope, SourceModule]] = {}
        self.bases: dict[Class, list[Object]] = {}
        self.names: dict[int, str] = {}
        self._numbers: dict[int, int] = {}
        self.modules: dict[str, Frame] = {}
        self.entered: set[int] = set()
        self.entries: defaultdict[int, int] = defaultdict(int)
        self.waiting: dict[Function, None] = {}
        """The functions that were made, in order."""
        self.active: list[Function] = []
        self.steps = 0
        _ = project.import_graph  # reads every module that the given ones import
        count = len(project.modules)
        self.most_steps = MAX_STEPS * min(count, MANY) + FEWER_STEPS * max(0, count - MANY)
        self.last: dict[Function, int] = {}
        """The frame of each function's latest activation."""
        self.cut = 0
        """Calls that were recorded but not followed: too deep, or after too many steps."""
        self.not_followed: set[int] = set()
        """The functions, by their nodes, that these calls call."""
        self.again: set[Function] = set()
        """Functions that called themselves: their bodies are run once more."""
        self.mentions: Counter[str] | None = None
        """How often each name stands where nothing of that name is defined; None: not counted."""
        self.watched: dict[int, bool] = {}
        """The statements, by their nodes' identities, at which visible is noted; True: behind."""
        self.visible: defaultdict[int, defaultdict[str, dict[Object, Store | None]]]
        self.visible = defaultdict(lambda: defaultdict(dict))
        """What the expressions that are visible at each held, and the store that put it there."""
        self._contexts: dict[Hashable, int] = {}
        self._sites: dict[tuple[int, int], int] = {}
        self._owners: dict[tuple[int, str], Scope | None] = {}
        self._types: dict[str, str | None] = {}
        self._starred: dict[tuple[str, str], tuple[str | None, bool]] = {}
        self._found: dict[tuple[str, ImportTarget], SourceModule | None] = {}

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
        path = source.real
        if self._base is None or not path.is_relative_to(self._base):
            return source.name
        parts = path.relative_to(self._base).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)

    def learn(self, source: SourceModule) -> None:
        """Name the functions and classes of a module."""
        module = self.module_name(source)
        lambdas: defaultdict[int, int] = defaultdict(int)
        for expression in source.tree.roots[1:]:
            source.scopes.of(expression)  # opens those inside strings
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
            self._numbers.setdefault(id(scope.node), len(self._numbers))
            if scope.kind == "function":
                _ = self.calls[self.names[id(scope.node)]]

    def in_order(self, objects: Objects) -> list[Object]:
        """The objects in an order that is the same in every run."""
        return sorted(objects, key=self._order) if len(objects) > 1 else list(objects)

    def _named(self, node: int) -> tuple[str, int]:
        """The name of a scope, and which one of that name it is."""
        return self.names[node], self._numbers[node]

    def _order(self, found: Object) -> str:
        return repr(self._label(found))

    def _label(self, found: Object) -> tuple[Hashable, ...]:
        kind = type(found).__name__
        if isinstance(found, Function | Class):
            return kind, *self._named(found.node), found.frame
        if isinstance(found, Instance):
            return kind, *self._named(found.cls.node), found.cls.frame, found.site
        if isinstance(found, Method):
            return kind, *self._label(found.function), *self._label(found.receiver)
        if isinstance(found, Wrapped):
            return kind, found.how, *self._label(found.function)
        if isinstance(found, Partial):
            return kind, found.site, *self._label(found.function)
        if isinstance(found, External) and found.owner is not None:
            return kind, found.name, *self._label(found.owner)
        if isinstance(found, Super):
            return kind, *self._label(found.cls), *self._label(found.receiver)
        if isinstance(found, BuiltinMethod):
            return kind, found.name, *self._label(found.owner)
        return kind, repr(found)  # of names and numbers

    def look(self, frame: Frame, statement: LN) -> None:
        """Note at a watched statement what all names and attributes of ``self`` there hold."""
        visible = self.visible[id(statement)]
        hidden: set[str] = set()
        seen: Frame | None = frame
        while seen is not None:
            if seen is frame or seen.scope.kind != "class":
                for name in seen.scope.bindings.keys() - hidden:
                    self._note(visible, name, (seen.owner, name))
                hidden |= seen.scope.bindings.keys()
            if isinstance(seen.receiver, Instance):
                parameters = seen.scope.parameters
                for attribute in self.state.all(seen.receiver) if parameters else ():
                    if isinstance(attribute, str):
                        path = f"{parameters[0].name}.{attribute}"
                        self._note(visible, path, (seen.receiver, attribute))
            seen = seen.outer

    def _note(
        self, visible: dict[str, dict[Object, Store | None]], expression: str, place: Place
    ) -> None:
        for found in self.state.get(*place) or ():
            visible[expression].setdefault(found, self.stores.last(place, found))

    # ------------------------------------------------------------ the library

    def type_of(self, found: Result) -> str | None:
        """The library's class of which a result is an instance, if that is known."""
        callee = found.callee
        if callee not in self._types:
            name = self.library.canonical(callee)
            known = name if name in self.library.classes else self.library.returns(name)
            self._types[callee] = self.library.canonical(known) if known is not None else None
        return self._types[callee]

    # ------------------------------------------------------------ variables

    def holder(self, frame: Frame, name: str) -> Frame | None:
        """The frame whose variable ``name`` is where ``frame`` runs."""
        key = (id(frame.scope), name)
        if key not in self._owners:
            self._owners[key] = frame.scope.owner(name)
        wanted = self._owners[key]
        current: Frame | None = frame if wanted is not None else None
        while current is not None and current.scope is not wanted:
            current = current.outer
        return current

    def read(self, frame: Frame, name: str) -> Objects:
        holder = self.holder(frame, name)
        if holder is not None:
            frame.reads.append((holder.owner, name))
            return self.state.get(holder.owner, name) or NOTHING
        if self._owners[id(frame.scope), name] is not None:
            return frozenset({Unseen(name)})  # a type parameter, which no frame holds
        top = self.modules.get(frame.module.name)
        star = self.state.get(top.owner, name) if top is not None else None
        if star is not None:
            assert top is not None
            frame.reads.append((top.owner, name))
            return star
        known: Object = Builtin(name) if name in BUILTINS else Unseen(name)
        if not frame.module.scopes.module.star_imports:
            return frozenset({known})
        key = frame.module.name, name
        if key not in self._starred:
            self._starred[key] = self.starred(frame.module, name)
        found, certain = self._starred[key]
        meant = known if found is None else External(found)
        return frozenset({meant} if certain else {meant, Unseen(name)})

    def find(self, source: SourceModule, target: ImportTarget) -> SourceModule | None:
        """The project's module that an import in ``source`` means, if it means one."""
        key = source.name, target
        if key not in self._found:
            self._found[key] = self.project.find(source, target)
        return self._found[key]

    def starred(
        self, source: SourceModule, name: str, seen: frozenset[str] = frozenset()
    ) -> tuple[str | None, bool]:
        """What of the library ``name`` means by a star import, the last of those that have it.

        And whether that is certain: what a module has that is not known is not known, either.
        """
        certain = True
        if source.name in seen:
            return None, certain
        for target in reversed(source.scopes.module.star_imports):
            module = self.find(source, target)
            if module is not None:
                found, sure = self.starred(module, name, seen | {source.name})
                certain = certain and sure
                if found is not None:
                    return found, certain
            else:
                known = self.library.canonical(f"{target.module}.{name}")
                if known in self.library.classes or known in self.library.functions:
                    return f"{target.module}.{name}", certain
                certain = certain and not target.level and self.library.lists(target.module)
        return None, certain

    def write(
        self, frame: Frame, name: str, objects: Objects, node: LN | None, kind: Kind = "name"
    ) -> None:
        """Store in a variable; ``node``: the target, None if nobody will ask for it."""
        holder = self.holder(frame, name) or frame
        self.state.set(holder.owner, name, objects)
        if node is not None:
            self.put(frame, (holder.owner, name), objects, node, kind)

    def put(self, frame: Frame, place: Place, objects: Objects, node: LN, kind: Kind) -> None:
        """Note a store with all that the current statement of ``frame`` has read."""
        self.stores.put(place, objects, node, kind, frame.scope, frame.module, frame.reads)

    def fill(self, frame: Frame, made: Container, objects: Objects, node: LN) -> None:
        """Note that ``objects`` are now among the items of a container."""
        self.put(frame, (made, ITEMS), objects, node, "item")
