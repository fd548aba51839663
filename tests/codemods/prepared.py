"""What the tests of the journal share: a tree of files, and a run on it that is prepared."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import pytest
from click.testing import CliRunner

from pinsetter.codemods.engine.cli import pinsetter
from pinsetter.codemods.engine.journal.replace_files import Carried, carry_out
from pinsetter.codemods.engine.state.database import Database
from pinsetter.codemods.engine.state.folder import StateFolder, locate
from pinsetter.codemods.engine.state.given_folder import Told
from pinsetter.codemods.engine.state.opening import open_database
from pinsetter.codemods.engine.state.runs import FileChange, Kind, Run, Runs

OLD, NEW = b"old = 1\n" * 50, b"new = 2\n" * 80


def make_tree(folder: Path, count: int) -> list[Path]:
    paths = [folder / f"f{number:02}.py" for number in range(count)]
    for path in paths:
        path.write_bytes(OLD)
    return paths


def located(folder: Path, told: Path | None = None) -> StateFolder:
    found = locate([folder], Told(told) if told is not None else None)
    assert isinstance(found, StateFolder)
    return found


@contextlib.contextmanager
def journal(folder: Path) -> Iterator[Runs]:
    state = located(folder)
    database = open_database(state)
    assert isinstance(database, Database), database
    with contextlib.closing(database):
        yield Runs(database, state)


def changes(
    paths: Sequence[Path], needs: dict[int, set[int]] | None = None, old: bytes = OLD,
    new: bytes = NEW,
) -> list[FileChange]:  # fmt: skip
    return [
        FileChange(path, old, new, 0o644, frozenset((needs or {}).get(number, ())))
        for number, path in enumerate(paths)
    ]


def begin(runs: Runs, planned: Sequence[FileChange]) -> Run:
    return runs.begin(Kind.WRITE, "demo", planned)


def write_all(
    folder: Path, paths: Sequence[Path], needs: dict[int, set[int]] | None = None,
    old: bytes = OLD, new: bytes = NEW,
) -> tuple[Run, Carried]:  # fmt: skip
    """A whole run."""
    with journal(folder) as runs:
        run = begin(runs, changes(paths, needs, old, new))
        carried = carry_out(runs, run)
        found = runs.get(run.id)
        assert found is not None
        return found, carried


def interrupted(
    folder: Path, paths: Sequence[Path], written: int, needs: dict[int, set[int]] | None = None
) -> Run:
    """A run that ended, as by SIGKILL, when some files were written and marked."""
    with journal(folder) as runs:
        run = begin(runs, changes(paths, needs))
        for path in paths[:written]:
            path.write_bytes(NEW)
        return run


def forked(action: Callable[[], object]) -> int:
    """Run an action in a child of this process, which is warm; returns the child's pid."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            action()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def at_call(number: int, stop: Callable[[], object], action: Callable[[], None]) -> int:
    """Do something, and ``stop`` before its call of that number to a function written in C, which
    is every call to the system and to SQLite, too; returns how many such calls there were."""
    count = 0

    def seen(frame: FrameType, event: str, called: object) -> None:
        nonlocal count
        if event == "c_call":
            count += 1
            if count == number:
                stop()

    sys.setprofile(seen)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def killed_at(number: int, action: Callable[[], None], delay: float | None = None) -> bool:
    """Whether an action was killed by SIGKILL, and not done before: at its call of that number, or
    as soon after it as another process gets to it, and after that ``delay``. The time that
    calls take depends on what else the machine does, their number does not."""
    reading, writing = os.pipe()

    def stop() -> None:
        if delay is None:
            os.kill(os.getpid(), signal.SIGKILL)
        os.write(writing, b".")

    pid = forked(lambda: at_call(number, stop, action))
    os.close(writing)
    if os.read(reading, 1) and delay:
        time.sleep(delay)
    os.close(reading)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


def as_nobody(action: Callable[[], None]) -> None:
    """Do something in a child without the rights of root, if we are root; skips where that is
    impossible."""

    def unprivileged() -> None:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        action()

    _, status = os.waitpid(forked(unprivileged), 0)
    assert os.waitstatus_to_exitcode(status) == 0


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user can get to, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="pinsetter-test-")).resolve()
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Said:
    """What a command ended with and said."""

    code: int
    out: str
    err: str


def invoke(*arguments: str | Path) -> Said:
    """A command of ``pinsetter``, in this process, where everything is loaded."""
    result = CliRunner().invoke(pinsetter, list(map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Said(result.exit_code, result.stdout, result.stderr)


def temporaries(folder: Path) -> list[Path]:
    return list(folder.rglob(".pinsetter-*.tmp"))


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
