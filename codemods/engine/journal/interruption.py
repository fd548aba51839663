"""settle: what a run that was interrupted has done, and what can be done about it."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.messages.problem import Problem

from ..files import below
from ..state.runs import Entry, FileState, Kind, Run, Runs, RunState
from .replace_files import shown, sweep

if TYPE_CHECKING:
    from ..state.folder import StateFolder


@dataclass(frozen=True)
class Interruption:
    """An interrupted run: its files that were written, that were not, and that are neither the old
    nor the new ones."""

    run: Run
    written: tuple[Entry, ...]
    planned: tuple[Entry, ...]
    changed: tuple[Entry, ...]

    @property
    def counts(self) -> str:
        total = len(self.written) + len(self.planned) + len(self.changed)
        files = "1 file" if total == 1 else f"{total} files"
        return f"{len(self.written)} of {files} written"

    @property
    def is_open(self) -> bool:
        """Whether there is a choice: to write the rest, or to take back what was written."""
        return bool(self.written and self.planned)


def settle(runs: Runs) -> Interruption | None:
    """What the interrupted run did, told by its files; None if there is none. To be called with
    the tree's lock held. Its temporary files are removed. If it is not open, it is ended.

    Raises sqlite3.Error.
    """
    last: Interruption | None = None
    # Ending an undo can leave the run that it was for interrupted.
    while (run := runs.interrupted()) is not None:
        last = _settled(runs, run)
        if last.is_open:
            break
    return last


def _settled(runs: Runs, run: Run) -> Interruption:
    sweep(runs, run)
    found: dict[FileState | None, list[Entry]] = {}
    for entry in runs.entries(run):
        if entry.state is FileState.LEFT:
            continue
        state = _state(entry, runs.folder.tree)
        found.setdefault(state, []).append(entry)
        if state is not None and state is not entry.state:
            runs.mark(entry, state)
    interruption = Interruption(
        run,
        tuple(found.get(FileState.WRITTEN, ())),
        tuple(found.get(FileState.PLANNED, ())),
        tuple(found.get(None, ())),
    )
    if not interruption.is_open:
        leave_changed(runs, interruption)
        runs.end(run, RunState.DONE if interruption.written else RunState.STOPPED)
    return interruption


def leave_changed(runs: Runs, interruption: Interruption) -> list[Problem]:
    """Give up the files that are neither old nor new; returns one Problem for each."""
    reason = "left as it is: it changed after the run was interrupted"
    for entry in interruption.changed:
        runs.mark(entry, FileState.LEFT, reason)
    return [Problem(shown(entry.path), reason) for entry in interruption.changed]


def described(interruption: Interruption, folder: StateFolder) -> Problem:
    """What happened, for a person, and, if there is a choice, which commands there are."""
    text = f"the {interruption.run.name} was interrupted: {interruption.counts}"
    if not interruption.is_open:
        left = "nothing is left to be done" if interruption.written else "nothing was changed"
        return Problem(folder.tree, f"{text}; {left}")
    undoing = interruption.run.kind is Kind.UNDO
    rest = "restores the rest" if undoing else "writes the rest"
    undo, recover = command("undo", folder), command("recover", folder)
    return Problem(folder.tree, text, hint=f"`{undo}` takes it back, `{recover}` {rest}")


def command(name: str, folder: StateFolder) -> str:
    """A command as it has to be typed here to find the folder."""
    words = ["pinsetter", name]
    if folder.told:
        words += ["--state", str(shown(folder.path))]
    elif not Path.cwd().resolve().is_relative_to(folder.tree):
        words.append(str(folder.tree))
    return " ".join(map(_typed, words))


def _typed(word: str) -> str:
    """A word for a shell. What cannot be seen is written as bash, zsh and ksh understand it."""
    if word.isprintable():
        return shlex.quote(word)
    plain = word.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(c if c.isprintable() else _bytes(c) for c in plain) + "'"


def _bytes(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(char))


def _state(entry: Entry, tree: Path) -> FileState | None:
    try:
        data = below.read(entry.path, tree)
    except OSError:
        return None
    if entry.is_new(data):
        return FileState.WRITTEN
    return FileState.PLANNED if entry.is_old(data) else None
