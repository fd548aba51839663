"""files: the Python files below a path that a run reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

from ..messages.problem import Problem
from . import disk
from .ignore import Failed, ignoring_at
from .import_path import real_path, root_of
from .notebook import SUFFIX

_NOT_SOURCES = {"__pycache__", "node_modules", "site-packages"}
# A virtual environment has one of these: venv's, those of old virtualenvs, conda's. Not by its
# name: programs that learn to act have a package `env`.
_OF_ENVIRONMENTS = ("pyvenv.cfg", "bin/activate", "Scripts/activate", "conda-meta")


def _silently(_problem: Problem) -> None:
    pass


class Found(NamedTuple):
    """A file by the name to show, and by its resolved path; ``linked`` if these differ in more than
    their folders."""

    shown: str
    real: str
    linked: bool


def python_files(path: Path, failed: Failed = _silently) -> Iterator[Path]:
    """The Python files and notebooks below ``path``, sorted; hidden, ignored and vendored folders
    left out.

    A file is given back whatever it is called and whether it is ignored or not: it was named.
    Links to folders are not followed. ``failed`` hears of folders that cannot be read, and
    of patterns that are none.
    """
    return (Path(found.shown) for found in find_files(path, failed))


def find_files(
    path: Path,
    failed: Failed = _silently,
    ignored: Callable[[str], object] = str,
    elsewhere: Callable[[str], object] = str,
    apart: Collection[str] = (),
    depth: float = inf,
    excluded: Sequence[str] = (),
) -> Iterator[Found]:
    """The same as strings: to make paths of them takes as long as to find them. ``ignored`` hears
    of what is left out by rules, and may be imported nevertheless; ``elsewhere`` of the names of
    all that may be, and is not among what is found under its name: of that, of folders that are not
    entered, and of links. Folders that have one of ``apart`` are not entered, nor those more than
    ``depth`` folders down, packages not counted; ``excluded`` are patterns of git's for more that
    is ignored, relative to ``path``."""
    if disk.is_file(path):
        yield Found(str(path), disk.real(path), disk.is_link(path))
        return
    top = real_path(path)
    shown = "" if path == Path() else os.path.join(str(path), "")
    ignoring = ignoring_at(top, root_of(path), failed).excluding(excluded, str(top), failed)
    waiting = [(shown, os.path.join(str(top), ""), ignoring, depth)]
    while waiting:
        folder, absolute, ignoring, left = waiting.pop()
        try:
            entries = sorted(disk.entries(absolute), key=lambda entry: entry.name)
        except OSError as error:
            failed(Problem(Path(folder), f"cannot be read: {error.strerror or error}"))
            continue
        below = []
        for entry in entries:
            name, inside = entry.name, entry.path
            if name.startswith("."):
                continue
            if _is_folder(entry):
                if (
                    name in _NOT_SOURCES
                    or _has_one(inside, _OF_ENVIRONMENTS)
                    or not left
                    or _has_one(inside, apart)
                ):
                    elsewhere(name)
                elif ignoring.ignores(inside, True):
                    elsewhere(name)
                    ignored(inside)
                else:
                    entered = ignoring.entered(inside, failed)
                    package = left < inf and disk.is_there(os.path.join(inside, "__init__.py"))
                    shown = os.path.join(folder, name, "")
                    below.append((shown, inside + os.sep, entered, left - (not package)))
            elif name.endswith((".py", SUFFIX)) and _is_source(entry):
                if ignoring.ignores(inside, False):
                    elsewhere(name)
                    ignored(inside)
                    continue
                if linked := entry.is_symlink():
                    elsewhere(name)
                real = disk.real(inside) if linked else inside
                yield Found(folder + name, real, linked)
            elif entry.is_symlink():
                elsewhere(name)
        waiting.extend(reversed(below))


def _has_one(folder: str, names: Collection[str]) -> bool:
    return any(disk.is_there(os.path.join(folder, name)) for name in names)


def _is_folder(entry: disk.Entry) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_source(entry: disk.Entry) -> bool:
    """Whether reading ends: not of a pipe or a device. What cannot be told, as of a link to nothing
    or to itself, is reported when read."""
    try:
        return entry.is_file() or (entry.is_symlink() and not disk.exists(entry.path))
    except OSError:
        return True
