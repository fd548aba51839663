"""MemberSearch: what a class and those that derive from it call by one name."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..names.definition import Definition
from ..names.module import Module
from ..syntax.tree import LN, ancestors, is_member, is_name, leaves
from ..values.questions import Evaluator
from ..values.value import Values
from .attributes import attribute_leaves, call_around, owner_expression, owner_values
from .global_search import assumption
from .narrowing import classes_checked
from .reference import References
from .symbol import Symbol, family_of
from .unclear import Unclear

_OBJECT = "builtins.object"


class MemberSearch:
    """``family`` are the classes whose member of that name is one for all: a method and what
    overrides it."""

    def __init__(self, symbol: Symbol, new: str, evaluator: Evaluator) -> None:
        self.symbol = symbol
        self.new = new
        self.evaluator = evaluator
        self.found = References()
        self.family = family_of(symbol.owner, evaluator)

    def run(self) -> References:
        """Raises Unclear."""
        own = [d for name in sorted(self.family) if (d := self._definition(name)) is not None]
        for definition in own:
            self._check(definition)
        for definition in own:
            self._bound(definition)
        self._others()
        for module in self.evaluator.modules:
            for leaf in attribute_leaves(module, self.symbol.name):
                self._attribute(leaf, module)
            for leaf in module.leaves_of(self.symbol.name):
                if is_member(leaf) and leaf.parent.type in (
                    symbols.argument, symbols.keyword_pattern
                ):  # fmt: skip
                    self._keyword(leaf, module)
        return self.found

    def _definition(self, cls: str) -> Definition | None:
        return self.evaluator.definitions.get(cls)

    def has(self, cls: str, name: str) -> bool:
        """Whether a class itself has a member of that name, for all that is known."""
        definition = self._definition(cls)
        if definition is None:
            return self._library_has(cls, name)
        return name in definition.scope.bindings or name in self.evaluator.members.of_self(
            definition
        )

    def _library_has(self, cls: str, name: str) -> bool:
        return f"{cls}.{name}" in self.evaluator.library.functions

    def _check(self, definition: Definition) -> None:
        """Raises Unclear where a class has the new name, or the old one from elsewhere."""
        cls, hierarchy = definition.name, self.evaluator.hierarchy
        above = [name for name in hierarchy.ancestors(cls) if name != _OBJECT]
        own = [name for name in above if name not in self.family]
        for name in own:
            if self.has(name, self.symbol.name):
                raise Unclear(f"{name} has {self.symbol.name}, too, which {cls} overrides")
        for name in above if self.symbol.module is not None else [cls]:
            if self.has(name, self.new):
                raise Unclear(f"{name} has {self.new} already")
        if self.has(cls, self.symbol.name):
            for name in above:
                if not hierarchy.is_closed(name) and name != self.symbol.owner:
                    text = f"may be what {name} has from a class that is not known"
                    self.found.remark(definition.module, definition.scope.node, text)
                    break

    def _others(self) -> None:
        """Classes that have such a member and may derive from the family."""
        hierarchy, name = self.evaluator.hierarchy, self.symbol.name
        for cls, definition in sorted(self.evaluator.definitions.items()):
            scope = definition.scope
            if scope.kind != "class" or cls in self.family or name not in scope.bindings:
                continue
            if not all(hierarchy.is_closed(base) for base in hierarchy.ancestors(cls)):
                why = f"what {scope.name} derives from is not all known"
                self.found.doubt(definition.module, scope.bindings[name][0].node, why)

    def _bound(self, definition: Definition) -> None:
        """What the body of a class says. Raises Unclear."""
        module, scope, name = definition.module, definition.scope, self.symbol.name
        if name not in scope.bindings:
            return
        self.found.add_variable(module, scope, name, self.new)

    def _attribute(self, leaf: Leaf, module: Module) -> None:
        values = owner_values(leaf, module, self.evaluator)
        if self.means(values):
            alike = {v.name for v in values.items if self._is_meant(v.name)}
            self.found.add(module, leaf, assumption(values, alike))
        elif self._is_checked(leaf, module):
            self.found.add(module, leaf)
        elif not self._is_other(values):
            self.found.doubt(module, leaf, "what it is of is not known")

    def _is_checked(self, leaf: Leaf, module: Module) -> bool:
        owner = owner_expression(leaf)
        checked = classes_checked(owner, module, self.evaluator) if owner else frozenset()
        return any(self._is_meant(cls) for cls in checked)

    def means(self, values: Values) -> bool:
        return any(self._is_meant(value.name) for value in values.items)

    def _is_meant(self, cls: str) -> bool:
        """Whether a class has the member, or is one that is only used with others that have it."""
        if cls in self.family:
            return True
        if cls not in self.evaluator.hierarchy or self._has_from_above(cls):
            return False
        return any(name in self.family for name in self.evaluator.hierarchy.descendants(cls))

    def _has_from_above(self, cls: str) -> bool:
        return any(self.has(name, self.symbol.name)
                   for name in self.evaluator.hierarchy.ancestors(cls))  # fmt: skip

    def _is_other(self, values: Values) -> bool:
        """Whether it is known that something else is meant: what is only called so in a class of a
        library may be anything."""
        known = self.evaluator.library.functions
        return (bool(values.known) or values.complete) and all(
            value.instance or value.name in known
            or value.name.rpartition(".")[0] not in self.evaluator.hierarchy
            for value in values.known
        )  # fmt: skip

    def _keyword(self, leaf: Leaf, module: Module) -> None:
        """``Class(name=…)`` of classes whose fields are what their bodies say, and ``case``."""
        if leaf.parent.type == symbols.keyword_pattern:
            named = _class_of_pattern(leaf)
            values = self.evaluator.meaning(named, leaf, module)
            if self.means(values):
                self.found.add(module, leaf)
            elif not values.names:
                self.found.doubt(module, leaf, "which class it is of is not known")
            return
        call = call_around(leaf.parent)
        if call is None:
            return
        callee = self.evaluator.evaluate(call.callee, module)
        if callee.names & {"dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve"}:
            given = call.argument("", 0)
            if given is not None and self.means(self.evaluator.evaluate((given.value,), module)):
                self.found.add(module, leaf)
        elif any(self._is_field(name) for name in callee.names):
            self.found.add(module, leaf)

    def _is_field(self, cls: str) -> bool:
        """Whether a class takes the member as an argument: it is annotated in its body, or in that
        of a class above, and none says with which arguments it is made."""
        if cls not in self.family:
            return False
        above = [d for name in self.evaluator.hierarchy.ancestors(cls)
                 if (d := self._definition(name)) is not None]  # fmt: skip
        if any("__init__" in d.scope.bindings for d in above):
            return False
        return any(
            binding.node.parent is not None and _is_annotated(binding.node)
            for d in above for binding in d.scope.bindings.get(self.symbol.name, ())
        )  # fmt: skip


def _is_annotated(node: LN) -> bool:
    return any(child.type == symbols.annassign for child in node.parent.children)


def _class_of_pattern(leaf: Leaf) -> list[str]:
    """The name of the class in the pattern of a ``case`` that an argument is one of."""
    pattern = next((p for p in ancestors(leaf) if p.type == symbols.class_pattern), None)
    return [] if pattern is None else [one.value for one in _names(pattern.children[0])]


def _names(node: LN) -> Iterator[Leaf]:
    return (leaf for leaf in leaves(node) if is_name(leaf))
