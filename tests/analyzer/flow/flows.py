"""What the tests ask of the flow of a source text: lines stand for statements."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pytree import Leaf, Node

from pinsetter.analyzer.flow import Flow, Flows
from pinsetter.analyzer.flow import Node as FlowNode
from pinsetter.analyzer.flow.builder import Suppresses
from pinsetter.analyzer.names.scope_tree import Scopes
from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax.tree import LN, leaves

INVISIBLE = {token.INDENT, token.DEDENT, token.NEWLINE, token.ENDMARKER}


def line_of(tree: LN) -> int:
    """The line of the first visible leaf."""
    return int(next(leaf.lineno for leaf in leaves(tree) if leaf.type not in INVISIBLE))


def last_line(tree: LN) -> int:
    return max(int(leaf.lineno) for leaf in leaves(tree) if leaf.type not in INVISIBLE)


class Source:
    """A source text and the flow of one of its scopes, named as ``Scope.qualified_name``."""

    def __init__(self, text: str, scope: str = "", suppresses: Suppresses | None = None) -> None:
        self.root: Node = parse(textwrap.dedent(text))
        self.scopes = Scopes(self.root)
        self.flows = Flows(self.scopes, suppresses) if suppresses else Flows(self.scopes)
        found = next(s for s in self.scopes if s.qualified_name == scope and s.kind != "type")
        self.flow: Flow = self.flows.of(found)

    @property
    def nodes(self) -> tuple[FlowNode, ...]:
        return self.flow.cfg.nodes

    def statements(self) -> Iterator[LN]:
        """Every statement, clause and part of a head that the flow knows, in source order."""
        seen: set[int] = set()
        trees = [tree for tree, *_ in self.flow.cfg.compound]
        trees += [node.tree for node in self.nodes if node.tree is not None]
        for tree in sorted(trees, key=lambda tree: (line_of(tree), -last_line(tree))):
            if id(tree) not in seen and self.flow.cfg.spans(tree):
                seen.add(id(tree))
                yield tree

    def at_line(self, line: int) -> LN:
        """The largest statement that begins on a line."""
        return next(tree for tree in self.statements() if line_of(tree) == line)

    def leaf(self, name: str, line: int, nth: int = 0) -> Leaf:
        return self.leaves(name, line)[nth]

    def leaves(self, name: str, line: int) -> list[Leaf]:
        found = (leaf for leaf in leaves(self.root) if leaf.type == token.NAME)
        return [leaf for leaf in found if leaf.value == name and leaf.lineno == line]
