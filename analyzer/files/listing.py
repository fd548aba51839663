"""Listing: the files of a run, none of them read yet."""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path

from ..messages.problem import Problem
from . import disk
from .find import find_files
from .import_path import ROOT_MARKERS, Layout, projects_packages, real_path, root_of

_REPOSITORIES = (".git", ".hg")
# Where nothing says what belongs together: a person's home has more than one repository in it.
_DEPTH = 2


@dataclass(frozen=True)
class _Alike:
    """Names of modules that end alike: by their files, and the other way."""

    names: dict[str, str]
    taken: dict[str, Path]


class Listing:
    """The files below some paths. ``shown`` has the name to show of each by its resolved path: one
    that is found twice is called by its own name rather than a link's.

    ``named`` are those of the files that were given by their own paths, by their resolved ones.
    ``layout`` says where their imports are looked for. ``ignored`` has the files and folders that
    rules leave out, by their absolute paths; ``passed_over`` says where nothing was found.
    ``elsewhere`` has what imports may say that lead to a file that is not among these under that
    name: what is left out, or not entered, and links; of ``beside``, too, once that was asked.
    """

    def __init__(self, paths: Iterable[Path], excluded: Sequence[str] = ()) -> None:
        """``excluded`` are patterns of git's for more that is ignored in each folder of ``paths``,
        relative to it."""
        self.problems: list[Problem] = []
        self.passed_over: list[Problem] = []
        self.layout = Layout([], installed=self.installed)
        self.shown: dict[str, str] = {}
        self.ignored: dict[str, None] = {}
        self.named: set[str] = set()
        self.elsewhere: set[str] = set()
        self._folders: list[str] = []
        self._alike: dict[str, _Alike] = {}
        # The roots, by what they are called from where the paths are; those that lie above these.
        self._roots: dict[str, str] = {}
        self._partly: list[Path] = []
        for path in paths:
            if not disk.exists(path):
                self.problems.append(Problem(path, "no such file or directory"))
                continue
            root, real = root_of(path), real_path(path)
            if root != real and root not in self._partly:
                self._partly.append(root)
            if disk.is_folder(real):
                self._folders.append(os.path.join(str(real), ""))
            else:
                self.named.add(str(real))
            self._roots.setdefault(str(root), _called(root, path))
            self.layout.roots.append(root)
            ignored, count = len(self.ignored), 0
            for shown, absolute, linked in find_files(
                path, self.problems.append, self._ignored, self._is_elsewhere, excluded=excluded,
            ):  # fmt: skip
                count += 1
                if shown == absolute:
                    shown = absolute  # of a million files one string each is 100 MB
                if linked:
                    self.shown.setdefault(absolute, shown)
                else:
                    self.shown[absolute] = shown
            self._note(path, count, len(self.ignored) - ignored)

    @property
    def is_partial(self) -> bool:
        """Whether some of the paths are only a part of their repositories."""
        return bool(self._partly)

    @property
    def files(self) -> list[Path]:
        return [Path(shown) for shown in self.shown.values()]

    @cached_property
    def beside(self) -> frozenset[str]:
        """The other files of the repositories, by resolved paths; looked for when this is asked."""
        found: set[str] = set()
        for root in self._partly:
            marked = any(disk.exists(root / marker) for marker in ROOT_MARKERS)
            apart = _REPOSITORIES if marked else ROOT_MARKERS
            depth = inf if marked else _DEPTH
            files = find_files(root, elsewhere=self._is_elsewhere, apart=apart, depth=depth)
            found.update(file.real for file in files if file.real not in self.shown)
        return frozenset(found)

    def installed(self) -> dict[str, str]:
        """The packages of the repositories' projects (``projects_packages``)."""
        return self._installed

    @cached_property
    def _installed(self) -> dict[str, str]:
        return projects_packages((*self.shown, *self.beside), self.layout.roots)

    @property
    def given(self) -> tuple[object, ...]:
        """What was to be listed: equal if the same was."""
        named, partly = sorted(self.named), sorted(map(str, self._partly))
        return (self._folders, named, partly, list(self._roots.items()), not self.ignored)

    def about(self, real: str) -> tuple[object, ...]:
        """What the listing says of a file, by its resolved path: equal if it says the same of it,
        whatever it says of others."""
        path = Path(real)
        name, library = self.module_name(path, {}), self.layout.library_source(path)
        return (real in self.shown, self.called(real), self.is_below(real), name, library)

    def called(self, real: str) -> str:
        """What a file is called, by its resolved path: as it was found, or from there."""
        if real in self.shown:
            return self.shown[real]
        for root, name in self._roots.items():
            if real.startswith(os.path.join(root, "")):
                return os.path.normpath(os.path.join(name, os.path.relpath(real, root)))
        return real

    def module_name(self, real: Path, taken: dict[str, Path]) -> str:
        """What the module in a file is called, where others are. Files of the run that could have
        one name get theirs in their order, whichever of them are asked about; what is not of the
        run is called by what is left."""
        alike = self._named_alike(_last_name(str(real)))
        if (name := alike.names.get(str(real))) is not None:
            return name
        return self.layout.free_name(real, ChainMap(alike.taken, taken))

    def _named_alike(self, last: str) -> _Alike:
        if last not in self._alike:
            named = self._alike[last] = _Alike({}, {})
            for path in self._by_last_name.get(last, ()):
                name = self.layout.free_name(Path(path), named.taken)
                named.taken[name] = Path(path)
                named.names[path] = name
        return self._alike[last]

    @cached_property
    def _by_last_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.shown:
            found.setdefault(_last_name(path), []).append(path)
        return found

    def is_below(self, real: str) -> bool:
        """Whether a file lies in one of the folders that were named."""
        return any(real.startswith(folder) for folder in self._folders)

    def _note(self, path: Path, count: int, ignored: int) -> None:
        """Say what a run that looks for Python files would pass over in silence."""
        if not count:
            reason = "there is no Python file in it"
            if ignored:
                reason = f"no file in it is read: {ignored} files and folders are ignored"
            self.passed_over.append(Problem(path, reason))

    def _ignored(self, path: str) -> None:
        self.ignored[path] = None

    def _is_elsewhere(self, name: str) -> None:
        self.elsewhere.add(name.partition(".")[0])


def _last_name(path: str) -> str:
    """The last part of a module's name."""
    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    return os.path.basename(folder) if stem == "__init__" else stem


def _called(root: Path, path: Path) -> str:
    """A folder above a path, or the path itself, as it is called from where the path is."""
    here = os.path.dirname(path) if disk.is_file(path) else str(path)
    name = os.path.normpath(os.path.join(here, os.path.relpath(root, disk.real(here))))
    # Beyond a link, `..` leads elsewhere.
    return name if disk.real(name) == str(root) else str(root)
