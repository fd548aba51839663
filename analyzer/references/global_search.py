"""references_of_global: a module's function, class or variable, in all modules that have it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..files.import_path import ImportTarget
from ..names.definition import exports
from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.tree import is_name, is_variable
from ..values.questions import Evaluator
from ..values.value import Value, Values
from .attributes import attribute_leaves, owner_expression, owner_values
from .reference import References
from .symbol import Symbol
from .unclear import Unclear
from .variables import clash


class GlobalSearch:
    """``carriers`` are the modules of which the name is an attribute that is to be renamed: the one
    that defines it, and those that import it by its name and could use the new one."""

    def __init__(self, symbol: Symbol, new: str, evaluator: Evaluator) -> None:
        self.symbol = symbol
        self.new = new
        self.evaluator = evaluator
        self.found = References()
        self.carriers: dict[str, Module] = {}
        self._done: set[int] = set()

    def run(self) -> References:
        """Raises Unclear."""
        home, name = self.symbol.module, self.symbol.name
        assert home is not None
        self.found.add_variable(home, home.scopes.module, name, self.new)
        self.carriers[home.name] = home
        saying = [module for module in self.evaluator.modules if module.leaves_of(name)]
        stars = [module for module in self.evaluator.modules if module.scopes.module.star_imports]
        while self._further(saying, stars):
            pass
        for module in saying:
            for binding in self._imports(module):
                if id(binding) not in self._done:
                    self._import(module, binding, kept=True)
            self._attributes(module)
        return self.found

    def _further(self, saying: list[Module], stars: list[Module]) -> bool:
        """Follow the name into modules that import it; whether more of them have it now."""
        before = len(self._done), len(self.carriers)
        for module in saying:
            by_scope: dict[int, list[Binding]] = {}
            for binding in self._imports(module):
                by_scope.setdefault(id(binding.scope), []).append(binding)
            for bindings in by_scope.values():
                if any(id(binding) not in self._done for binding in bindings):
                    self._imported(module, bindings)
        for module in stars:
            self._starred(module)
        return (len(self._done), len(self.carriers)) != before

    def _imports(self, module: Module) -> Iterator[Binding]:
        """The bindings by which a file imports the name from a carrier."""
        name = self.symbol.name
        for scope in module.scopes:
            for bindings in scope.bindings.values():
                for binding in bindings:
                    target = binding.target
                    if target is not None and target.name == name:
                        if self._is_carrier(module, target):
                            yield binding

    def _is_carrier(self, module: Module, target: ImportTarget) -> bool:
        project = self.evaluator.project
        found = project.find(module, ImportTarget(target.module, target.level))
        is_module = project.find_member(module, target) is not None
        return found is not None and not is_module and found.name in self.carriers

    def _imported(self, module: Module, bindings: list[Binding]) -> None:
        """What one scope imports; what it calls by the name's own name is renamed, too, if nothing
        is in the way."""
        scope, name = bindings[0].scope, self.symbol.name
        plain = [binding for binding in bindings if binding.name == name]
        for binding in bindings:
            if binding.name != name:
                self._import(module, binding, kept=False)
        others = [b for b in scope.bindings.get(name, ()) if b.kind == "import" and b not in plain]
        if not plain or others:
            return
        if clash(module, scope, name, self.new) is not None:
            for binding in plain:
                self._import(module, binding, kept=True)
            return
        for binding in plain:
            self._import(module, binding, kept=False)
        self.found.add_variable(module, scope, name, self.new)
        if scope is module.scopes.module:
            self.carriers[module.name] = module

    def _import(self, module: Module, binding: Binding, kept: bool) -> None:
        if id(binding) in self._done:
            return
        self._done.add(id(binding))
        item = binding.node
        named = item.parent
        if named is None or named.type != symbols.import_as_name:
            self.found.add(module, item, kept=kept)
            return
        self.found.add(module, named.children[0])
        if binding.name == self.symbol.name and not kept:
            self.found.add(module, item)  # `from a import b as b` says that others may have it

    def _starred(self, module: Module) -> None:
        """A file that has the name by ``from … import *``."""
        name, project = self.symbol.name, self.evaluator.project
        if module.name in self.carriers or name in module.scopes.module.bindings:
            return
        homes = (project.find(module, target) for target in module.scopes.module.star_imports)
        if not any(h is not None and h.name in self.carriers and exports(h, name) for h in homes):
            return
        self.carriers[module.name] = module
        for leaf in module.leaves_of(name):
            if is_variable(leaf) and module.scope_of(leaf).owner(name) is None:
                if module.scope_of(leaf).owner(self.new) is not None:
                    line = module.tree.line_of(leaf)
                    raise Unclear(f"{self.new} is something else in line {line} of {module.path}")
                self.found.add(module, leaf)

    def _attributes(self, module: Module) -> None:
        for leaf in attribute_leaves(module, self.symbol.name):
            values = owner_values(leaf, module, self.evaluator)
            if self.means(values):
                self.found.add(module, leaf, assumption(values, self.carriers))
            elif values.items <= _A_MODULE and _asks_for_module(leaf, module):
                self.found.doubt(module, leaf, "which module it is of is not known")

    def means(self, values: Values) -> bool:
        """Whether what has the name as its attribute may be one of the carriers."""
        return not values.names.isdisjoint(self.carriers)


def assumption(values: Values, wanted: Collection[str]) -> str:
    """What is taken for granted where one of several things may be meant, or an unknown one."""
    others = sorted(value.name for value in values.items if value.name not in wanted)
    if others:
        return f"it may also be of {others[0]}"
    return "" if values.complete else "what it is of is not known for sure"


# What `import_module` gives.
_A_MODULE = {Value("types.ModuleType", instance=True)}
_ASKING = ("import_module", "__import__", "sys.modules")


def _asks_for_module(leaf: Leaf, module: Module) -> bool:
    expression = owner_expression(leaf)
    texts = [module.tree.source(expression)] if expression else []
    if len(expression) == 1 and is_name(expression[0]):
        for binding in module.scope_of(expression[0]).lookup(expression[0].value):
            texts += [module.tree.source(binding.value)] if binding.value else []
    return any(word in text for text in texts for word in _ASKING)
