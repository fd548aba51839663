"""The classes of a repository as they are declared, with what each of their bases may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..library.hierarchy import ClassHierarchy
from ..names.definition import Definition, class_arguments
from ..names.lone_file import AskedBeyondError
from ..names.module import Module
from ..syntax.tree import (
    LN,
    Argument,
    Expression,
    dotted,
    flat,
    is_name,
    leaves,
    outer_call,
    unwrap,
)
from .bindings_at import bindings_at
from .value import NONE, Values

Evaluate: TypeAlias = Callable[[Expression, Module], Values]
_WITH_METACLASS = "with_metaclass"  # of six, and of what has a copy of it
_OBJECT = "builtins.object"
# Functions that make a class, and what that derives from.
_MADE = {"collections.namedtuple": "builtins.tuple", "typing.NamedTuple": "builtins.tuple"}


@dataclass(frozen=True)
class Base:
    """A base as it is written, and the classes that it may mean; ``certain`` if it is one class.

    ``names`` is empty if nothing is known of it.
    """

    text: str
    names: tuple[str, ...]
    certain: bool


@dataclass(frozen=True, eq=False)
class DeclaredClass:
    """One ``class`` statement of the repository."""

    definition: Definition
    bases: tuple[Base, ...]

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def line(self) -> int:
        return self.definition.module.tree.line_of(self.definition.scope.node)


def declared_classes(modules: Iterable[Module], evaluate: Evaluate) -> list[DeclaredClass]:
    """The classes of ``modules`` in the order of their statements, also where another one gives the
    same name. ``evaluate`` says what their bases are."""
    return [
        DeclaredClass(definition, tuple(_bases_of(definition, evaluate)))
        for module in modules
        for definition in _class_statements(module)
    ]


def link_classes(
    modules: Iterable[Module],
    hierarchy: ClassHierarchy,
    evaluate: Evaluate,
    forget: Callable[[], None],
) -> None:
    """Add the classes of ``modules`` to the hierarchy. ``forget`` drops what was evaluated so far,
    which knew only part of it."""
    modules = list(modules)
    for module in modules:
        for definition in _class_statements(module):
            hierarchy.add(definition.name, [])
    declared = _known_classes(modules, hierarchy, evaluate, forget)
    _add(_by_name(declared), hierarchy)
    forget()
    # `class A(self.base)`: what that is, the classes that derive from the one around may say.
    if any("." in base.text and not base.names for one in declared for base in one.bases):
        _add(_by_name(_known_classes(modules, hierarchy, evaluate, forget)), hierarchy)
        forget()


def _known_classes(
    modules: Sequence[Module],
    hierarchy: ClassHierarchy,
    evaluate: Evaluate,
    forget: Callable[[], None],
) -> list[DeclaredClass]:
    """``declared_classes``, but for those whose bases other files decide."""
    while True:
        found, left = [], False
        for definition in (one for module in modules for one in _class_statements(module)):
            try:
                found.append(DeclaredClass(definition, tuple(_bases_of(definition, evaluate))))
            except AskedBeyondError as asked:
                left = hierarchy.leave(definition.name, asked) or left
        if not left:
            return found
        forget()  # it may rest on what is left now


def _by_name(declared: Iterable[DeclaredClass]) -> dict[str, list[tuple[Base, ...]]]:
    found: dict[str, list[tuple[Base, ...]]] = defaultdict(list)
    for one in declared:
        found[one.name].append(one.bases)
    return found


def _class_statements(module: Module) -> Iterator[Definition]:
    return (Definition(module, scope) for scope in module.scopes if scope.kind == "class")


def _add(found: Mapping[str, list[tuple[Base, ...]]], hierarchy: ClassHierarchy) -> None:
    """Add classes with the bases of each of their statements.

    Of several statements for one class, as in ``try`` and ``except``, each may be the one.
    """
    for name, declared in found.items():
        names = [n for bases in declared for base in bases for n in base.names]
        sure = [{n for base in bases if base.certain for n in base.names} for bases in declared]
        # One that derives from the class of its own name adds to it.
        added = set().union(*(known for known in sure if name in known))
        certain = set.intersection(*(known | added for known in sure))
        if len([known for known in sure if name not in known]) < 2:
            certain = set().union(*sure)
        others = any(not base.certain for bases in declared for base in bases)
        hierarchy.add(name, names, set(names) - certain, others)


def _bases_of(definition: Definition, evaluate: Evaluate) -> Iterator[Base]:
    """The bases of a ``class`` statement; ``metaclass=`` and other keywords are none."""
    return _bases(class_arguments(definition.scope.node), definition, evaluate)


def _bases(
    arguments: Iterable[Argument], definition: Definition, evaluate: Evaluate
) -> Iterator[Base]:
    module = definition.module
    for argument in arguments:
        if argument.name is not None or argument.star == "**":
            continue
        text = _on_one_line(argument.node if argument.star else argument.value)
        if argument.star:
            yield Base(text, (), False)
            continue
        call = outer_call((argument.value,))
        called = evaluate(call.callee, module).names if call is not None else frozenset()
        if call is not None and _is_with_metaclass(dotted(call.callee), called):
            yield from _bases(call.arguments[1:], definition, evaluate)
            continue
        made = sorted(_MADE[name] for name in called & _MADE.keys())
        values = evaluate(without_types(argument.value), module)
        # In `from a import A; class A(A)` the base is the A of before, where there is one.
        # None is no class; it stands for what classes that derive from one around say instead.
        known = values.names - {NONE}
        names = made or sorted(known - {definition.name}) or sorted(known)
        # What a star import may bind is hardly called `object`, or else is like it, as future's is.
        sure = bool(made) or values.complete or (names == [_OBJECT] and text == "object")
        certain = len(names) == 1 and sure and NONE not in values.names
        # Where nothing may be bound before, it is no base, and the statement is not reached.
        if definition.name in values.names and is_name(base := unwrap((argument.value,))[0]):
            certain = certain and bindings_at(base, module) != ()
        yield Base(text, tuple(names), certain)


def without_types(base: LN) -> tuple[LN, ...]:
    """``Base`` of ``Base[T]``."""
    nodes = flat((base,))
    while len(nodes) > 1 and nodes[-1].type == symbols.trailer and (
        nodes[-1].children[0].type == token.LSQB
    ):  # fmt: skip
        nodes = nodes[:-1]
    return nodes


def _on_one_line(node: LN) -> str:
    """The expression as it is written, on one line and without comments."""
    if any("#" in leaf.prefix for leaf in leaves(node)):
        return "".join(leaf.value for leaf in leaves(node))
    return " ".join(str(node).split())


def _is_with_metaclass(callee: Sequence[str], called: frozenset[str]) -> bool:
    """Whether a call is six's; by what its function is called where it is defined, or else here."""
    return _WITH_METACLASS in ({name.rpartition(".")[2] for name in called} or {*callee[-1:]})
