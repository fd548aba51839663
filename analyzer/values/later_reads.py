"""LaterReads: which names may be read after a statement, whatever way the program takes there."""

from __future__ import annotations

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..files.import_path import ImportTarget
from ..flow import flow_of
from ..names.bound_names import imported_items
from ..names.module import Module
from ..syntax.tree import LN, leaves, walk
from .evaluator import Evaluator


class LaterReads:
    """For the modules of one project; the flows of each are made when they are first asked for."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def of(self, names: frozenset[str], statement: LN, module: Module) -> frozenset[str]:
        """Those of the names that may be read after the statement before they are bound again: in
        the next turn of a loop, in functions that are made in the same scope, behind ``global``;
        names of a module in other modules, too. All of them if the statement is in no scope's flow.
        """
        try:
            flow = flow_of(module.scope_of(statement), module)
            live = flow.live_after(statement, when_left=False)
        except KeyError:
            return names
        found = names & live
        scope = module.scope_of(statement)
        if scope.kind == "class":
            return names
        if scope.kind == "module":
            found |= {name for name in names - found if self.is_read_elsewhere(name, module)}
        return found

    def is_read_elsewhere(self, name: str, module: Module) -> bool:
        """Whether another module may read a name of the module."""
        others = (m for m in self.evaluator.modules if m is not module and name in m.tree.text)
        return any(self._imports(name, other, module) or self._asks(name, other, module)
                   for other in others)  # fmt: skip

    def _imports(self, name: str, other: Module, module: Module) -> bool:
        """Whether another module says ``from module import name``, or ``*``."""
        for node, target in other.imports:
            if node.type == symbols.import_from and target.name is None:
                whole = ImportTarget(target.module, target.level)
                if self.evaluator.project.find(other, whole) is module:
                    given = {next(leaves(item)).value for item in imported_items(node)}
                    if given & {name, "*"}:
                        return True
        return False

    def _asks(self, name: str, other: Module, module: Module) -> bool:
        """Whether another module reads ``module.name``."""
        for power in walk(other.tree.root):
            if power.type != symbols.power:
                continue
            for at, trailer in enumerate(power.children):
                if (
                    trailer.type == symbols.trailer
                    and trailer.children[0].type == token.DOT
                    and trailer.children[1].value == name
                    and module.name in self.evaluator.names(tuple(power.children[:at]), other)
                ):
                    return True
        return False
