"""``pinsetter undo``: take back a run; ``--list`` shows which there are."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from pinsetter.analyzer.messages.problem import Problem

from ..console.exit_code import ExitCode
from ..console.terminal import echo, echo_problem
from ..journal.interruption import command, described, leave_changed, settle
from ..journal.replace_files import Carried, shown
from ..journal.take_back import undo
from ..state.given_folder import Told
from ..state.lock import exclusive
from ..state.opening import open_runs
from ..state.runs import FileState, Kind, Run, Runs, is_below
from ..state.sessions import Sessions
from .run_list import show_files, show_runs, when
from .state_option import NUMBER, state_option
from .summary import print_problems, print_warnings


@click.command("undo")
@click.option("--run", "id", type=NUMBER, metavar="ID", help="This run, and not the last one.")
@click.option("--list", "listed", is_flag=True,
              help="Show the runs, or with --run its files; change nothing.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The list for programs.")
@state_option
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
def undo_command(
    id: int | None, listed: bool, as_json: bool, state: Told | None, paths: Sequence[Path]
) -> NoReturn:
    """Take back the last run: its files get the text that they had before.

    With paths, only files at or below these, of the last run that wrote to one of them. A file that
    was edited since is named and left alone. After an interrupted run, undo takes back what that
    has written; `pinsetter recover` writes the rest instead.

    What was decided in a review is kept: `--resume` applies it again, without asking.

    An undo is a run, too: `--run` with its ID takes the undo back. Exits with 2 if a file could not
    be restored.
    """
    if as_json and not listed:
        raise click.UsageError("--json is for --list.")
    with open_runs(paths, state, print_warnings) as runs:
        if isinstance(runs, Problem):
            print_problems([runs])
            sys.exit(ExitCode.FAILED)
        wanted = [path.resolve() for path in paths]
        try:
            if listed:
                sys.exit(_list(runs, id, wanted, as_json))
            with exclusive(runs.folder) as problem:
                if problem is not None:
                    print_problems([problem])
                    sys.exit(ExitCode.FAILED)
                sys.exit(_undo(runs, id, wanted))
        except sqlite3.Error as error:
            print_problems([runs.database.failure(error)])
            sys.exit(ExitCode.FAILED)


def _undo(runs: Runs, id: int | None, paths: Sequence[Path]) -> ExitCode:
    found = settle(runs)
    if found is not None:
        echo_problem(described(found, runs.folder), fg="yellow")
        if found.is_open and id not in (None, found.run.id):
            reason = f"the {found.run.name} has to be undone, or recovered, before others"
            print_problems([Problem(runs.folder.tree, reason)])
            return ExitCode.FAILED
    changed: list[Problem] = []
    if found is not None and found.is_open:
        run: Run | None = found.run
        if paths and not all(is_below(entry.path, paths) for entry in found.written):
            reason = f"the {found.run.name} was interrupted, and can be undone only as a whole"
            print_problems([Problem(runs.folder.tree, reason)])
            return ExitCode.FAILED
        changed = leave_changed(runs, found)
    else:
        run = runs.get(id) if id is not None else runs.last_written(paths)
    if run is None:
        text = f"there is no run {id}" if id is not None else "there is no run that wrote to this"
        hint = f"`{command('undo', runs.folder)} --list` shows the runs"
        print_problems([Problem(runs.folder.tree, text, hint=hint)])
        return ExitCode.FAILED
    if not _left_to_undo(runs, run, paths):
        _say_undone(runs, run)
        return ExitCode.OK
    carried = undo(runs, run, paths)
    carried.failures[:0] = changed
    code = report(carried, runs, "restored")
    count = Sessions(runs.database).taken_back(run.id)
    if count:
        echo(f"{count} decision(s) are kept; --resume applies them again", err=True)
    return code


def _left_to_undo(runs: Runs, run: Run, paths: Sequence[Path]) -> bool:
    """Whether there is anything to do, or to complain of."""
    below = [e for e in runs.entries(run) if not paths or is_below(e.path, paths)]
    return not below or any(e.state is FileState.WRITTEN and e.undone_by is None for e in below)


def _say_undone(runs: Runs, run: Run) -> None:
    """An undo for the second time does not go on to the run before: that may be long ago."""
    text = f"nothing to undo: the {run.name} is undone already"
    if not run.written:
        text = f"nothing to undo: the {run.name} wrote to no file"
    before = next((r for r in runs.all() if r.id < run.id and r.kind is Kind.WRITE
                   and r.undone < r.written), None)  # fmt: skip
    if before is not None:
        text += f"; --run {before.id} undoes the one before, of {when(before)}"
    echo(text, err=True)


def report(carried: Carried, runs: Runs, what: str) -> ExitCode:
    """Print what became of a run's files; returns the exit code."""
    for entry in carried.written:
        echo(f"{what} {shown(entry.path)}")
    for warning in carried.warnings:
        echo_problem(warning, fg="yellow")
    print_problems(carried.failures)
    # An interrupted undo that is taken back leaves the run that it was for as it was: perhaps half.
    found = None if carried.interrupted else settle(runs)
    half = found is not None and found.is_open
    if carried.stopped is not None:
        print_problems([carried.stopped])
    if found is not None and (half or carried.stopped is not None):
        print_problems([described(found, runs.folder)])
    echo(f"{what:<10} {len(carried.written)} file(s)", err=True)
    if carried.interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.FAILED if carried.failures or carried.stopped or half else ExitCode.OK


def _list(runs: Runs, id: int | None, paths: Sequence[Path], as_json: bool) -> ExitCode:
    if id is None:
        show_runs(runs, paths, as_json)
        return ExitCode.OK
    run = runs.get(id)
    if run is None:
        print_problems([Problem(runs.folder.tree, f"there is no run {id}")])
        return ExitCode.FAILED
    show_files(runs, run, paths, as_json)
    return ExitCode.OK
