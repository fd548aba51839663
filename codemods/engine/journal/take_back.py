"""undo: put back what files held before a run, where they still hold what the run wrote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.analyzer.messages.problem import Problem

from ..files import below
from ..files.replace_file import explained
from ..state.runs import Entry, FileChange, FileState, Kind, Run, Runs, is_below
from .replace_files import Carried, carry_out, shown

_OLD_ALREADY = Problem(Path(), "not restored: it has its old text already")


def undo(runs: Runs, run: Run, paths: Sequence[Path] = ()) -> Carried:
    """Restore the files that a run wrote, those at or below ``paths`` if there are any.

    A file that was edited since is left alone, and so is one that a file which stays requires. The
    undo is in the journal as a run of its own. Raises sqlite3.Error.
    """
    carried = Carried()
    entries = [entry for entry in runs.entries(run) if entry.state is FileState.WRITTEN]
    wanted = [e for e in entries if not paths or is_below(e.path, paths)]
    for path in paths:
        if not any(is_below(entry.path, [path]) for entry in wanted):
            reason = f"not restored: the {run.name} did not write to it"
            carried.failures.append(Problem(shown(path), reason))
    chosen: dict[int, tuple[Entry, FileChange]] = {}
    gone = {entry.position for entry in entries if entry.undone_by is not None}
    for entry in wanted:
        if entry.undone_by is not None:
            continue
        change = runs.change(entry)
        problem = _obstacle(runs, run, entry, change)
        if problem is None:
            chosen[entry.position] = entry, change
        elif problem is _OLD_ALREADY:
            gone.add(entry.position)
            carried.warnings.append(replace(problem, path=shown(entry.path)))
        else:
            carried.failures.append(problem)
    staying = {entry.position: entry for entry in entries}
    for position in [*gone, *chosen]:
        staying.pop(position, None)
    carried.failures.extend(_leave_required(chosen, staying))
    if not chosen:
        return carried
    done = carry_out(runs, runs.begin(Kind.UNDO, run.codemod, _reversed(chosen), run))
    done.failures[:0] = carried.failures
    done.warnings[:0] = carried.warnings
    return done


def _leave_required(
    chosen: dict[int, tuple[Entry, FileChange]], staying: dict[int, Entry]
) -> Iterable[Problem]:
    """Take out of ``chosen`` what the files that stay require, and say so."""
    while True:
        found = [(entry, p) for entry in staying.values() for p in sorted(entry.needs & {*chosen})]
        if not found:
            return
        for entry, position in found:
            if position in chosen:
                left, _ = chosen.pop(position)
                staying[position] = left
                reason = f"not restored: {shown(entry.path)}, which stays, requires what is in it"
                yield Problem(shown(left.path), reason, hint="restore both")


def _reversed(chosen: dict[int, tuple[Entry, FileChange]]) -> list[FileChange]:
    """The changes that take back others; what was required is taken back after what required it."""
    order = sorted(chosen, reverse=True)
    at = {position: index for index, position in enumerate(order)}
    needs: dict[int, set[int]] = {position: set() for position in order}
    for position, (entry, _) in chosen.items():
        for required in entry.needs & chosen.keys():
            needs[required].add(at[position])
    return [
        FileChange(
            change.path, change.after, change.before, change.mode, frozenset(needs[position])
        )
        for position in order
        for change in [chosen[position][1]]
    ]


def _obstacle(runs: Runs, run: Run, entry: Entry, change: FileChange) -> Problem | None:
    """Why a file cannot be restored, with the first line that is not as the run wrote it."""
    path = shown(entry.path)
    try:
        data = below.read(entry.path, runs.folder.tree)
    except below.LinkError as error:
        return Problem(path, f"not restored: {explained(error)}")
    except FileNotFoundError:
        return Problem(path, f"not restored: it was removed after the {run.name}",
                       hint="if it was moved, move it back first")  # fmt: skip
    except OSError as error:
        return Problem(path, f"not restored: {explained(error)}")
    if data == change.after:
        return None
    if data == change.before:
        return _OLD_ALREADY
    later = next((other for other in runs.later(entry) if other.id != run.id), None)
    line = _first_difference(change.after, data)
    if later is not None:
        return Problem(path, f"not restored: a later run wrote to it, the {later.name}", line,
                       hint=f"undo that before: --run {later.id}")  # fmt: skip
    return Problem(path, f"not restored: it was edited after the {run.name}", line,
                   hint="take that edit back first")  # fmt: skip


def _first_difference(one: bytes, other: bytes) -> int:
    # Latin-1 takes any bytes, and only the number of the line is wanted.
    lines = [LINE_END.split(data.decode("latin-1")) for data in (one, other)]
    pairs = enumerate(zip(*lines, strict=False), 1)
    return next((number for number, (a, b) in pairs if a != b), min(map(len, lines)))
