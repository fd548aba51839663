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

from .module import Module, load
from .problem import Problem
from .scopes import ImportTarget
from .tree import LN, only_for_type_checkers

_ROOT_MARKERS = (".git", ".hg", "pyproject.toml", "setup.cfg", "setup.py")
_NOT_SOURCES = {"__pycache__", "node_modules", "site-packages", "venv", "env"}


class Project:
    """Modules by path. ``problems`` lists the files that could not be understood."""

    def __init__(self, paths: Iterable[Path], loaded: Callable[[Path], None] | None = None) -> None:
        self.problems: list[Problem] = []
        self.given: list[Module] = []
        self._modules: dict[Path, Module | None] = {}
        self._names: set[str] = set()
        self._found: dict[tuple[Path, str], Path | None] = {}
        self.roots: list[Path] = []
        self.files: list[Path] = []
        for path in paths:
            if not path.exists():
                self.problems.append(Problem(path, "no such file or directory"))
                continue
            self.roots.append(root_of(path))
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
            module = load(path, self._fresh_name(path))
            if isinstance(module, Problem):
                self.problems.append(module)
            else:
                self._modules[key] = module
        return self._modules[key]

    @property
    def modules(self) -> list[Module]:
        """Every module read so far, the given ones first."""
        return [module for module in self._modules.values() if module is not None]

    def module_name(self, path: Path) -> str:
        resolved = path.resolve()
        parts = list(resolved.relative_to(self._root(resolved)).with_suffix("").parts)
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        return ".".join(parts)

    def _fresh_name(self, path: Path) -> str:
        """The module's name; folders above the root are added while another module has it."""
        name = self.module_name(path)
        root = self._root(path.resolve())
        for folder in (root, *root.parents):
            if name not in self._names:
                break
            name = f"{folder.name}.{name}"
        self._names.add(name)
        return name

    def _root(self, path: Path) -> Path:
        """The outermost root of the run that holds ``path``."""
        holding = [root for root in self.roots if path.is_relative_to(root)]
        return min(holding, key=lambda root: len(root.parts), default=root_of(path))

    def folders(self, module: Module) -> list[Path]:
        """The folder of a module and those above it up to the root, innermost first."""
        folder = module.path.resolve().parent
        root = self._root(module.path.resolve())
        return [folder, *(p for p in folder.parents if p == root or root in p.parents)]

    def find(self, importer: Module, target: ImportTarget) -> Module | None:
        """The repository's module that an import in ``importer`` means, if it is one.

        Absolute names are looked for beside the importing file, as for a script, then in its parent
        folders up to the root, and in ``src``.
        """
        folder = importer.path.resolve().parent
        if target.level:
            for _ in range(target.level - 1):
                folder = folder.parent
            folders = [folder]
        else:
            root = self._root(importer.path.resolve())
            folders = [*self.folders(importer), root / "src"]
        for candidate in folders:
            path = self._locate(candidate, target.module)
            if path is not None:
                return self.module(path)
        return None

    def find_member(self, importer: Module, target: ImportTarget) -> Module | None:
        """The module that ``name`` of ``from module import name`` is, if it is a submodule."""
        if target.name is None:
            return None
        dotted = f"{target.module}.{target.name}" if target.module else target.name
        return self.find(importer, ImportTarget(dotted, target.level))

    @cached_property
    def import_graph(self) -> nx.DiGraph[Path]:
        """Edges from the importing file to the imported one, over the whole repository part.

        An edge's ``when`` is the set of the times at which it is imported: ``load``, with the
        importing module or later; ``script``, only where that is the script, under its guard;
        ``types``, only by type checkers.
        """
        graph: nx.DiGraph[Path] = nx.DiGraph()
        waiting = list(self.given)
        while waiting:
            module = waiting.pop()
            key = module.path.resolve()
            graph.add_node(key)
            for node, target in (*module.imports, *module.named_imports):
                for imported in self.imported(module, target):
                    other = imported.path.resolve()
                    if other not in graph:
                        graph.add_node(other)
                        waiting.append(imported)
                    if not graph.has_edge(key, other):
                        graph.add_edge(key, other, when=set())
                    graph.edges[key, other]["when"].add(_when(node, module))
        return graph

    def imported(self, module: Module, target: ImportTarget) -> list[Module]:
        """The repository modules that one import loads."""
        if target.name is not None:
            found = [self.find_member(module, target)]
        else:
            parts = target.module.split(".")
            packages = (".".join(parts[: n + 1]) for n in range(len(parts)))
            found = [self.find(module, ImportTarget(name, target.level)) for name in packages]
        return [other for other in found if other is not None and other is not module]

    def _locate(self, folder: Path, dotted: str) -> Path | None:
        key = (folder, dotted)
        if key not in self._found:
            base = folder.joinpath(*dotted.split(".")) if dotted else folder
            # A package wins over a module of its name; no name at all means the folder's package.
            options = [base / "__init__.py"]
            if dotted:
                options.append(base.with_name(base.name + ".py"))
            self._found[key] = next((p for p in options if _is_file(p)), None)
        return self._found[key]


def _when(node: LN, module: Module) -> str:
    """When an import is executed; the values of ``when`` in the import graph."""
    if only_for_type_checkers(node):
        return "types"
    return "script" if module.is_guarded(node) else "load"


def root_of(path: Path) -> Path:
    """The repository that a file or folder belongs to; without markers, the folder itself or, for
    a file of a package, the folder that holds the package."""
    resolved = path.resolve()
    start = resolved if resolved.is_dir() else resolved.parent
    for folder in (start, *start.parents):
        if any((folder / marker).exists() for marker in _ROOT_MARKERS):
            return folder
    while _is_file(start / "__init__.py") and start != start.parent:
        start = start.parent
    return start


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


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
