"""StateFolder: where the runs of a tree keep what they must not forget.

``.pinsetter`` in the tree, or where ``--state`` or PINSETTER_STATE says.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pinsetter.analyzer.problem import Problem

from ..write import sync_folder
from .names import NAME, VARIABLE

ELSEWHERE = "give a folder that can be written to: --state DIR, or in PINSETTER_STATE"

_TREE = "tree"
_IGNORED = ".gitignore"


@dataclass(frozen=True)
class StateFolder:
    """``path`` is the folder, which need not exist; what it stores of files is relative to
    ``tree``, so that both can be moved together."""

    path: Path
    tree: Path

    @property
    def database(self) -> Path:
        return self.path / "state.sqlite3"

    def make(self) -> Problem | None:
        """Make the folder if need be; returns why it could not be made."""
        told = self.path != self.tree / NAME
        try:
            if not self.path.is_dir():
                # It holds the text of files, some of which may be private.
                self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
                sync_folder(self.path.parent)
            elif told and not self._is_ours():
                return Problem(self.path, "the state folder has other files in it",
                               hint="give one that is new or empty: --state DIR")  # fmt: skip
            _write_once(self.path / _IGNORED, b"*\n")
            if told and _recorded_tree(self.path) is None:
                (self.path / _TREE).write_bytes(os.fsencode(self.tree))
        except OSError as error:
            reason = f"the state folder cannot be made: {error.strerror or error}"
            return Problem(self.path, reason, hint=ELSEWHERE)
        return None

    def _is_ours(self) -> bool:
        """Whether the folder holds a state, or nothing. Git is told to ignore all that is in it,
        which must not happen to somebody's sources."""
        names = {entry.name for entry in self.path.iterdir()}
        return self.database.name in names or names <= {_IGNORED, _TREE}

    def stored(self, path: Path) -> bytes:
        """A file's path as it is stored, whatever bytes it has."""
        return os.fsencode(os.path.relpath(path.parent.resolve() / path.name, self.tree))

    def path_of(self, stored: bytes) -> Path:
        """The absolute path that was stored."""
        return Path(os.path.normpath(self.tree / os.fsdecode(stored)))


def locate(paths: Sequence[Path], told: Path | None = None) -> StateFolder | Problem:
    """The state folder for a run on ``paths``; nothing is made.

    It is the one told by ``told`` or PINSETTER_STATE; else that of the nearest folder above all
    paths which has one; else the git work tree's; else that of the folder the paths have in common.
    The Problem is that they have none.
    """
    common = common_folder(paths)
    above = [common, *common.parents]
    if told is None and os.environ.get(VARIABLE):
        told = Path(os.environ[VARIABLE])
    # Path.exists raises PermissionError where a folder above is closed to us.
    root = next((folder for folder in above if os.path.exists(folder / ".git")), None)
    if told is not None:
        path = told.resolve()
        return StateFolder(path, _recorded_tree(path) or root or common)
    tree = (
        next((folder for folder in above if os.path.isdir(folder / NAME)), None) or root or common
    )
    if tree == Path(tree.anchor):
        return Problem(tree, "the paths have no folder in common that could keep the run's state",
                       hint="run on them one by one, or give --state DIR")  # fmt: skip
    return StateFolder(tree / NAME, tree)


def common_folder(paths: Sequence[Path]) -> Path:
    """The innermost folder that all paths are in; a path that is a folder is in itself, and for one
    that does not exist the folder is that which would have it."""
    folders = [_folder_of(path) for path in paths]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd().resolve()


def _folder_of(path: Path) -> Path:
    if path.is_dir():
        return path.resolve()
    above = path.parent.resolve()
    return next(folder for folder in (above, *above.parents) if folder.is_dir())


def _recorded_tree(folder: Path) -> Path | None:
    with contextlib.suppress(OSError):
        tree = Path(os.fsdecode((folder / _TREE).read_bytes()))
        return tree if tree.is_dir() else None
    return None


def _write_once(path: Path, data: bytes) -> None:
    if not path.exists():
        path.write_bytes(data)
