"""Callers: the calls of a function, those that may be and, where nothing else can call it, all.

The latter is proved by every place that says the function's name: each is a call of it, or
certainly means something else. A function that is handed on, decorated, overridden from a library's
class or spoken of in a string may be called by others.
"""

from __future__ import annotations

import operator
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..files.word_uses import Assumed, Saying
from ..library.declared import declared
from ..names.definition import Definition, class_of_method, decorators, has_decorator
from ..names.module import Module
from ..names.scopes import Scope
from ..syntax.tree import (
    LN,
    Call,
    Expression,
    ancestors,
    attribute_name,
    calls_in_power,
    flat,
    is_name,
    leaves,
    outer_call,
    same_code,
    walk,
)
from .other_names import other_names
from .possible_names import is_said
from .value import Certainty, Value

if TYPE_CHECKING:
    from .evaluator import Evaluator

# Who says one of these may reach any name without saying it.
_REACHING = {"eval", "exec", "globals", "vars", "__dict__", "Fire"}
_ASKING = {"isinstance", "issubclass"}
_OBJECT = "builtins.object"
# A name that stands at more places is not followed: each has to be looked at.
_MOST = 100
# Methods of all classes have the names that more modules say.
_MOST_MODULES = 20
_WORD = re.compile(r"[^\W\d]\w*")
_SPOKEN = re.compile(r"[\"']([^\W\d]\w*)[\"']")
# A class that says one of them may make instances of itself.
_OF_ITSELF = {"cls", "type", "__class__"}


# A name, the expression that ends with it, the call of that, and the module.
_Place: TypeAlias = tuple[Leaf, Expression, "Call | None", Module]


class Called(dict[Value, tuple[tuple[Call, Module], ...]]):
    """The calls of what has one name, by what they may be of."""

    def joined(self, other: Called) -> Called:
        """What one of the two has."""
        if not self:
            return other
        found = {**self, **other}
        for value in self.keys() & other.keys():
            more = {id(made[0]): made for made in (*other[value], *self[value])}
            found[value] = tuple(more.values())
        return Called(found)


class Callers:
    """The calls of the functions of one project."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._places: dict[str, list[_Place] | None] = {}
        self._handed_on: dict[str, list[tuple[LN, Module]]] = {}
        # Those of which the calls are being looked for.
        self._asking: set[str] = set()
        self._makers: set[str] = set()

    def sites(self, definition: Definition) -> Iterator[tuple[Call, Module]]:
        """The calls in the project that may mean the function, constructors included."""
        name, owner = definition.scope.name, definition.scope.enclosing_class
        value = Value(definition.name)
        yield from self._of(name, value)
        for other in sorted(self._other_names(definition) - {name}):
            yield from self._of(other, value)
        if name == "__init__" and owner is not None:
            yield from self._made_by(f"{definition.module.name}.{owner.qualified_name}")

    def _other_names(self, function: Definition) -> set[str]:
        """The names by which a function may be called that is handed on."""
        key = function.name
        if key not in self._handed_on:
            self._handed_on[key] = [*self._handed(function)]
        places = self._handed_on[key]
        if not places or key in self._asking:
            return set()
        self._asking.add(key)
        try:
            found = (other_names(value, where, self.evaluator) for value, where in places)
            return set().union(*found)
        finally:
            self._asking.discard(key)

    def _handed(self, function: Definition) -> Iterator[tuple[LN, Module]]:
        """Where a function is named, and not called."""
        scope, module = function.scope, function.module
        if scope.name.startswith("__"):
            return  # Python calls them
        if scope.parent is not None and scope.parent.kind == "function":
            places: Sequence[_Place] = self._places_inside(scope, module)
        elif self._may_be_handed(scope.name):
            places = self._said_at(scope.name, Saying.ANYHOW) or ()
        else:
            places = ()
        for _, expression, call, where in places:
            if call is None and expression:
                node = expression[0] if len(expression) == 1 else expression[0].parent
                assert node is not None
                yield node, where

    def _may_be_handed(self, name: str) -> bool:
        """Whether a text says a name, and neither calls nor defines nor asks it for something; not
        where many say it."""
        saying = self._saying.get(name, ())
        if len(saying) > _MOST_MODULES:
            return False
        return any(_is_handed(name, module.tree.text) for module in saying)

    def _made_by(self, cls: str) -> Iterator[tuple[Call, Module]]:
        """The calls that make an instance of a class, or of one that has its ``__init__``."""
        below = (
            self.evaluator.definitions.get(name)
            for name in self.evaluator.hierarchy.descendants(cls)
        )
        alike = {d.name for d in below if d is not None and "__init__" not in d.scope.bindings}
        for wanted in sorted({cls, *alike}):
            yield from self._of(wanted.rpartition(".")[2], Value(wanted))

    def _of(self, name: str, value: Value) -> Sequence[tuple[Call, Module]]:
        """The calls of what is called ``name`` that may be of ``value``."""
        self.evaluator.project.assume(Assumed(name, Saying.ANYHOW))
        if name not in self._calls_by_name:
            return ()
        # Hundreds of methods may have one name, and thousands of calls: they are gone through once.
        return self.evaluator.called(name, lambda: self._by_value(name)).get(value, ())

    def _by_value(self, name: str) -> Called:
        found: dict[Value, list[tuple[Call, Module]]] = defaultdict(list)
        for made in self._calls_by_name[name]:
            call, module = made
            for value in self.evaluator.evaluate(call.callee, module).items:
                found[value].append(made)
        return Called({value: tuple(calls) for value, calls in found.items()})

    @cached_property
    def _calls_by_name(self) -> dict[str, list[tuple[Call, Module]]]:
        found: dict[str, list[tuple[Call, Module]]] = defaultdict(list)
        for module in self.evaluator.read:
            for call in module.tree.calls:
                nodes = flat(call.callee)
                last = nodes[-1]
                if last.type == symbols.trailer and last.children[0].type == token.DOT:
                    found[last.children[1].value].append((call, module))
                elif is_name(last):
                    found[last.value].append((call, module))
        return found

    def handed(self, function: Definition) -> tuple[Call, Module] | None:
        """The one place that says the name of a function, if that hands it to what calls it there,
        as `strategy.run(step, args=(x,))` does."""
        scope, module = function.scope, function.module
        if not self._is_called_by_name(function):
            return None
        owner = class_of_method(scope)
        if owner is not None and not self._is_only_called_here(Definition(module, owner), scope):
            return None
        if scope.parent is not None and scope.parent.kind == "function":
            places: list[_Place] | None = self._places_inside(scope, module)
        else:
            places = self._said_at(scope.name, Saying.ANYHOW)
        if places is None or len(places) != 1:
            return None
        _, expression, _, where = places[0]
        if owner is not None:
            holders = self.evaluator.evaluate(expression[:-1], where).items if expression else ()
            if not holders or not all(value.instance for value in holders):
                return None
        call = _call_with(expression)
        if call is None or not self._calls_given(call, where):
            return None
        values = self.evaluator.evaluate(expression, where)
        return (call, where) if values.names == {function.name} else None

    def _calls_given(self, call: Call, module: Module) -> bool:
        """Whether what is called is a method that calls what it is given first."""
        methods = (name.rpartition(".") for name in declared().calling)
        classes = [cls for cls, _, method in methods if method == call.method]
        return any(
            self.evaluator.isa(call.receiver, cls, module) is Certainty.PROVED for cls in classes
        )

    def all(self, function: Definition) -> list[tuple[Call, Module]] | None:
        """All calls of a function; None if others may call it, or nobody does."""
        scope, module = function.scope, function.module
        owner = scope.enclosing_class
        if not self._is_called_by_name(function):
            return None
        if scope.parent is not None and scope.parent.kind == "function":
            return self._all_of(function.name, self._places_inside(scope, module))
        if owner is None:
            return self._called(scope.name, function.name)
        if not self.evaluator.linked:
            return None  # which classes derive from it is not known yet
        cls = Definition(module, owner)
        if scope.name == "__init__":
            return self._made(cls)
        if not self._is_only_called_here(cls, scope):
            return None
        found = self._called(scope.name, function.name)
        if found is not None and class_of_method(scope) and not _takes_class(function):
            # `Class.method(instance, …)` gives one argument more.
            if not all(self._is_bound(call, where) for call, where in found):
                return None
        return found

    def _is_called_by_name(self, function: Definition) -> bool:
        """Whether who calls a function says its name, and gets it as it is written."""
        if function.scope.name == "<lambda>" or not self._is_plain(function):
            return False
        return not any(word in function.module.names for word in _REACHING)

    def _is_only_called_here(self, cls: Definition, method: Scope) -> bool:
        """Whether neither Python nor a library calls a method of a class."""
        known = self.evaluator.linked and not method.name.startswith("__")
        return known and not self._is_of_library(cls.name)

    def _is_plain(self, function: Definition) -> bool:
        found = self.evaluator.decorated_with(function.scope.node, function.module)
        plain = self.evaluator.plain_decorators
        return all(made.complete and made.names and made.names <= plain for made, _ in found)

    def _is_of_library(self, cls: str) -> bool:
        """Whether a class, or one that derives from it, is also one that is not of the repository,
        which may call its methods."""
        hierarchy, own = self.evaluator.hierarchy, self.evaluator.definitions
        return any(
            (ancestor not in own and ancestor != _OBJECT) or not hierarchy.is_closed(ancestor)
            for name in (cls, *hierarchy.descendants(cls))
            for ancestor in hierarchy.ancestors(name)
        )

    def _is_bound(self, call: Call, module: Module) -> bool:
        if call.method is None:  # a name that has it of an instance, but in the class itself
            return module.scope_of(call.trailer).kind != "class"
        values = self.evaluator.evaluate(call.receiver, module)
        return bool(values.items) and all(value.instance for value in values.items)

    def _made(self, cls: Definition) -> list[tuple[Call, Module]] | None:
        """The calls that make an instance of a class, which call its ``__init__``."""
        node = cls.scope.node
        if decorators(node) or self.evaluator.hierarchy.descendants(cls.name):
            return None
        if "__new__" in cls.scope.bindings or _has_keywords(node) or self._makes_by_instance:
            return None
        if any(leaf.value in _OF_ITSELF for leaf in leaves(node)):
            return None
        if self._called("__init__", f"{cls.name}.__init__", needed=False) != []:
            return None
        return self._called(cls.scope.name, cls.name, is_class=True)

    def _called(
        self,
        name: str,
        wanted: str,
        is_class: bool = False,
        needed: bool = True,
        known: frozenset[str] = frozenset(),
    ) -> list[tuple[Call, Module]] | None:
        """The calls of what is called ``wanted``, by all places that say ``name``; None if one of
        these is more, or less, than a call. ``known`` are names whose places are known."""
        how = Saying.CALLED if name == "__init__" else Saying.ANYHOW
        places = self._said_at(name, how)
        if places is None:
            return None
        return self._all_of(wanted, places, is_class, needed, known | {name})

    def _said_at(self, name: str, how: Saying) -> list[_Place] | None:
        self.evaluator.project.assume(Assumed(name, how))
        if name not in self._places:
            self._places[name] = self._places_of(name)
        return self._places[name]

    def _all_of(
        self,
        wanted: str,
        places: Sequence[_Place],
        is_class: bool = False,
        needed: bool = True,
        known: frozenset[str] = frozenset(),
    ) -> list[tuple[Call, Module]] | None:
        """The calls of what is called ``wanted`` among all places that may mean it, and those of
        other names that it gets there."""
        found: list[tuple[Call, Module]] = []
        others: set[str] = set()
        for leaf, expression, call, module in places:
            values = self.evaluator.evaluate(expression, module)
            if wanted not in values.names:
                if not values.complete:
                    return None
            elif call is not None:
                found.append((call, module))
            elif is_class:
                if not _only_named(leaf):
                    return None
            elif (names := self._called_then(wanted, expression, module)) is not None:
                others |= names
            else:
                return None
        for name in sorted(others - known):
            more = self._called(name, wanted, needed=False, known=known | others)
            if more is None:
                return None
            found += more
        return found if found or not needed else None

    def _called_then(self, wanted: str, expression: Expression, module: Module) -> Set[str] | None:
        """By which names it is called from then on, where ``expression`` stands on one of the sides
        of ``name = decorator(function)``, which may be said of one of two cases, or is returned to
        where that is said; None where it stands otherwise."""
        statement = next((p for p in ancestors(expression[0]) if p.type in _KEEPING_IT), None)
        if statement is None:
            return None
        if statement.type == symbols.return_stmt:
            return self._called_where_returned(wanted, expression, statement, module)
        if len(statement.children) != 3:
            return None
        target, sign, value = statement.children
        if sign.type != token.EQUAL:
            return None
        if _is_whole(expression, target):
            return {attribute_name((target,)) or next(leaves(target)).value}
        given = self._handed_to(value, expression, module)
        if given is None:
            return None
        name = self._name_of(target, given, wanted, module)
        return None if name is None else {name}

    def _called_where_returned(
        self, wanted: str, expression: Expression, statement: LN, module: Module
    ) -> Set[str] | None:
        function = module.scope_of(statement).function
        if function is None or self._handed_to(statement.children[1], expression, module) is None:
            return None
        maker = Definition(module, function)
        if maker.name in self._makers:
            return None
        self._makers.add(maker.name)
        try:
            calls = self.all(maker)
        finally:
            self._makers.discard(maker.name)
        found: set[str] = set()
        for call, where in calls or ():
            names = self._called_then(wanted, call.expression, where)
            if names is None:
                return None
            found |= names
        return None if calls is None else found

    def _handed_to(self, value: LN, expression: Expression, module: Module) -> LN | None:
        """The node of an expression, of which a value is the same function, or decorated."""
        if _is_whole(expression, value):
            return value
        if value.type == symbols.test:
            cases = (value.children[0], value.children[-1])
            found = (self._handed_to(case, expression, module) for case in cases)
            return next((one for one in found if one is not None), None)
        call = outer_call((value,))
        if call is None or not call.arguments or call.arguments[0].name or call.arguments[0].star:
            return None
        names = self.evaluator.names(call.callee, module)
        if not names or not names <= self.evaluator.plain_decorators:
            return None
        return self._handed_to(call.arguments[0].value, expression, module)

    def _name_of(self, target: LN, given: LN, wanted: str, module: Module) -> str | None:
        """The name that a function gets; None where it might be called with another first argument
        than is seen, a method by the attribute of something else, a function by one of a class, or
        by who is not seen."""
        attribute = attribute_name((target,))
        if attribute is None and target.type != token.NAME:
            return None
        if same_code((target,), (given,)):
            return attribute or next(leaves(target)).value
        function = self.evaluator.definitions.get(wanted)
        if function is not None and class_of_method(function.scope):
            mine, its = flat((target,))[:-1], flat((given,))[:-1]
            if attribute is not None:
                return attribute if mine and same_code(mine, its) else None
            holders = self.evaluator.evaluate(its, module).items if its else ()
            if not holders or not all(holder.instance for holder in holders):
                return None  # `A.f` would be given one argument more
        if attribute is None:
            return target.value if module.scope_of(target).kind != "class" else None
        holders = self.evaluator.evaluate(flat((target,))[:-1], module).items
        # What is of a library may call what it is given.
        own = all(h.instance and h.name in self.evaluator.definitions for h in holders)
        if not holders or not own or any(self._is_of_library(h.name) for h in holders):
            return None
        return attribute

    def _places_inside(self, function: Scope, module: Module) -> list[_Place]:
        """The places that may mean a function of a function: those that say its name where that is
        the variable. What hands it on, or stores it as an attribute, is one of them."""
        found: list[_Place] = []
        for leaf in module.leaves_of(function.name):
            said = _said(leaf)
            is_attribute = leaf.prev_sibling is not None and leaf.prev_sibling.type == token.DOT
            if said is None or is_attribute:
                continue
            if module.scope_of(leaf).owner(function.name) is function.parent:
                found.append((leaf, said[0] or (leaf,), said[1], module))
        return found

    def _places_of(self, name: str) -> list[_Place] | None:
        """The places that say a name; None if there are many, or it cannot be told what one means.
        ``super().__init__`` is left out: no class that is asked for has others below it."""
        found: list[_Place] = []
        if name in self.spoken:
            return None
        for module in self._saying.get(name, ()):
            for leaf in module.leaves_of(name):
                said = _said(leaf)
                if said is None or (name == "__init__" and _of_super(said[0])):
                    continue
                if not said[0] or len(found) == _MOST:
                    return None
                found.append((leaf, *said, module))
        return found

    @cached_property
    def _makes_by_instance(self) -> bool:
        """Whether the project makes instances of classes by others of the same class."""
        return is_said(Assumed("", Saying.BY_INSTANCE), self.evaluator.project)

    def has_word(self, word: str) -> bool:
        """Whether a module has a word in its text."""
        return word in self._saying

    def is_called(self, name: str) -> bool:
        """Whether a module calls something of that name."""
        return name in self._calls_by_name

    @cached_property
    def _saying(self) -> dict[str, list[Module]]:
        """The modules that have a word in their text."""
        found: dict[str, list[Module]] = {}
        for module in self.evaluator.read:
            for word in set(_WORD.findall(module.tree.text)):
                found.setdefault(word, []).append(module)
        return found

    @cached_property
    def spoken(self) -> frozenset[str]:
        """What strings of the project consist of."""
        return frozenset(
            name for module in self.evaluator.read for name in _SPOKEN.findall(module.tree.text)
        )


_KEEPING_IT = (symbols.expr_stmt, symbols.return_stmt)
_NAMING = {symbols.tname, symbols.annassign, symbols.funcdef, symbols.except_clause}


_HANDED = re.compile(r"(?<!def )(?<!import )\b(\w+)\b(?![ \t]*[(.=:\[])")


def _is_handed(name: str, text: str) -> bool:
    at = text.find(name)  # much faster than to search for the pattern
    while at >= 0:
        handed = _HANDED.match(text, at)
        if handed is not None and handed[1] == name:
            return True
        at = text.find(name, at + 1)
    return False


def _has_keywords(node: LN) -> bool:
    """Whether a ``classdef`` has a ``metaclass=``, or another keyword."""
    head = node.children[: next(i for i, c in enumerate(node.children) if c.type == token.COLON)]
    return any(below.type == symbols.argument for part in head for below in walk(part))


def _takes_class(function: Definition) -> bool:
    return has_decorator(function.scope.node, "classmethod")


def _said(leaf: Leaf) -> tuple[Expression, Call | None] | None:
    """The expression that ends with a name, and the call of it, if it is called; None if the name
    is bound there, or that of an argument, and no expression if it cannot be told what is meant."""
    parent = leaf.parent
    if parent is None:
        return (), None
    if parent.type in (symbols.funcdef, symbols.classdef) and parent.children[1] is leaf:
        return None
    if parent.type == symbols.argument and parent.children[0] is leaf and (
        parent.children[1].type == token.EQUAL
    ):  # fmt: skip
        return None
    if parent.type == symbols.import_as_name or _decorates(parent):
        return (), None  # by another name it may be called, too
    if parent.type in (symbols.dotted_as_name, symbols.dotted_name):
        return None
    if parent.type in (symbols.import_from, symbols.import_as_names, symbols.import_name):
        return None
    if parent.type in (symbols.parameters, symbols.typedargslist, symbols.varargslist):
        return None
    if parent.type == symbols.trailer and parent.children[0].type == token.DOT:
        return _of_power(parent)
    if parent.type == symbols.power and parent.children[0] is leaf:
        return _of_power(leaf)
    return (leaf,), None


def _decorates(parent: LN) -> bool:
    around = parent.parent
    return parent.type == symbols.dotted_name and (
        around is not None and around.type == symbols.decorator
    )


def _of_super(expression: Expression) -> bool:
    return bool(expression) and next(leaves(expression[0])).value == "super"


def _of_power(last: LN) -> tuple[Expression, Call | None]:
    power = last.parent
    if power is None or power.type != symbols.power:
        return (), None
    children = power.children
    at = next(index for index, child in enumerate(children) if child is last)
    first = 1 if children[0].type == token.AWAIT else 0
    following = children[at + 1] if at + 1 < len(children) else None
    call = next((c for c in calls_in_power(power) if c.trailer is following), None)
    return tuple(children[first : at + 1]), call


def _call_with(expression: Expression) -> Call | None:
    """The call of which an expression is the first argument, by its place."""
    node = expression[0] if len(expression) == 1 else expression[0].parent
    parent = node.parent if node is not None else None
    if parent is not None and parent.type == symbols.arglist and parent.children[0] is node:
        node, parent = parent, parent.parent
    if parent is None or parent.type != symbols.trailer or parent.children[1] is not node:
        return None
    power = parent.parent
    found = calls_in_power(power) if power is not None and power.type == symbols.power else ()
    call = next((call for call in found if call.trailer is parent), None)
    return call if call is not None and _is_whole(expression, call.arguments[0].value) else None


def _is_whole(expression: Expression, node: LN) -> bool:
    """Whether an expression is a node, not a part of it."""
    nodes = flat((node,))
    return len(nodes) == len(expression) and all(map(operator.is_, nodes, expression))


def _only_named(leaf: Leaf) -> bool:
    """Whether a class is only asked for: in an annotation, by ``isinstance``, for an attribute."""
    parent: LN | None = leaf.parent
    if parent is not None and parent.type in _NAMING:
        return bool(parent.type != symbols.annassign) or parent.children[1] is leaf
    if parent is not None and parent.type == symbols.power and parent.children[0] is leaf:
        first = parent.children[1]
        return bool(first.type == symbols.trailer and first.children[0].type == token.DOT)
    while parent is not None and parent.type in (symbols.arglist, symbols.atom, symbols.trailer,
                                                 symbols.testlist_gexp):  # fmt: skip
        before = parent.prev_sibling
        if before is not None and before.type == token.NAME and before.value in _ASKING:
            return True
        parent = parent.parent
    return False
