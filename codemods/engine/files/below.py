"""below: the files of a folder, opened step by step so that no link in it leads elsewhere.

Whoever can write to a tree can put a link in the place of a folder between the moment in which a
path was looked at and that in which it is used. So a folder is held by its descriptor, and its
files are named from there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

_BY_DESCRIPTOR = {os.open, os.stat, os.unlink, os.rename} <= os.supports_dir_fd
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
# Enough to go on from, also where a folder may be entered and not listed.
_STEP = _FOLDER | getattr(os, "O_PATH", os.O_RDONLY)
# A pipe in a file's place must not be waited for.
_FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class LinkError(OSError):
    """A link is where there must be none, as ``strerror`` says."""

    def __init__(self, folder: str = "") -> None:
        """``folder`` is what the link is called, if it is in a folder's place."""
        what = f"its folder {folder}" if folder else "it"
        super().__init__(errno.ELOOP, f"{what} is a link now")


class OpenFolder:
    """A folder that is held open, and its files by their names. All methods raise OSError, and none
    follows a link."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        """Without a descriptor, where the system cannot name files from one, ``path`` is used."""
        self.path = path
        self._descriptor = descriptor

    def stat(self, name: str) -> os.stat_result:
        return os.stat(self._name(name), dir_fd=self._descriptor, follow_symlinks=False)

    def is_link(self, name: str) -> bool:
        """Whether there is a link, as far as that can be told."""
        with contextlib.suppress(OSError):
            return stat.S_ISLNK(self.stat(name).st_mode)
        return False

    def is_writable(self, name: str = ".") -> bool:
        return os.access(self._name(name), os.W_OK, dir_fd=self._descriptor)

    def open(self, name: str, flags: int = os.O_RDONLY, mode: int = 0) -> int:
        """A descriptor of a file."""
        return os.open(self._name(name), flags | _FILE, mode, dir_fd=self._descriptor)

    def read(self, name: str) -> bytes:
        """The bytes of a regular file."""
        try:
            descriptor = self.open(name)
        except OSError as error:
            raise (LinkError() if self.is_link(name) else error) from error
        with os.fdopen(descriptor, "rb") as stream:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(mode):
                raise OSError(errno.EINVAL, "it is no regular file")
            return stream.read()

    def replace(self, name: str, by: str) -> None:
        """Rename the file ``by`` to ``name``."""
        os.replace(self._name(by), self._name(name),
                   src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)  # fmt: skip

    def unlink(self, name: str) -> None:
        os.unlink(self._name(name), dir_fd=self._descriptor)

    def sync(self) -> None:
        """Make what was renamed in it durable, where the file system can."""
        with contextlib.suppress(OSError):
            descriptor = os.open(self._name("."), os.O_RDONLY, dir_fd=self._descriptor)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _name(self, name: str) -> str:
        return name if self._descriptor is not None else str(self.path / name)


@contextlib.contextmanager
def opened(folder: Path, top: Path | None = None) -> Iterator[OpenFolder]:
    """Hold a folder for the ``with``. From ``top`` down to it no link is followed; without ``top``
    they are. Raises OSError; a ValueError if it is not below ``top``."""
    top = top or folder
    steps = folder.relative_to(top).parts
    if ".." in steps:
        raise ValueError(f"{folder} leads out of {top}")
    if not _BY_DESCRIPTOR:
        for number in range(len(steps)):
            step = top.joinpath(*steps[: number + 1])
            if step.is_symlink():
                raise LinkError(step.name)
        yield OpenFolder(folder, None)
        return
    with contextlib.ExitStack() as held:
        # It is the top itself that may be reached by links.
        descriptor = os.open(top, _STEP & ~getattr(os, "O_NOFOLLOW", 0))
        held.callback(os.close, descriptor)
        for name in steps:
            try:
                step_into = os.open(name, _STEP, dir_fd=descriptor)
            except OSError as error:
                is_link = OpenFolder(folder, descriptor).is_link(name)
                raise (LinkError(name) if is_link else error) from error
            held.callback(os.close, step_into)
            descriptor = step_into
        yield OpenFolder(folder, descriptor)


def read(path: Path, top: Path) -> bytes:
    """The bytes of a regular file below a folder, to which no link leads. Raises OSError."""
    with opened(path.parent, top) as folder:
        return folder.read(path.name)
