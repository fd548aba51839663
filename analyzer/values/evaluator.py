"""Evaluator: what an expression may hold, as qualified names and instances of classes.

It follows assignments, imports, attributes of ``self``, items of displays, returns, and parameters
through the call sites it finds. What may be bound to a name, in whatever order, is possible; the
order of statements, and all calls of a function, prove more. What cannot be followed makes a result
incomplete, never wrong: only a complete result proves anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..files.import_path import ImportTarget
from ..files.word_uses import Assumed, Saying
from ..library import Library
from ..library.declared import declared
from ..library.hierarchy import ClassHierarchy
from ..names.annotation import annotation_of, named_classes
from ..names.definition import (
    Definition,
    class_of_method,
    decorators,
    exports,
    has_decorator,
    items_of,
)
from ..names.lone_file import AskedBeyondError
from ..names.module import Module
from ..names.project import Project
from ..names.scopes import BUILTINS, Binding, Scope
from ..syntax.fstring import prefix_of
from ..syntax.tree import (
    ARITHMETIC,
    LN,
    Call,
    Expression,
    is_name,
    leaves,
    outer_call,
    unwrap,
)
from .arguments import passed_at
from .bindings_at import bindings_at, may_be_unbound
from .call_results import Results
from .callers import Called, Callers
from .class_bases import link_classes
from .displays import Displays, Items
from .least_solutions import Rounds
from .members import Members
from .possible_names import assigned_names
from .put_in_libraries import put_in_libraries
from .value import (
    A_NUMBER,
    NONE,
    NOTHING,
    NUMBER,
    UNKNOWN,
    Certainty,
    Value,
    Values,
    instance_of,
    reference_to,
)

_DEPTH = 60
# What may be so many things is as good as unknown, and each of them would be looked at.
MOST_VALUES = 100
_LONGEST = 10
_NONE = Value(NONE)

_PROPERTIES = {"builtins.property", "functools.cached_property"}
_CALLED_ALIKE = {"functools.cache", "functools.lru_cache", "typing.no_type_check"}
_PLAIN_DECORATORS = {
    *_PROPERTIES, *_CALLED_ALIKE,
    "builtins.staticmethod", "builtins.classmethod", "abc.abstractmethod",
}  # fmt: skip
_OPERATORS = {token.PLUS, token.MINUS, token.STAR, token.SLASH, token.DOUBLESLASH, token.PERCENT}


class Evaluator:
    """Answers for one project. Modules and library are fixed while it lives."""

    def __init__(self, project: Project, library: Library) -> None:
        self.project = project
        self.library = library
        if not project.alone:
            _ = project.linked  # reads every module that the given ones import
        self.read = project.read
        """Those of which something is known; of a file alone the few that it asks about."""
        self._by_name = {module.name: module for module in self.read}
        self._rounds = Rounds()
        self._many: set[Hashable] = set()
        self._alike: dict[Values, Values] = {}
        """What is held, by itself: hundreds of thousands of expressions hold a few thousands."""
        self.untold: dict[Hashable, tuple[LN, Module]] = {}
        """What may be so many things that it is taken for unknown."""
        self.memo: dict[Hashable, Any] = {}
        """What others worked out with it."""
        self.linked = False
        self.callers = Callers(self)
        self.members = Members(self)
        self.results = Results(self)
        self._displays = Displays(self)
        self.hierarchy = ClassHierarchy(library, self._assume_below if project.alone else None)
        self._link_classes()
        self.linked = True

    @property
    def modules(self) -> list[Module]:
        """All modules of the project."""
        if self.project.alone:
            raise AskedBeyondError
        return self.read

    def module(self, name: str) -> Module | None:
        """The project's module of a name, if there is one."""
        if self.project.alone:
            raise AskedBeyondError
        return self._by_name.get(name)

    def _assume_below(self, name: str, found: Collection[str]) -> None:
        """Take for granted that no other file derives from a class, which it could only by its
        name, or those of the classes that were ``found`` to, or by one that is computed."""
        if not self.definitions.keys() >= {name, *found}:
            raise AskedBeyondError
        words = assigned_names({one.rpartition(".")[2] for one in (name, *found)}, self.project)
        if words is None:
            raise AskedBeyondError
        for word in sorted(words):
            self.project.assume(Assumed(word, Saying.DERIVED))
        self.project.assume(Assumed("", Saying.COMPUTED))

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Classes and functions of the repository by qualified name."""
        found: dict[str, Definition] = {}
        for module in self.read:
            for scope in module.scopes:
                if scope.kind in ("class", "function") and scope.name != "<lambda>":
                    found[f"{module.name}.{scope.qualified_name}"] = Definition(module, scope)
        return found

    def _link_classes(self) -> None:
        link_classes(self.read, self.hierarchy, self.evaluate, self._rounds.forget)

    def isa(self, expression: Expression, ancestor: str, module: Module) -> Certainty:
        """Whether the expression holds an instance of ``ancestor``, or is that class itself."""
        values = self.evaluate(expression, module)
        found = self._judge(values, lambda value: self.hierarchy.isa(value.name, ancestor))
        if found is Certainty.PROVED:
            # A class may have one of several bases.
            sure = all(self.hierarchy.proves(value.name, ancestor) for value in values.items)
            return found if sure else Certainty.POSSIBLE
        return found

    def excludes(self, expression: Expression, ancestors: Collection[str], module: Module) -> bool:
        """Whether the expression is known to hold the repository's own things alone, and no
        instance of one of the classes, nor such a class: a class that only looks like one of a
        library's is none."""
        values = self.evaluate(expression, module)
        found = [value for value in values.items if value.name != NONE]
        return bool(found) and values.complete and all(self._is_own(v, ancestors) for v in found)

    def _is_own(self, value: Value, ancestors: Collection[str]) -> bool:
        definition = self.definitions.get(value.name)
        if definition is not None and definition.scope.kind == "class":
            return all(self.hierarchy.excludes(value.name, ancestor) for ancestor in ancestors)
        return definition is not None or value.name in self._by_name

    def names(self, expression: Expression, module: Module) -> frozenset[str]:
        """Canonical qualified names that the expression may mean; empty if unknown."""
        return self.evaluate(expression, module).names

    def _judge(self, values: Values, holds: Callable[[Value], bool]) -> Certainty:
        verdicts = [holds(value) for value in values.items]
        if not any(verdicts):
            return Certainty.NO
        return Certainty.PROVED if all(verdicts) and values.complete else Certainty.POSSIBLE

    def evaluate(self, expression: Expression, module: Module) -> Values:
        """What ``expression`` may hold where it stands in ``module``."""
        nodes = unwrap(expression)
        if not nodes:
            return UNKNOWN
        first, last = nodes[0], nodes[-1]
        # There are hundreds of thousands, and most are one node.
        key = id(first) if first is last else (id(first), id(last), len(nodes))
        known: Values | None = self._rounds.solved.get(key)
        if known is not None and key not in self._many:
            return known  # nearly always
        found = self._solve(key, lambda: self._evaluate(nodes, module))
        if key in self._many:
            self.untold.setdefault(key, (first, module))
        return found

    def called(self, name: str, compute: Callable[[], Called]) -> Called:
        """The calls of what has a name, by what they may be of, as far as it is known now."""
        return self._rounds.solve(("called", name), compute, Called.joined, Called())

    def _solve(self, key: Hashable, compute: Callable[[], Values]) -> Values:
        if key in self._many or (key not in self._rounds and self._rounds.depth > _DEPTH):
            return UNKNOWN

        def join(before: Values, now: Values) -> Values:
            found = before | now
            if len(found.items) <= MOST_VALUES:
                return self._alike.setdefault(found, found)
            self._many.add(key)  # for good, so that rounds come to an end
            return UNKNOWN

        return self._rounds.solve(key, compute, join, NOTHING)

    def _evaluate(self, nodes: Expression, module: Module) -> Values:
        if len(nodes) == 1:
            node = nodes[0]
            if is_name(node):
                return self._read(node, module)
            if node.type == symbols.power:
                return self._chain(tuple(node.children), module)
            if node.type == symbols.test:  # a if b else c
                return self.evaluate((node.children[0],), module) | self.evaluate(
                    (node.children[4],), module
                )
            if node.type == symbols.or_test:
                values = NOTHING
                for child in node.children[::2]:
                    values |= self.evaluate((child,), module)
                return values
            if node.type == symbols.namedexpr_test:
                return self.evaluate((node.children[2],), module)
            if node.type in ARITHMETIC:
                return self._arithmetic(node, module)
            return Values(_literal(node), complete=True) if _literal(node) else UNKNOWN
        return self._chain(nodes, module)

    def _arithmetic(self, node: LN, module: Module) -> Values:
        operands = [child for child in node.children if child.type not in _OPERATORS]
        if all(self.evaluate((o,), module) == A_NUMBER for o in operands):
            return A_NUMBER
        return UNKNOWN

    def _chain(self, nodes: Expression, module: Module) -> Values:
        if nodes[0].type == token.AWAIT or any(n.type == token.DOUBLESTAR for n in nodes):
            return UNKNOWN
        last = nodes[-1]
        if last.type != symbols.trailer:
            return UNKNOWN
        opening = last.children[0].type
        if opening == token.DOT:
            owner = self.evaluate(nodes[:-1], module)
            return self.attribute(owner, last.children[1].value)
        if opening == token.LPAR:
            callee = self.evaluate(nodes[:-1], module)
            return self.results.of_call(callee, Call(last.parent, len(nodes)), module)
        return self._any_item(self._displays.items(nodes[:-1], last, module))

    def _any_item(self, items: Items) -> Values:
        values = Values(complete=items.complete)
        for item, where in items.found:
            values |= self.evaluate((item,), where)
        return values

    def lookup(self, name: str, scope: Scope, module: Module) -> Values:
        """What ``name`` may hold in ``scope``."""
        bindings = scope.lookup(name)
        if bindings:
            key = (id(bindings),)
            found = self._solve(key, lambda: self._bound(bindings, module))
            if key in self._many:
                self.untold.setdefault(key, (bindings[0].node, module))
            return found
        if module.scopes.module.star_imports:
            return self._solve(("*", name, id(module)), lambda: self._starred(name, module))
        return reference_to(f"builtins.{name}") if name in BUILTINS else UNKNOWN

    def _read(self, leaf: Leaf, module: Module) -> Values:
        """What a name may hold where it is read: by what may have been bound there last, if that
        proves it, and else by all that binds it."""
        scope = module.scope_of(leaf)
        values = self.lookup(leaf.value, scope, module)
        bindings = scope.lookup(leaf.value)
        if bindings and leaf.value in BUILTINS and may_be_unbound(leaf, module):
            values |= reference_to(f"builtins.{leaf.value}")
        if values.complete and len(values.items) < 2:
            return values
        last = bindings_at(leaf, module) if len(bindings) > 1 else None
        if last is None or len(last) == len(bindings):
            return values
        if any(True for _ in self._stored_in_module(bindings[0], module)):
            return values  # at any time
        key = ("read", *map(id, last))
        found = self._solve(key, lambda: self._any_of(list(last), module))
        return found if found.complete and found.items else values

    def _starred(self, name: str, module: Module) -> Values:
        """What star imports bind ``name`` to: the last of them that has it counts."""
        certain, unknown = True, NOTHING
        for target in reversed(module.scopes.module.star_imports):
            found = self.project.find(module, target)
            if found is None and not target.level:
                values = self._library(f"{target.module}.{name}")
                known = next(iter(values.names), None)  # a name may be too long to be known
                if known in self.library.classes or known in self.library.functions:
                    return Values(values.items, certain)
                unknown = Values(unknown.items | values.items, not unknown.items)
                certain = certain and bool(values.items) and self._is_recorded(target.module)
            elif found is None:
                certain = False
            elif found is not module and exports(found, name):
                values = self.global_name(found, name)
                if values.items:
                    return Values(values.items, certain and values.complete)
                certain = certain and not (found.binding(name) or found.scopes.module.star_imports)
        if name in BUILTINS:
            return Values(frozenset({Value(f"builtins.{name}")}))
        return unknown if unknown.items else UNKNOWN

    def _is_recorded(self, module: str) -> bool:
        """Whether the library's data lists the classes of a module."""
        prefix = f"{self.library.canonical(module)}."
        known = self.library.classes.keys() - self.library.declared
        return any(name.startswith(prefix) for name in known)

    def _bound(self, bindings: list[Binding], module: Module) -> Values:
        values = self._any_of(bindings, module)
        for binding, where in self._stored_in_module(bindings[0], module):
            values |= self.binding(binding, where)
        return values

    def _stored_in_module(self, bound: Binding, module: Module) -> Iterator[tuple[Binding, Module]]:
        """What other modules assign to the module's variable, as ``module.name = …``."""
        if bound.scope.kind == "module":
            yield from self.members.stored_elsewhere(Value(module.name), bound.name)

    def _any_of(self, bindings: list[Binding], module: Module) -> Values:
        values = NOTHING
        for binding in bindings:
            values |= self.binding(binding, module)
        return self._or_annotated(values, [(binding, module) for binding in bindings])

    def _or_annotated(self, values: Values, bindings: list[tuple[Binding, Module]]) -> Values:
        """What annotations say of a variable where nothing of what is assigned to it is known."""
        if values.known:
            return values
        for binding, module in bindings:
            if binding.kind == "assign":
                annotated = self._annotated(binding, module)
                if annotated.items:
                    return Values(values.items | annotated.items, annotated.complete)
        return values

    def global_name(self, module: Module, name: str) -> Values:
        """What ``module.name`` holds, submodules and what other modules assign included."""
        values = self._global_name(module, name)
        for binding, where in self.members.stored_elsewhere(Value(module.name), name):
            values |= self.binding(binding, where)
        return values

    def _global_name(self, module: Module, name: str) -> Values:
        if module.binding(name) or module.scopes.module.star_imports:
            values = self.lookup(name, module.scopes.module, module)
            if not any(value.name == f"builtins.{name}" for value in values.items):
                return values
        submodule = self.project.find(module, ImportTarget(name, 1)) if module.is_package else None
        return reference_to(submodule.name) if submodule is not None else UNKNOWN

    def binding(self, binding: Binding, module: Module) -> Values:
        if binding.kind == "import" and binding.target is not None:
            return self._import(binding.target, module)
        if binding.kind in ("class", "function"):
            scope = module.scopes.opened_by(binding.node)
            return reference_to(f"{module.name}.{scope.qualified_name}") if scope else UNKNOWN
        if binding.kind == "parameter":
            return self._parameter(binding, module)
        if binding.kind == "delete":
            return NOTHING
        if binding.kind == "with" and binding.value:
            entered = self.results.entered(self.evaluate(binding.value, module))
            return UNKNOWN if binding.element else entered
        if binding.kind in ("assign", "walrus") and binding.value:
            return self.element(binding.value, binding.element, module)
        if binding.kind == "assign":
            return NOTHING  # an annotation alone
        if binding.kind == "match":
            return self._matched(binding.node, module)
        if binding.kind == "for" and binding.value:
            values = NOTHING
            items = items_of(binding.value)
            for item in items:
                values |= self.element((item,), binding.element, module)
            return values if items else UNKNOWN
        return UNKNOWN

    def _matched(self, name: LN, module: Module) -> Values:
        """What ``case name:`` binds."""
        case = name.parent
        if case is None or case.type != symbols.case_block or case.parent is None:
            return UNKNOWN  # a part of a pattern
        statement = case.parent if case.parent.type == symbols.match_stmt else case.parent.parent
        if statement is None or statement.type != symbols.match_stmt:
            return UNKNOWN
        return self.evaluate((statement.children[1],), module)

    def element(self, value: Expression, path: tuple[int, ...], module: Module) -> Values:
        for position, index in enumerate(path):
            items = items_of(value)
            if not items:
                return self._element_returned(value, path[position:], module)
            if not 0 <= index < len(items):
                return UNKNOWN
            value = (items[index],)
        return self.evaluate(value, module)

    def _element_returned(self, value: Expression, path: tuple[int, ...], module: Module) -> Values:
        """An item of the tuple that a function of the repository returns."""
        call = outer_call(value)
        if call is None:
            return self._of_displays(value, path, module)
        key = ("element", id(call.trailer), path)
        return self._solve(key, lambda: self.results.element_of_call(call, path, module))

    def _of_displays(self, value: Expression, path: tuple[int, ...], module: Module) -> Values:
        """An item of a display that a name holds."""
        items = self._displays.at(value, path[0], module)
        if len(path) == 1:
            return self._any_item(items)
        values = Values(complete=items.complete)
        for item, where in items.found:
            values |= self.element((item,), path[1:], where)
        return values

    def _import(self, target: ImportTarget, module: Module) -> Values:
        if target.name is None:
            found = self.project.find(module, target)
            if found is not None:
                return reference_to(found.name)
            return UNKNOWN if target.level else self._library(target.module)
        return self._member(ImportTarget(target.module, target.level), target.name, module)

    def _member(self, target: ImportTarget, name: str, module: Module) -> Values:
        submodule = self.project.find(module, ImportTarget(
            f"{target.module}.{name}" if target.module else name, target.level))  # fmt: skip
        if submodule is not None:
            return reference_to(submodule.name)
        found = self.project.find(module, target)
        if found is not None and found is not module:
            return self.global_name(found, name)
        return UNKNOWN if target.level else self._library(f"{target.module}.{name}")

    def _library(self, name: str) -> Values:
        # `node = node.parent` would make longer and longer names.
        return UNKNOWN if name.count(".") > _LONGEST else reference_to(self.library.canonical(name))

    def is_module(self, name: str) -> bool:
        """Whether a module of the repository has such a name."""
        return name in self._by_name

    def _of_library(self, name: str, instance: bool = False) -> Values:
        """An attribute of a library's class, or of an instance of it."""
        held = self.library.held.get(self.library.canonical(name))
        if held is None and instance:
            held = self.library.attribute(name)
        return self._library(name) if held is None else instance_of(self.library.canonical(held))

    def attribute(self, owner: Values, name: str) -> Values:
        """What ``name`` is of what may be one of several things."""
        values = Values(complete=owner.complete)
        # Where nothing else can be there, None has no attribute, and the program goes no further.
        items = owner.items - {_NONE} if owner.complete and len(owner.items) > 1 else owner.items
        for value in items:
            values |= self.attribute_of(value, name)
        return values

    def attribute_of(self, value: Value, name: str) -> Values:
        if value.name == NONE or value.name in declared().settings:
            return UNKNOWN  # it stands for what is set later
        if not value.instance and value.name in self._by_name:
            return self.global_name(self._by_name[value.name], name)
        if value.instance or value.name in self.hierarchy:
            return self._class_attribute(value, name)
        found = self._library(f"{value.name}.{name}")
        stored = [place for one in found.names for place in self._put_in.get(one, ())]
        return self._any_item(Items(tuple(stored), True)) if stored else found

    @cached_property
    def _put_in(self) -> Mapping[str, list[tuple[LN, Module]]]:
        return put_in_libraries(self.library, self.read)

    def _class_attribute(self, value: Value, name: str) -> Values:
        """What ``name`` is in a class and its instances; many expressions ask for the same."""
        key = ("attribute", value, name)
        found = partial(self._of_class, value, name)
        return self._rounds.solve(key, found, Values.__or__, NOTHING, counted=False)

    def _of_class(self, value: Value, name: str) -> Values:
        found, inherited = self.members.of(value, name)
        if not found:
            if inherited is None:
                return UNKNOWN
            return self._of_library(f"{inherited}.{name}", value.instance)
        values = NOTHING
        for binding, module in found:
            values |= self._own(binding, module, value.instance)
        return self._or_annotated(values, found)

    def methods(self, value: Value, name: str) -> list[Definition]:
        """The repository's functions that ``name`` of a class or an instance may be."""
        found = sorted(self._class_attribute(value, name).names)
        return [self.definitions[n] for n in found if n in self.definitions]

    def _own(self, binding: Binding, module: Module, instance: bool) -> Values:
        values = self.binding(binding, module)
        if instance and binding.kind == "function":
            found = self.decorated_with(binding.node, module)
            decorated = {name for values, _ in found for name in values.names}
            if decorated & _PROPERTIES:
                scope = module.scopes.opened_by(binding.node)
                return self.results.of_function(Definition(module, scope)) if scope else UNKNOWN
        return values

    @cached_property
    def plain_decorators(self) -> frozenset[str]:
        """Decorators after which a function still returns what it returns."""
        return self.called_alike | _PLAIN_DECORATORS

    @cached_property
    def called_alike(self) -> frozenset[str]:
        """Those of them of which the result is called with the same arguments, wherever it is."""
        return frozenset(
            self.library.canonical(name) for name in (*_CALLED_ALIKE, *declared().plain_decorators)
        )

    def _parameter(self, binding: Binding, module: Module) -> Values:
        function = binding.scope
        owner = class_of_method(function)
        if not binding.takes_one:
            return UNKNOWN
        if owner is not None and binding.element == (0,):
            name = f"{module.name}.{owner.qualified_name}"
            cls = has_decorator(function.node, "classmethod") or function.name == "__new__"
            return Values(frozenset({Value(name, instance=not cls)}), complete=True)
        annotated = self._annotated(binding, module)
        if annotated.items and annotated.complete:
            return annotated
        definition = Definition(module, function)
        # Where nothing else can call it, that proves it.
        given = self._given(binding, definition, self.callers.all(definition))
        if given.complete and given.items:
            return given
        values = annotated | self._given(binding, definition, list(self.callers.sites(definition)))
        if binding.value:
            values |= self.evaluate(binding.value, module)
        return Values(values.items, complete=False)

    def _given(
        self, parameter: Binding, function: Definition, calls: Sequence[tuple[Call, Module]] | None
    ) -> Values:
        """What calls of a function give a parameter."""
        if calls is None:
            return UNKNOWN
        values = NOTHING
        for call, caller in calls:
            passed = passed_at(function, call, caller, self)
            if parameter in passed.given:
                values |= self.evaluate((passed.given[parameter].value,), caller)
            elif parameter.value and not passed.unseen:
                values |= self.evaluate(parameter.value, function.module)
            else:
                values |= UNKNOWN
        return values

    def _annotated(self, binding: Binding, module: Module) -> Values:
        annotation = annotation_of(binding.node)
        return NOTHING if annotation is None else self.instances(annotation, module)

    def instances(self, annotation: LN, module: Module) -> Values:
        """What an annotation says that a value is an instance of."""
        named = named_classes(annotation)
        known: set[Value] = set()
        complete = not named.optional
        for parts in named.classes:
            meant = self.meaning(parts, annotation, module).names
            names = [name for name in meant if name in self.hierarchy]
            if not names and len(named.classes) > 1:
                return UNKNOWN  # it may as well be of the others
            known.update(Value(name, instance=True) for name in names)
            complete = complete and bool(names)
        return Values(frozenset(known), complete)

    def decorated_with(self, function: LN, module: Module) -> list[tuple[Values, LN]]:
        """For each decorator of a ``funcdef``: what it, or what it calls, may be, and its node."""
        return [(self._decorator(node.children[1], module), node) for node in decorators(function)]

    def _decorator(self, expression: LN, module: Module) -> Values:
        if not is_name(expression) and expression.type != symbols.dotted_name:
            call = outer_call((expression,))
            return self.evaluate(call.callee if call is not None else (expression,), module)
        parts = [leaf.value for leaf in leaves(expression) if is_name(leaf)]
        return self.meaning(parts, expression, module)

    def meaning(self, parts: Sequence[str], place: LN, module: Module) -> Values:
        """What a dotted name means at a place."""
        if not parts:
            return UNKNOWN
        values = self.lookup(parts[0], module.scope_of(place), module)
        for part in parts[1:]:
            values = self.attribute(values, part)
        return values


def _literal(node: LN) -> frozenset[Value]:
    kinds = {token.NUMBER: NUMBER, token.STRING: "builtins.str"}
    kind = kinds.get(node.type)
    if kind == "builtins.str" and {"b", "t"} & set(prefix_of(node)):
        kind = None
    return frozenset({Value(kind, instance=True)}) if kind else frozenset()
