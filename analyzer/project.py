"""Project: the files of a run as modules, and which module an import means.

Only files below the given paths are rewritten; modules that they import from the same repository
are read as well, for their facts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

import networkx as nx
import pathspec

from .layout import Layout, root_of
from .link import Linked, LinkedFile, imported_files
from .module import Module, load
from .problem import Problem
from .scopes import ImportTarget

_NOT_SOURCES = {"__pycache__", "node_modules", "site-packages", "venv", "env"}


class Project:
    """Modules by path. ``problems`` lists the files that could not be understood."""

    def __init__(self, paths: Iterable[Path], loaded: Callable[[Path], None] | None = None) -> None:
        self.problems: list[Problem] = []
        self.given: list[Module] = []
        self._modules: dict[Path, Module | None] = {}
        self._names: set[str] = set()
        self.layout = Layout([])
        self.files: list[Path] = []
        for path in paths:
            if not path.exists():
                self.problems.append(Problem(path, "no such file or directory"))
                continue
            self.layout.roots.append(root_of(path))
            self.files.extend(f for f in python_files(path) if f not in self.files)
        for file in self.files:
            module = self.module(file)
            if module is not None:
                self.given.append(module)
            if loaded is not None:
                loaded(file)

    def module(self, path: Path) -> Module | None:
        """The module at ``path``; None, and a Problem recorded, if it cannot be understood."""
        key = path.resolve()
        if key not in self._modules:
            self._modules[key] = None
            name = self.layout.free_name(key, self._names)
            self._names.add(name)
            module = load(path, name)
            if isinstance(module, Problem):
                self.problems.append(module)
            else:
                self._modules[key] = module
        return self._modules[key]

    @property
    def modules(self) -> list[Module]:
        """Every module read so far, the given ones first."""
        return [module for module in self._modules.values() if module is not None]

    def folders(self, module: Module) -> list[Path]:
        """The folder of a module and those above it up to the root, innermost first."""
        return self.layout.folders(module.path.resolve())

    def find(self, importer: Module, target: ImportTarget) -> Module | None:
        """The repository's module that an import in ``importer`` means, if it is one."""
        path = self.layout.find(importer.path.resolve(), target)
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
            path = module.path.resolve()
            if path in files:
                continue
            files[path] = LinkedFile(path, module.name, module.outline)
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


def python_files(path: Path) -> Iterator[Path]:
    """The Python files below ``path``, sorted; hidden, ignored and vendored folders left out."""
    if path.is_file():
        yield path
        return
    ignored = _ignored(path)
    for folder, folders, names in os.walk(path):
        here = Path(folder)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _NOT_SOURCES
            and not (here / name / "pyvenv.cfg").exists()
            and not ignored(here / name, True)
        )
        for name in sorted(names):
            if (
                name.endswith(".py")
                and not name.startswith(".")
                and not ignored(here / name, False)
            ):
                yield here / name


def _ignored(path: Path) -> Callable[[Path, bool], bool]:
    try:
        lines = (path / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return lambda _path, _folder: False
    spec = pathspec.GitIgnoreSpec.from_lines(lines)

    def ignored(candidate: Path, folder: bool) -> bool:
        relative = candidate.relative_to(path).as_posix()
        return spec.match_file(relative + "/" if folder else relative)

    return ignored
