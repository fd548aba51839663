"""CommitDisk: the files of a commit, read from git's objects; nothing is checked out."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pinsetter.analyzer.files.disk import LOCAL, Entry, Make

from .git_process import begun
from .git_stand_in import GitSilence
from .remembered import Remembered

TREE, _LINK, _REPOSITORY = 0o040000, 0o120000, 0o160000
_LEADS_OUT = "a link to what is no file of the repository"
# As many as Linux follows.
_LINKS = 40
_REMEMBERED = 8192
# A name, a kind and a size.
_SAID = 3
# What is asked for at once: the contents of all are in memory.
_AT_ONCE = 32
# What is looked up at once.
_LOOKED_UP = 512


class Objects:
    """A repository's objects, by ``git cat-file`` in a ``folder`` of ours. Each fork of this
    process has a git of its own; threads take turns."""

    def __init__(self, git: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._command = (git, "-C", str(folder), "cat-file", "--batch")
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._of = 0
        self._turn = threading.Lock()

    def get(self, name: str) -> tuple[str, bytes]:
        """The full name of an object, and what is in it. Raises GitSilence: it is not there, as in
        a partial clone."""
        (found,) = self.many([name])
        return found

    def many(self, names: Sequence[str]) -> list[tuple[str, bytes]]:
        """The same of some objects that are asked for at once: a few dozen, for git waits for its
        answers to be read. Raises GitSilence."""
        if self._of != os.getpid():
            # What the process that this is a fork of has is not for two to read from.
            self._process, self._of, self._turn = None, os.getpid(), threading.Lock()
        with self._turn:
            try:
                return self._asked(names)
            except BaseException as error:
                # Answers that were not read are no answers to what is asked next.
                self._end()
                if isinstance(error, (OSError, ValueError)):
                    raise GitSilence(f"git does not give its objects: {error}") from error
                raise

    def _asked(self, names: Sequence[str]) -> list[tuple[str, bytes]]:
        if self._process is None:
            self._process = begun(self._command, self._environment)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{name}\n" for name in names).encode())
        process.stdin.flush()
        found = []
        for name in names:
            said = process.stdout.readline().split()
            if len(said) != _SAID:
                raise GitSilence(f"unable to read object {name}")
            size = int(said[2])
            data = process.stdout.read(size + 1)
            if len(data) != size + 1:
                raise GitSilence(f"unable to read object {name}: git ended")
            found.append((said[0].decode("ascii"), data[:-1]))
        return found

    def close(self) -> None:
        """End this process's git."""
        if self._of == os.getpid():
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            # A fork of this process may hold its pipe open, so that it would wait for more.
            process.kill()
            process.wait()


class _Object(NamedTuple):
    """Something in a commit, by its path there without links; its name is git's, as bytes."""

    path: str
    mode: int
    name: bytes


@dataclass(frozen=True)
class _Entry:
    """One of a folder, as ``os.DirEntry``."""

    disk: CommitDisk
    name: str
    path: str
    mode: int

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        if follow_symlinks and self.mode == _LINK:
            return self.disk.is_folder(self.path)
        return _is_folder(self.mode)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        if follow_symlinks and self.mode == _LINK:
            return self.disk.is_file(self.path)
        return _is_file(self.mode)

    def is_symlink(self) -> bool:
        return self.mode == _LINK


class CommitDisk:
    """A ``Disk`` on which ``root`` and all that is below it is as a commit has it, whatever is
    there; all else is this machine's. Links that lead out of the commit lead nowhere. Reading
    raises GitSilence for objects that are not there."""

    def __init__(
        self, objects: Objects, commit: str, root: Path, remembered: Remembered | None = None
    ) -> None:
        """``root`` is a path without links; what is made of files is ``remembered``."""
        self.commit = commit
        self._objects, self._remembered = objects, remembered
        self._root = str(root)
        self._below = os.path.join(self._root, "")
        self._top: bytes | None = None
        self._folder_at = lru_cache(maxsize=_REMEMBERED)(self._at)
        self._contents = lru_cache(maxsize=_REMEMBERED)(self._read_tree)
        # Of a million files these are 40 MB; to ask for them again takes longer than to read them.
        self._trees: dict[bytes, bytes] = {}

    @contextmanager
    def opened(self, path: str) -> Iterator[tuple[BinaryIO, int]]:
        if self._relative(path) is None:
            with LOCAL.opened(path) as found:
                yield found
            return
        data = self.read(path)
        yield BytesIO(data), len(data)

    def read(self, path: str) -> bytes:
        relative = self._relative(path)
        if relative is None:
            return LOCAL.read(path)
        found = self._at(relative, _LINKS)
        if found is None or not _is_file(found.mode):
            number = errno.ENOENT if found is None else errno.EISDIR
            reason = _LEADS_OUT if self.is_link(path) else os.strerror(number)
            raise OSError(number, reason, path)
        return self._objects.get(found.name.hex())[1]

    def made_of(
        self, paths: Iterable[str], question: bytes, make: Make
    ) -> Iterator[tuple[str, bytes | None]]:
        waiting = iter(paths)
        while chunk := list(islice(waiting, _LOOKED_UP)):
            found = {path: self._file(path) for path in chunk}
            # The end of a path says what its bytes mean.
            of_end: dict[str, dict[bytes, str]] = defaultdict(dict)
            for path, name in found.items():
                if name is not None:
                    of_end[os.path.splitext(path)[1]].setdefault(name, path)
            made = {
                end: self._answers(names, question + end.encode("utf-8", "surrogateescape"), make)
                for end, names in of_end.items()
            }
            for path, name in found.items():
                if name is not None:
                    yield path, made[os.path.splitext(path)[1]][name]
                elif self._relative(path) is None:
                    yield from LOCAL.made_of([path], question, make)
                else:
                    yield path, None

    def _answers(
        self, names: Mapping[bytes, str], question: bytes, make: Make
    ) -> Mapping[bytes, bytes]:
        """What is made of objects, each with a path of it."""
        known = self._remembered.known(question, [*names]) if self._remembered is not None else {}
        answers = {**known}
        left = iter([name for name in names if name not in known])
        while some := list(islice(left, _AT_ONCE)):
            contents = self._objects.many([name.hex() for name in some])
            new = {n: make(names[n], data) for n, (_, data) in zip(some, contents, strict=True)}
            answers |= new
            if self._remembered is not None:
                self._remembered.keep(question, new.items())
        return answers

    def _file(self, path: str) -> bytes | None:
        """The object that a path in the commit means, if that is a file."""
        relative = self._relative(path)
        found = self._at(relative, _LINKS) if relative is not None else None
        return found.name if found is not None and _is_file(found.mode) else None

    def digest(self, path: str) -> str | None:
        relative = self._relative(path)
        if relative is None:
            return LOCAL.digest(path)
        found = self._at(relative, _LINKS)
        return f"git:{found.name.hex()}" if found is not None and _is_file(found.mode) else None

    def entries(self, folder: str) -> Sequence[Entry]:
        relative = self._relative(folder)
        if relative is None:
            return LOCAL.entries(folder)
        found = self._at(relative, _LINKS)
        if found is None or not _is_folder(found.mode):
            number = errno.ENOENT if found is None else errno.ENOTDIR
            raise OSError(number, os.strerror(number), folder)
        return [
            _Entry(self, name, os.path.join(folder, name), mode)
            for name, (mode, _) in self._inside(found).items()
        ]

    def is_link(self, path: str) -> bool:
        relative = self._relative(path)
        if relative is None:
            return LOCAL.is_link(path)
        return bool(relative) and self._is_link_at(relative)

    def is_file(self, path: str) -> bool:
        relative = self._relative(path)
        if relative is None:
            return LOCAL.is_file(path)
        found = self._at(relative, _LINKS)
        return found is not None and _is_file(found.mode)

    def is_folder(self, path: str) -> bool:
        relative = self._relative(path)
        if relative is None:
            return LOCAL.is_folder(path)
        found = self._at(relative, _LINKS)
        return found is not None and _is_folder(found.mode)

    def exists(self, path: str) -> bool:
        relative = self._relative(path)
        return LOCAL.exists(path) if relative is None else self._at(relative, _LINKS) is not None

    def names_in(self, folder: str) -> Collection[str]:
        relative = self._relative(folder)
        if relative is None:
            return LOCAL.names_in(folder)
        found = self._at(relative, _LINKS)
        return tuple(self._inside(found)) if found is not None else ()

    def real(self, path: str) -> str:
        relative = self._relative(path)
        if relative is None:
            return LOCAL.real(path)
        found = self._without_links(relative, _LINKS)
        return os.path.join(self._root, *found.split("/")) if found else self._root

    def is_writable(self, path: str) -> bool:
        return self._relative(path) is not None or LOCAL.is_writable(path)

    def covers(self, path: str) -> bool:
        """Whether a path is one in the commit, there or not."""
        return self._relative(path) is not None

    def path_of(self, path: bytes) -> bytes:
        """The path of something in the commit without links, which are not followed out of it."""
        found = self._at(os.fsdecode(path), _LINKS)
        return os.fsencode(found.path) if found is not None else path

    def _relative(self, path: str) -> str | None:
        """A path in the commit, with ``/`` between its parts; None for what is elsewhere."""
        if not path.startswith(self._below):
            # Called otherwise: from the current folder, or by a link on this machine.
            path = path if path == self._root else self._as_called_here(path)
            if path == self._root:
                return ""
            if not path.startswith(self._below):
                return None
        found = path[len(self._below) :]
        found = found.replace(os.sep, "/") if os.sep != "/" else found
        if ".." in found and os.path.normpath(found).startswith(".."):
            return None
        return found

    def _as_called_here(self, path: str) -> str:
        absolute = os.path.join(os.getcwd(), path)
        return absolute if absolute.startswith(self._below) else os.path.realpath(absolute)

    def _at(self, path: str, links: int) -> _Object | None:
        """What a path in the commit is, after as many links at most."""
        if not path:
            return _Object("", TREE, self._named_top())
        folder, _, name = path.rpartition("/")
        above = self._folder_at(folder, links)
        if above is None or not _is_folder(above.mode):
            return None
        if name in ("", "."):
            return above
        if name == "..":
            return self._at(above.path.rpartition("/")[0], links) if above.path else None
        if not above.path and name == ".git":
            return _Object(".git", TREE, b"")
        found = self._inside(above).get(name)
        if found is None:
            return None
        mode, object_name = found
        if mode != _LINK:
            return _Object(f"{above.path}/{name}" if above.path else name, mode, object_name)
        target = self._target(above, object_name)
        return self._at(target, links - 1) if links and target is not None else None

    def _target(self, folder: _Object, link: bytes) -> str | None:
        """Where a link in a folder leads to; None if that is no path in the commit."""
        target = os.fsdecode(self._objects.get(link.hex())[1])
        if target.startswith("/"):
            return None
        return f"{folder.path}/{target}" if folder.path else target

    def _without_links(self, path: str, links: int) -> str:
        """A path in the commit without links, also of what is not there; of links that lead out of
        it, or in a circle, the first stays."""
        found = self._at(path, links)
        if found is not None or not path:
            return found.path if found is not None else ""
        folder, _, name = path.rpartition("/")
        above = self._at(folder, links)
        if above is None:
            return os.path.normpath(f"{self._without_links(folder, links)}/{name}").lstrip("/")
        own = f"{above.path}/{name}" if above.path else name
        mode, object_name = self._inside(above).get(name, (0, b""))
        target = self._target(above, object_name) if mode == _LINK else None
        if not links or target is None or os.path.normpath(target).startswith(".."):
            return own
        further = self._without_links(target, links - 1)
        return own if self._is_link_at(further) else further

    def _is_link_at(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        above = self._folder_at(folder, _LINKS)
        return above is not None and self._inside(above).get(name, (0, b""))[0] == _LINK

    def _inside(self, folder: _Object) -> Mapping[str, tuple[int, bytes]]:
        if folder.mode != TREE or not folder.name:
            return {}
        return self._contents(folder.name)

    def _named_top(self) -> bytes:
        if self._top is None:
            self._top = bytes.fromhex(self._objects.get(f"{self.commit}^{{tree}}")[0])
        return self._top

    def _read_tree(self, name: bytes) -> Mapping[str, tuple[int, bytes]]:
        self._fetch([name])
        found = {
            os.fsdecode(entry): one
            for entry, one in _entries(self._trees[name], len(name))
            # git writes none of these into a folder, whoever made the tree.
            if b"/" not in entry and entry not in _NO_NAMES
        }
        # Whoever looks into a folder looks into those in it soon.
        self._fetch([object_name for mode, object_name in found.values() if mode == TREE])
        return found

    def _fetch(self, trees: Iterable[bytes]) -> None:
        left = iter([name for name in trees if name not in self._trees])
        while some := list(islice(left, _AT_ONCE)):
            contents = self._objects.many([name.hex() for name in some])
            self._trees.update(zip(some, (data for _, data in contents), strict=True))


def tree_of(objects: Objects, name: bytes) -> Mapping[bytes, tuple[int, bytes]]:
    """What is in a tree, by names: modes, and the names of the objects. Raises GitSilence."""
    return dict(_entries(objects.get(name.hex())[1], len(name)))


def _entries(tree: bytes, length: int) -> Iterator[tuple[bytes, tuple[int, bytes]]]:
    entry = _ENTRIES.get(length) or re.compile(rb"(\d+) ([^\0]+)\0(.{%d})" % length, re.DOTALL)
    _ENTRIES[length] = entry
    for mode, name, object_name in entry.findall(tree):
        yield name, (_MODES.get(mode) or int(mode, 8), object_name)


_ENTRIES: dict[int, re.Pattern[bytes]] = {}
_NO_NAMES = (b".", b"..", b".git")
_MODES = {b"100644": 0o100644, b"40000": TREE}


def _is_file(mode: int) -> bool:
    return mode & 0o170000 == 0o100000


def _is_folder(mode: int) -> bool:
    # Of another repository there is nothing here but its folder.
    return mode in (TREE, _REPOSITORY)
