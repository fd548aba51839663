"""at_revision: a repository read as one of its commits has it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pinsetter.analyzer.files import disk

from .commit_disk import CommitDisk, Objects
from .git_process import find_git, in_repository
from .git_stand_in import GitSilence, stand_in
from .remembered import Remembered

_NONE = "there is no git"


@contextmanager
def at_revision(path: Path, revision: str) -> Iterator[CommitDisk]:
    """Inside the ``with``, all that reads by ``disk`` reads the repository around a path as a
    revision has it; the path need not be in the work tree. Raises GitSilence, OSError."""
    git = find_git()
    if git is None:
        raise GitSilence(_NONE)
    here = Path(os.path.realpath(path))
    while not here.is_dir():
        here = here.parent
    top = top_of(git, here)
    if top is None:
        raise GitSilence(f"{path} is in no git repository")
    commit = commit_of(git, top, revision)
    if commit is None:
        raise GitSilence(f"{top} has no revision {revision!r}")
    with (
        stand_in(git, top) as ours,
        reading(git, ours.folder, ours.environment, commit, top) as found,
    ):
        yield found


@contextmanager
def reading(
    git: str,
    folder: Path,
    environment: Mapping[str, str],
    commit: str,
    root: Path,
    remembered: Remembered | None = None,
) -> Iterator[CommitDisk]:
    """Inside the ``with``, what is at ``root`` is what a commit has, to all that reads by ``disk``.
    ``folder`` is a repository of ours that has its objects; what is made of these is
    ``remembered``, which is closed at the end."""
    objects = Objects(git, folder, environment)
    found = CommitDisk(objects, commit, root.resolve(), remembered)
    done = False
    try:
        with disk.using(found):
            yield found
        done = True
    finally:
        objects.close()
        if remembered is not None:
            remembered.close(asked_all=done)


def commit_of(git: str, root: Path, revision: str) -> str | None:
    """The commit that a revision of a repository is, if there is one."""
    if not revision or revision.startswith("-"):
        return None
    said = in_repository(git, root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    return None if isinstance(said, str) else said.decode("ascii", "replace").strip()


def top_of(git: str, folder: Path) -> Path | None:
    """The folder of the repository that a folder is in, or that it is if it is bare; None: it is
    in none."""
    said = in_repository(git, folder, "rev-parse", "--is-bare-repository")
    if isinstance(said, str):
        return None
    option = "--absolute-git-dir" if said.strip() == b"true" else "--show-toplevel"
    said = in_repository(git, folder, "rev-parse", option)
    return None if isinstance(said, str) else Path(os.fsdecode(said.removesuffix(b"\n")))
