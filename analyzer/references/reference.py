"""References: the places that mean a symbol, and those that may."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..names.module import Module
from ..names.scopes import Scope
from ..syntax.tree import LN
from .variables import check_free, variable_leaves


@dataclass(frozen=True)
class Reference:
    """``start`` and ``end`` are the offsets of the name itself, which may be a part of a string or
    comment. ``assumed`` says, in words, what is taken for granted; empty if nothing is. An import
    that is ``kept`` binds the name that the file goes on using. ``by_text`` marks what only the
    reader of a string takes for the name."""

    module: Module
    start: int
    end: int
    assumed: str = ""
    kept: bool = False
    by_text: bool = False


@dataclass
class References:
    """``unclear`` are places of which it cannot be told, with what is to be said of the name."""

    found: list[Reference] = field(default_factory=list)
    unclear: list[tuple[Module, int, str]] = field(default_factory=list)

    def add(self, module: Module, leaf: LN, assumed: str = "", kept: bool = False) -> None:
        start, end = module.tree.span((leaf,))
        self.found.append(Reference(module, start, end, assumed, kept))

    def add_variable(self, module: Module, scope: Scope, old: str, new: str) -> None:
        """All places of a scope's variable. Raises Unclear if it cannot have the new name."""
        check_free(module, scope, old, new)
        for leaf in variable_leaves(module, scope, old):
            self.add(module, leaf)

    def doubt(self, module: Module, node: LN, why: str) -> None:
        """It is left as it is there."""
        self.remark(module, node, f"is not renamed here: {why}")

    def remark(self, module: Module, node: LN, text: str) -> None:
        self.unclear.append((module, module.tree.start(node), text))

    def in_module(self, module: Module) -> list[Reference]:
        """The places in a file, each once, in their order."""
        found = {one.start: one for one in self.found if one.module is module}
        return [found[start] for start in sorted(found)]
