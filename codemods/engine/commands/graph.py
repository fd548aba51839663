"""The class hierarchy of a project: as DOT, as a drawing in SVG, as a table, and as data."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import networkx as nx

from pinsetter.analyzer.library import load
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.visible import visible
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.roles.role import default_roles
from pinsetter.analyzer.values.questions import DeclaredClass, Evaluator, declared_classes

from ..console.exit_code import ExitCode
from ..console.terminal import echo_document, echo_json, echo_table
from ..files.replace_file import replace
from .drawing import Box, Line, drawn
from .summary import print_problems

FORMATS = (".svg", ".dot", ".gv")
_OBJECT = "builtins.object"
_UNKNOWN = "? "
# A base may be a whole expression.
_WIDTH = 48


@dataclass(frozen=True)
class ClassGraph:
    """The classes to be drawn, and which derives from which; both in a fixed order."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]


def graph_options(command: Any) -> Any:
    """The options of ``pinsetter facts`` that show classes."""
    for option in (
        click.option("--classes", is_flag=True, help="The classes, and what they derive from."),
        click.option(
            "--graph", is_flag=False, flag_value="-", metavar="[FILE]",
            help="The class hierarchy: into FILE, as .svg or .dot, or printed as DOT."),
    ):  # fmt: skip
        command = option(command)
    return command


def graph_target(graph: str | None, places: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """What ``--graph`` names, and the places; the word after it may be a place."""
    if graph is not None and graph != "-" and not graph.endswith(FORMATS):
        if places and not Path(graph).exists():
            ends = " or ".join(FORMATS)
            raise click.UsageError(f"A graph file's name ends in {ends}: {graph!r}.")
        graph, places = "-", (graph, *places)
    if not places:
        raise click.UsageError("Missing argument 'PATH[:LINE]...'.")
    return graph, places


def show_classes(project: Project, graph: str | None, classes: bool, as_json: bool) -> int:
    """Print or write the classes of the given files; the exit code."""
    if graph == "-" and (classes or as_json):
        raise click.UsageError("--graph without a file prints DOT, and nothing else beside it.")
    evaluator = Evaluator(project, load())
    unwritten = write_graph(class_graph(evaluator), graph) if graph is not None else None
    if as_json:
        echo_json({"classes": class_data(evaluator)})
    elif classes:
        class_table(class_data(evaluator))
    print_problems(project.problems)
    if unwritten is not None:
        print_problems([unwritten])
    return ExitCode.FAILED if project.problems or unwritten is not None else ExitCode.OK


def class_data(evaluator: Evaluator) -> list[dict[str, Any]]:
    """The repository's classes, in the order of files and lines.

    ``role`` is what a library ancestor makes a class: a model, an optimizer …
    """
    roles = [(role.name, name) for role in default_roles() for name in role.isa]
    found = []
    for declared in _given(evaluator):
        ancestors = [a for a in evaluator.hierarchy.ancestors(declared.name) if a != declared.name]
        held = ((role, name) for name in ancestors for role, wanted in roles if wanted == name)
        role, by = next(held, (None, None))
        found.append(
            {
                "name": declared.name,
                "path": str(declared.definition.module.path),
                "line": declared.line,
                "bases": [name for base in declared.bases for name in (base.names or (base.text,))],
                "ancestors": ancestors,
                "role": role,
                "role_from": by,
            }
        )
    return found


def class_table(classes: Sequence[dict[str, Any]]) -> None:
    """Print the classes as a table."""
    rows = []
    for found in classes:
        role = f"{found['role']} ({found['role_from']})" if found["role"] else ""
        where = f"{found['path']}:{found['line']}"
        rows.append((found["name"], ", ".join(found["bases"]), where, role))
    echo_table(("class", "bases", "where", "role"), rows)


def class_graph(evaluator: Evaluator) -> ClassGraph:
    """The given classes, and those of the repository and of libraries that they derive from."""
    hierarchy = evaluator.hierarchy
    statements: dict[str, list[DeclaredClass]] = defaultdict(list)
    for declared in declared_classes(evaluator.modules, evaluator.evaluate):
        statements[declared.name].append(declared)
    boxes: dict[str, Box] = {}
    lines: dict[tuple[str, str], Line] = {}
    waiting = deque(dict.fromkeys(declared.name for declared in _given(evaluator)))
    seen = set(waiting)
    while waiting:
        name = waiting.popleft()
        found = statements.get(name, [])
        if found:
            places = [f"{d.definition.module.path}:{d.line}" for d in found]
            text = (found[0].definition.scope.qualified_name, *places)
            boxes[name] = Box(name, text, "repository")
        else:
            boxes[name] = Box(name, (name,), "library")
        for target, certain in _targets(name, found, evaluator):
            if target.startswith(_UNKNOWN):
                text = (target.removeprefix(_UNKNOWN),)
                boxes.setdefault(target, Box(target, text, "unknown"))
            else:
                target = hierarchy.of_any_version(target)
            if target not in (name, _OBJECT):
                lines.setdefault((name, target), Line(name, target, certain))
                if not target.startswith(_UNKNOWN) and target not in seen:
                    seen.add(target)
                    waiting.append(target)
    return ClassGraph(tuple(boxes.values()), tuple(lines.values()))


def _targets(
    name: str, statements: Sequence[DeclaredClass], evaluator: Evaluator
) -> Iterator[tuple[str, bool]]:
    """What a class derives from, and whether that is certain."""
    for declared in statements:
        for base in declared.bases:
            for target in base.names or (f"{_UNKNOWN}{_shortened(base.text)}",):
                yield target, base.certain and len(statements) == 1
    graph: nx.DiGraph[str] = evaluator.hierarchy.graph
    if not statements and name in graph:
        for target in graph.successors(name):
            yield target, True


def dot(graph: ClassGraph) -> str:
    """The graph in Graphviz's language; bases stand on the left."""
    styles = {
        "repository": 'shape=box, style=filled, fillcolor="#e3edfb"',
        "library": 'shape=box, style="filled,rounded", fillcolor="#eeeeee"',
        "unknown": "shape=box, style=dashed",
    }
    rows = ["digraph classes {", "  rankdir=RL;", "  edge [arrowhead=empty];"]
    for box in graph.boxes:
        label = "\\n".join(map(_quoted, box.text))
        rows.append(f'  "{_quoted(box.name)}" [label="{label}", {styles[box.kind]}];')
    for line in graph.lines:
        style = "" if line.certain else " [style=dashed]"
        rows.append(f'  "{_quoted(line.derived)}" -> "{_quoted(line.base)}"{style};')
    return "\n".join([*rows, "}", ""])


def svg(graph: ClassGraph) -> str:
    """The graph as a drawing."""
    return drawn(graph.boxes, graph.lines)


def write_graph(graph: ClassGraph, target: str) -> Problem | None:
    """Write the graph to a file, by its name as SVG or DOT, or print it for ``-``; why it cannot
    be written, if so."""
    if target == "-":
        echo_document(dot(graph))
        return None
    text = svg(graph) if target.endswith(".svg") else dot(graph)
    try:
        replace(Path(target).resolve(), text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        return Problem(Path(target), f"cannot be written: {error.strerror}")
    return None


def _given(evaluator: Evaluator) -> list[DeclaredClass]:
    """The classes of the given files."""
    modules = sorted(dict.fromkeys(evaluator.project.given), key=lambda module: module.path)
    found = declared_classes(modules, evaluator.evaluate)
    order = {id(module): place for place, module in enumerate(modules)}
    return sorted(found, key=lambda c: (order[id(c.definition.module)], c.line))


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _quoted(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace('"', '\\"')
