"""Project: the files of a run as modules, and which module an import means.

Modules that the files import from the same repository are read as well, for their facts, once that
is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path

import networkx as nx

from ..files.bounds import USUAL, Bounds
from ..files.import_path import ImportTarget, real_path
from ..files.listing import Listing
from ..files.word_uses import Assumed
from ..messages.problem import Problem
from .linked import Linked, LinkedFile, imported_files
from .lone_file import AskedBeyondError, Nearby
from .module import Module, load


class Project:
    """Modules by path. ``problems`` lists the files that could not be understood."""

    def __init__(
        self,
        paths: Iterable[Path],
        loaded: Callable[[Path], None] | None = None,
        among: Listing | None = None,
        broken: Mapping[Path, Problem] | None = None,
        around: Iterable[Path] = (),
        bounds: Bounds = USUAL,
        alone: Nearby | None = None,
    ) -> None:
        """``among``: ``paths`` are some of these files, and nothing but them is given. ``broken``:
        files, by resolved paths, that cannot be understood for a reason that is known. ``around``
        are others of the repository that are analysed as if they were, but are not ``files``;
        they are read when they are needed. Of files ``alone`` no question is answered that is one
        about others than the few near them: it raises AskedBeyondError, unless it can be answered
        by what is assumed of all these."""
        listing = among or Listing(paths)
        self.files = listing.files if among is None else list(paths)
        self.problems = [] if among is not None else list(listing.problems)
        self.own: list[Module] = []
        """The modules of ``files``."""
        self.alone = alone
        self._around = list(around)
        self._modules: dict[Path, Module | None] = {}
        self.names: dict[Path, str] = {}
        """What each file that was asked for is called, understood or not, in that order."""
        self.located: dict[tuple[str, str, int], Path | None] = {}
        """Where modules were looked for, by the importing file's folder, name and dots, and what
        was found."""
        self._broken = broken or {}
        self.bounds = bounds
        self._listing = listing
        self._taken: dict[str, Path] = {}
        self._called = listing.called
        self.layout = listing.layout
        for known in alone.modules if alone is not None else ():
            self._add(known)
        for file in self.files:
            module = self.module(file)
            if module is not None:
                self.own.append(module)
            if loaded is not None:
                loaded(file)

    @cached_property
    def given(self) -> list[Module]:
        """The modules of ``files``, and those around."""
        if self.alone is not None:
            raise AskedBeyondError
        return [*self.own, *filter(None, map(self.module, self._around))]

    def assume(self, one: Assumed) -> bool:
        """Whether to go on as if no file that was not read said a word so."""
        return self.alone is None or self.alone.assume(one)

    def read_near(self, path: Path) -> bool:
        """Take another file into account, where one is analysed alone; whether that is done."""
        module = self.alone.read(path) if self.alone is not None else None
        if module is None or module.real in self._modules or module.real in self._broken:
            return False
        self._add(module)
        return True

    def _add(self, module: Module) -> None:
        self._modules[module.real] = module
        self._taken[module.name] = module.real
        self.names[module.real] = module.name

    def module(self, path: Path) -> Module | None:
        """The module at ``path``; None, and a Problem recorded, if it cannot be understood."""
        key = path if path in self._modules else real_path(path)
        if key not in self._modules:
            self._modules[key] = None
            name = self._listing.module_name(key, self._taken)
            self._taken[name] = key
            self.names[key] = name
            called = Path(self._called(str(path))) if path == key else path
            module = self._broken.get(key) or load(called, name, self.bounds)
            if isinstance(module, Problem):
                self.problems.append(module)
            else:
                self._modules[key] = module
        return self._modules[key]

    @property
    def modules(self) -> list[Module]:
        """Every module read so far."""
        if self.alone is not None:
            raise AskedBeyondError
        return self.read

    @property
    def read(self) -> list[Module]:
        """The same, where nothing is concluded from what is not among them."""
        return [module for module in self._modules.values() if module is not None]

    def folders(self, module: Module) -> list[Path]:
        """The folder of a module and those above it up to the root, innermost first."""
        return self.layout.folders(module.real)

    def find(self, importer: Module, target: ImportTarget) -> Module | None:
        """The repository's module that an import in ``importer`` means, if it is one."""
        path = self.layout.find(importer.real, target)
        self.located[str(importer.real.parent), target.module, target.level] = path
        if self.alone is not None and path is not None and real_path(path) not in self._modules:
            raise AskedBeyondError(path)
        return self.module(path) if path is not None else None

    def find_member(self, importer: Module, target: ImportTarget) -> Module | None:
        """The module that ``name`` of ``from module import name`` is, if it is a submodule."""
        if target.name is None:
            return None
        dotted = f"{target.module}.{target.name}" if target.module else target.name
        return self.find(importer, ImportTarget(dotted, target.level))

    @cached_property
    def linked(self) -> Linked:
        """The given modules and all that they import, linked."""
        waiting = list(self.given)
        files: dict[Path, LinkedFile] = {}
        while waiting:
            module = waiting.pop()
            path = module.real
            if path in files:
                continue
            guards = tuple(module.tree.line_of(guard) for guard in module.main_guards)
            files[path] = LinkedFile(path, module.name, module.loads, guards)
            for found, _ in imported_files(files[path], self.layout):
                imported = self.module(found) if found not in files else None
                if imported is not None:
                    waiting.append(imported)
        return Linked(files.values(), self.layout)

    @property
    def import_graph(self) -> nx.DiGraph[Path]:
        """Which file imports which, over the whole repository part; as ``Linked`` has it."""
        return self.linked.import_graph

    def imported(self, module: Module, target: ImportTarget) -> list[Module]:
        """The repository modules that one import loads."""
        if target.name is not None:
            found = [self.find_member(module, target)]
        else:
            parts = target.module.split(".")
            packages = (".".join(parts[: n + 1]) for n in range(len(parts)))
            found = [self.find(module, ImportTarget(name, target.level)) for name in packages]
        return [other for other in found if other is not None and other is not module]
