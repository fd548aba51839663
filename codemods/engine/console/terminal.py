"""terminal: the one door to standard output and error.

Names of files, code, reasons of packs, and what other tools say may hold what a terminal obeys, or
line ends that make two lines of one. So a line is made visible here before it is coloured, and
nothing is printed elsewhere. What other programs read, as a patch, is printed as it is.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

# A file or pipe has no width.
_WIDE = 10_000


@dataclass(frozen=True)
class Styled:
    """A part of a line in a style of its own."""

    text: str
    fg: str | None = None
    bold: bool | None = None

    def __str__(self) -> str:
        return click.style(visible(self.text), fg=self.fg, bold=self.bold)


def echo(
    *parts: str | Styled, fg: str | None = None, dim: bool | None = None, err: bool = False
) -> None:
    """Print one line, made of parts, on standard output or error."""
    line = "".join(visible(part) if isinstance(part, str) else str(part) for part in parts)
    click.echo(click.style(line, fg=fg, dim=dim) if fg or dim else line, err=err)


def echo_prompt(text: str) -> None:
    """Print a question, behind which an answer is typed."""
    click.echo(visible(text), nl=False)


def return_to_start() -> None:
    """What is printed next stands over the line."""
    click.echo("\r", nl=False)


def ring() -> None:
    """Tell a person at the terminal that what was typed means nothing here."""
    click.echo("\a", nl=False)


def echo_problem(problem: Problem, fg: str = "red") -> None:
    """Print a problem on standard error, with the line that it is about if it has one."""
    for line in _in_cell(problem).lines:
        echo(line, fg=fg, err=True)


def _in_cell(problem: Problem) -> Problem:
    """The same with the cell of a notebook, whose lines are numbered as one text."""
    if problem.path.suffix != ".ipynb" or not problem.line:
        return problem
    from pinsetter.analyzer.files.source import read

    source = read(problem.path)
    if isinstance(source, Problem):
        return problem
    if problem.text:  # which says itself in which cell it is
        return replace(problem, line=source.file_line(problem.line))
    return replace(problem, line=0, reason=f"{source.where(problem.line)}: {problem.reason}")


def echo_json(data: Any) -> None:
    click.echo(json.dumps(data, indent=2))


def echo_document(content: bytes | str) -> None:
    """Print, as it is, what is for other programs."""
    click.echo(content, nl=False)


def echo_usage(error: click.ClickException) -> None:
    """Print what click says of a command line."""
    said = io.StringIO()
    error.show(said)
    message = error.format_message()
    *head, last = said.getvalue().removesuffix(f"{message}\n").split("\n")
    for line in head:
        echo(line, err=True)
    echo(last, message, err=True)


def echo_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, which outside of a terminal is cut nowhere."""
    from rich.table import Column, Table
    from rich.text import Text

    table = Table(*(Column(title, overflow="fold") for title in titles), box=None)
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    made = console(soft_wrap=True)
    if made.is_terminal:
        made.print(table)
        return
    made.width = _WIDE
    with made.capture() as captured:
        made.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def console(err: bool = False, soft_wrap: bool = False) -> Console:
    """A rich console that takes text as it is: no markup, no emoji, no highlighting. What it is to
    print has to be visible."""
    from rich.console import Console

    return Console(stderr=err, soft_wrap=soft_wrap, highlight=False, markup=False, emoji=False)
