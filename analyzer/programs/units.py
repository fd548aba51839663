"""Units: the functions and classes of a module that other code may reach, and what each says."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..files.import_path import ImportTarget
from ..names.definition import class_arguments, decorators
from ..names.module import Module
from ..names.scopes import Scope
from ..syntax.tree import LN, dotted, leaves, walk
from .said_in_code import Chain, Said, said

# Decorators after which a function is still called by its name alone, or a class made by its own.
_PLAIN = {
    "abstractmethod", "asynccontextmanager", "cache", "cached_property", "cast", "classmethod",
    "contextmanager", "custom_gradient", "dataclass", "define", "deleter", "final", "frozen",
    "function", "getter", "inference_mode", "jit", "lru_cache", "njit", "no_grad", "overload",
    "override", "property", "runtime_checkable", "setter", "staticmethod", "total_ordering",
    "unique", "wraps",
}  # fmt: skip
_STARTING = {"main", "run"}
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Decorator:
    """What a decorator is called, empty if it is computed; ``is_called``: what it gives then is."""

    chain: Chain
    is_called: bool


@dataclass(eq=False)
class Unit:
    """A function that stands in no other one."""

    module: Module
    scope: Scope
    owner: ClassUnit | None

    @property
    def name(self) -> str:
        return self.scope.name

    @cached_property
    def span(self) -> tuple[int, int]:
        return self.module.tree.span((self.scope.node,))

    @property
    def is_getattr(self) -> bool:
        """Whether it finds the names that its module does not have."""
        return self.owner is None and self.name == "__getattr__"

    @property
    def is_special(self) -> bool:
        """Whether Python calls it by itself."""
        return self.name.startswith("_") and self.name.endswith("_") and len(self.name) > 2

    @cached_property
    def decorators(self) -> tuple[Decorator, ...]:
        """Those that are given the function and may keep it."""
        return _decorators(self.scope.node)

    @cached_property
    def said(self) -> Said:
        bound = self.scope.bindings.items()
        local = {name for name, held in bound if all(b.kind != "import" for b in held)}
        imported = units_of(self.module).called
        return said(self.scope.node.children[2:], self.module.tree, (), local, imported,
                    bool(self.decorators))  # fmt: skip


@dataclass(eq=False)
class ClassUnit:
    """A class that stands in no function."""

    module: Module
    scope: Scope
    owner: ClassUnit | None
    methods: list[Unit] = field(default_factory=list)
    inner: list[ClassUnit] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.scope.name

    @cached_property
    def bases(self) -> tuple[Chain, ...]:
        """As chains, and the metaclass; one that is computed is empty."""
        return tuple(_chain(one.value) for one in class_arguments(self.scope.node))

    @cached_property
    def has_metaclass(self) -> bool:
        given = class_arguments(self.scope.node)
        return any(a.name is not None and _chain(a.value)[-1:] != ("ABCMeta",) for a in given)

    @cached_property
    def decorators(self) -> tuple[Decorator, ...]:
        return _decorators(self.scope.node)


class ModuleUnits:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.by_node: dict[int, Unit | ClassUnit] = {}
        self.units: list[Unit] = []
        self.classes: list[ClassUnit] = []
        for scope in module.scopes:
            if scope.kind in ("function", "class") and scope.name != "<lambda>":
                self._add(scope)

    def _add(self, scope: Scope) -> None:
        around = scope.parent
        while around is not None and around.kind == "type":
            around = around.parent
        owner = self.by_node.get(id(around.node)) if around is not None else None
        if around is None or not (around.kind == "module" or isinstance(owner, ClassUnit)):
            return
        assert not isinstance(owner, Unit)
        if scope.kind == "function":
            unit = Unit(self.module, scope, owner)
            self.by_node[id(scope.node)] = unit
            self.units.append(unit)
            if owner is not None:
                owner.methods.append(unit)
        else:
            made = ClassUnit(self.module, scope, owner)
            self.by_node[id(scope.node)] = made
            self.classes.append(made)
            if owner is not None:
                owner.inner.append(made)

    @cached_property
    def named(self) -> dict[str, list[Unit | ClassUnit]]:
        found: dict[str, list[Unit | ClassUnit]] = defaultdict(list)
        for one in self.by_node.values():
            found[one.name].append(one)
        return found

    @cached_property
    def imports(self) -> dict[str, list[ImportTarget]]:
        """What imports bind, wherever they stand."""
        found: dict[str, list[ImportTarget]] = defaultdict(list)
        for scope in self.module.scopes:
            for name, held in scope.bindings.items():
                found[name] += (b.target for b in held if b.target is not None)
        return {name: targets for name, targets in found.items() if targets}

    @cached_property
    def called(self) -> dict[str, str]:
        """What imports call otherwise: what it is called there."""
        return {
            name: (target.name or target.module).rpartition(".")[2]
            for name, targets in self.imports.items()
            for target in targets
            if (target.name or target.module) != name
        }

    @cached_property
    def texts(self) -> frozenset[str]:
        """The names in its texts."""
        strings = (n.value for n in walk(self.module.tree.root) if n.type == token.STRING)
        return frozenset(word for text in strings for word in _WORD.findall(text))

    @cached_property
    def stars(self) -> list[ImportTarget]:
        return [target for scope in self.module.scopes for target in scope.star_imports]

    @cached_property
    def rest(self) -> Said:
        """What is said where the module is loaded."""
        root = self.module.tree.root
        without = {id(guard) for guard in self.module.main_guards}
        without.update(id(unit.scope.node.children[-1]) for unit in self.units)
        for one in self.classes:
            arguments = class_arguments(one.scope.node)
            without.update(id(a.node) for a in arguments if _chain(a.value) and a.name is None)
        return said((root,), self.module.tree, without, (), self.called, annotations=False)

    @cached_property
    def guarded(self) -> Said:
        """What is said where it is the script, besides."""
        return said(self.module.main_guards, self.module.tree, (), (), self.called)

    def around(self, offset: int) -> Unit | None:
        """The unit in which a place is."""
        found = (u for u in self.units if u.span[0] <= offset < u.span[1])
        return next(found, None)


def units_of(module: Module) -> ModuleUnits:
    found = module.memo.get(ModuleUnits)
    if found is None:
        found = module.memo[ModuleUnits] = ModuleUnits(module)
    assert isinstance(found, ModuleUnits)
    return found


def hands_on(module: Module) -> bool:
    """Whether others call the functions of a script: what its guard starts without naming them, as
    ``unittest.main()`` and ``app.run()`` do, or a runner that finds tests by the file's name."""
    stem = module.path.stem
    if stem.startswith("test") or stem.endswith("_test"):
        return True
    units = units_of(module)
    return any(
        chain[-1] in _STARTING and not (len(chain) == 1 and chain[0] in units.named)
        for chain in units.guarded.chains
    )


def _chain(node: LN) -> Chain:
    """``a.B`` of ``a.B`` and of ``a.B[c]``."""
    if node.type == symbols.power and node.children[-1].type == symbols.trailer:
        *head, last = node.children
        if last.children[0].value == "[":
            return dotted(tuple(head))
    return dotted((node,))


def _decorators(node: LN) -> tuple[Decorator, ...]:
    found = []
    for decorator in decorators(node):
        head, *call = decorator.children[1:]
        names = [leaf.value for leaf in leaves(head)]
        plain = head.type in (token.NAME, symbols.dotted_name)
        chain = tuple(name for name in names if name != ".") if plain else ()
        if chain[-1:] and chain[-1] in _PLAIN:
            continue
        found.append(Decorator(chain, any(child.type == token.LPAR for child in call)))
    return tuple(found)
