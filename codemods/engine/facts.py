"""``pinsetter facts``: what the analyzer knows of files, for a person, or as JSON for a program."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.table import Table

from pinsetter.analyzer.callgraph import calls_of
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.interpreter import interpret
from pinsetter.analyzer.module import Module
from pinsetter.analyzer.project import Project
from pinsetter.analyzer.roles import RoleBinding, Roles, default_roles
from pinsetter.analyzer.scopes import Scope

from .run import ExitCode
from .summary import print_problems

_WITH_LINE = re.compile(r"(.*\.py):(\d+)")


@click.command("facts")
@click.option("--calls", is_flag=True, help="Which function calls which.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.argument("places", nargs=-1, required=True, metavar="PATH[:LINE]...")
def facts_command(calls: bool, as_json: bool, places: Sequence[str]) -> NoReturn:
    """Show what the analyzer knows: programs, and what holds an optimizer, a model, a dataset …

    With a LINE, what the scopes around that line hold. Exits with 2 if a file was not understood.
    """
    paths, lines = _places(places)
    project = Project(paths)
    if calls:
        base = paths[0] if paths[0].is_dir() else paths[0].parent
        run = interpret(project, base)
        data: dict[str, Any] = {"calls": calls_of(run)}
        if run.cut:
            note = (
                f"note: {run.cut} calls were not followed, for there are too many or too deep ones"
            )
            click.secho(f"{note}; what they return is not known", fg="yellow", err=True)
        shown = _lines_of_calls
    else:
        data = _facts(project, lines)
        shown = _tables
    if as_json:
        click.echo(json.dumps(data, indent=2))
    else:
        shown(data)
    print_problems(project.problems)
    sys.exit(ExitCode.FAILED if project.problems else ExitCode.OK)


def _places(places: Sequence[str]) -> tuple[list[Path], dict[Path, int]]:
    paths: list[Path] = []
    lines: dict[Path, int] = {}
    for place in places:
        match = None if Path(place).exists() else _WITH_LINE.fullmatch(place)
        path = Path(match[1] if match else place)
        if not path.exists():
            raise click.UsageError(f"There is no file or folder {str(path)!r}.")
        paths.append(path)
        if match:
            lines[path.resolve()] = int(match[2])
    return paths, lines


def _facts(project: Project, lines: dict[Path, int]) -> dict[str, Any]:
    facts = Facts(project)
    roles = Roles(facts.evaluator, default_roles())
    programs = [
        {
            "entry": str(program.entry.path),
            "training_api": sorted(program.apis),
            "sites": [
                {"path": str(site.module.path), "line": site.line, "api": site.api}
                for site in program.sites
            ],
            "modules": [str(module.path) for module in program.modules],
        }
        for program in facts.programs.all
    ]
    bindings = [
        {
            "path": str(module.path),
            "scope": scope.qualified_name,
            "role": binding.role,
            "expression": binding.expression,
            "certainty": binding.certainty.value,
            "lines": list(binding.lines),
        }
        for module in project.given
        for scope in _scopes(module, lines.get(module.path.resolve()))
        for binding in sorted(roles.in_scope(scope, module), key=_order)
    ]
    return {"programs": programs, "bindings": bindings}


def _order(binding: RoleBinding) -> tuple[str, str]:
    return binding.role, binding.expression


def _scopes(module: Module, line: int | None) -> Iterator[Scope]:
    """The scopes of a module, or those around a line."""
    for scope in module.scopes:
        if scope.kind not in ("module", "class", "function"):
            continue
        first, last = module.tree.span((scope.node,))
        if line is None or scope.parent is None or (
            module.tree.line(first) <= line <= module.tree.line(max(first, last - 1))
        ):  # fmt: skip
            yield scope


def _tables(data: dict[str, Any]) -> None:
    console = Console(soft_wrap=True)
    programs = Table("program", "training API", "modules", box=None)
    for program in data["programs"]:
        api = " + ".join(program["training_api"]) or "none"
        programs.add_row(program["entry"], api, str(len(program["modules"])))
    console.print(programs)
    bindings = Table("role", "expression", "certainty", "where", box=None)
    for found in data["bindings"]:
        scope = f" in {found['scope']}" if found["scope"] else ""
        where = f"{found['path']}:{','.join(map(str, found['lines']))}{scope}"
        bindings.add_row(found["role"], found["expression"], found["certainty"], where)
    console.print(bindings)


def _lines_of_calls(data: dict[str, Any]) -> None:
    for caller, callees in data["calls"].items():
        for callee in callees:
            click.echo(f"{caller} -> {callee}")
