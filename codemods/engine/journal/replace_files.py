"""carry_out: replace the files of a run one by one; a crash at any instant loses nothing."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem

from ..files.below import opened
from ..files.replace_file import Failure, Written, put, temporary_name
from ..state.runs import Entry, FileState, Run, Runs, RunState

Revise = Callable[[Entry, Problem], Mapping[int, "bytes | None"]]


@dataclass
class Carried:
    """What became of a run's files. ``stopped`` says why the run could not be ended: it stays in
    the journal as an interrupted one."""

    written: list[Entry] = field(default_factory=list)
    failures: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    stopped: Problem | None = None
    interrupted: bool = False


def carry_out(
    runs: Runs,
    run: Run,
    revise: Revise | None = None,
    names: Mapping[int, Path] | None = None,
    lost: Sequence[Entry] = (),
) -> Carried:
    """Replace the files that are planned in the journal, and end the run.

    When a file cannot be written, ``revise`` says what is to be written to others instead, by
    position, None for nothing; without it, those that need the file are left out. ``names`` are
    the files' paths for messages. What needs one of the files ``lost``, which are left as they are,
    is left out, too, and taken back if it was written already.
    """
    carried = Carried()
    try:
        with runs.marking():
            carrying = _Carrying(runs, run, carried, revise, names or {})
            carrying.without(lost)
            carrying.all()
        if carried.stopped is None:
            runs.end(run, RunState.DONE)
    except sqlite3.Error as error:
        carried.stopped = runs.database.failure(error)
    except KeyboardInterrupt:
        carried.interrupted = True
        carried.stopped = Problem(runs.folder.tree, "interrupted")
    return carried


def temporary_of(run: Run, entry: Entry) -> str:
    """The name of the temporary file, beside it, by which a file of a run is replaced."""
    return temporary_name(f"{run.token}-{entry.position}")


def sweep(runs: Runs, run: Run) -> int:
    """Remove the temporary files that an interrupted run left; returns how many there were."""
    count = 0
    for entry in runs.entries(run):
        with contextlib.suppress(OSError), opened(entry.path.parent, runs.folder.tree) as folder:
            folder.unlink(temporary_of(run, entry))
            count += 1
    return count


def shown(path: Path) -> Path:
    """A path as a person would type it here."""
    here = Path.cwd().resolve()
    return Path(os.path.relpath(path, here)) if path.is_relative_to(here) else path


class _Carrying:
    def __init__(
        self,
        runs: Runs,
        run: Run,
        carried: Carried,
        revise: Revise | None,
        names: Mapping[int, Path],
    ) -> None:
        self.runs = runs
        self.run = run
        self.carried = carried
        self.entries = {entry.position: entry for entry in runs.entries(run)}
        self.revise = revise or self._without_dependents
        self.names = names
        self.waiting = deque(p for p, e in self.entries.items() if e.state is FileState.PLANNED)
        self.written = {p for p, e in self.entries.items() if e.state is FileState.WRITTEN}
        self.links: dict[tuple[int, int], list[tuple[Entry, int]]] = defaultdict(list)

    def without(self, lost: Sequence[Entry]) -> None:
        for entry in lost:
            self._revised(self._without_dependents(entry))

    def all(self) -> None:
        self._all()
        for names in self.links.values():
            self._warn_of_links(names)

    def _all(self) -> None:
        while self.waiting:
            entry = self.entries[self.waiting.popleft()]
            change = self.runs.change(entry)
            done = self._replace(entry, change.before, change.after)
            if isinstance(done, Written):
                self.runs.mark(entry, FileState.WRITTEN)
                self.written.add(entry.position)
                self.carried.written.append(entry)
                self.carried.warnings.extend(done.warnings)
                device, inode, count = done.was
                self.links[device, inode].append((entry, count))
                continue
            if done.stops:
                self.carried.stopped = done.problem
                return
            self._leave(entry, done.problem)
            self._revised(self.revise(entry, done.problem))

    def _replace(self, entry: Entry, expected: bytes, data: bytes) -> Written | Failure:
        temporary, top = temporary_of(self.run, entry), self.runs.folder.tree
        return put(self._name(entry), entry.path, expected, data, temporary, top)

    def _warn_of_links(self, names: Sequence[tuple[Entry, int]]) -> None:
        """``names`` are the written ones of one old file, with how many it had before each."""
        entry, count = names[0]
        others = count - len(names)
        if count > 1 and others > 0:
            keep = "its other name keeps" if others == 1 else f"its {others} other names keep"
            reason = f"the file had hard links; {keep} the old text"
            self.carried.warnings.append(Problem(self._name(entry), reason))
        elif count > 1:
            last = self._name(names[-1][0])
            reason = f"it was one file with {last}, by a hard link; now they are two"
            self.carried.warnings.append(Problem(self._name(entry), reason))

    def _leave(self, entry: Entry, problem: Problem) -> None:
        self.runs.mark(entry, FileState.LEFT, problem.reason.removeprefix("not written: "))
        self.carried.failures.append(problem)

    def _revised(self, contents: Mapping[int, bytes | None]) -> None:
        for position, data in contents.items():
            entry = self.entries[position]
            if position in self.written:
                self._take_back(entry)
            elif position in self.waiting:
                if data is None:
                    self.waiting.remove(position)
                    self.runs.mark(entry, FileState.LEFT, "it requires files that were not written")
                else:
                    self.runs.amend(self.run, {position: data})

    def _take_back(self, entry: Entry) -> None:
        """Files can require each other, so that one may be written before another fails."""
        change = self.runs.change(entry)
        done = self._replace(entry, change.after, change.before)
        if isinstance(done, Failure):
            self.carried.failures.append(done.problem)
            return
        self.written.discard(entry.position)
        if entry in self.carried.written:
            self.carried.written.remove(entry)
        self.runs.mark(entry, FileState.LEFT, "it requires files that were not written")

    def _without_dependents(
        self, failed: Entry, _: Problem | None = None
    ) -> Mapping[int, bytes | None]:
        lost = {failed.position}
        while True:
            more = {p for p, e in self.entries.items() if p not in lost and e.needs & lost}
            if not more:
                break
            lost |= more
        lost.discard(failed.position)
        for position in sorted(lost & {*self.waiting, *self.written}):
            entry = self.entries[position]
            what = "taken back" if position in self.written else "not written"
            reason = f"{what}: it requires what is in {self._name(failed)}"
            self.carried.failures.append(Problem(self._name(entry), reason))
        return dict.fromkeys(sorted(lost))

    def _name(self, entry: Entry) -> Path:
        return self.names.get(entry.position) or shown(entry.path)
