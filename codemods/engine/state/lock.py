"""exclusive: one run at a time may write to a tree.

The lock is on the tree's folder itself: it leaves nothing behind, ends with its process, however
that ends, and holds between runs that keep their state in different places. File systems that
cannot do that (NFS) get a lock file in the state folder.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from pinsetter.analyzer.messages.problem import Problem

from .folder import StateFolder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
_NO_FLOCK = (errno.EBADF, errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EINVAL)
_LOCK_FILE = "lock"
_TRIES, _PAUSE = 4, 0.05


@dataclass(frozen=True)
class Holder:
    """The process that has a lock."""

    pid: int
    since: float

    def __str__(self) -> str:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        return f"process {self.pid}, since {when}"


@contextlib.contextmanager
def exclusive(folder: StateFolder) -> Iterator[Problem | None]:
    """Hold the lock of the folder's tree inside the ``with``; the Problem says who else has it."""
    with contextlib.ExitStack() as held:
        problem = _lock(folder, held)
        if problem is None:
            note = _note(folder.tree)
            held.callback(_forget, note)
            _remember(note)
        yield problem


def holder(folder: StateFolder) -> Holder | None:
    """Who holds the lock of the folder's tree, as far as that is known."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        found = json.loads(_note(folder.tree).read_text())
        return Holder(int(found["pid"]), float(found["since"]))
    return None


def _lock(folder: StateFolder, held: contextlib.ExitStack) -> Problem | None:
    if fcntl is None:
        return _lock_file(folder, held)
    try:
        descriptor = os.open(folder.tree, os.O_RDONLY)
        held.callback(os.close, descriptor)
        _patiently(lambda: fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB))
    except OSError as error:
        if error.errno in _HELD:
            return _busy(folder)
        if error.errno in _NO_FLOCK:
            return _lock_file(folder, held)
        return Problem(folder.tree, f"the tree cannot be locked: {error.strerror or error}")
    return None


def _patiently(lock: Callable[[], None]) -> None:
    """Somebody who only looks whether a tree is locked has it for an instant. Raises OSError."""
    for _ in range(_TRIES):
        try:
            return lock()
        except OSError as error:
            if error.errno not in _HELD:
                raise
            time.sleep(_PAUSE)
    return lock()


def _lock_file(folder: StateFolder, held: contextlib.ExitStack) -> Problem | None:
    problem = folder.make()
    if problem is not None:
        return problem
    lock = FileLock(folder.path / _LOCK_FILE)
    try:
        lock.acquire(timeout=_TRIES * _PAUSE)
    except Timeout:
        return _busy(folder)
    except OSError as error:
        return Problem(folder.path, f"the tree cannot be locked: {error.strerror or error}")
    held.callback(lock.release)
    return None


def _busy(folder: StateFolder) -> Problem:
    who = holder(folder)
    return Problem(
        folder.tree,
        f"another run may write to this tree: {who or 'a process of another user'}",
        hint="wait for its end, or end it; --diff and --check can be used meanwhile",
    )


def _note(tree: Path) -> Path:
    name = hashlib.sha256(os.fsencode(tree)).hexdigest()[:16]
    with warnings.catch_warnings():
        # It warns where there is no such folder, and gives one for temporary files then.
        warnings.simplefilter("ignore")
        try:
            folder = platformdirs.user_runtime_path("pinsetter", appauthor=False)
        except OSError:  # the disk is full, so that there is no folder for temporary files, either
            folder = Path(os.devnull)
    return folder / f"{name}.json"


def _remember(note: Path) -> None:
    # Only the message depends on it.
    with contextlib.suppress(OSError):
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        note.write_text(json.dumps({"pid": os.getpid(), "since": time.time()}))


def _forget(note: Path) -> None:
    with contextlib.suppress(OSError):
        note.unlink()
