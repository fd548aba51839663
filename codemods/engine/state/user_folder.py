"""user_folder: where this user's runs keep what they must not forget, and which folders elsewhere
are known as theirs.

Nobody else can write there, and no repository can bring it along: so what is in it can be relied on
as far as anything can.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from pinsetter.analyzer.files.import_path import real_path
from pinsetter.analyzer.messages.problem import Problem

from ..files.replace_file import replace

OF_YOUR_OWN = "set XDG_STATE_HOME to a folder of your own, or give one that is new: --state DIR"

_TREE = "tree"
_TOKEN = "token"
_UNREADABLE = re.compile(r"[^A-Za-z0-9._-]+")
_NAME_LENGTH = 40


@dataclass(frozen=True)
class Binding:
    """What is known of a folder that ``--state`` named: its token, and the tree that it is for."""

    token: str
    tree: Path


def folder() -> Path:
    """The user's state folder for this program; not absolute if there is no home folder."""
    return platformdirs.user_state_path("pinsetter", appauthor=False)


def of_tree(tree: Path) -> Path:
    """Where the state of a tree is; ``tree`` is without links."""
    return _trees() / f"{_readable(tree)}-{_digest(tree)}"


def is_known(tree: Path) -> bool:
    """Whether the user has a state of a tree."""
    return os.path.isdir(of_tree(tree))


def is_within(path: Path) -> bool:
    """Whether a folder is that of a tree in the user's state folder."""
    return path.parent == real_path(_trees())


def refusal() -> Problem | None:
    """Why the user's state folder cannot be relied on."""
    path = folder()
    if not path.is_absolute():
        return Problem(path, "there is no home folder to keep the state of runs in",
                       hint=OF_YOUR_OWN)  # fmt: skip
    return not_private(path) or not_private(_trees())


def not_private(path: Path) -> Problem | None:
    """Why what is in a folder may be somebody else's; None also if there is no such folder."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Problem(path, f"the state cannot be read: {error.strerror}", hint=OF_YOUR_OWN)
    if not hasattr(os, "geteuid"):
        return None
    if found.st_uid != os.geteuid():
        return Problem(path, "the state folder belongs to another user", hint=OF_YOUR_OWN)
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return Problem(path, "the state folder can be written to by other users",
                       hint="look at what is in it, then: chmod go-w")  # fmt: skip
    return None


def make(path: Path, tree: Path) -> None:
    """Make the folder of a tree. Raises OSError."""
    for one in (folder(), _trees(), path):
        one.mkdir(mode=0o700, parents=True, exist_ok=True)
    if recorded_tree(path) is None:
        replace(path / _TREE, os.fsencode(tree))


def recorded_tree(path: Path) -> Path | None:
    """The tree that a folder in the user's state folder was made for, if there is such a tree."""
    tree = _recorded(path)
    return tree if tree is not None and os.path.isdir(tree) else None


def of_gone_trees(tree: Path) -> Iterator[Path]:
    """The states of trees that had the name of this one, and are gone: it may be one of them."""
    for path in sorted(_trees().glob(f"{_readable(tree)}-*")):
        other = _recorded(path)
        if other is not None and other.name == tree.name and not os.path.isdir(other):
            yield path


def trees_below(folder: Path) -> list[Path]:
    """The trees below a folder, which is without links, of which the user has a state."""
    if refusal() is not None or not _trees().is_dir():
        return []
    found = (recorded_tree(path) for path in _trees().iterdir())
    return sorted(tree for tree in found if tree is not None and tree.is_relative_to(folder))


def binding(path: Path) -> Binding | None:
    """What is known of a folder elsewhere, if it still has the token that it got."""
    try:
        token, _, tree = _record(path).read_bytes().partition(b"\n")
        has = (path / _TOKEN).read_bytes()
    except OSError:
        return None
    known = bool(token) and hmac.compare_digest(token, has)
    return Binding(token.decode("ascii", "replace"), Path(os.fsdecode(tree))) if known else None


def bind(path: Path, tree: Path) -> None:
    """Know a folder elsewhere from now on. Raises OSError; it is not known then."""
    if refusal() is not None:
        raise OSError("the user's state folder cannot be used")
    token = secrets.token_hex(16).encode()
    record = _record(path)
    for one in (folder(), record.parent):
        one.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace(path / _TOKEN, token)
    replace(record, token + b"\n" + os.fsencode(tree))


def _recorded(path: Path) -> Path | None:
    try:
        return Path(os.fsdecode((path / _TREE).read_bytes()))
    except OSError:
        return None


def _trees() -> Path:
    return folder() / "trees"


def _record(path: Path) -> Path:
    return folder() / "elsewhere" / _digest(path)


def _readable(tree: Path) -> str:
    return _UNREADABLE.sub("_", tree.name)[:_NAME_LENGTH]


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
