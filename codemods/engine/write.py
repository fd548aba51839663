"""write: replace a file's content so that at every instant it is the old or the new one, whole."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pinsetter.analyzer import syntax
from pinsetter.analyzer.module import Module
from pinsetter.analyzer.problem import Problem
from pinsetter.patterns.edit import Edit, apply

_NEW_FILE = 0o644


def obstacle(module: Module, edits: Sequence[Edit]) -> Problem | None:
    """Why ``write`` would refuse, found out without changing anything."""
    content = _content(module, edits)
    return content if isinstance(content, Problem) else None


def write(module: Module, edits: Sequence[Edit]) -> Problem | None:
    """Apply edits to the module's file; the Problem says why nothing was written.

    The result is parsed before, the file compared with what was read; mode and, where possible,
    owner are kept, a symbolic link is followed.
    """
    content = _content(module, edits)
    if isinstance(content, Problem):
        return content
    try:
        target = module.path.resolve(strict=True)
        replace(target, content)
    except OSError as error:
        return Problem(module.path, f"not written: {error.strerror or error}")
    _sync_folder(str(target.parent))
    return None


def _content(module: Module, edits: Sequence[Edit]) -> bytes | Problem:
    """The file's new bytes, if they are right and the file is still as it was read."""
    path = module.path
    try:
        text = apply(module.source.text, edits)
        syntax.parse(text)
        data = module.source.encode(text)
    except syntax.SyntaxProblem as problem:
        reason = f"not written: the result would not parse ({problem.reason})"
        return Problem(path, reason, problem.line, hint="reject the hunks of this file one by one")
    except UnicodeEncodeError:
        return Problem(path, f"not written: the result does not fit {module.source.encoding}")
    try:
        target = path.resolve(strict=True)
        if target.read_bytes() != module.source.data:
            return Problem(path, "not written: the file changed since it was read",
                           hint="run again to review it as it is now")  # fmt: skip
        if not os.access(target, os.W_OK):
            return Problem(path, "not written: the file is read-only")
        if not os.access(target.parent, os.W_OK):
            return Problem(path, "not written: its folder is read-only")
    except OSError as error:
        return Problem(path, f"not written: {error.strerror or error}")
    return data


def replace(target: Path, data: bytes) -> None:
    """Put ``data`` into a file that has it whole or not at all, and keep its owner and mode.

    Raises OSError; the file is then as it was.
    """
    before = target.stat() if target.exists() else None
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if before is not None:
            with contextlib.suppress(OSError):
                os.chown(temporary, before.st_uid, before.st_gid)
        os.chmod(temporary, before.st_mode if before is not None else _NEW_FILE)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _sync_folder(folder: str) -> None:
    # The rename is durable only once the folder is; some file systems cannot do it.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
