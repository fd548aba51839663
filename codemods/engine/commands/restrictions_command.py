"""``pinsetter restrictions``: where code goes beyond the restrictions, for a person or as JSON."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.bounds import Bounds
from pinsetter.analyzer.messages.finding import Finding, Status
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.project import Project

from ..console.exit_code import ExitCode
from ..console.terminal import echo, echo_json
from ..watchdog.attempt import attempt
from .bounds_options import bounds_options
from .summary import print_problems


@click.command("restrictions")
@bounds_options
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH..."
)
def restrictions_command(as_json: bool, paths: Sequence[Path], bounds: Bounds) -> NoReturn:
    """Show where code goes beyond the restrictions of the rules, and what to do about it.

    Exits with 1 if a restriction is violated and the analysis does not lift it, with 2 if a file
    was not understood.
    """
    for path in paths:
        if not os.path.exists(path):
            raise click.UsageError(f"There is no file or folder {str(path)!r}.")
    made = attempt(partial(_checked, paths, bounds), paths[0], bounds)
    if isinstance(made, Problem):
        print_problems([made])
        sys.exit(ExitCode.FAILED)
    project, findings = made
    if as_json:
        echo_json(_data(findings, project.problems))
    else:
        for finding in findings:
            echo(str(finding))
        echo(_summary(findings, len(set(project.given))))
    print_problems(project.problems)
    if project.problems:
        sys.exit(ExitCode.FAILED)
    violated = any(finding.status is Status.VIOLATED for finding in findings)
    sys.exit(ExitCode.PROPOSED if violated else ExitCode.OK)


def _checked(
    paths: Sequence[Path], bounds: Bounds, broken: Mapping[Path, Problem]
) -> tuple[Project, list[Finding]]:
    project = Project(paths, broken=broken, bounds=bounds)
    return project, Facts(project).restrictions()


def _data(findings: Sequence[Finding], problems: Sequence[Problem]) -> dict[str, Any]:
    """Columns count from 1, as they are printed."""
    return {
        "restrictions": [
            {
                "code": finding.code,
                "title": finding.title,
                "path": str(finding.path),
                "line": finding.line,
                "column": finding.column + 1,
                "status": finding.status.value,
                "message": finding.message,
                "hint": finding.hint,
            }
            for finding in findings
        ],
        "problems": [
            {
                "path": str(problem.path),
                "line": problem.line,
                "column": problem.column + 1,
                "reason": problem.reason,
                "hint": problem.hint,
            }
            for problem in problems
        ],
    }


def _summary(findings: Sequence[Finding], files: int) -> str:
    """``3 violations, 5 lifted, in 12 files``."""
    counts = Counter(finding.status for finding in findings)
    violations = _counted(counts[Status.VIOLATED], "violation")
    return f"{violations}, {counts[Status.LIFTED]} lifted, in {_counted(files, 'file')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
