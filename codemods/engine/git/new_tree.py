"""new_tree: the tree of a commit with other contents of some files, made without a work tree."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .commit_disk import TREE, Objects, tree_of
from .git_stand_in import GitSilence

Ask = Callable[[Sequence[str], bytes], bytes]
"""What a git command prints that is given arguments and input. Raises GitSilence."""


def new_tree(objects: Objects, ask: Ask, commit: str, contents: Mapping[bytes, bytes]) -> str:
    """The name of the tree. Files keep their modes; each must be there, by its path without links.
    Contents are taken as they are: no filter, and no conversion of line ends. Raises GitSilence,
    OSError."""
    names = iter(_written(ask, list(contents.values())))
    changes: dict[bytes, str] = {path: next(names) for path in contents}
    folders = {path.rpartition(b"/")[0] for path in contents}
    for folder in list(folders):
        while folder:
            folder = folder.rpartition(b"/")[0]
            folders.add(folder)
    top = bytes.fromhex(objects.get(f"{commit}^{{tree}}")[0])
    before: dict[bytes, bytes] = {}
    for folder in sorted(folders, key=_depth):
        before[folder] = _inside(objects, before, folder) if folder else top
    # The innermost come first: those around them say their names.
    for folder in sorted(folders, key=_depth, reverse=True):
        entries = dict(tree_of(objects, before[folder]))
        prefix = folder + b"/" if folder else b""
        for path in [path for path in changes if path.rpartition(b"/")[0] == folder and path]:
            name = path[len(prefix) :]
            if name not in entries:
                raise GitSilence(f"{os.fsdecode(path)} is not in commit {commit[:12]}")
            entries[name] = (entries[name][0], bytes.fromhex(changes.pop(path)))
        changes[folder] = _made(ask, entries)
    return changes[b""]


def _depth(folder: bytes) -> tuple[int, bytes]:
    return (folder.count(b"/") + bool(folder), folder)


def _inside(objects: Objects, before: Mapping[bytes, bytes], folder: bytes) -> bytes:
    """The tree of a folder, of whose outer ones those ``before`` are known."""
    above, _, name = folder.rpartition(b"/")
    found = tree_of(objects, before[above]).get(name)
    if found is None or found[0] != TREE:
        raise GitSilence(f"{os.fsdecode(folder)} is no folder of the commit")
    return found[1]


def _made(ask: Ask, entries: Mapping[bytes, tuple[int, bytes]]) -> str:
    lines = [
        b"%06o %s %s\t%s\0" % (mode, _kind(mode), object_name.hex().encode(), name)
        for name, (mode, object_name) in entries.items()
    ]
    # What a partial clone lacks stays as it is.
    return ask(["mktree", "-z", "--missing"], b"".join(lines)).decode("ascii").strip()


def _kind(mode: int) -> bytes:
    return {TREE: b"tree", 0o160000: b"commit"}.get(mode, b"blob")


def _written(ask: Ask, contents: Sequence[bytes]) -> Sequence[str]:
    """The names of contents, as objects."""
    with tempfile.TemporaryDirectory(prefix="pinsetter-") as made:
        for number, data in enumerate(contents):
            Path(made, str(number)).write_bytes(data)
        paths = "".join(f"{Path(made, str(n))}\n" for n in range(len(contents)))
        told = ["hash-object", "-w", "--no-filters", "--stdin-paths"]
        return ask(told, os.fsencode(paths)).decode("ascii").split()
