"""ClassHierarchy: which class is a subclass of which, over the repository and the library."""

from __future__ import annotations

import networkx as nx

from .library import Library


class ClassHierarchy:
    """A networkx DiGraph over qualified class names, edges from a class to its bases."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.graph: nx.DiGraph[str] = nx.DiGraph()
        self._ancestors: dict[str, list[str]] = {}
        for name, found in library.classes.items():
            self.graph.add_node(name)
            self.graph.add_edges_from((name, library.canonical(base)) for base in found.bases)

    def add(self, name: str, bases: list[str]) -> None:
        """Add a class of the repository; bases are qualified names, library aliases allowed."""
        self._ancestors.clear()
        self.graph.add_node(name)
        self.graph.add_edges_from((name, self._canonical(base)) for base in bases)

    def __contains__(self, name: str) -> bool:
        return self._canonical(name) in self.graph

    def isa(self, name: str, ancestor: str) -> bool:
        """Whether ``name`` is ``ancestor`` or derives from it; unknown classes derive from none."""
        return self._canonical(ancestor) in self.ancestors(name)

    def ancestors(self, name: str) -> list[str]:
        """``name`` and its ancestors, nearest first, as far as they are known."""
        name = self._canonical(name)
        if name not in self._ancestors:
            known = name in self.graph
            self._ancestors[name] = list(nx.bfs_tree(self.graph, name)) if known else [name]
        return self._ancestors[name]

    def descendants(self, name: str) -> list[str]:
        """The classes that derive from ``name``, in alphabetical order."""
        name = self._canonical(name)
        if name not in self.graph:
            return []
        return sorted(found for found in nx.ancestors(self.graph, name) if found != name)

    def _canonical(self, name: str) -> str:
        # A class of the repository may live in a folder that is called `keras`.
        return name if name in self.graph else self.library.canonical(name)
