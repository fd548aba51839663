"""The classes of a repository as they are declared, with what each of their bases may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from .definition import Definition
from .hierarchy import ClassHierarchy
from .module import Module
from .naming import Naming
from .outline import Expression, Made, OutlineScope
from .outlining import on_one_line, without_types
from .tree import Argument, arguments_of, dotted, outer_call
from .tree import Expression as Nodes
from .value import Values

Evaluate: TypeAlias = Callable[[Nodes, Module], Values]
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


def class_statements(modules: Iterable[Module]) -> Iterator[tuple[Definition, OutlineScope]]:
    """Every ``class`` statement, also where another one gives the same name."""
    for module in modules:
        scopes = (scope for scope in module.scopes if scope.kind == "class")
        for scope, outlined in zip(scopes, module.outline.classes, strict=True):
            yield Definition(module, scope), outlined


def declared_classes(
    modules: Iterable[Module], naming: Naming, evaluate: Evaluate
) -> list[DeclaredClass]:
    """The classes of ``modules`` in the order of their statements.

    ``evaluate`` is asked where names alone do not tell what a base is.
    """
    return [
        DeclaredClass(definition, _bases_of(definition, outlined, naming, evaluate))
        for definition, outlined in class_statements(modules)
    ]


def link_classes(
    modules: Iterable[Module], hierarchy: ClassHierarchy, naming: Naming, evaluate: Evaluate
) -> None:
    """Add the classes of ``modules`` to the hierarchy."""
    statements = list(class_statements(modules))
    for definition, _ in statements:
        hierarchy.add(definition.name, [])
    found: dict[str, list[tuple[Base, ...]]] = defaultdict(list)
    for definition, outlined in statements:
        bases = _bases_of(definition, outlined, naming, evaluate)
        found[definition.name].append(bases)
    _add(found, hierarchy)


def named_hierarchy(naming: Naming) -> ClassHierarchy:
    """The classes of linked files and of the library, as far as names alone tell."""
    hierarchy = ClassHierarchy(naming.library)
    _add(bases_by_name(naming), hierarchy)
    return hierarchy


def bases_by_name(naming: Naming) -> dict[str, list[tuple[Base, ...]]]:
    """The bases of each class of linked files, for each of its statements, by names alone."""
    found: dict[str, list[tuple[Base, ...]]] = defaultdict(list)
    for path, file in naming.linked.files.items():
        for scope in file.outline.classes:
            name = f"{file.name}.{scope.name}"
            bases = (_named(b.text, b.value, path, name, naming) for b in scope.bases)
            found[name].append(tuple(base for named in bases for base in named))
    return found


def _named(
    text: str, value: Expression | None, path: Path, own: str, naming: Naming
) -> Iterator[Base]:
    """The bases that an expression among those of the class ``own`` is."""
    if isinstance(value, Made):
        called = naming.expression(path, value.callee)
        if _is_with_metaclass(value.callee.path.split("."), called.names):
            for argument in value.arguments[1:]:
                yield from _named(text, argument, path, own, naming)
            return
        made = sorted(_MADE[name] for name in called.names & _MADE.keys())
        yield Base(text, tuple(made), called.complete and len(called.names) == len(made) == 1)
        return
    values = naming.expression(path, value)
    names = sorted(values.names - {own}) or sorted(values.names)
    yield Base(text, tuple(names), values.complete and len(names) == 1)


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


def _bases_of(
    definition: Definition, outlined: OutlineScope, naming: Naming, evaluate: Evaluate
) -> tuple[Base, ...]:
    """The bases of a ``class`` statement; ``metaclass=`` and other keywords are none."""
    node = definition.scope.node
    opening = 3 if node.children[2].type == symbols.type_params else 2
    if node.children[opening].type != token.LPAR:
        return ()
    inner = [c for c in node.children[opening + 1 : -2] if c.type != token.RPAR]
    arguments = [a for a in arguments_of(inner) if a.name is None and a.star != "**"]
    values = [base.value for base in outlined.bases]
    pairs = zip(arguments, values, strict=True)
    return tuple(_bases(pairs, definition, naming, evaluate))


def _bases(
    arguments: Iterable[tuple[Argument, Expression | None]],
    definition: Definition,
    naming: Naming,
    evaluate: Evaluate,
) -> Iterator[Base]:
    module = definition.module
    path = module.real
    for argument, value in arguments:
        if argument.name is not None or argument.star == "**":
            continue
        text = on_one_line(argument.node if argument.star else argument.value)
        if argument.star:
            yield Base(text, (), False)
            continue
        named = list(_named(text, value, path, definition.name, naming))
        if not isinstance(value, Made) and named[0].certain:
            yield named[0]
            continue
        call = outer_call((argument.value,))
        called = evaluate(call.callee, module).names if call is not None else frozenset()
        if call is not None and _is_with_metaclass(dotted(call.callee), called):
            given = value.arguments if isinstance(value, Made) else (None,) * len(call.arguments)
            pairs = list(zip(call.arguments, given, strict=True))
            yield from _bases(pairs[1:], definition, naming, evaluate)
            continue
        made = sorted(_MADE[name] for name in called & _MADE.keys())
        values = evaluate(without_types(argument.value), module)
        # In `from a import A; class A(A)` the base is the A of before, where there is one.
        names = made or sorted(values.names - {definition.name}) or sorted(values.names)
        certain = len(names) == 1 and (bool(made) or values.complete)
        yield Base(text, tuple(names), certain)


def _is_with_metaclass(callee: Sequence[str], called: frozenset[str]) -> bool:
    """Whether a call is six's; by what its function is called where it is defined, or else here."""
    return _WITH_METACLASS in ({name.rpartition(".")[2] for name in called} or {*callee[-1:]})
