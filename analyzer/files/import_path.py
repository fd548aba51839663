"""Layout: what modules are called by their places in folders, and which file an import means."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from . import disk

_PROJECT_MARKERS = ("pyproject.toml", "setup.cfg", "setup.py")
ROOT_MARKERS = (".git", ".hg", *_PROJECT_MARKERS)
_PACKAGE = "__init__.py"
# Packages of every project, that nobody imports from elsewhere.
_NOT_MEANT = ("test", "tests", "docs", "doc", "examples")


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """What an import binds: a ``module`` (``level`` dots before it), or ``name`` of it."""

    module: str
    level: int = 0
    name: str | None = None


class Layout:
    """Files below ``roots``; paths are resolved. ``is_file`` says which files there are, and
    ``names_in`` what is in a folder: most imports are of what is nowhere, and end there."""

    def __init__(
        self,
        roots: Iterable[Path],
        is_file: Callable[[str], bool] | None = None,
        names_in: Callable[[str], Collection[str]] | None = None,
        installed: Callable[[], Mapping[str, str]] | None = None,
    ) -> None:
        """``installed``: the folders of the packages that are imported from anywhere, as those of
        projects that are installed from the repository; not asked before they are needed."""
        self._installed = installed
        self.roots = list(roots)
        self._is_file = is_file or disk.is_file
        self._names_in = names_in
        self._real = disk.real if is_file is None else str
        self._folders: dict[str, tuple[str, ...]] = {}
        self._having: dict[tuple[str, str], tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._located: dict[tuple[str, str, int], Path | None] = {}
        self._paths: dict[str, Path] = {}
        self._libraries: dict[str, str | None] = {}

    def root(self, path: Path) -> Path:
        """The outermost root that holds ``path``."""
        holding = [root for root in self.roots if path.is_relative_to(root)]
        return min(holding, key=lambda root: len(root.parts)) if holding else root_of(path)

    def module_name(self, path: Path) -> str:
        """The dotted path of a file below its root; below the root's folder, if the file is a known
        library's own, or in a folder that is called so: the plain name is that of the library as it
        is installed."""
        root = self.root(path)
        parts = list(path.relative_to(root).with_suffix("").parts)
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        is_called_so = len(parts) > 1 or path.name == _PACKAGE
        if self.library_source(path) or (is_called_so and parts[0] in own_sources()):
            parts.insert(0, root.name)
        return ".".join(parts)

    def free_name(self, path: Path, taken: Mapping[str, Path]) -> str:
        """The module's name; folders above the root are added while another module has it."""
        name = self.module_name(path)
        root = self.root(path)
        for folder in (root, *root.parents):
            if taken.get(name, path) == path:
                break
            name = f"{folder.name}.{name}"
        return name

    def folders(self, path: Path) -> list[Path]:
        """The folder of a file and those above it up to the root, innermost first."""
        return [Path(folder) for folder in self._above(str(path.parent))]

    def find(self, importer: Path, target: ImportTarget) -> Path | None:
        """The file that the module of an import in ``importer`` is, if there is one.

        Absolute names are looked for beside the importing file, as for a script, then in its parent
        folders up to the root, in ``src``, and in the repository's projects. A known library whose
        own source is in the repository is that library, as if it were installed, to all but its own
        files. A package that only has its name is found from beside it.
        """
        return self.locate(str(importer.parent), target.module, target.level)

    def locate(self, folder: str, module: str, level: int = 0) -> Path | None:
        """The same for a file in ``folder``."""
        key = (folder, module, level)
        if key not in self._located:
            found = next(
                filter(None, (self._in(f, module) for f in self._tried(folder, module, level))), ""
            )
            self._located[key] = self._paths.setdefault(found, Path(found)) if found else None
        return self._located[key]

    def library_source(self, path: Path) -> str | None:
        """The known library whose own source a file is part of, if it is part of one."""
        return self._library_of(str(path.parent))

    def _library_of(self, folder: str) -> str | None:
        # Not by recursion: folders may be nested more deeply than calls.
        passed: list[str] = []
        while folder not in self._libraries:
            passed.append(folder)
            above, name = os.path.split(folder)
            told_by = own_sources().get(name, ())
            own = any(self._is_file(os.path.join(folder, *file.split("/"))) for file in told_by)
            if own or above == folder:
                self._libraries[folder] = name if own else None
                break
            folder = above
        found = self._libraries[folder]
        self._libraries.update(dict.fromkeys(passed, found))
        return found

    def _tried(self, folder: str, module: str, level: int) -> tuple[str, ...]:
        """The folders where a module is looked for."""
        if not level:
            package = module.partition(".")[0]
            tried = self._folders_with(folder, package)
            if package in own_sources() and self._library_of(folder) != package:
                # Of a folder that is called as a library is, Python knows beside a script only.
                tried = tuple(f for f in tried if f == folder)
                return tuple(f for f in tried if self._library_of(os.path.join(f, package)) is None)
            return tried
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        return (folder,)

    def _folders_with(self, folder: str, package: str) -> tuple[str, ...]:
        """Those of a folder, the ones above it and ``src`` that may have a package or module."""
        passed: list[str] = []
        found: tuple[str, ...] | None = None
        for above in self._above(folder):
            found = self._having.get((above, package))
            if found is not None:
                break
            passed.append(above)
        if found is None:
            found = self._if_it_has(os.path.join(passed[-1], "src"), package)
            if self._installed is not None and package in (known := self._installed()):
                found = (*found, known[package])
        for above in reversed(passed):
            found = (*self._if_it_has(above, package), *found)
            self._having[above, package] = found
        return found

    def _if_it_has(self, folder: str, package: str) -> tuple[str, ...]:
        if self._names_in is None or not package:
            return (folder,)
        names = self._names_in(folder)
        return (folder,) if package in names or f"{package}.py" in names else ()

    def _above(self, folder: str) -> tuple[str, ...]:
        if folder not in self._folders:
            root = str(self.root(Path(folder, "__init__.py")))
            above = [folder]
            while above[-1].startswith(os.path.join(root, "")):
                above.append(os.path.dirname(above[-1]))
            self._folders[folder] = tuple(above)
        return self._folders[folder]

    def _in(self, folder: str, dotted: str) -> str | None:
        key = (folder, dotted)
        if key not in self._found:
            base = os.path.join(folder, dotted.replace(".", os.sep)) if dotted else folder
            # A package wins over a module of its name; no name at all means the folder's package.
            options = [os.path.join(base, _PACKAGE)]
            if dotted:
                options.append(base + ".py")
            path = next((path for path in options if self._is_file(path)), None)
            self._found[key] = self._real(path) if path is not None else None
        return self._found[key]


def projects_packages(paths: Iterable[str], roots: Collection[Path]) -> dict[str, str]:
    """The packages of the projects below the roots, by their names, with the folders that hold
    them: those beside a project's ``setup.py`` or the like, or in ``src`` there. None that two
    projects have, or Python has itself: who imports them may mean something else."""
    packages = {os.path.dirname(path) for path in paths if os.path.basename(path) == _PACKAGE}
    found: dict[str, str | None] = {}
    marked: dict[str, bool] = {}
    for folder in packages:
        holder, name = os.path.split(folder)
        if holder in packages or name in _NOT_MEANT or name in sys.stdlib_module_names:
            continue
        project = os.path.dirname(holder) if os.path.basename(holder) == "src" else holder
        if project not in marked:
            marked[project] = Path(project) not in roots and any(
                disk.exists(os.path.join(project, marker)) for marker in _PROJECT_MARKERS
            )
        if marked[project]:
            found[name] = None if name in found else holder
    return {name: holder for name, holder in found.items() if holder is not None}


def layout_of(paths: Iterable[Path], root: Path) -> tuple[Layout, Mapping[Path, str]]:
    """The layout of just these files, and their names; in whatever order the paths come."""
    known = {str(path) for path in paths}
    layout = Layout([root], known.__contains__)
    names: dict[Path, str] = {}
    taken: dict[str, Path] = {}
    for text in sorted(known):
        path = Path(text)
        names[path] = layout.free_name(path, taken)
        taken[names[path]] = path
    return layout, names


def root_of(path: Path) -> Path:
    """The repository that a file or folder belongs to; without markers, the folder itself or, for
    a file of a package, the folder that holds the package."""
    resolved = real_path(path)
    start = resolved if disk.is_folder(resolved) else resolved.parent
    for folder in (start, *start.parents):
        if any(disk.exists(folder / marker) for marker in ROOT_MARKERS):
            return folder
    while disk.is_file(start / _PACKAGE) and start != start.parent:
        start = start.parent
    return start


def folders_around(file: Path, levels: int) -> Iterator[Path]:
    """The folders that a file is in, the nearest first, up to its repository's and at most so
    many."""
    for folder in real_path(file).parents[:levels]:
        yield folder
        if disk.exists(folder / ".git"):
            return


def real_path(path: Path) -> Path:
    """A path without links (``disk.real``)."""
    return Path(disk.real(path))


@cache
def own_sources() -> Mapping[str, tuple[str, ...]]:
    """Known libraries, and files of their packages by which their own source is told."""
    found: dict[str, tuple[str, ...]] = {}
    for domain in files("pinsetter.analyzer.domains").iterdir():
        file = domain.joinpath("own_source.json")
        if domain.is_dir() and file.is_file():
            told = json.loads(file.read_text("utf-8"))
            found.update({name: tuple(told_by) for name, told_by in told.items()})
    return found
