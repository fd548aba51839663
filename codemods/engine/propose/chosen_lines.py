"""Places: the lines that a run is for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.syntax.tree import COMPOUND, LN

if TYPE_CHECKING:
    from pinsetter.analyzer.names.module import Module
    from pinsetter.patterns.matching.match import Match
    from pinsetter.patterns.packs.pack import Pack


@dataclass(frozen=True)
class Places:
    """By resolved paths: those that are ``named`` on the command line, and those ``seen`` in what
    other tools have said."""

    named: frozenset[tuple[Path, int]]
    seen: frozenset[tuple[Path, int]] = frozenset()

    def are_in(self, path: str) -> bool:
        """Whether there is one in a file."""
        real = Path(disk.real(path))
        return any(file == real for file, _ in self.named | self.seen)

    def lines(self, module: Module) -> frozenset[int]:
        """Those of a file."""
        path = Path(module.real)
        return frozenset(line for file, line in self.named | self.seen if file == path)

    def chosen(self, matches: Sequence[Match], module: Module, pack: Pack) -> Iterator[Match]:
        """The matches that begin, or whose heads stand, in one of the lines, and those of rules
        that these require."""
        lines = self.lines(module)
        here = [one for one in matches if not lines.isdisjoint(head_lines(one.node, module))]
        needed: set[str] = set()
        waiting = [name for one in here for name in one.rule.requires]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += (other for rule in pack.called(name) for other in rule.requires)
        chosen = {id(one) for one in here}
        for one in matches:
            if id(one) in chosen or needed & {one.rule.id, one.rule.provides}:
                yield one


def head_lines(node: LN, module: Module) -> range:
    """The lines of some code; of a compound statement those of its head."""
    tree = module.tree
    first, last = tree.line_of(node), tree.line(max(tree.start(node), tree.end(node) - 1))
    if node.type in COMPOUND or node.type in (symbols.funcdef, symbols.classdef):
        suite = next((one for one in node.children if one.type == symbols.suite), None)
        if suite is not None:
            last = tree.line(tree.start(suite.prev_sibling))
    return range(first, last + 1)


def lines_about(line: int, module: Module) -> set[int]:
    """A line, with the others of the head of a statement that begins there."""
    found = {line}
    for node in module.tree.nodes():
        if node.type in COMPOUND and module.tree.line_of(node) == line:
            found.update(head_lines(node, module))
    return found
