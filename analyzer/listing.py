"""Listing: the files of a run, none of them read yet."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .files import find_files
from .layout import Layout, root_of
from .problem import Problem


class Listing:
    """The files below some paths. ``shown`` has the name to show of each by its resolved path: one
    that is found twice is called by its own name rather than a link's.

    ``layout`` says where their imports are looked for, ``names`` whose the names of modules
    are so far; ``complete``: all files of their repositories are among them.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self.problems: list[Problem] = []
        self.layout = Layout([])
        self.names: dict[str, Path] = {}
        self.complete = True
        self.shown: dict[str, str] = {}
        for path in paths:
            if not path.exists():
                self.problems.append(Problem(path, "no such file or directory"))
                continue
            root = root_of(path)
            self.complete = self.complete and root == path.resolve()
            self.layout.roots.append(root)
            for shown, real, linked in find_files(path, self._unreadable, self._ignored):
                if linked:
                    self.shown.setdefault(real, shown)
                else:
                    self.shown[real] = shown

    @property
    def files(self) -> list[Path]:
        return [Path(shown) for shown in self.shown.values()]

    def _ignored(self, _: str) -> None:
        self.complete = False

    def _unreadable(self, path: Path, error: OSError) -> None:
        self.problems.append(Problem(path, f"cannot be read: {error.strerror or error}"))
