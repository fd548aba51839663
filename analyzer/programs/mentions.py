"""Mentions: the functions that code names, the calls and the imports in it, looked up once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from fissix.pygram import python_symbols as symbols

from ..library.declared import declared
from ..names.definition import Definition
from ..names.module import Module
from ..syntax.tree import LN, calls_in_power, is_name, walk
from ..values.questions import Evaluator, callees

DEFINITIONS = {symbols.funcdef, symbols.async_funcdef, symbols.decorated, symbols.lambdef}
_T = TypeVar("_T")


class Mentions:
    """For the nodes of one project; what is inside of functions that are defined below a node
    counts for nothing, but for the calls that start a program."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._scripts = {evaluator.library.canonical(name) for name in declared().main}
        self._functions: dict[int, list[Definition]] = {}
        self._calls: dict[int, frozenset[str]] = {}
        self._imports: dict[int, list[Module]] = {}

    def functions(self, node: LN, module: Module) -> list[Definition]:
        """The repository's functions that code calls, or mentions by their names, each once."""

        def find() -> list[Definition]:
            found = {id(definition.scope): definition for definition in self._named(node, module)}
            return list(found.values())

        return _once(self._functions, node, find)

    def calls(self, node: LN, module: Module) -> frozenset[str]:
        """The qualified names of what code may call."""

        def find() -> frozenset[str]:
            names = (
                self.evaluator.names(call.callee, module)
                for power in walk(node, skip=DEFINITIONS) if power.type == symbols.power
                for call in calls_in_power(power)
            )  # fmt: skip
            return frozenset().union(*names)

        return _once(self._calls, node, find)

    def imports(self, statement: LN, module: Module) -> list[Module]:
        """The modules that a statement imports."""

        def find() -> list[Module]:
            inside = {id(node) for node in walk(statement, skip=DEFINITIONS)}
            targets = (target for node, target in module.imports if id(node) in inside)
            project = self.evaluator.project
            return [other for target in targets for other in project.imported(module, target)]

        return _once(self._imports, statement, find)

    def _named(self, node: LN, module: Module) -> Iterator[Definition]:
        yield from callees(node, module, self.evaluator)
        definitions = self.evaluator.definitions
        for leaf in walk(node, skip=DEFINITIONS):
            # Where a name is imported or bound, nothing is called or handed on.
            if is_name(leaf) and module.reads((leaf,)):
                for name in self.evaluator.names((leaf,), module):
                    if name in definitions and definitions[name].scope.kind == "function":
                        yield definitions[name]
                for binding in module.scope_of(leaf).lookup(leaf.value):
                    around = binding.node if binding.kind == "function" else None
                    scope = module.scopes.opened_by(around) if around is not None else None
                    if scope is not None:
                        yield Definition(module, scope)
        for power in walk(node):
            if power.type == symbols.power:
                for call in calls_in_power(power):
                    if self.evaluator.names(call.callee, module) & self._scripts:
                        main = definitions.get(f"{module.name}.main")
                        yield from [main] if main is not None and not call.arguments else []


def _once(memo: dict[int, _T], node: LN, find: Callable[[], _T]) -> _T:
    found = memo.get(id(node))
    if found is None:
        found = memo[id(node)] = find()
    return found
