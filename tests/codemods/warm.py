"""Warm processes: a command in a child that has imported everything already.

Four fifths of what a short run takes is imports. The child has its own streams, folder and
environment, as a started process has, and ends with the command's exit code. Processes that are
started anew have `test_whatever_comes`, the reviews in a terminal, and Bowler's own command.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pinsetter.analyzer
import pinsetter.codemods.engine
import pinsetter.patterns

# What Python itself reads when it starts.
_FOR_PYTHON = ("PYTHON", "LANG", "LC_", "LD_", "MALLOC")
# Not `os.fork` by itself: at its end such a child ends what its parent has started.
_FORK = multiprocessing.get_context("fork")
Done = subprocess.CompletedProcess[bytes]


def may_be_warm(command: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether a child of this process does what a new one would."""
    return (
        hasattr(os, "fork")
        and Path(command[0]).name == "pinsetter"
        and not any(name.startswith(_FOR_PYTHON) for name in env)
    )


def run_warm(
    command: Sequence[str], cwd: Path | None, env: Mapping[str, str], timeout: float
) -> Done:
    """What ``subprocess.run`` gives of a `pinsetter` command, with its output captured; ``env`` is
    added to the environment. Raises TimeoutExpired."""
    _import_all()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = _FORK.Process(target=_child, args=(command, cwd, env, (out.fileno(), err.fileno())))
        child.start()
        child.join(timeout)
        code = child.exitcode
        if code is None:
            child.kill()
            child.join()
            raise subprocess.TimeoutExpired(command, timeout)
        said = []
        for file in (out, err):
            file.seek(0)
            said.append(file.read())
    return Done(command, code, *said)


@cache
def _import_all() -> None:
    for room in (pinsetter.analyzer, pinsetter.patterns, pinsetter.codemods.engine):
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            if ".migrations" not in found.name:  # they are run by Alembic
                with contextlib.suppress(ImportError):  # of what is optional
                    importlib.import_module(found.name)


def _child(
    command: Sequence[str], cwd: Path | None, env: Mapping[str, str], outputs: tuple[int, int]
) -> None:
    with open(os.devnull) as nothing:
        for number, descriptor in enumerate((nothing.fileno(), *outputs)):
            os.dup2(descriptor, number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.environ.update(env)
    if cwd is not None:
        os.chdir(cwd)
    sys.argv = [*command]
    from pinsetter.codemods.engine import main

    main()
