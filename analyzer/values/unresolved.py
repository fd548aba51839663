"""What nothing is known of."""

from __future__ import annotations

import sys

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..library.declared import declared
from ..names.module import Module
from ..syntax.tree import Expression, unwrap
from .evaluator import Evaluator
from .value import Value

_BUILTINS = "builtins"
_OF_BUILTINS = f"{_BUILTINS}."
# Of these, and of the packages that there is library data of, the modules are known.
_KNOWN = sys.stdlib_module_names | {_BUILTINS, "numpy"}


def unresolved(expression: Expression, module: Module, evaluator: Evaluator) -> bool:
    """Whether nothing is known of what the expression holds.

    Nothing is where it may hold an instance of a class of the repository's own that has a base of
    which nothing is known, or an attribute of an instance that no data speaks of; or where it is a
    text, a number or a list, as a default may be, and something else that is not known.
    """
    values = evaluator.evaluate(expression, module)
    known = values.known
    if not values.complete:
        known = frozenset(v for v in known if not (v.instance and v.name.startswith(_OF_BUILTINS)))
    if not known:
        return True
    called = _is_called(expression)
    return any(
        _has_unknown_base(value, evaluator)
        if value.instance
        else not called and _stands_for_any(value.name, evaluator)
        for value in known
    )


def _is_called(expression: Expression) -> bool:
    nodes = unwrap(expression)
    after = nodes[-1].next_sibling if nodes else None
    return (
        after is not None and after.type == symbols.trailer and after.children[0].type == token.LPAR
    )


def _has_unknown_base(value: Value, evaluator: Evaluator) -> bool:
    hierarchy = evaluator.hierarchy
    return value.name in evaluator.definitions and not all(
        hierarchy.is_closed(name) for name in hierarchy.ancestors(value.name)
    )


def _stands_for_any(name: str, evaluator: Evaluator) -> bool:
    """Whether a name says in which class something stands, and nothing else is known of it."""
    owner = name.rpartition(".")[0]
    library, hierarchy = evaluator.library, evaluator.hierarchy
    if name in evaluator.definitions or name in library.classes or name in library.functions:
        return False
    return owner in library.classes or owner in hierarchy or _is_called_class(owner)


def _is_called_class(name: str) -> bool:
    """Whether a name is one that classes have."""
    return name.startswith(_OF_BUILTINS) or name.rpartition(".")[2][:1].isupper()


def foreign(value: Value, evaluator: Evaluator) -> bool:
    """Whether it is of a package that is neither the repository's nor one of which is known what it
    has."""
    if value.name in evaluator.definitions or evaluator.is_module(value.name):
        return False
    return value.name.partition(".")[0] not in _KNOWN | declared().packages
