"""disk: the files that an analysis reads: this machine's, or those that were sent to it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Protocol


class Entry(Protocol):
    """What is in a folder; ``os.DirEntry`` is one."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> str: ...

    def is_dir(self, *, follow_symlinks: bool = True) -> bool: ...

    def is_file(self, *, follow_symlinks: bool = True) -> bool: ...

    def is_symlink(self) -> bool: ...


Make = Callable[[str, bytes], bytes]
"""What is made of a file's path and bytes; of its path only the end may count."""


Read = Callable[[str], bytes]
"""The bytes of a file. Raises OSError."""

_Each = Callable[[Read, Iterable[str], Make], Iterator[tuple[str, bytes | None]]]


class Disk(Protocol):
    def opened(self, path: str) -> AbstractContextManager[tuple[BinaryIO, int]]:
        """A file and its size in bytes. Raises OSError."""

    def read(self, path: str) -> bytes:
        """All bytes of a file. Raises OSError."""

    def made_of(
        self, paths: Iterable[str], question: bytes, make: Make
    ) -> Iterator[tuple[str, bytes | None]]:
        """What is made of each of some files, None of what cannot be read. It may have been made
        before, of the same bytes for the same ``question``."""

    def digest(self, path: str) -> str | None:
        """Another one where a file's bytes are others; None for what is no file, or is not to be
        read."""

    def entries(self, folder: str) -> Sequence[Entry]:
        """What is in a folder. Raises OSError."""

    def is_link(self, path: str) -> bool: ...

    def is_file(self, path: str) -> bool:
        """Whether there is such a file. Raises OSError where that cannot be told."""

    def is_folder(self, path: str) -> bool: ...

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder."""

    def names_in(self, folder: str) -> Collection[str]:
        """What is in a folder; nothing where there is none."""

    def real(self, path: str) -> str:
        """The path without links."""

    def is_writable(self, path: str) -> bool: ...


def one_by_one(read: Read, paths: Iterable[str], make: Make) -> Iterator[tuple[str, bytes | None]]:
    """What is made of each of some files, None of what cannot be read."""
    for path in paths:
        try:
            data = read(path)
        except OSError:
            yield path, None
        else:
            yield path, make(path, data)


@dataclass(frozen=True)
class Local:
    """The files of this machine; ``each`` is how something is made of many, if not one by one."""

    each: _Each = one_by_one

    @contextmanager
    def opened(self, path: str) -> Iterator[tuple[BinaryIO, int]]:
        with open(path, "rb") as opened:
            yield opened, os.fstat(opened.fileno()).st_size

    def read(self, path: str) -> bytes:
        # Half of what a file object costs, for nearly every file is read in one go.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            data = os.read(handle, _MOST)
            while part := os.read(handle, _MOST) if len(data) >= _MOST else b"":
                data += part
            return data
        finally:
            os.close(handle)

    def made_of(
        self, paths: Iterable[str], question: bytes, make: Make
    ) -> Iterator[tuple[str, bytes | None]]:
        return self.each(self.read, paths, make)

    def digest(self, path: str) -> str | None:
        if not os.path.isfile(path):
            return None
        try:
            return blake2b(self.read(path), digest_size=20).hexdigest()
        except OSError:
            return None

    def entries(self, folder: str) -> Sequence[Entry]:
        with os.scandir(folder) as scanned:
            return list(scanned)

    def is_link(self, path: str) -> bool:
        return os.path.islink(path)

    def is_file(self, path: str) -> bool:
        try:
            return stat.S_ISREG(os.stat(path).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(path)

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def names_in(self, folder: str) -> Collection[str]:
        try:
            return os.listdir(folder)
        except OSError:
            return ()

    def real(self, path: str) -> str:
        return os.path.realpath(path)

    def is_writable(self, path: str) -> bool:
        return os.access(path, os.W_OK)


_MOST = 1 << 18


class NotSentError(BaseException):
    """What an analysis asks for is on another machine. No error of the analysis: nothing that
    handles these may take it for one."""


@dataclass(frozen=True)
class Sent:
    """Files that came with their ``contents``. ``known`` are all other files and folders that
    count, by their resolved paths: what is not among them is not there for an analysis. ``links``
    has the resolved paths of what is called otherwise; ``writable`` is what can be written of all
    these. ``beneath`` is what came before, and holds still."""

    known: Collection[str] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    writable: Collection[str] = ()
    beneath: Sent | None = None

    @contextmanager
    def opened(self, path: str) -> Iterator[tuple[BinaryIO, int]]:
        real = self.real(path)
        if real not in self.contents:
            if self.is_file(real):
                raise NotSentError(real)
            raise FileNotFoundError(2, os.strerror(2), path)
        data = self.contents[real]
        yield BytesIO(data), len(data)

    def read(self, path: str) -> bytes:
        with self.opened(path) as (file, _):
            return file.read()

    def made_of(
        self, paths: Iterable[str], question: bytes, make: Make
    ) -> Iterator[tuple[str, bytes | None]]:
        return one_by_one(self.read, paths, make)

    def digest(self, path: str) -> str | None:
        try:
            return blake2b(self.read(path), digest_size=20).hexdigest()
        except OSError:
            return None

    def entries(self, folder: str) -> Sequence[Entry]:
        raise NotSentError(folder)  # files are listed where they are

    def is_link(self, path: str) -> bool:
        return path in self.links

    def is_file(self, path: str) -> bool:
        real = self.real(path)
        return self._has(real) and not self.is_folder(real)

    def is_folder(self, path: str) -> bool:
        real = self.real(path)
        return real in self._folders or (self.beneath is not None and self.beneath.is_folder(real))

    def exists(self, path: str) -> bool:
        real = self.real(path)
        return self._has(real) or self.is_folder(real)

    def names_in(self, folder: str) -> Collection[str]:
        real = self.real(folder)
        below = self.beneath.names_in(real) if self.beneath is not None else ()
        return {*self._folders.get(real, ()), *below}

    def real(self, path: str) -> str:
        return self.links.get(path, path)

    def is_writable(self, path: str) -> bool:
        return self.real(path) in self.writable

    def _has(self, real: str) -> bool:
        found = real in self.contents or real in self.known
        return found or (self.beneath is not None and self.beneath._has(real))

    @cached_property
    def _folders(self) -> Mapping[str, Collection[str]]:
        found: dict[str, set[str]] = {}
        for path in (*self.known, *self.contents):
            folder, name = os.path.split(path)
            while name and name not in found.setdefault(folder, set()):
                found[folder].add(name)
                folder, name = os.path.split(folder)
        return found


LOCAL: Disk = Local()
_disk = LOCAL


def use(disk: Disk) -> None:
    """Have all that is read from now on come from there."""
    global _disk
    _disk = disk


def is_local() -> bool:
    """Whether all that is read are the files of this machine."""
    return _disk is LOCAL


@contextmanager
def using(disk: Disk) -> Iterator[None]:
    """The same until the end of the block."""
    before = _disk
    use(disk)
    try:
        yield
    finally:
        use(before)


def opened(path: Path) -> AbstractContextManager[tuple[BinaryIO, int]]:
    """A file and its size in bytes. Raises OSError."""
    return _disk.opened(str(path))


def read(path: Path | str) -> bytes:
    """All bytes of a file. Raises OSError."""
    return _disk.read(str(path))


def made_of(
    paths: Iterable[str], question: bytes, make: Make
) -> Iterator[tuple[str, bytes | None]]:
    """What is made of each of some files, None of what cannot be read (``Disk.made_of``)."""
    return _disk.made_of(paths, question, make)


def digest(path: Path | str) -> str | None:
    """Another one where a file's bytes are others; None for what is no file, or is not to be
    read."""
    return _disk.digest(str(path))


def entries(folder: Path | str) -> Sequence[Entry]:
    """What is in a folder. Raises OSError."""
    return _disk.entries(str(folder))


def is_link(path: Path | str) -> bool:
    """Whether the path itself is a link."""
    return _disk.is_link(str(path))


def is_there(path: Path | str) -> bool:
    """Whether there is anything of that name, be it a link to nothing."""
    return _disk.exists(str(path)) or _disk.is_link(str(path))


def read_text(path: Path) -> str:
    """The text of a file in UTF-8; other bytes are replaced. Raises OSError, also for a pipe or a
    device, of which there may be no end."""
    if not is_file(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    with opened(path) as (file, _):
        text = file.read().decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_file(path: Path | str) -> bool:
    """Whether there is such a file; not, if that cannot be told."""
    try:
        return _disk.is_file(str(path))
    except (OSError, ValueError):
        return False


def is_regular(path: Path | str) -> bool:
    """Whether there is such a file. Raises OSError where that cannot be told."""
    return _disk.is_file(str(path))


def is_folder(path: Path | str) -> bool:
    """Whether there is such a folder."""
    return _disk.is_folder(str(path))


def exists(path: Path | str) -> bool:
    """Whether there is such a file or folder."""
    return _disk.exists(str(path))


def names_in(folder: Path | str) -> Collection[str]:
    """What is in a folder; nothing where there is none."""
    return _disk.names_in(str(folder))


def real(path: Path | str) -> str:
    """A path without links. Of links that lead in a circle the first stays, for whoever reads it
    to say so: ``Path.resolve`` fails there in some versions of Python."""
    return _disk.real(str(path))


def is_writable(path: Path | str) -> bool:
    """Whether the path may be written."""
    return _disk.is_writable(str(path))
