"""Progress: the files that were read, on a terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.messages.visible import visible

from ..console.terminal import console

if TYPE_CHECKING:
    from rich import progress


class Progress:
    """A bar, with the first file that is read: its thread starts then, and before, the run may
    start processes. It needs what takes a while to be imported."""

    def __init__(self) -> None:
        self._bar: progress.Progress | None = None
        self._stopped = False

    def advance(self, path: Path) -> None:
        if self._stopped or not sys.stderr.isatty():
            return
        bar = self._bar
        if bar is None:
            bar = self._bar = _bar()
            bar.add_task("reading", total=None, file="")
            bar.start()
        bar.update(bar.task_ids[0], advance=1, file=visible(path.name))

    def stop(self, _: object = None) -> None:
        self._stopped = True
        if self._bar is not None:
            self._bar.stop()


def _bar() -> progress.Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    made = console(err=True)  # which can be told to take a terminal for none
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        TextColumn("{task.fields[file]}", markup=False), console=made, transient=True,
        disable=not made.is_terminal,
    )  # fmt: skip
