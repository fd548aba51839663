"""``pinsetter recover``: write what an interrupted run had still to write."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from pinsetter.analyzer.messages.problem import Problem

from ..console.exit_code import ExitCode
from ..console.terminal import echo
from ..journal.interruption import Interruption, described, leave_changed, settle
from ..journal.replace_files import Carried, carry_out
from ..state.given_folder import Told
from ..state.lock import exclusive
from ..state.opening import open_runs
from ..state.runs import Kind, Runs
from .state_option import state_option
from .summary import print_problems, print_warnings
from .undo import report


@click.command("recover")
@state_option
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
def recover_command(state: Told | None, paths: Sequence[Path]) -> NoReturn:
    """Write the rest of a run that was interrupted: by a crash, a full disk, or Ctrl-C.

    What it writes was decided then; nothing is asked. A file that changed since is named and left
    alone, and so is what requires it. PATH is any in the tree; without it, the current folder.
    `pinsetter undo` takes back what the run has written instead.

    Exits with 2 if a file could not be written.
    """
    with open_runs(paths, state, print_warnings) as runs:
        if isinstance(runs, Problem):
            print_problems([runs])
            sys.exit(ExitCode.FAILED)
        with exclusive(runs.folder) as problem:
            if problem is not None:
                print_problems([problem])
                sys.exit(ExitCode.FAILED)
            try:
                sys.exit(_recover(runs))
            except sqlite3.Error as error:
                print_problems([runs.database.failure(error)])
                sys.exit(ExitCode.FAILED)


def _recover(runs: Runs) -> ExitCode:
    found = settle(runs)
    if found is None or not found.is_open:
        text = f"{described(found, runs.folder)}" if found else "no run was interrupted"
        echo(text, err=True)
        return ExitCode.OK
    what = "restored" if found.run.kind is Kind.UNDO else "written"
    return report(recover(runs, found), runs, what)


def recover(runs: Runs, found: Interruption) -> Carried:
    """Go on with an interrupted run, and end it. Raises sqlite3.Error."""
    failures = leave_changed(runs, found)
    carried = carry_out(runs, found.run, lost=found.changed)
    carried.failures[:0] = failures
    return carried
