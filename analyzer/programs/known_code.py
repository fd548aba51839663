"""KnownCode: what is the same for all programs of a project: what its names mean, what its classes
are derived from, and what decorators keep."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from pathlib import Path

from ..names.module import Module
from ..names.project import Project
from .named_code import Meant, NamedCode
from .said_in_code import Chain
from .units import ClassUnit, Decorator, Unit
from .wrapping import only_wraps

# Classes that call nothing of those derived from them but their special methods.
_CALL_NOTHING = {
    "ABC", "ABCMeta", "Enum", "Flag", "Generic", "IntEnum", "IntFlag", "NamedTuple", "Protocol",
    "StrEnum", "TypedDict", "dict", "float", "frozenset", "int", "list", "object", "set", "str",
    "tuple",
}  # fmt: skip


class KnownCode:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._named = NamedCode(project)
        self._bases: dict[int, tuple[list[ClassUnit], bool]] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._having: defaultdict[str, list[Module]] = defaultdict(list)
        self._keeping: dict[tuple[int, Decorator], bool] = {}

    def meant(self, chain: Chain, module: Module) -> Meant:
        return self._named.of(chain, module)

    def exported(self, module: Module, name: str) -> Meant:
        return self._named.exported(module, name)

    def names_of(self, module: Module) -> frozenset[str]:
        """The names that a module may have, those of others among them where it takes all."""
        if id(module) not in self._names:
            names = {*module.scopes.module.bindings}
            if module.is_package:
                names |= self._below.get(module.real.parent, set())
            for home in self._named.stars(module):
                names |= home.scopes.module.bindings.keys()
            self._names[id(module)] = frozenset(names)
            for name in names:
                self._having[name].append(module)
        return self._names[id(module)]

    def having(self, name: str) -> list[Module]:
        """The modules that may have a name, of those of which the names were asked for."""
        return [*self._having.get(name, ())]

    @cached_property
    def _below(self) -> dict[Path, set[str]]:
        """The names of the modules and packages of each folder."""
        below: dict[Path, set[str]] = defaultdict(set)
        for path in (module.real for module in self._project.modules):
            folder = path.parent
            below[folder].add(path.stem)
            below[folder.parent].add(folder.name)
        return below

    def imported(self, module: Module, dotted: str) -> Module | None:
        return self._named.imported(module, dotted)

    def bases(self, cls: ClassUnit) -> tuple[list[ClassUnit], bool]:
        """The repository's classes that a class is derived from, and whether others may call any
        of its methods, or make instances, because of what else it is derived from."""
        if id(cls) not in self._bases:
            self._bases[id(cls)] = [], cls.has_metaclass  # classes derived from each other
            found: list[ClassUnit] = []
            foreign = cls.has_metaclass
            for chain in cls.bases:
                meant = self.meant(chain, cls.module) if chain else Meant()
                above = [one for one in meant.code if isinstance(one, ClassUnit)]
                found += above
                if not above and chain[-1:] and not _calls_nothing(chain[-1]):
                    foreign = True
                foreign = foreign or not chain
            foreign = foreign or any(self.bases(one)[1] for one in found)
            self._bases[id(cls)] = found, foreign
        return self._bases[id(cls)]

    def is_registered(self, cls: ClassUnit) -> bool:
        """Whether something else is given the class as soon as it is defined."""
        if any(self.keeps(one, cls.module) for one in cls.decorators):
            return True
        waiting, seen = [cls], set[int]()
        while waiting:
            current = waiting.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            above, _ = self.bases(current)
            if current.has_metaclass or any(
                method.name == "__init_subclass__" for one in above for method in one.methods
            ):
                return True
            waiting += above
        return False

    def keeps(self, decorator: Decorator, module: Module) -> bool:
        """Whether a decorator may call what it is given, or give it to others that do."""
        key = (id(module), decorator)
        if key not in self._keeping:
            self._keeping[key] = True  # decorated with itself
            meant = self.meant(decorator.chain, module) if decorator.chain else Meant()
            wraps = [
                one for one in meant.code
                if isinstance(one, Unit) and only_wraps(one, decorator.is_called)
            ]  # fmt: skip
            other = meant.attributes or meant.anywhere or meant.unknown
            self._keeping[key] = bool(other) or not wraps or len(wraps) < len(meant.code)
        return self._keeping[key]


def _calls_nothing(name: str) -> bool:
    return name in _CALL_NOTHING or name.endswith(("Error", "Exception", "Warning"))
