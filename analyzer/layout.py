"""Layout: what modules are called by their places in folders, and which file an import means."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # files are listed and read before trees can be
    from .scopes import ImportTarget

_ROOT_MARKERS = (".git", ".hg", "pyproject.toml", "setup.cfg", "setup.py")


class Layout:
    """Files below ``roots``; paths are resolved. ``is_file`` says which files there are."""

    def __init__(self, roots: Iterable[Path], is_file: Callable[[str], bool] | None = None) -> None:
        self.roots = list(roots)
        self._is_file = is_file or _is_file
        self._real = os.path.realpath if is_file is None else str
        self._folders: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._located: dict[tuple[str, str, int], Path | None] = {}
        self._paths: dict[str, Path] = {}

    def root(self, path: Path) -> Path:
        """The outermost root that holds ``path``."""
        holding = [root for root in self.roots if path.is_relative_to(root)]
        return min(holding, key=lambda root: len(root.parts)) if holding else root_of(path)

    def module_name(self, path: Path) -> str:
        """The dotted path of a file below its root."""
        parts = list(path.relative_to(self.root(path)).with_suffix("").parts)
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
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
        folders up to the root, and in ``src``.
        """
        return self.locate(str(importer.parent), target.module, target.level)

    def locate(self, folder: str, module: str, level: int = 0) -> Path | None:
        """The same for a file in ``folder``."""
        key = (folder, module, level)
        if key not in self._located:
            found = next(
                filter(None, (self._in(f, module) for f in self._tried(folder, level))), ""
            )
            self._located[key] = self._paths.setdefault(found, Path(found)) if found else None
        return self._located[key]

    def _tried(self, folder: str, level: int) -> tuple[str, ...]:
        """The folders where a module is looked for."""
        if not level:
            above = self._above(folder)
            return (*above, os.path.join(above[-1], "src"))
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        return (folder,)

    def _above(self, folder: str) -> tuple[str, ...]:
        if folder not in self._folders:
            here = Path(folder)
            root = self.root(here / "__init__.py")
            above = (here, *(p for p in here.parents if p == root or root in p.parents))
            self._folders[folder] = tuple(str(p) for p in above)
        return self._folders[folder]

    def _in(self, folder: str, dotted: str) -> str | None:
        key = (folder, dotted)
        if key not in self._found:
            base = os.path.join(folder, dotted.replace(".", os.sep)) if dotted else folder
            # A package wins over a module of its name; no name at all means the folder's package.
            options = [os.path.join(base, "__init__.py")]
            if dotted:
                options.append(base + ".py")
            path = next((path for path in options if self._is_file(path)), None)
            self._found[key] = self._real(path) if path is not None else None
        return self._found[key]


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
    resolved = path.resolve()
    start = resolved if resolved.is_dir() else resolved.parent
    for folder in (start, *start.parents):
        if any((folder / marker).exists() for marker in _ROOT_MARKERS):
            return folder
    while _is_file(start / "__init__.py") and start != start.parent:
        start = start.parent
    return start


def _is_file(path: Path | str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:
        return False
