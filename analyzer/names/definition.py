"""Definition: a class or function of the repository, and what its syntax says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..syntax.tree import LN, Argument, Expression, arguments_of, is_name, leaves, unwrap
from .scopes import Scope

if TYPE_CHECKING:
    from .module import Module


@dataclass(frozen=True, eq=False, slots=True)
class Definition:
    """A class or function of the repository."""

    module: Module
    scope: Scope

    @property
    def name(self) -> str:
        return f"{self.module.name}.{self.scope.qualified_name}"


def decorators(function: LN) -> list[LN]:
    """The ``decorator`` nodes of a function or class."""
    parent = function.parent
    while parent is not None and parent.type in (symbols.async_funcdef, symbols.async_stmt):
        parent = parent.parent
    if parent is None or parent.type != symbols.decorated:
        return []
    first = parent.children[0]
    return list(first.children) if first.type == symbols.decorators else [first]


def class_arguments(node: LN) -> list[Argument]:
    """What stands in the parentheses of a ``classdef``: its bases, and ``metaclass=``."""
    opening = 3 if node.children[2].type == symbols.type_params else 2
    inner = node.children[opening + 1]
    if node.children[opening].type != token.LPAR or inner.type == token.RPAR:
        return []
    return list(arguments_of([inner]))


def class_bases(node: LN) -> list[LN]:
    """The base expressions of a ``classdef``."""
    return [one.node for one in class_arguments(node) if one.node.type != symbols.argument]


def class_of_method(function: Scope) -> Scope | None:
    """The class whose instance, or itself, is bound to the function's first parameter."""
    owner = function.enclosing_class if function.kind == "function" else None
    return None if owner is None or has_decorator(function.node, "staticmethod") else owner


def owner_of(target: LN) -> Expression:
    """``a.b`` of the target ``a.b.c``."""
    return tuple(target.children[:-1])


def class_of_self(name: str, scope: Scope) -> Scope | None:
    """The class of which ``name`` is the ``self`` in ``scope``."""
    for binding in scope.lookup(name):
        if binding.kind == "parameter" and binding.element == (0,):
            return class_of_method(binding.scope)
    return None


def is_async(function: LN) -> bool:
    parent = function.parent
    return parent is not None and parent.type in (symbols.async_funcdef, symbols.async_stmt)


def exports(module: Module, name: str) -> bool:
    """Whether ``from module import *`` may bind ``name``."""
    listed = module.binding("__all__")
    if not listed:
        return not name.startswith("_")
    items = [item for binding in listed for item in items_of(binding.value)] if all(
        binding.kind == "assign" and binding.value for binding in listed) else []  # fmt: skip
    if not items or any(item.type != token.STRING for item in items):
        return True
    return name in {str(item.value).strip("\"'") for item in items}


def decorator_names(function: LN) -> set[str]:
    """The decorators' texts, without arguments where they are those of a plain dotted name."""
    found = (unwrap((decorator.children[1],)) for decorator in decorators(function))
    return {"".join(leaf.value for node in nodes for leaf in leaves(node)) for nodes in found}


def has_decorator(function: LN, name: str) -> bool:
    """Whether one of the decorators is a name, and no more; others may be pages of arguments."""
    nodes = (unwrap((decorator.children[1],)) for decorator in decorators(function))
    return any(is_name(only) and only.value == name for only, *others in nodes if not others)


def items_of(value: Expression) -> list[LN]:
    """The items of a tuple or list display."""
    nodes = unwrap(value)
    node = nodes[0]
    if len(nodes) != 1:
        return []
    if node.type == symbols.atom and node.children[0].type in (token.LPAR, token.LSQB):
        node = node.children[1]
        if node.type not in (symbols.testlist_gexp, symbols.listmaker):
            return [node] if node.type not in (token.RPAR, token.RSQB) else []
    if node.type in (symbols.testlist_gexp, symbols.listmaker, symbols.testlist,
                     symbols.testlist_star_expr):  # fmt: skip
        if any(c.type in (symbols.comp_for, symbols.star_expr) for c in node.children):
            return []
        return [child for child in node.children if child.type != token.COMMA]
    return []
