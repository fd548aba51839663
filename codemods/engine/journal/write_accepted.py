"""write_accepted: the accepted hunks of a run, into its files and its journal."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pinsetter.analyzer.messages.problem import Problem

from ..decide.accepted_edits import accepted_edits
from ..decide.lacking import hold_back, is_essential, leave_out
from ..files.new_content import new_content
from ..files.replace_file import obstacle, target_of
from ..state.lock import exclusive
from ..state.opening import existing_database, open_database
from ..state.runs import Entry, FileChange, FileState, Kind, Runs
from .interruption import described, settle
from .replace_files import carry_out

if TYPE_CHECKING:
    from pinsetter.analyzer.names.module import Module
    from pinsetter.patterns.edits.edit import Edit

    from ..decide.decisions import Decisions
    from ..formatting.formatting import Formatting
    from ..hunks.proposed import FoundProgram
    from ..resume.live_session import LiveSession
    from ..state.folder import StateFolder
    from .destination import Destination


class Account(Protocol):
    """What a run has decided, and what it is told about the writing."""

    decisions: Decisions
    session: LiveSession | None
    written: list[Path]
    failures: list[Problem]
    warnings: list[Problem]
    journalled: int | None
    interrupted: bool
    allowed: set[Path]
    declined: set[Path]

    @property
    def programs(self) -> Sequence[FoundProgram]: ...

    @property
    def formatting(self) -> Formatting: ...


@contextlib.contextmanager
def admission(folder: StateFolder) -> Iterator[tuple[Problem | None, list[Problem]]]:
    """Hold the tree's lock inside the ``with``; gives what keeps a run from writing to the tree,
    another run or an interrupted one that somebody has to decide on, and what is to be said
    besides."""
    with exclusive(folder) as problem:
        yield (problem, []) if problem is not None else _unfinished(folder)


def _unfinished(folder: StateFolder) -> tuple[Problem | None, list[Problem]]:
    remarks = list(folder.remarks())
    database = existing_database(folder)
    if database is None or isinstance(database, Problem):
        return database, remarks
    try:
        found = settle(Runs(database, folder))
    except sqlite3.Error as error:
        return database.failure(error), []
    finally:
        database.close()
    if found is None:
        return None, remarks
    problem = described(found, folder)
    return (problem, remarks) if found.is_open else (None, [*remarks, problem])


def write_accepted(outcome: Account, destination: Destination) -> None:
    """Write the accepted hunks, required files first. What requires a hunk of a file that cannot be
    written stays out, too; what can be known before is found before anything is written."""
    # What cannot be written is no answer of the person's, and not to be saved as one.
    outcome.decisions.changed = None
    targets, contents = _checked(outcome, destination.folder.tree)
    if not contents:
        return
    database = open_database(destination.folder)
    if isinstance(database, Problem):
        outcome.failures.append(database)
        return
    try:
        runs = Runs(database, destination.folder)
        _write(outcome, runs, destination.codemod, targets, contents)
    finally:
        database.close()


def _checked(outcome: Account, tree: Path) -> tuple[dict[Module, Path], dict[Module, bytes]]:
    """The files to write and their new bytes, after everything that cannot be written was left
    out."""
    targets: dict[Module, Path] = {}
    contents: dict[Module, bytes] = {}
    checked: dict[Module, list[Edit]] = {}
    order = outcome.decisions.plan.required_first()
    while True:
        accepted = accepted_edits(outcome)
        changed = [m for m in order if m in accepted and accepted[m] != checked.get(m)]
        if not changed:
            return targets, {m: contents[m] for m in order
                             if m in accepted and contents[m] != m.source.data}  # fmt: skip
        for module in changed:
            edits = accepted.get(module)
            if not edits:
                continue
            found = _new(module, outcome.formatting.edits(module, edits), tree)
            if isinstance(found, Problem):
                leave_out(outcome, module, found)
                hold_back(outcome)
                accepted = accepted_edits(outcome)
            else:
                checked[module] = edits
                targets[module], contents[module] = found


def _new(module: Module, edits: list[Edit], tree: Path) -> tuple[Path, bytes] | Problem:
    target = target_of(module.path, tree)
    if isinstance(target, Problem):
        return target
    content = new_content(module, edits)
    if isinstance(content, Problem):
        return content
    return obstacle(module.path, target, module.source.data, tree) or (target, content)


def _write(
    outcome: Account,
    runs: Runs,
    codemod: str,
    targets: Mapping[Module, Path],
    contents: Mapping[Module, bytes],
) -> None:
    modules = list(contents)
    needs = _needs(outcome, modules)
    positions = {module: position for position, module in enumerate(modules)}
    changes = [
        FileChange(targets[m], m.source.data, contents[m], _mode(targets[m]), needs[m])
        for m in modules
    ]

    def note_decisions() -> None:
        if outcome.session is not None:
            outcome.session.writing(outcome.decisions, run.id, positions)

    def revise(failed: Entry, problem: Problem) -> dict[int, bytes | None]:
        before = accepted_edits(outcome)
        # carry_out has told of it.
        leave_out(outcome, modules[failed.position], None)
        hold_back(outcome)
        note_decisions()
        after = accepted_edits(outcome)
        return {
            position: _content(module, outcome.formatting.edits(module, after.get(module, ())))
            for position, module in enumerate(modules)
            if position != failed.position and before.get(module) != after.get(module)
        }

    try:
        run = runs.begin(Kind.WRITE, codemod, changes)
    except sqlite3.Error as error:
        outcome.failures.append(runs.database.failure(error))
        return
    outcome.journalled = run.id
    note_decisions()
    names = {position: module.path for position, module in enumerate(modules)}
    carried = carry_out(runs, run, revise, names)
    outcome.failures.extend(carried.failures)
    outcome.warnings.extend(carried.warnings)
    outcome.interrupted = outcome.interrupted or carried.interrupted
    written = carried.written
    if carried.stopped is not None:
        outcome.failures.append(carried.stopped)
        outcome.failures.append(stopped(runs))
        # The instant may have been that between a file and its mark; the files have told since.
        with contextlib.suppress(sqlite3.Error):
            written = [e for e in runs.entries(run) if e.state is FileState.WRITTEN]
    outcome.written.extend(names[entry.position] for entry in written)


def stopped(runs: Runs) -> Problem:
    """What a run that could not go on has done, and what to do."""
    try:
        found = settle(runs)
    except sqlite3.Error as error:
        return runs.database.failure(error)
    if found is None:
        return Problem(runs.folder.tree, "the run was not ended")
    return described(found, runs.folder)


def _needs(outcome: Account, modules: list[Module]) -> dict[Module, frozenset[int]]:
    """The positions of the modules that a module's accepted hunks require, and of those with what
    is essential for a program that it is part of."""
    positions = {module: position for position, module in enumerate(modules)}
    accepted = outcome.decisions.accepted
    ids = {hunk.id for hunk in accepted}
    found: dict[Module, set[int]] = {module: set() for module in modules}
    for hunk in accepted:
        for other in outcome.decisions.plan.required_by(hunk):
            if other.module is not hunk.module and other.id in ids and other.module in positions:
                found.setdefault(hunk.module, set()).add(positions[other.module])
    for program in outcome.programs:
        mine = [h for h in accepted if h.module in positions and h.module in program.modules]
        essential = {positions[h.module] for h in mine if is_essential(h, program)}
        for module in {hunk.module for hunk in mine if hunk.application is not None}:
            found[module] |= essential - {positions[module]}
    return {module: frozenset(found[module]) for module in modules}


def _content(module: Module, edits: list[Edit]) -> bytes | None:
    data = new_content(module, edits) if edits else None
    return data if isinstance(data, bytes) else None


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0
