"""CFG: the control flow of one scope's body, statement by statement.

Every statement may raise. A way out of a ``try`` with a ``finally`` goes through a copy of the
``finally`` block: one copy for the end of the block, one for all other ways together, so that a
name bound in the block is known to be bound behind it. From the third ``finally`` inside another
one on there is a single copy, and the graph stays linear in the size of the code.

The graph is made of numbers; ``Node`` and ``Edge`` are made when they are asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from fissix.pygram import python_symbols as symbols

from ..syntax.tree import LN

NodeKind: TypeAlias = Literal[
    "entry", "exit", "raise", "statement", "test", "iterable", "target", "enter", "leave", "try",
    "except", "unbind", "finally", "end", "match", "case", "guard", "element",
]  # fmt: skip
EdgeKind: TypeAlias = Literal[
    "next", "true", "false", "exception", "break", "continue", "return", "loop"
]
# These nodes bind a name only where they are left by their `true` edge.
BINDS_IF_TRUE = frozenset({"target", "except", "case"})
_WRAPPERS = {symbols.async_stmt, symbols.decorated, symbols.async_funcdef}


@dataclass(frozen=True)
class Node:
    """A simple statement, (a part of) the head of a compound one, or a place that joins ways.

    ``tree`` is the statement itself; for ``test``, ``iterable``, ``target``, ``match`` and
    ``guard`` the expression, for ``enter`` the item, for ``except`` the clause, for ``case`` the
    case block, for ``try`` the whole statement. ``enter`` and ``leave`` belong to an item of a
    ``with``, ``unbind`` deletes the name of an ``except … as``, ``end`` stands behind a
    ``finally`` block, where its ways part, and behind the clauses of ``except*``.
    """

    index: int
    kind: NodeKind
    tree: LN | None


@dataclass(frozen=True)
class Edge:
    source: Node
    target: Node
    kind: EdgeKind


@dataclass(eq=False)
class CFG:
    """Node 0 is the entry; the last two are the exit and the exit by an exception.

    ``ways`` are the edges but for those of exceptions that a node may raise: ``raises`` has the
    number of the node where those go, -1 for nodes that raise nothing. ``starts`` are the first
    nodes of the basic blocks: in a block each node goes to the next one, and all raise to the same
    place. ``compound`` has the compound statements with their first node, the one behind their
    last, and how many nodes at the beginning are their head.
    """

    kinds: list[NodeKind]
    trees: list[LN | None]
    ways: list[tuple[int, int, EdgeKind]]
    raises: list[int]
    starts: list[int]
    compound: list[tuple[LN, int, int, int]]

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def entry(self) -> Node:
        return self.node(0)

    @property
    def exit(self) -> Node:
        return self.node(len(self) - 2)

    def node(self, index: int) -> Node:
        return Node(index, self.kinds[index], self.trees[index])

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self.node(index) for index in range(len(self)))

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(edge for node in self.nodes for edge in self.successors(node))

    def successors(self, node: Node) -> Iterator[Edge]:
        """The edges that leave ``node``."""
        for target, kind in self.following[node.index]:
            yield Edge(node, self.node(target), kind)
        raised = self.raises[node.index]
        if raised >= 0 and (raised, "exception") not in self.following[node.index]:
            yield Edge(node, self.node(raised), "exception")

    def at(self, tree: LN) -> tuple[Node, ...]:
        """The nodes of a statement's head, or of a part of a head; empty if it is none of this
        scope. There are several for a statement inside a ``finally`` block."""
        return tuple(
            self.node(index)
            for start, _, head in self.spans(tree)
            for index in range(start, start + head)
        )

    def spans(self, tree: LN) -> list[tuple[int, int, int]]:
        """First node of a statement or part of a head, the one behind its last, and the number of
        nodes of its head; one such triple for each copy, none for what is not of this scope."""
        found = self._spans.get(id(tree))
        if found is not None:
            return found
        while tree.parent is not None and tree.parent.type in _WRAPPERS:
            tree = tree.parent
        if tree.type == symbols.simple_stmt:
            firsts, lasts = self.spans(tree.children[0]), self.spans(_last_statement(tree))
            pairs = zip(firsts, lasts, strict=True)
            return [(first[0], last[1], last[1] - first[0]) for first, last in pairs]
        return self._spans.get(id(tree), [])

    @cached_property
    def blocks(self) -> Blocks:
        return Blocks(self)

    @cached_property
    def following(self) -> list[list[tuple[int, EdgeKind]]]:
        """For each node the targets of its ``ways``."""
        found: list[list[tuple[int, EdgeKind]]] = [[] for _ in self.kinds]
        for source, target, kind in self.ways:
            found[source].append((target, kind))
        return found

    @cached_property
    def _spans(self) -> dict[int, list[tuple[int, int, int]]]:
        found: dict[int, list[tuple[int, int, int]]] = {}
        for tree, start, end, head in self.compound:
            found.setdefault(id(tree), []).append((start, end, head))
        compound = frozenset(found)
        for index, part in enumerate(self.trees):
            if part is not None and id(part) not in compound:
                if self.kinds[index] not in _WITHOUT_TREE:
                    found.setdefault(id(part), []).append((index, index + 1, 1))
        return found


# Their trees say what they belong to, but are not evaluated there.
_WITHOUT_TREE = {"leave", "unbind", "end"}


class Blocks:
    """The basic blocks of a graph, numbered in the order of their nodes.

    ``after`` are the blocks that follow when a block was gone through, ``amid`` those that follow
    when it was left at any node, before that node bound its names or between two of them.
    """

    def __init__(self, cfg: CFG) -> None:
        self.starts = cfg.starts
        count = len(cfg.starts)
        numbers = {start: number for number, start in enumerate(cfg.starts)}
        self.after: list[list[int]] = [[] for _ in range(count)]
        self.amid: list[list[int]] = [[] for _ in range(count)]
        last, kinds = len(cfg) - 1, cfg.kinds
        self.ends = [*cfg.starts[1:], last + 1]
        by_end = {end - 1: number for number, end in enumerate(self.ends)}
        for source, target, kind in cfg.ways:
            number = numbers.get(target)
            if number is not None:
                block = by_end[source]
                if kind != "true" and kinds[source] in BINDS_IF_TRUE:
                    self.amid[block].append(number)
                else:
                    self.after[block].append(number)
        # Nothing reads a name behind the exit by an exception.
        for block, start in enumerate(cfg.starts):
            raised = cfg.raises[start]
            if 0 <= raised < last:
                self.amid[block].append(numbers[raised])

    def of(self, index: int) -> int:
        """The number of the block in which a node stands."""
        return bisect_right(self.starts, index) - 1


def _last_statement(line: LN) -> LN:
    return next(c for c in reversed(line.children) if c.type >= 256 or c.value not in _ENDS)


_ENDS = {";", "\n", "\r\n", "\r", ""}
