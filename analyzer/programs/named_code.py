"""NamedCode: which functions, classes and modules of a project a chain of names may mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ..files.import_path import ImportTarget
from ..names.definition import exports
from ..names.module import Module
from ..names.project import Project
from .said_in_code import Chain, frozen
from .units import ClassUnit, Unit, units_of

_One = Unit | ClassUnit | Module | None
_DEFINING = {"function", "class", "import"}


@dataclass(frozen=True, slots=True)
class Meant:
    """``attributes`` are those of what is not known; ``anywhere``: names of which it is not known
    where they are bound."""

    code: tuple[Unit | ClassUnit, ...] = ()
    modules: tuple[Module, ...] = ()
    attributes: frozenset[str] = frozenset()
    anywhere: frozenset[str] = frozenset()
    unknown: bool = False


@dataclass(frozen=True)
class _Import:
    """What a module imports; ``is_star``: with all else that is there."""

    importer: Module
    target: ImportTarget
    is_star: bool = False


class NamedCode:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[int, Chain], Meant] = {}
        self._exported: dict[tuple[int, str], tuple[list[_One], bool]] = {}

    def of(self, chain: Chain, module: Module) -> Meant:
        """What a chain means in a module."""
        key = (id(module), chain)
        if key not in self._known:
            self._known[key] = self._meant(chain, module)
        return self._known[key]

    def exported(self, module: Module, name: str) -> Meant:
        """What ``name`` of a module means."""
        key = (id(module), ("", name))
        if key not in self._known:
            found = _Found()
            self._follow([module], (name,), found)
            self._known[key] = found.meant()
        return self._known[key]

    def imported(self, module: Module, dotted: str) -> Module | None:
        """The module that is imported by a call."""
        name = dotted.lstrip(".")
        return self._project.find(module, ImportTarget(name, len(dotted) - len(name)))

    def stars(self, module: Module) -> list[Module]:
        """The modules of which a module takes all names, directly or not."""
        found: dict[int, Module] = {}
        waiting = [module]
        while waiting:
            current = waiting.pop()
            for target in units_of(current).stars:
                home = self._home(target, current)
                if home is not None and id(home) not in found:
                    found[id(home)] = home
                    waiting.append(home)
        return [*found.values()]

    def _meant(self, chain: Chain, module: Module) -> Meant:
        found = _Found()
        first, *rest = chain
        named = self._named(first, module)
        imported = first in units_of(module).imports
        if not named and not imported:
            named.append(None)
        self._follow(named, tuple(rest), found)
        if imported and not any(isinstance(one, Module) for one in named):
            self._deeper(module, 0, chain, 1, found)
        return found.meant()

    def _deeper(self, module: Module, level: int, names: Chain, least: int, found: _Found) -> bool:
        """Follow names through folders that are packages without a file; whether they lead to a
        module."""
        for size in range(least + 1, len(names) + 1):
            target = ImportTarget(".".join(names[:size]), level)
            below = self._project.find(module, target)
            if below is not None:
                self._follow([below], names[size:], found)
                return True
        return False

    def _follow(self, start: list[_One], names: Chain, found: _Found) -> None:
        """What the attributes of something mean; None is what is not known."""
        at = start
        for number, name in enumerate(names):
            modules = [one for one in at if isinstance(one, Module)]
            if any(not isinstance(one, Module) for one in at):
                found.attributes.update(names[number:])
            found.add(one for one in at if isinstance(one, Unit | ClassUnit))
            at = []
            for one in modules:
                exported, known = self._exports(one, name)
                at += exported
                if known or (one.is_package and self._deeper(one, 1, names[number:], 1, found)):
                    continue
                found.anywhere.update(names[number:], self._given_by(one, name))
                at.append(None)
        found.add(at)

    def _named(self, name: str, module: Module) -> list[_One]:
        """What a name means, wherever in the module it stands."""
        units = units_of(module)
        found: list[_One] = [one for one in units.named.get(name, ()) if one.owner is None]
        targets = units.imports.get(name, [])
        if any(binding.kind not in _DEFINING for binding in module.binding(name)):
            found.append(None)
        imports = [_Import(module, target) for target in targets]
        if not found and not module.binding(name):
            imports += self._of_stars(module, name)
        return [*found, *self._through(imports)]

    def _exports(self, module: Module, name: str) -> tuple[list[_One], bool]:
        """What a name of a module means, and whether something binds it there."""
        key = (id(module), name)
        if key not in self._exported:
            imports: list[_Import] = []
            found = self._bound(module, name, imports)
            if not module.binding(name):
                imports += self._of_stars(module, name)
            found += self._through(imports)
            self._exported[key] = found, bool(found) or bool(module.binding(name))
        return self._exported[key]

    def _given_by(self, module: Module, name: str) -> Iterator[str]:
        """What a name may be called, besides, that a module does not bind: its ``__getattr__`` may
        have the names that its texts say."""
        if module.binding("__getattr__") and name not in self._everywhere:
            yield from units_of(module).texts

    def _bound(self, module: Module, name: str, imported: list[_Import]) -> list[_One]:
        """What a name of a module means by its own statements, and what it imports so."""
        found: list[_One] = []
        for binding in module.binding(name):
            if binding.kind in ("function", "class"):
                found.append(units_of(module).by_node.get(id(binding.node)))
            elif binding.target is not None:
                imported.append(_Import(module, binding.target))
            else:
                found.append(None)
        below = self._project.find(module, ImportTarget(name, 1)) if module.is_package else None
        return found if below is None else [*found, below]

    def _of_stars(self, module: Module, name: str) -> list[_Import]:
        return [_Import(module, replace(star, name=name), True) for star in units_of(module).stars]

    def _through(self, imports: list[_Import]) -> list[_One]:
        """What imports bring, through the modules that import it from others."""
        found: list[_One] = []
        seen: set[tuple[int, str]] = set()
        waiting = list(imports)
        while waiting:
            one = waiting.pop()
            target, importer = one.target, one.importer
            if target.name is None:
                whole = self._project.find(importer, target)
                found += [whole] if whole is not None else []
                continue
            member = None if one.is_star else self._project.find_member(importer, target)
            found += [member] if member is not None else []
            home = self._home(target, importer)
            if home is None or home is importer or (id(home), target.name) in seen:
                continue
            if one.is_star and not exports(home, target.name):
                continue
            seen.add((id(home), target.name))
            onward: list[_Import] = []
            bound = self._bound(home, target.name, onward)
            if not bound and not onward and not home.binding(target.name):
                onward = self._of_stars(home, target.name)
                if not onward and not one.is_star and member is None:
                    names = {target.name, *self._given_by(home, target.name)}
                    found += (code for name in names for code in self._everywhere.get(name, ()))
                    found.append(None)
            found += bound
            waiting += onward
        return found

    @cached_property
    def _everywhere(self) -> dict[str, list[Unit | ClassUnit]]:
        """What a module may bind in a way of its own: anything that is called so."""
        found: dict[str, list[Unit | ClassUnit]] = defaultdict(list)
        for module in self._project.modules:
            for name, ones in units_of(module).named.items():
                found[name] += ones
        return dict(found)

    def _home(self, target: ImportTarget, module: Module) -> Module | None:
        return self._project.find(module, ImportTarget(target.module, target.level))


class _Found:
    def __init__(self) -> None:
        self.code: dict[int, Unit | ClassUnit] = {}
        self.modules: dict[int, Module] = {}
        self.attributes: set[str] = set()
        self.anywhere: set[str] = set()
        self.unknown = False

    def add(self, ones: Iterable[_One]) -> None:
        for one in ones:
            if isinstance(one, Module):
                self.modules[id(one)] = one
            elif one is None:
                self.unknown = True
            else:
                self.code[id(one)] = one

    def meant(self) -> Meant:
        return Meant(
            tuple(self.code.values()),
            tuple(self.modules.values()),
            frozen(self.attributes),
            frozen(self.anywhere),
            self.unknown,
        )
