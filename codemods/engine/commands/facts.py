"""``pinsetter facts``: what the analyzer knows of files, for a person, or as JSON for a program."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.bounds import Bounds
from pinsetter.analyzer.files.import_path import real_path
from pinsetter.analyzer.interpreter import Run, interpret
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.names.statement_at import statement_at
from pinsetter.analyzer.roles.call_graph import calls_of
from pinsetter.analyzer.roles.sigma import RoleBinding
from pinsetter.analyzer.syntax.tree import LN

from ..console.exit_code import ExitCode
from ..console.terminal import Styled, echo, echo_json
from ..watchdog.attempt import attempt
from .bounds_options import bounds_options
from .graph import graph_options, graph_target, show_classes
from .programs import program_data, program_tables
from .revision_option import read_at, revision_option
from .statement import show_statement, statement_data
from .summary import print_problems

_WITH_LINE = re.compile(r"(.*\.py):(\d+)")


@click.command("facts")
@click.option("--calls", is_flag=True, help="Which function calls which.")
@graph_options
@bounds_options
@revision_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.argument("places", nargs=-1, metavar="PATH[:LINE]...")
def facts_command(
    calls: bool,
    graph: str | None,
    classes: bool,
    revision: str | None,
    as_json: bool,
    places: Sequence[str],
    bounds: Bounds,
) -> NoReturn:
    """Show what the analyzer knows: programs, and what holds an optimizer, a model, a dataset …

    A binding is shown with the lines that it follows from. With a LINE, what that statement does
    and what holds something where it has run; other paths are then read, but not shown. Exits with
    2 if a file was not understood.
    """
    graph, places = graph_target(graph, places)
    if revision is not None and places:
        read_at([Path(_WITH_LINE.sub(r"\1", place)) for place in places], revision)
    paths, lines = _places(places)
    if calls and (graph is not None or classes):
        raise click.UsageError("--calls shows no classes; give --graph or --classes alone.")

    def show(broken: Mapping[Path, Problem]) -> int:
        project = Project(paths, broken=broken, bounds=bounds)
        if graph is not None or classes:
            return show_classes(project, graph, classes, as_json)
        if calls:
            run = interpret(project, paths[0] if disk.is_folder(paths[0]) else paths[0].parent)
            data: dict[str, Any] = {"calls": calls_of(run)}
            _warn_of_cuts(run)
        else:
            data = _data(project, lines)
        if as_json:
            echo_json(data)
        else:
            (_lines_of_calls if calls else _tables)(data)
        print_problems(project.problems)
        return ExitCode.FAILED if project.problems else ExitCode.OK

    code = attempt(show, paths[0], bounds)
    if isinstance(code, Problem):
        print_problems([code])
        code = ExitCode.FAILED
    sys.exit(code)


def _data(project: Project, lines: dict[Path, int]) -> dict[str, Any]:
    """The programs and bindings, and what is known at the lines if there are some."""
    watched = _statements(project, lines)
    facts = Facts(project, watched={id(node): behind for _, _, node, behind in watched})
    found: list[RoleBinding] = []
    if facts.may_have_roles:
        found = _visible(facts, watched) if lines else _bindings(facts)
        _warn_of_cuts(facts.sigma.run)
    data = {
        "programs": program_data(facts.programs),
        "bindings": [_as_data(binding) for binding in found],
    }
    if lines:
        found_there = (statement_data(module, line, facts) for module, line, _, _ in watched)
        data["statements"] = [statement for statement in found_there if statement]
    return data


def _places(places: Sequence[str]) -> tuple[list[Path], dict[Path, int]]:
    paths: list[Path] = []
    lines: dict[Path, int] = {}
    for place in places:
        match = None if disk.exists(place) else _WITH_LINE.fullmatch(place)
        path = Path(match[1] if match else place)
        if not disk.exists(path):
            raise click.UsageError(f"There is no file or folder {str(path)!r}.")
        paths.append(path)
        if match:
            lines[real_path(path)] = int(match[2])
    return paths, lines


def _warn_of_cuts(run: Run) -> None:
    if run.cut:
        note = f"note: {run.cut} calls were not followed, for there are too many or too deep ones"
        echo(f"{note}; what they return is not known", fg="yellow", err=True)


def _bindings(facts: Facts) -> list[RoleBinding]:
    return [found for module in facts.project.given for found in facts.sigma.bindings(module)]


def _statements(project: Project, lines: dict[Path, int]) -> list[tuple[Module, int, LN, bool]]:
    """For each line that is given, its module and statement, and whether to look behind it."""
    given = [(module, lines.get(module.real)) for module in project.given]
    for module, line in given:
        last = module.tree.line(len(module.tree.text))
        if line is not None and not 1 <= line <= last:
            raise click.UsageError(f"{module.path} has no line {line}; its last is {last}.")
    return [(m, line, *statement_at(m, line)) for m, line in given if line is not None]


def _visible(facts: Facts, places: list[tuple[Module, int, LN, bool]]) -> list[RoleBinding]:
    """What is visible at the statements."""
    visible = facts.sigma.run.visible
    return [found for _, _, node, _ in places for found in facts.sigma.at(visible[id(node)])]


def _as_data(binding: RoleBinding) -> dict[str, Any]:
    return {
        "role": binding.role,
        "expression": binding.expression,
        "certainty": binding.certainty.value,
        "because": binding.because,
        "path": str(binding.path),
        "line": binding.line,
        "column": binding.column,
        "scope": binding.scope,
        "chain": [
            {"path": str(step.path), "line": step.line, "text": step.text} for step in binding.chain
        ],
    }


def _tables(data: dict[str, Any]) -> None:
    program_tables(data["programs"])
    for statement in data.get("statements", ()):
        show_statement(statement)
    for found in data["bindings"]:
        _chain(found)


def _chain(found: dict[str, Any]) -> None:
    """A binding, and below it the lines that it follows from."""
    place = Styled(f"{found['path']}:{found['line']}:{found['column']}:", bold=True)
    expression = Styled(found["expression"], fg="cyan")
    because = f": {found['because']}" if found["because"] else ""
    echo(place, f" {found['role']} ", expression, f" ({found['certainty']}{because})")
    for step in found["chain"]:
        elsewhere = "" if step["path"] == found["path"] else f"{step['path']}:"
        echo(f"    {elsewhere}{step['line']}: {step['text']}")


def _lines_of_calls(data: dict[str, Any]) -> None:
    for caller, callees in data["calls"].items():
        for callee in callees:
            echo(f"{caller} -> {callee}")
