"""read_place: FILE:LINE on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import click

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project

_PLACE = re.compile(r"(.+):(\d+)")


def read_place(place: str) -> tuple[Path, int]:
    """The file and the line. Raises UsageError if there is no such file."""
    found = _PLACE.fullmatch(place)
    if found is None or not Path(found[1]).is_file():
        raise click.UsageError("Give a file and a line, as in train.py:12.")
    return Path(found[1]), int(found[2])


def place_in(project: Project, path: Path, line: int) -> Module:
    """The module of the one file of a project. Raises UsageError if it has no such line."""
    module = project.given[0]
    last = module.tree.line(len(module.tree.text))
    if not 1 <= line <= last:
        raise click.UsageError(f"{path} has no line {line}; its last is {last}.")
    return module
