"""Items of `from … import …`, where a pattern fits these as well."""

from __future__ import annotations

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.bound_names import imported_from
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN, Expression, ancestors

from .match import Match


def is_import_of(match: Match, name: str) -> bool:
    """Whether the match is an item of `from … import …`, and that a qualified name."""
    statement = import_around(match.node)
    return statement is not None and name in _imported(statement, match.node, match.module)


def _imported(statement: LN, item: LN, module: Module) -> frozenset[str]:
    """The qualified name of an item; none where it is not known which package a file is in."""
    package, level = imported_from(statement)
    home = package_of(module, level) if level else []
    if level and not home:
        return frozenset()
    return frozenset([".".join(filter(None, [*home, package, imported_leaf(item).value]))])


def package_of(module: Module, level: int) -> list[str]:
    """The parts of the package that an import with so many dots begins in; none if that is not
    known."""
    parts = module.name.split(".")
    return parts[: max(0, len(parts) - level + module.is_package)]


def import_around(node: LN) -> LN | None:
    """The `from … import …` that a node is an item of."""
    for parent in ancestors(node):
        if parent.type == symbols.import_from:
            return parent
        if parent.type != symbols.import_as_names:
            return None
    return None


def names_meant(expression: Expression, module: Module, facts: Facts) -> frozenset[str]:
    """The qualified names that a name, a chain of names, or an item of an import may mean."""
    statement = import_around(expression[0])
    if statement is not None:
        return _imported(statement, expression[0], module)
    if not module.reads(expression):
        return frozenset()
    return facts.names(expression, module)


def imported_leaf(item: LN) -> LN:
    """The name that an item of an import has where it is from."""
    return item.children[0] if item.children else item
