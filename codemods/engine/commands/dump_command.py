"""``pinsetter dump``: what a line is to a pattern."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import click

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.bounds import Bounds
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.project import Project

from ..authoring.dumping import Dump, dumped
from ..console.exit_code import ExitCode
from ..console.terminal import Styled, echo
from ..watchdog.attempt import attempt
from .bounds_options import bounds_options
from .places import place_in, read_place
from .summary import print_problems


@click.command("dump")
@bounds_options
@click.argument("place", metavar="FILE:LINE")
def dump_command(place: str, bounds: Bounds) -> NoReturn:
    """Show the tree of what begins in that line, patterns that fit the calls in it, and what its
    names may be."""
    path, line = read_place(place)

    def show(broken: Mapping[Path, Problem]) -> int:
        project = Project([path], broken=broken, bounds=bounds)
        if project.problems or not project.given:
            print_problems(project.problems)
            return ExitCode.FAILED
        module = place_in(project, path, line)
        _show(dumped(module, Facts(project), line))
        return ExitCode.OK

    code = attempt(show, path, bounds)
    if isinstance(code, Problem):
        print_problems([code])
        code = ExitCode.FAILED
    sys.exit(code)


def _show(dump: Dump) -> None:
    if not dump.tree:
        echo("No statement begins in this line.")
        return
    for line in dump.tree:
        echo(line)
    for title, lines in (
        ("match:", dump.patterns),
        ("imports:", [f"{name}: {module}" for name, module in dump.imports.items()]),
        ("known:", dump.known),
    ):
        if lines:
            echo("")
            echo(Styled(title, bold=True))
        for line in lines:
            echo(f"    {line}")
