"""``pinsetter config``: which options are in force for a folder, and from where."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from pinsetter.analyzer.messages.problem import Problem

from ..console.exit_code import ExitCode
from ..console.terminal import echo_problem, echo_table
from .configuration import rows


@click.command("config")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.pass_context
def config_command(context: click.Context, paths: Sequence[Path]) -> None:
    """Show the options that hold for a run on PATH (the current folder), and where each is from:
    [tool.pinsetter] of the nearest pyproject.toml, [pinsetter] of the nearest setup.cfg, or the
    default."""
    group = context.find_root().command
    assert isinstance(group, click.Group)
    run = group.get_command(context, "run")
    assert run is not None
    found = rows(paths or [Path()], run)
    problems = [one for one in found if isinstance(one, Problem)]
    if problems:
        for problem in problems:
            echo_problem(problem)
        sys.exit(ExitCode.USAGE)
    echo_table(("option", "value", "from"), [one for one in found if isinstance(one, tuple)])
