"""ClassHierarchy: which class is a subclass of which, over the repository and the library."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator

import networkx as nx

from ..names.lone_file import AskedBeyondError
from . import Library
from .declared import declared, moved
from .linearization import linearized

_OBJECT = "builtins.object"
_STANDARD = sys.stdlib_module_names


class ClassHierarchy:
    """A networkx DiGraph over qualified class names, edges from a class to its bases.

    An edge's ``certain`` is False where the base is one of several that the class may have.
    """

    def __init__(
        self, library: Library, below: Callable[[str, Collection[str]], None] | None = None
    ) -> None:
        """``below`` is told which classes were found to derive from a class, and raises
        AskedBeyondError if others may."""
        self.library = library
        self._below = below
        self._left: dict[str, AskedBeyondError] = {}
        self._known = self.graph = _known(library)
        self._ancestors: dict[str, list[str]] = {}
        self._descendants: dict[str, list[str]] = {}
        self._proved: dict[str, frozenset[str]] = {}
        self._declared: set[str] = set()
        self._open: set[str] = set()

    def add(
        self,
        name: str,
        bases: Iterable[str],
        possible: Collection[str] = (),
        others: bool = False,
    ) -> None:
        """Add a class of the repository; bases are qualified names, library aliases allowed.

        ``possible`` are those of them that the class need not have; ``others`` says that it may
        have bases of which nothing is known.
        """
        self._forget()
        if self.graph is self._known:
            self.graph = self._known.copy()  # of most files it may be shared
        self._declared.add(name)
        if others:
            self._open.add(name)
        _link(self.graph, self.library, name, bases, possible)

    def leave(self, name: str, asked: AskedBeyondError) -> bool:
        """Answer nothing about a class whose bases other files have; whether that is new."""
        self._forget()
        known = name in self._left
        self._left.setdefault(name, asked)
        return not known

    def _forget(self) -> None:
        self._ancestors.clear()
        self._descendants.clear()
        self._proved.clear()

    def __contains__(self, name: str) -> bool:
        return self.canonical(name) in self.graph

    def isa(self, name: str, ancestor: str) -> bool:
        """Whether ``name`` is ``ancestor`` or derives from it; unknown classes derive from none."""
        return self.canonical(ancestor) in self.ancestors(name)

    def proves(self, name: str, ancestor: str) -> bool:
        """Whether ``name`` is or derives from ``ancestor`` whichever of possible bases it has."""
        name = self.canonical(name)
        if name not in self._proved:
            _ = self.ancestors(name)
            certain = nx.subgraph_view(
                self.graph, filter_edge=lambda a, b: bool(self.graph.edges[a, b]["certain"])
            )
            known = nx.descendants(certain, name) if name in self.graph else set()
            self._proved[name] = frozenset({name, *known})
        return self.canonical(ancestor) in self._proved[name]

    def excludes(self, name: str, ancestor: str) -> bool:
        """Whether ``name`` is a class of the repository that does not derive from ``ancestor``, for
        all of its bases are known to the last."""
        found = self.ancestors(name)
        return (
            found[0] in self._declared
            and self.canonical(ancestor) not in found
            and all(self.is_closed(base) for base in found)
        )

    def is_closed(self, name: str) -> bool:
        """Whether it is known which bases a class has."""
        name = self.canonical(name)
        if name in self._left:
            raise self._left[name]
        if name in self._declared:
            return name not in self._open
        return name in self.library.classes or name.partition(".")[0] in _STANDARD

    def ancestors(self, name: str) -> list[str]:
        """``name`` and its ancestors as far as they are known, in the order in which Python looks
        attributes up in them."""
        name = self.canonical(name)
        if name not in self._ancestors:
            self._ancestors[name] = self._linearized(name)
        return self._ancestors[name]

    def _linearized(self, name: str) -> list[str]:
        """The C3 linearization; nearest first where there is none."""
        if name not in self.graph:
            return [name]
        reached = list(nx.bfs_tree(self.graph, name))
        for one in self._left.keys() & reached:
            raise self._left[one]
        order, consistent = linearized(name, self._bases)
        if not consistent:
            return reached
        # The library's classes derive from it too, which is not recorded.
        return [*order, *(base for base in reached if base == _OBJECT != name)]

    def _bases(self, name: str) -> Iterator[str]:
        return (base for base in self.graph.successors(name) if base != _OBJECT)

    def descendants(self, name: str) -> list[str]:
        """The classes that derive from ``name``, in alphabetical order."""
        name = self.canonical(name)
        if name not in self._descendants:
            found = nx.ancestors(self.graph, name) if name in self.graph else set()
            if self._below is not None:
                self._below(name, found)
            self._descendants[name] = sorted(found - {name})
        return self._descendants[name]

    def canonical(self, name: str) -> str:
        """The name by which the graph knows a class."""
        return _canonical(self.graph, self.library, name)

    def of_any_version(self, name: str) -> str:
        """The canonical name; for one that has moved in a later release, as a session of the first,
        the one that it has now."""
        return _of_any_version(self.graph, self.library, name)


def _known(library: Library) -> nx.DiGraph[str]:
    """The library's own classes; not to be changed."""
    graph: nx.DiGraph[str] | None = library.memo.get(_known)
    if graph is None:
        graph = nx.DiGraph()
        graph.add_nodes_from(library.classes)
        for name, found in library.classes.items():
            _link(graph, library, name, [library.canonical(base) for base in found.bases])
        for name, base in declared().classes.items():
            if name not in library.classes or name in library.declared:
                _link(graph, library, name, [base])
        library.memo[_known] = graph
    return graph


def _link(
    graph: nx.DiGraph[str],
    library: Library,
    name: str,
    bases: Iterable[str],
    possible: Collection[str] = (),
) -> None:
    graph.add_node(name)
    for base in bases:
        if base != name:  # it replaces a class of its own name
            above = _of_any_version(graph, library, base)
            graph.add_edge(name, above, certain=base not in possible)


def _canonical(graph: nx.DiGraph[str], library: Library, name: str) -> str:
    # A class of the repository may live in a folder that is called as a library is.
    return name if name in graph else library.canonical(name)


def _of_any_version(graph: nx.DiGraph[str], library: Library, name: str) -> str:
    known = _canonical(graph, library, name)
    now = known if known in graph else library.canonical(moved(known))
    return now if now in graph else known
