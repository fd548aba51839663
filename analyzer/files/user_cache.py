"""kept: what takes long to make, in the user's cache folder. A file's name changes with all that it
is made from; one that cannot be read is made anew, one that cannot be written is done without."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

from ..messages.visible import visible

# Where nothing can be, so that nothing is found there.
_NOWHERE = Path(os.devnull, "pinsetter")


def folder() -> Path:
    """The user's cache folder for this program, or one that cannot be, if others could have put
    something into it."""
    return private(user_cache_path("pinsetter")) or _NOWHERE


@cache
def private(path: Path) -> Path | None:
    """The folder, made if need be; None if it cannot be made, or, which is said, if somebody
    else could have put something into it: what is in there must not be believed then, and much less
    be run."""
    if not path.is_absolute():
        return None
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not hasattr(os, "geteuid"):
            return path  # Windows: the folders of a user are the user's
        real = path.resolve(strict=True)
        found = real.stat()
        closed = found.st_uid == os.geteuid() and not found.st_mode & 0o022
        if closed and not any(_can_be_exchanged(above) for above in real.parents):
            return path
    except (OSError, RuntimeError):  # a loop of links is a RuntimeError before 3.13
        return None
    shown = visible(f"{path!s:.1000}")
    sys.stderr.write(f"{shown}: not used as a cache: others may write to it\n")
    return None


def _can_be_exchanged(folder: Path) -> bool:
    """Whether anybody may put something else in the place of what is in a folder."""
    found = folder.stat()
    sticky = bool(found.st_mode & stat.S_ISVTX)
    return bool(found.st_mode & stat.S_IWOTH) and not sticky


def keep(path: Path, text: str) -> None:
    """Write and rename, so that a process that starts meanwhile reads a whole file or none."""
    if path.is_absolute():  # it is not where there is no home folder
        with contextlib.suppress(OSError):
            store(path, text.encode())


def store(path: Path, data: bytes) -> None:
    """The same, of what others may do without or not. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
