"""The classes of a repository as they are declared, with what each of their bases may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from .definition import Definition
from .hierarchy import ClassHierarchy
from .module import Module
from .tree import LN, Argument, Call, Expression, arguments_of, dotted, flat, leaves, outer_call
from .value import Values

Evaluate: TypeAlias = Callable[[Expression, Module], Values]
_WITH_METACLASS = "with_metaclass"  # of six, and of what has a copy of it
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


def class_statements(modules: Iterable[Module]) -> Iterator[Definition]:
    """Every ``class`` statement, also where another one gives the same name."""
    for module in modules:
        for scope in module.scopes:
            if scope.kind == "class":
                yield Definition(module, scope)


def declared_classes(modules: Iterable[Module], evaluate: Evaluate) -> list[DeclaredClass]:
    """The classes of ``modules`` in the order of their statements."""
    return [DeclaredClass(d, bases_of(d, evaluate)) for d in class_statements(modules)]


def link_classes(modules: Iterable[Module], hierarchy: ClassHierarchy, evaluate: Evaluate) -> None:
    """Add the classes of ``modules`` to the hierarchy.

    Of several statements for one class, as in ``try`` and ``except``, each may be the one.
    """
    statements = list(class_statements(modules))
    for statement in statements:
        hierarchy.add(statement.name, [])
    found: dict[str, list[tuple[Base, ...]]] = defaultdict(list)
    for statement in statements:
        found[statement.name].append(bases_of(statement, evaluate))
    for name, declared in found.items():
        names = [n for bases in declared for base in bases for n in base.names]
        sure = [{n for base in bases if base.certain for n in base.names} for bases in declared]
        # One that derives from the class of its own name adds to it.
        added = set().union(*(known for known in sure if name in known))
        certain = set.intersection(*(known | added for known in sure))
        if len([known for known in sure if name not in known]) < 2:
            certain = set().union(*sure)
        hierarchy.add(name, names, set(names) - certain)


def bases_of(definition: Definition, evaluate: Evaluate) -> tuple[Base, ...]:
    """The bases of a ``class`` statement; ``metaclass=`` and other keywords are none."""
    node = definition.scope.node
    opening = 3 if node.children[2].type == symbols.type_params else 2
    if node.children[opening].type != token.LPAR:
        return ()
    inner = [c for c in node.children[opening + 1 : -2] if c.type != token.RPAR]
    return tuple(_bases(arguments_of(inner), definition, evaluate))


def _bases(
    arguments: Iterable[Argument], definition: Definition, evaluate: Evaluate
) -> Iterator[Base]:
    module = definition.module
    for argument in arguments:
        if argument.name is not None or argument.star == "**":
            continue
        if argument.star:
            yield Base(_text(argument.node, module), (), False)
            continue
        call = outer_call((argument.value,))
        called = evaluate(call.callee, module).names if call is not None else frozenset()
        if call is not None and _WITH_METACLASS in _last_names(call, called):
            yield from _bases(call.arguments[1:], definition, evaluate)
            continue
        made = sorted(_MADE[name] for name in called & _MADE.keys())
        values = evaluate(without_types(argument.value), module)
        # In `from a import A; class A(A)` the base is the A of before, where there is one.
        names = made or sorted(values.names - {definition.name}) or sorted(values.names)
        certain = len(names) == 1 and (bool(made) or values.complete)
        yield Base(_text(argument.value, module), tuple(names), certain)


def _last_names(call: Call, called: frozenset[str]) -> set[str]:
    """What a call's function is called where it is defined, or else here."""
    return {name.rpartition(".")[2] for name in called} or {*dotted(call.callee)[-1:]}


def without_types(base: LN) -> Expression:
    """``Base`` of ``Base[T]``."""
    nodes = flat((base,))
    while len(nodes) > 1 and nodes[-1].type == symbols.trailer and (
        nodes[-1].children[0].type == token.LSQB
    ):  # fmt: skip
        nodes = nodes[:-1]
    return nodes


def _text(node: LN, module: Module) -> str:
    """The base as it is written, on one line and without comments."""
    if any("#" in leaf.prefix for leaf in leaves(node)):
        return "".join(leaf.value for leaf in leaves(node))
    return " ".join(module.tree.source((node,)).split())
