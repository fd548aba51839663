"""write: replace a file's content so that at every instant it is the old or the new one, whole."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pinsetter.analyzer import syntax
from pinsetter.analyzer.module import Module
from pinsetter.analyzer.problem import Problem
from pinsetter.patterns.edit import Edit, apply

_NEW_FILE = 0o644
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


def new_content(module: Module, edits: Sequence[Edit]) -> bytes | Problem:
    """The file's bytes with the edits made; the Problem is that these are not right."""
    path = module.path
    try:
        text = apply(module.source.text, edits)
        syntax.parse(text)
        return module.source.encode(text)
    except syntax.SyntaxProblem as problem:
        reason = f"not written: the result would not parse ({problem.reason})"
        return Problem(path, reason, problem.line, hint="reject the hunks of this file one by one")
    except UnicodeEncodeError:
        return Problem(path, f"not written: the result does not fit {module.source.encoding}")


def target_of(path: Path, within: Sequence[Path] = ()) -> Path | Problem:
    """The file itself that ``path`` names; the Problem: there is none, or a link leads to one that
    is in none of the folders ``within``."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError before 3.13
        return Problem(path, f"not written: {explained(error)}")
    if within and not any(target.is_relative_to(folder.resolve()) for folder in within):
        reason = f"not written: it is a link out of the reviewed tree, to {target}"
        return Problem(path, reason, hint="give that file's own path to have it rewritten")
    return target


def obstacle(path: Path, target: Path, expected: bytes) -> Problem | None:
    """Why ``put`` would refuse, as far as it can be found out without changing anything."""
    try:
        mode = os.lstat(target).st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
            return Problem(path, f"not written: it is {what} now")
        if target.read_bytes() != expected:
            return Problem(path, f"not written: {_CHANGED}", hint=_AGAIN)
        if not os.access(target, os.W_OK):
            return Problem(path, "not written: the file is read-only")
        if not os.access(target.parent, os.W_OK):
            return Problem(path, "not written: its folder is read-only")
    except OSError as error:
        return Problem(path, f"not written: {explained(error)}")
    return None


def put(
    path: Path, target: Path, expected: bytes, data: bytes, temporary: Path | None = None
) -> Written | Failure:
    """Replace ``target``, if it still holds ``expected``, by ``data``; ``path`` is what it is
    called in messages. After a Failure the file is as it was."""
    problem = obstacle(path, target, expected)
    if problem is not None:
        return Failure(problem)
    try:
        before = target.stat()
        if not replace(target, data, expected, temporary):
            return Failure(Problem(path, f"not written: {_CHANGED}", hint=_AGAIN))
        after = target.stat()
    except OSError as error:
        stops = error.errno in _EVERYWHERE
        return Failure(Problem(path, f"not written: {explained(error)}"), stops)
    was = (before.st_dev, before.st_ino, before.st_nlink)
    return Written(tuple(_lost(path, before, after)), was)


def write(module: Module, edits: Sequence[Edit]) -> Problem | None:
    """Apply edits to the module's file alone; the Problem says why nothing was written."""
    data, target = new_content(module, edits), target_of(module.path)
    if isinstance(data, Problem):
        return data
    if isinstance(target, Problem):
        return target
    done = put(module.path, target, module.source.data, data)
    return done.problem if isinstance(done, Failure) else None


def replace(
    target: Path, data: bytes, expected: bytes | None = None, temporary: Path | None = None
) -> bool:
    """Put ``data`` into a file that has it whole or not at all; mode and, where possible, owner and
    extended attributes stay. False: the file holds something else than ``expected``.

    Raises OSError; the file is then as it was. ``temporary`` is a new file in its folder.
    """
    before = target.stat() if target.exists() else None
    temporary = temporary or target.with_name(temporary_name(secrets.token_hex(6)))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            if before is None:
                os.chmod(temporary, _NEW_FILE)
            else:
                _keep(target, before, temporary)
            os.fsync(stream.fileno())
        # An editor may have saved the file while all this was going on.
        if expected is not None and target.read_bytes() != expected:
            os.unlink(temporary)
            return False
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(target.parent)
    return True


def temporary_name(token: str) -> str:
    """The name of a temporary file; of a length that fits wherever a file can be."""
    return f".pinsetter-{token}.tmp"


def explained(error: OSError | RuntimeError) -> str:
    """An error of the operating system in words that fit a file to be written."""
    if not isinstance(error, OSError):
        return "its links lead in a circle"
    known = {
        errno.ENOENT: "it is gone",
        errno.EISDIR: "it is a folder now",
        errno.ENOTDIR: "its folder is gone",
        errno.ELOOP: "its links lead in a circle",
        errno.ENOSPC: "No space left on the disk",
        errno.EDQUOT: "No space left in the disk quota",
    }
    return known.get(error.errno or 0) or error.strerror or str(error)


def sync_folder(folder: Path) -> None:
    """Make what was renamed in a folder durable, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _keep(target: Path, before: os.stat_result, temporary: Path) -> None:
    """Give a temporary file what the file has besides its content. Changing the owner clears bits
    of the mode, so that comes first."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(temporary, -1, before.st_gid)
        with contextlib.suppress(OSError):
            os.chown(temporary, before.st_uid, -1)
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(target):
                with contextlib.suppress(OSError):
                    os.setxattr(temporary, name, os.getxattr(target, name))
    os.chmod(temporary, stat.S_IMODE(before.st_mode))


def _lost(path: Path, before: os.stat_result, after: os.stat_result) -> list[Problem]:
    if (before.st_uid, before.st_gid) == (after.st_uid, after.st_gid):
        return []
    owner = f"{before.st_uid}:{before.st_gid}"
    return [Problem(path, f"its owner {owner} could not be kept", hint="use chown")]
