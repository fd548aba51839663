"""What ``pinsetter undo --list`` shows: the runs of a tree, and the files of one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..console.terminal import echo, echo_json
from ..journal.replace_files import shown
from ..state.lock import exclusive
from ..state.runs import Entry, FileState, Kind, Run, Runs, RunState, is_below


def show_runs(runs: Runs, paths: Sequence[Path], as_json: bool) -> None:
    """Print every run, or those that have a file at or below ``paths``, the last one first.

    Raises sqlite3.Error.
    """
    held = False
    if runs.interrupted() is not None:
        with exclusive(runs.folder) as problem:
            held = problem is not None
    found = [
        run
        for run in runs.all()
        if not paths or any(is_below(entry.path, paths) for entry in runs.entries(run))
    ]
    if as_json:
        echo_json([_as_data(run, held) for run in found])
        return
    rows = [("run", "when", "codemod", "files", "state")]
    for run in found:
        what = f"undo of run {run.undoes}" if run.kind is Kind.UNDO else run.codemod
        files = str(run.files) if run.written == run.files else f"{run.written} of {run.files}"
        rows.append((str(run.id), when(run), what, files, _state(run, held)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
        echo("  ".join([*cells, row[4]]))


def show_files(runs: Runs, run: Run, paths: Sequence[Path], as_json: bool) -> None:
    """Print the files of a run, or those at or below ``paths``, and what became of each.

    Raises sqlite3.Error.
    """
    entries = [entry for entry in runs.entries(run) if not paths or is_below(entry.path, paths)]
    if as_json:
        data = [{"path": str(shown(entry.path)), "state": _file_state(entry), "why": entry.why,
                 "undone_by": entry.undone_by} for entry in entries]  # fmt: skip
        echo_json(data)
        return
    for entry in entries:
        state = _file_state(entry)
        if entry.undone_by is not None:
            state = f"undone by run {entry.undone_by}"
        elif entry.why:
            state = f"{state}: {entry.why}"
        echo(f"{shown(entry.path)}: {state}")


def when(run: Run) -> str:
    """The time at which a run began, as a person here reads it."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started))


def _as_data(run: Run, held: bool) -> dict[str, Any]:
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(run.started))
    return {
        "run": run.id,
        "kind": run.kind.value,
        "codemod": run.codemod,
        "undoes": run.undoes,
        "started": started,
        "state": _state(run, held),
        "files": run.files,
        "written": run.written,
        "undone": run.undone,
    }


def _state(run: Run, held: bool) -> str:
    if run.state is RunState.WRITING:
        return "being written" if held else "interrupted"
    if run.undone:
        return "undone" if run.undone == run.written else f"{run.undone} of {run.written} undone"
    return "interrupted, given up" if run.state is RunState.STOPPED else "done"


def _file_state(entry: Entry) -> str:
    return entry.state.value if entry.state is not FileState.PLANNED else "not written"
