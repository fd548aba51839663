"""Items of `from … import …`, where a pattern fits these as well."""

from __future__ import annotations

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import imported_from
from pinsetter.analyzer.syntax.tree import LN, Expression, ancestors

from .match import Match


def is_import_of(match: Match, name: str) -> bool:
    """Whether the match is an item of `from … import …`, and that a qualified name."""
    statement = import_around(match.node)
    if statement is None:
        return False
    module, level = imported_from(statement)
    return not level and f"{module}.{imported_leaf(match.node).value}" == name


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
        package, level = imported_from(statement)
        return (
            frozenset() if level else frozenset([f"{package}.{imported_leaf(expression[0]).value}"])
        )
    if not module.reads(expression):
        return frozenset()
    return facts.names(expression, module)


def imported_leaf(item: LN) -> LN:
    """The name that an item of an import has where it is from."""
    return item.children[0] if item.children else item
