"""Changes of a pack and of code, and ``run --watch``, which runs again after each."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NoReturn

import click

from pinsetter.analyzer.files.find import python_files
from pinsetter.patterns.packs.pack import Pack, load

from ..console.own_process import own_command
from ..console.terminal import Styled, echo

# Files with their sizes and times of change (nanoseconds).
_States = set[tuple[Path, int, int]]
# In seconds.
_PAUSE = 0.1
# How often as long as a look takes there is none: a large tree takes a while.
_REST = 10
_OF_PACKS = (".yaml", ".yml", ".py", ".csv")


def begun(codemods: Sequence[str], paths: Sequence[Path | str] = ()) -> Callable[[], None]:
    """Say that it begins anew, and when; what is returned waits until something has changed
    since: the packs that are files, what is beside them and what they include, or Python files."""
    echo(Styled(f"{datetime.now():%H:%M:%S}", bold=True))
    folders = _folders(codemods)
    before = _states(folders, paths)

    def wait() -> None:
        while True:
            start = time.monotonic()
            if _states(folders, paths) != before:
                return
            time.sleep(max(_PAUSE, _REST * (time.monotonic() - start)))

    return wait


def run_again(
    codemod: str,
    paths: Sequence[Path | str],
    shows_only: bool,
    obey: Callable[[list[str]], NoReturn],
) -> NoReturn:
    """Run the command of this process without ``--watch`` whenever the pack or the code changes,
    each time in a process of its own, until it is interrupted. Raises UsageError for a run that
    cannot be watched."""
    if not shows_only:
        raise click.UsageError("--watch needs --diff or --check: it answers no questions.")
    if not paths:
        raise click.UsageError("Give at least one file or folder.")
    arguments = [argument for argument in sys.argv[1:] if argument != "--watch"]
    while True:
        wait = begun([codemod], paths)
        _run(arguments, obey)
        wait()


def _run(arguments: list[str], obey: Callable[[list[str]], NoReturn]) -> None:
    """Where a process can be forked, what a run needs is imported by then: that takes longer than
    to run a pack on a file. On macOS what the system's libraries hold may not live through it."""
    if sys.platform == "darwin" or "fork" not in multiprocessing.get_all_start_methods():
        subprocess.run(own_command(arguments), check=False)
        return
    from . import whole_run  # noqa: F401

    sys.stdout.flush()
    process = multiprocessing.get_context("fork").Process(target=obey, args=(arguments,))
    process.start()
    try:
        process.join()
    finally:
        process.terminate()  # where it was told alone to end


def _folders(codemods: Sequence[str]) -> set[Path]:
    """Those of the packs that are files, and of what they include."""
    paths = [path for path in map(Path, codemods) if path.suffix]
    found = {path.parent for path in paths}
    for pack in map(load, paths):
        if isinstance(pack, Pack):
            found |= {one.parent for one in pack.includes}
    return found


def _states(folders: Iterable[Path], paths: Iterable[Path | str]) -> _States:
    found: _States = set()
    for folder in folders:
        with suppress(OSError):
            found |= _told(path for path in folder.iterdir() if path.suffix in _OF_PACKS)
    for path in paths:
        found |= _told(python_files(Path(path)))
    return found


def _told(files: Iterable[Path]) -> _States:
    found: _States = set()
    for path in files:
        with suppress(OSError):
            told = path.stat()
            found.add((path, told.st_size, told.st_mtime_ns))
    return found
