"""StateFolder: where the runs of a tree keep what they must not forget.

In the user's state folder, or where ``--state`` or PINSETTER_STATE says; never in what comes with
the tree.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pinsetter.analyzer.files.import_path import real_path
from pinsetter.analyzer.messages.problem import Problem

from ..files.below import opened
from . import user_folder
from .given_folder import Told
from .old_names import DATABASE, IN_TREE, VARIABLE

ELSEWHERE = "give a folder that can be written to: --state DIR, or in PINSETTER_STATE"

_IGNORED = ".gitignore"
_OURS = {_IGNORED, "tree", "token"}
_NEW = "else give a new or an empty folder"


@dataclass(frozen=True)
class StateFolder:
    """``path`` is the folder, which need not exist; what it stores of files is relative to
    ``tree``. Both are without links. ``told``: it was named, and is not in the user's state folder;
    ``trusted``: so was the word that it may be another's."""

    path: Path
    tree: Path
    told: bool = False
    trusted: bool = False

    @property
    def database(self) -> Path:
        return self.path / DATABASE

    def refusal(self) -> Problem | None:
        """Why what is in the folder cannot be relied on, if anything is."""
        if not self.told:
            return user_folder.refusal() or user_folder.not_private(self.path)
        if self.trusted or not os.path.lexists(self.database):
            return None
        problem = user_folder.not_private(self.path)
        if problem is not None or user_folder.is_within(self.path):
            return problem
        trust = "if you know where it is from: --trust-state"
        if self._is_in_tree():
            return Problem(self.path, "the state in it lies in the tree, and may have come with it",
                           hint=f"{trust}; else give a folder outside of the tree")  # fmt: skip
        if user_folder.binding(self.path) is None:
            return Problem(self.path, "the state in it is not known as one that you made",
                           hint=f"{trust}; {_NEW}")  # fmt: skip
        return None

    def make(self) -> Problem | None:
        """Make the folder if need be; returns why it could not be made, or not be used."""
        problem = self.refusal()
        if problem is not None:
            return problem
        try:
            if self.told:
                problem = self._make_told()
            else:
                # It holds the text of files, some of which may be private.
                user_folder.make(self.path, self.tree)
        except OSError as error:
            reason = f"the state folder cannot be made: {error.strerror or error}"
            hint = ELSEWHERE if self.told else user_folder.OF_YOUR_OWN
            return Problem(self.path, reason, hint=hint)
        return problem or self.refusal()

    def bind(self) -> None:
        """Know the folder from now on as one that this user made, where that can be. What lies in
        a tree is never known: a checkout could replace it."""
        if not self.told or self._is_in_tree() or user_folder.is_within(self.path):
            return
        if user_folder.binding(self.path) is None:
            with contextlib.suppress(OSError):
                user_folder.bind(self.path, self.tree)

    def covers(self, paths: Sequence[Path]) -> Problem | None:
        """Why the folder cannot keep what is written to some paths."""
        if common_folder(paths).is_relative_to(self.tree):
            return None
        reason = f"the state in it is that of {self.tree}, where the given paths are not"
        return Problem(self.path, reason, hint="give another folder: --state DIR")

    def remarks(self) -> Iterator[Problem]:
        """What is to be said of states that are there, and not used."""
        old = self.tree / IN_TREE
        if old != self.path and os.path.lexists(old / DATABASE):
            yield Problem(
                old, "the state in it is not used: it may have come with the tree",
                hint=f"if it is yours, and needed: --state {old} --trust-state; else delete it",
            )  # fmt: skip
        if not self.told and not os.path.lexists(self.database):
            for path in user_folder.of_gone_trees(self.tree):
                yield Problem(
                    path, f"there is a state of another {self.tree.name}, which is gone",
                    hint=f"if it was moved to {self.tree}: --state {path}",
                )  # fmt: skip

    def _make_told(self) -> Problem | None:
        if not self.path.is_dir():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with opened(self.path.parent) as parent:
                parent.sync()
        elif not self._is_ours():
            return Problem(self.path, "the state folder has other files in it",
                           hint="give one that is new or empty: --state DIR")  # fmt: skip
        elif not os.path.lexists(self.database):
            self.path.chmod(0o700)
        if not os.path.lexists(self.path / _IGNORED):
            (self.path / _IGNORED).write_bytes(b"*\n")
        self.bind()
        return None

    def _is_ours(self) -> bool:
        """Whether the folder holds a state, or nothing. Git is told to ignore all that is in it,
        which must not happen to somebody's sources."""
        names = {entry.name for entry in self.path.iterdir()}
        return self.database.name in names or names <= _OURS

    def _is_in_tree(self) -> bool:
        return self.path.is_relative_to(self.tree)

    def stored(self, path: Path) -> bytes:
        """A file's path as it is stored, whatever bytes it has."""
        return os.fsencode(os.path.relpath(path.parent.resolve() / path.name, self.tree))

    def path_of(self, stored: bytes) -> Path:
        """The absolute path that was stored. Raises ValueError if it does not name a file below the
        tree."""
        name = os.fsdecode(stored)
        inner = PurePosixPath(name.replace(os.sep, "/"))
        plain = str(inner) == name.replace(os.sep, "/") and ".." not in inner.parts
        if not plain or not inner.parts or inner.is_absolute() or "\0" in name or _has_drive(name):
            raise ValueError("a path does not lead to a file of the tree")
        return self.tree.joinpath(*inner.parts)


def locate(paths: Sequence[Path], told: Told | None = None) -> StateFolder | Problem:
    """The state folder for a run on ``paths``; nothing is made.

    It is the one told by ``told`` or PINSETTER_STATE; else that of the nearest folder above all
    paths of which the user has a state; else the git work tree's; else that of the folder the paths
    have in common. The Problem is that they have none.
    """
    common = common_folder(paths)
    above = [common, *common.parents]
    if told is None and os.environ.get(VARIABLE):
        told = Told(Path(os.environ[VARIABLE]))
    # Path.exists raises PermissionError where a folder above is closed to us.
    root = next((folder for folder in above if os.path.exists(folder / ".git")), None)
    if told is not None:
        path = real_path(told.path)
        return StateFolder(path, _tree_of(path) or root or common, True, told.trusted)
    tree = next(filter(user_folder.is_known, above), None) or root or common
    if tree == Path(tree.anchor):
        return Problem(tree, "the paths have no folder in common that could keep the run's state",
                       hint="run on them one by one, or give --state DIR")  # fmt: skip
    return StateFolder(user_folder.of_tree(tree), tree)


def common_folder(paths: Sequence[Path]) -> Path:
    """The innermost folder that all paths are in; a path that is a folder is in itself, and for one
    that does not exist the folder is that which would have it."""
    folders = [_folder_of(path) for path in paths]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd().resolve()


def _folder_of(path: Path) -> Path:
    if os.path.isdir(path):
        return real_path(path)
    above = real_path(path.parent)
    return next(folder for folder in (above, *above.parents) if os.path.isdir(folder))


def _tree_of(path: Path) -> Path | None:
    """The tree that a named folder is known to be for, as long as there is one."""
    if user_folder.is_within(path):
        return user_folder.recorded_tree(path)
    known = user_folder.binding(path)
    return known.tree if known is not None and known.tree.is_dir() else None


def _has_drive(name: str) -> bool:
    return bool(os.path.splitdrive(name)[0])
