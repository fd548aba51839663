"""Linked: several files, and which of them imports and reaches which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import networkx as nx

from ..files.import_path import Layout
from .imports import STAR, Import, When


@dataclass(frozen=True)
class LinkedFile:
    """What linking needs of a file: its resolved path, the name of its module, what it imports, and
    the lines of ``if __name__ == "__main__":``."""

    path: Path
    name: str
    imports: tuple[Import, ...]
    guards: tuple[int, ...] = ()

    @cached_property
    def folder(self) -> str:
        return str(self.path.parent)


class Linked:
    """Files in the order of their paths; what is asked for is computed then, and kept."""

    def __init__(self, files: Iterable[LinkedFile], layout: Layout) -> None:
        self.layout = layout
        self._loaders: dict[Path, frozenset[Path]] = {}
        self.files = {file.path: file for file in sorted(files, key=lambda file: str(file.path))}

    @cached_property
    def import_graph(self) -> nx.DiGraph[Path]:
        """Edges from the importing file to the imported one.

        An edge's ``when`` is the set of the times at which it is imported: ``load``, with the
        importing module or later; ``script``, only where that is the script, under its guard;
        ``types``, only by type checkers.
        """
        graph: nx.DiGraph[Path] = nx.DiGraph()
        graph.add_nodes_from(self.files)
        kept: dict[frozenset[When], frozenset[When]] = {}
        for path, file in self.files.items():
            for imported, when in imported_files(file, self.layout):
                if imported in self.files:
                    known = graph.edges[path, imported]["when"] if (
                        graph.has_edge(path, imported)) else frozenset()  # fmt: skip
                    times = known | {when}
                    graph.add_edge(path, imported, when=kept.setdefault(times, times))
        return graph

    @cached_property
    def run_graph(self) -> nx.DiGraph[Path]:
        """The import graph without what only type checkers import."""
        graph: nx.DiGraph[Path] = self.import_graph.copy()
        edges = [(a, b) for a, b in graph.edges if graph.edges[a, b]["when"] == {"types"}]
        graph.remove_edges_from(edges)
        return graph

    @cached_property
    def circles(self) -> dict[Path, set[Path]]:
        """For each file, the files that import each other with it, itself included."""
        components = nx.strongly_connected_components(self.run_graph)
        return {path: circle for circle in components for path in circle}

    def is_imported(self, path: Path) -> bool:
        """Whether another file imports this one."""
        return any(importer != path for importer in self.run_graph.predecessors(path))

    def heads(self, path: Path) -> bool:
        """Whether nothing imports the file but those that it imports itself."""
        return path in self._heads

    @cached_property
    def _heads(self) -> frozenset[Path]:
        importers = self.run_graph.predecessors
        below = {
            id(circle)
            for path, circle in self.circles.items()
            if any(importer not in circle for importer in importers(path))
        }
        return frozenset(path for path, circle in self.circles.items() if id(circle) not in below)

    def reached(self, entry: Path) -> list[Path]:
        """The entry, and the files that are imported where it is run, in the order of paths.

        What an imported module imports under its own ``__main__`` guard is not.
        """
        circle_of = self._loads.graph["mapping"]
        begin = {circle_of[path] for path in self.run_graph.adj[entry]}
        loaded = nx.multi_source_dijkstra_path_length(self._loads, begin) if begin else ()
        reached = {path for circle in loaded for path in self._loads.nodes[circle]["members"]}
        return [entry, *sorted(reached - {entry}, key=self._order.__getitem__)]

    def may_run_together(self, one: Path, other: Path) -> bool:
        """Whether a file loads both, or one of the two the other."""
        return not self._loading(one).isdisjoint(self._loading(other))

    def _loading(self, path: Path) -> frozenset[Path]:
        """The file, and those that load it."""
        if path not in self._loaders:
            self._loaders[path] = frozenset({path, *nx.ancestors(self.run_graph, path)})
        return self._loaders[path]

    @cached_property
    def _order(self) -> dict[Path, int]:
        return {path: number for number, path in enumerate(sorted(self.files))}

    @cached_property
    def _loads(self) -> nx.DiGraph[int]:
        """What loads what, those that load each other as one node."""
        graph: nx.DiGraph[Path] = nx.DiGraph()
        graph.add_nodes_from(self.run_graph)
        edges = self.run_graph.edges
        graph.add_edges_from(edge for edge in edges if "load" in edges[edge]["when"])
        return nx.condensation(graph)


def imported_files(file: LinkedFile, layout: Layout) -> Iterator[tuple[Path, When]]:
    """The files that a file's imports load, and when; a module's packages are loaded with it."""
    found: dict[tuple[Path, When], None] = {}
    for item in file.imports:
        for dotted in _loaded(item):
            path = layout.locate(file.folder, dotted, item.level)
            if path is not None and path != file.path:
                found[path, item.when] = None
    return iter(found)


def _loaded(item: Import) -> Iterator[str]:
    parts = item.module.split(".")
    for number in range(len(parts)):
        yield ".".join(parts[: number + 1])
    if item.name is not None and item.name != STAR:
        yield f"{item.module}.{item.name}" if item.module else item.name
