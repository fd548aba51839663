"""Programs as data and as a table, for ``pinsetter facts``."""

from __future__ import annotations

from typing import Any

from pinsetter.analyzer.programs.programs import Program, Programs

from ..console.terminal import echo, echo_table
from ..propose.refusals import pack_for

_NAMED = 3


def program_data(programs: Programs) -> list[dict[str, Any]]:
    """Each program with its modules; warns of files that declare entry scripts unreadably."""
    for problem in programs.problems:
        echo(f"note: {problem}", fg="yellow", err=True)
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
    if program.mixture is not None and pack_for(program.apis) is None:
        data["refused"] = program.mixture
    return data


def program_tables(data: list[dict[str, Any]]) -> None:
    """Print the programs, and the modules that several of them use."""
    rows: list[tuple[str, str, str, str]] = []
    shared: dict[str, list[str]] = {}
    for program in data:
        api = " + ".join(program["training_api"]) or "none"
        count = str(len(program["modules"]))
        if program["shared_by"]:
            count += f", {len(program['shared_by'])} shared"
        rows.append((program["entry"], program["entry_because"], api, count))
        for module in program["shared_by"]:
            shared.setdefault(module, []).append(program["entry"])
    echo_table(("program", "because", "training API", "modules"), rows)
    for program in data:
        if "refused" in program:
            echo(f"{program['entry']}: refused: {program['refused']}")
    if shared:
        echo_table(("shared module", "used by"), map(_shared_row, sorted(shared.items())))


def _shared_row(shared: tuple[str, list[str]]) -> tuple[str, str]:
    module, entries = shared
    more = f" and {len(entries) - _NAMED} more" if len(entries) > _NAMED else ""
    return module, ", ".join(entries[:_NAMED]) + more
