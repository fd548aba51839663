"""Programs as data and as a table, for ``pinsetter facts``."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from pinsetter.analyzer.programs import Program, Programs

_NAMED = 3


def wide_console() -> Console:
    """A console on which a table is cut nowhere: a file or pipe has no width."""
    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console.width = 10_000
    return console


def program_data(programs: Programs) -> list[dict[str, Any]]:
    """Each program with its modules; warns of files that declare entry scripts unreadably."""
    for problem in programs.problems:
        click.secho(f"note: {problem}", fg="yellow", err=True)
    return [_data(program, programs) for program in programs.all]


def _data(program: Program, programs: Programs) -> dict[str, Any]:
    data: dict[str, Any] = {
        "entry": str(program.entry.path),
        "entry_because": program.because,
        "training_api": sorted(program.apis),
        "sites": [
            {"path": str(site.module.path), "line": site.line, "api": site.api}
            for site in program.sites
        ],
        "modules": [str(module.path) for module in program.modules],
        "shared_by": {
            str(module.path): [str(other.entry.path) for other in others]
            for module in program.modules
            if (others := programs.sharing(module, program))
        },
    }
    if program.mixture is not None:
        data["refused"] = program.mixture
    return data


def program_tables(data: list[dict[str, Any]]) -> None:
    """Print the programs, and the modules that several of them use."""
    console = wide_console()
    titles = ("program", "because", "training API", "modules")
    table = Table(*(Column(title, overflow="fold") for title in titles), box=None)
    shared: dict[str, list[str]] = {}
    for program in data:
        api = " + ".join(program["training_api"]) or "none"
        count = str(len(program["modules"]))
        if program["shared_by"]:
            count += f", {len(program['shared_by'])} shared"
        table.add_row(escape(program["entry"]), escape(program["entry_because"]), api, count)
        for module in program["shared_by"]:
            shared.setdefault(module, []).append(program["entry"])
    console.print(table)
    for program in data:
        if "refused" in program:
            console.print(f"{escape(program['entry'])}: refused: {escape(program['refused'])}")
    if shared:
        columns = [Column(title, overflow="fold") for title in ("shared module", "used by")]
        modules = Table(*columns, box=None)
        for module, entries in sorted(shared.items()):
            more = f" and {len(entries) - _NAMED} more" if len(entries) > _NAMED else ""
            modules.add_row(escape(module), escape(", ".join(entries[:_NAMED]) + more))
        console.print(modules)
