"""The folders of a room: what each is for, what is in it, and which imports from which."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

REPOSITORY = Path(__file__).parents[1]
_PACKAGE = "pinsetter"


def described(room: str) -> str:
    """A room as Markdown: its title, a table of its folders, and a picture of their arrows, from
    those that import down to those that are imported."""
    parts = sorted(modules_by_part(room).items())
    graph = arrows(room)
    order = {part: at for at, part in enumerate(nx.lexicographical_topological_sort(graph))}
    rows = [
        f"| `{part}` | {question(room, part)} | {', '.join(f'`{name}`' for name in names)} |"
        for part, names in sorted(parts, key=lambda item: order[item[0]])
    ]
    lines = [
        f"    {above} --> {below}" for above, below in sorted(nx.transitive_reduction(graph).edges)
    ]
    table = ["| folder | question | modules |", "|---|---|---|", *rows]
    picture = ["```mermaid", "flowchart TD", *lines, "```"]
    return "\n".join([f"## {room}/", "", *table, "", *picture])


def modules_by_part(room: str) -> dict[str, list[str]]:
    """The names of the modules in each folder of a room, those below it, too; a module beside the
    folders is a part of its own."""
    found: dict[str, list[str]] = {}
    for path in _files(room):
        part, name = _part(path.relative_to(REPOSITORY / room)), path.stem
        if part is not None:
            found.setdefault(part, []).extend([name] if name != "__init__" else [])
    return {part: sorted(names) if names != [part] else [] for part, names in found.items()}


def question(room: str, part: str) -> str:
    """What a part of a room is for: the first paragraph of its docstring."""
    folder = REPOSITORY / room / part
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("``", "`").replace("|", "\\|")


def arrows(room: str) -> nx.DiGraph:
    """The parts of a room, with an edge from each to those that it imports from."""
    graph = nx.DiGraph()
    graph.add_nodes_from(modules_by_part(room))
    prefix = (_PACKAGE, *room.split("/"))
    for path in _files(room):
        part = _part(path.relative_to(REPOSITORY / room))
        for name in _imported(path):
            if part is None or name[: len(prefix)] != prefix:
                continue
            other = name[len(prefix) :][:1]
            if other and other[0] != part and other[0] in graph:
                graph.add_edge(part, other[0])
    return graph


def modules_graph() -> nx.DiGraph:
    """All modules by their dotted names, with edges to what they import when they run."""
    graph = nx.DiGraph()
    names = {_name(path): path for room in ("analyzer", "patterns", "codemods")
             for path in _files(room)}  # fmt: skip
    for name, path in names.items():
        graph.add_node(name)
        for target in _imported(path):
            while target and target not in names:
                target = target[:-1]
            if target and target != name:
                graph.add_edge(name, target)
    return graph


def _files(room: str) -> list[Path]:
    return sorted((REPOSITORY / room).rglob("*.py"))


def _part(path: Path) -> str | None:
    if len(path.parts) > 1:
        return path.parts[0]
    return path.stem if path.stem != "__init__" else None


def _name(path: Path) -> tuple[str, ...]:
    parts = (_PACKAGE, *path.relative_to(REPOSITORY).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def _imported(path: Path) -> Iterator[tuple[str, ...]]:
    """What a file imports of this project; both ``a.b`` and ``a.b.c`` for ``from a.b import c``."""
    package = _name(path) if path.stem == "__init__" else _name(path)[:-1]
    tree = ast.parse(path.read_text("utf-8"))
    for node in _running(tree):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module or "").split(".")) if node.module else base
            if module[:1] == (_PACKAGE,):
                yield from ((*module, alias.name) for alias in node.names)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, without what is only there for type checkers."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _running(child)
