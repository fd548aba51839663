"""run: a codemod over some paths, from proposal to files, with a summary and an exit code."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from pathlib import Path

import click

from pinsetter.analyzer.module import Module
from pinsetter.analyzer.problem import Problem
from pinsetter.patterns.edit import Edit

from .diff import file_diff, hunk_lines
from .hunk import BowlerHunk, Decisions
from .planning import Planned, make_plan
from .query import PackQuery
from .review import End, review, show_diff
from .write import obstacle, write


class Mode(Enum):
    REVIEW = "review"
    WRITE = "write"
    DIFF = "diff"
    CHECK = "check"


class ExitCode(IntEnum):
    """0 nothing to do or all done; 1 changes proposed under --check, or left when the
    review's input ended; 2 something was refused or
    failed; 3 usage; 130 interrupted."""

    OK = 0
    PROPOSED = 1
    FAILED = 2
    USAGE = 3
    INTERRUPTED = 130


@dataclass
class Outcome:
    """What a run did."""

    planned: Planned
    decisions: Decisions
    mode: Mode
    written: list[Path] = field(default_factory=list)
    failures: list[Problem] = field(default_factory=list)
    interrupted: bool = False
    unanswered: bool = False

    @property
    def exit_code(self) -> ExitCode:
        if self.interrupted:
            return ExitCode.INTERRUPTED
        if self.planned.problems or self.planned.refused or self.failures:
            return ExitCode.FAILED
        if (self.mode is Mode.CHECK and self.planned.plan.hunks) or self.unanswered:
            return ExitCode.PROPOSED
        return ExitCode.OK


def run(
    queries: Sequence[PackQuery],
    paths: Sequence[Path],
    mode: Mode,
    skip: frozenset[str] = frozenset(),
    loaded: Callable[[Path], None] | None = None,
    planned: Callable[[Planned], None] | None = None,
) -> Outcome:
    """Propose, decide and, in the modes that do, write. ``planned`` is called before the review."""
    found = make_plan(queries, paths, skip, loaded)
    if planned is not None:
        planned(found)
    decisions = Decisions(found.plan)
    outcome = Outcome(found, decisions, mode)
    hooks = list(dict.fromkeys(hook for query in queries for hook in query.processors))
    for hunk in found.plan.hunks:
        if hooks and not hunk.follows:
            lines = BowlerHunk(hunk)
            if any(hook(str(hunk.module.path), lines) is False for hook in hooks):
                decisions.reject(hunk)
    if mode is Mode.REVIEW:
        ended = review(found.plan, decisions)
        if ended is End.ABANDONED:
            outcome.interrupted = True
            return outcome
        outcome.unanswered = ended is End.UNANSWERED
    else:
        for hunk in found.plan.hunks:
            if not hunk.follows and decisions.verdict(hunk) is None:
                decisions.accept(hunk)
    if mode is Mode.DIFF:
        _print_diff(outcome)
    elif mode is not Mode.CHECK:
        _write(outcome)
    return outcome


def _write(outcome: Outcome) -> None:
    """Write the accepted hunks, required files first. What requires a hunk of a file that cannot be
    written stays out, too; what can be known before is found before anything is written."""
    for attempt in (obstacle, write):
        for module in outcome.planned.plan.required_first():
            edits = _accepted_edits(outcome).get(module)
            problem = attempt(module, edits) if edits else None
            if problem is not None:
                _leave_out(outcome, module, problem)
            elif edits and attempt is write:
                outcome.written.append(module.path)


def _leave_out(outcome: Outcome, module: Module, problem: Problem) -> None:
    outcome.failures.append(problem)
    before = {hunk.id for hunk in outcome.decisions.accepted}
    lost: Counter[Module] = Counter()
    for hunk in outcome.planned.plan.by_module()[module]:
        for other in outcome.decisions.reject(hunk):
            if other.module is not module and other.id in before and not other.follows:
                lost[other.module] += 1
    for other_module, count in lost.items():
        reason = f"{count} hunk(s) not written: they require hunks of {module.path}"
        outcome.failures.append(Problem(other_module.path, reason))


def _accepted_edits(outcome: Outcome) -> dict[Module, list[Edit]]:
    found: dict[Module, list[Edit]] = {}
    for hunk in outcome.decisions.accepted:
        found.setdefault(hunk.module, []).extend(hunk.edits)
    return found


def _print_diff(outcome: Outcome) -> None:
    """One patch; the reasons stand before each file's part, where patch programs skip them."""
    accepted = {hunk.id for hunk in outcome.decisions.accepted}
    for module, hunks in outcome.planned.plan.by_module().items():
        chosen = [hunk for hunk in hunks if hunk.id in accepted]
        for hunk in sorted(chosen, key=lambda hunk: hunk.line):
            if hunk.follows:
                continue
            click.secho(f"# {hunk.place}: {hunk.rule}: {hunk.why}", dim=True)
            for warning in hunk.warnings:
                click.secho(f"#   Warning: {warning}", fg="yellow")
        if chosen:
            path = os.path.relpath(module.path.resolve(), Path.cwd().resolve())
            edits = [edit for hunk in chosen for edit in hunk.edits]
            _print_patch(path, module, edits)
            click.echo()


def _print_patch(path: str, module: Module, edits: list[Edit]) -> None:
    """For a program that applies it, a patch has the file's own bytes, line ends included."""
    lines = file_diff(path, module.source.text, edits)
    head, parts = lines[:2], lines[2:]
    if sys.stdout.isatty():
        show_diff([*head, *hunk_lines(path, module.source.text, edits)[2:]])
        return
    click.echo(os.fsencode("".join(f"{line}\n" for line in head)), nl=False)
    click.echo(module.source.encode("".join(f"{line}\n" for line in parts)), nl=False)
