"""write: replace a file's content so that at every instant it is the old or the new one, whole."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem

from .below import LinkError, OpenFolder, opened

_NEW_FILE = 0o644
# What was given to the old text does not go over to a new one: as when the system's own calls
# write to a file.
_RIGHTS = stat.S_ISUID | stat.S_ISGID
_CAPABILITY = "security.capability"
# The next file would meet these as well.
_EVERYWHERE = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ENFILE, errno.EMFILE}
_CHANGED = "the file changed since it was read"
_AGAIN = "run again to review it as it is now"


@dataclass(frozen=True)
class Failure:
    """Why a file was not written. After one that ``stops``, others should not be tried."""

    problem: Problem
    stops: bool = False


@dataclass(frozen=True)
class Written:
    """A file was written, and what of it could not be kept. ``was`` is the old file: device, inode,
    and how many names it had."""

    warnings: tuple[Problem, ...]
    was: tuple[int, int, int]


def target_of(path: Path, within: Path | None = None) -> Path | Problem:
    """The file itself that ``path`` names; the Problem: there is none, or a link leads to one that
    is not in the folder ``within``, which is named without links."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError before 3.13
        return Problem(path, f"not written: {explained(error)}")
    if within is not None and not target.is_relative_to(within):
        reason = f"not written: it is a link out of the reviewed tree, to {target}"
        return Problem(path, reason, hint="give that file's own path to have it rewritten")
    return target


def obstacle(path: Path, target: Path, expected: bytes, top: Path | None = None) -> Problem | None:
    """Why ``put`` would refuse, as far as it can be found out without changing anything."""
    try:
        with opened(target.parent, top) as folder:
            return _obstacle(path, folder, target.name, expected)
    except OSError as error:
        return Problem(path, f"not written: {explained(error)}")


def _obstacle(path: Path, folder: OpenFolder, name: str, expected: bytes) -> Problem | None:
    """Raises OSError."""
    mode = folder.stat(name).st_mode
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        return Problem(path, f"not written: it is {what} now")
    if folder.read(name) != expected:
        return Problem(path, f"not written: {_CHANGED}", hint=_AGAIN)
    if not folder.is_writable(name):
        return Problem(path, "not written: the file is read-only")
    if not folder.is_writable():
        return Problem(path, "not written: its folder is read-only")
    return None


def put(
    path: Path,
    target: Path,
    expected: bytes,
    data: bytes,
    temporary: str = "",
    top: Path | None = None,
) -> Written | Failure:
    """Replace ``target``, if it still holds ``expected``, by ``data``; ``path`` is what it is
    called in messages. From the folder ``top`` down to it no link is followed. After a Failure the
    file is as it was."""
    try:
        with opened(target.parent, top) as folder:
            problem = _obstacle(path, folder, target.name, expected)
            if problem is not None:
                return Failure(problem)
            before = folder.stat(target.name)
            if not _replace(folder, target.name, data, expected, temporary):
                return Failure(Problem(path, f"not written: {_CHANGED}", hint=_AGAIN))
            after = folder.stat(target.name)
    except OSError as error:
        stops = error.errno in _EVERYWHERE
        return Failure(Problem(path, f"not written: {explained(error)}"), stops)
    was = (before.st_dev, before.st_ino, before.st_nlink)
    return Written(tuple(_lost(path, before, after)), was)


def replace(target: Path, data: bytes) -> None:
    """Put ``data`` into a file that has it whole or not at all; mode and, where possible, owner and
    extended attributes stay. Raises OSError; the file is then as it was."""
    with opened(target.parent) as folder:
        _replace(folder, target.name, data)


def _replace(
    folder: OpenFolder, name: str, data: bytes, expected: bytes | None = None, temporary: str = ""
) -> bool:
    """False: the file holds something else than ``expected``. ``temporary`` is a new file."""
    before = _stat(folder, name)
    temporary = temporary or temporary_name(secrets.token_hex(6))
    descriptor = folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            if before is None:
                _set_mode(folder, temporary, descriptor, _NEW_FILE)
            else:
                _keep(folder, name, before, temporary, descriptor)
            os.fsync(stream.fileno())
        # An editor may have saved the file while all this was going on.
        if expected is not None and folder.read(name) != expected:
            folder.unlink(temporary)
            return False
        folder.replace(name, temporary)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.unlink(temporary)
        raise
    folder.sync()
    return True


def _stat(folder: OpenFolder, name: str) -> os.stat_result | None:
    """What is known of the file that is replaced; None if there is none."""
    try:
        found = folder.stat(name)
    except FileNotFoundError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def temporary_name(token: str) -> str:
    """The name of a temporary file; of a length that fits wherever a file can be."""
    return f".pinsetter-{token}.tmp"


def explained(error: OSError | RuntimeError) -> str:
    """An error of the operating system in words that fit a file to be written."""
    if not isinstance(error, OSError):
        return "its links lead in a circle"
    if isinstance(error, LinkError):
        return str(error.strerror)
    known = {
        errno.ENOENT: "it is gone",
        errno.EISDIR: "it is a folder now",
        errno.ENOTDIR: "its folder is gone",
        errno.ELOOP: "its links lead in a circle",
        errno.ENOSPC: "No space left on the disk",
        errno.EDQUOT: "No space left in the disk quota",
    }
    return known.get(error.errno or 0) or error.strerror or str(error)


def _keep(
    folder: OpenFolder, name: str, before: os.stat_result, temporary: str, descriptor: int
) -> None:
    """Give a temporary file what the file has besides its content. Changing the owner clears bits
    of the mode, so that comes first."""
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, -1, before.st_gid)
        with contextlib.suppress(OSError):
            os.fchown(descriptor, before.st_uid, -1)
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            _keep_attributes(folder.open(name), descriptor)
    _set_mode(folder, temporary, descriptor, stat.S_IMODE(before.st_mode) & ~_RIGHTS)


def _keep_attributes(source: int, descriptor: int) -> None:
    try:
        for name in os.listxattr(source):
            if name != _CAPABILITY:
                with contextlib.suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(source, name))
    finally:
        os.close(source)


def _set_mode(folder: OpenFolder, name: str, descriptor: int, mode: int) -> None:
    os.chmod(descriptor if os.chmod in os.supports_fd else folder.path / name, mode)


def _lost(path: Path, before: os.stat_result, after: os.stat_result) -> list[Problem]:
    lost = []
    if (before.st_uid, before.st_gid) != (after.st_uid, after.st_gid):
        owner = f"{before.st_uid}:{before.st_gid}"
        lost.append(Problem(path, f"its owner {owner} could not be kept", hint="use chown"))
    if before.st_mode & _RIGHTS & ~after.st_mode:
        reason = "it ran with its owner's rights, or its group's; the new text does not"
        lost.append(Problem(path, reason, hint="look at the text, then use chmod"))
    return lost
