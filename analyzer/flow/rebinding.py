"""Rebinding: the variables of a function that it binds more than once, and how it returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.module import Module
from ..names.scopes import Binding, Scope
from ..syntax.tree import LN, ancestors, in_case_pattern, is_name, is_variable
from .suites import own_nodes


@dataclass(frozen=True)
class Rebound:
    """A variable, all that binds it in order of the text, and where it is read, also by functions
    inside."""

    name: str
    bindings: tuple[Binding, ...]
    reads: tuple[LN, ...]

    @property
    def parameter(self) -> Binding | None:
        return next((one for one in self.bindings if one.kind == "parameter"), None)


def rebound(function: Scope, module: Module) -> list[Rebound]:
    """The variables that a function binds more than once, in order of their first binding, each
    time by itself: as a parameter, by ``=`` or by an operator like ``+=``. Others are left out:
    those that something inside binds, too, or that some code can only say as a name."""
    found = []
    for name, bindings in function.bindings.items():
        if len(bindings) > 1 and all(_is_plain(one, function, module) for one in bindings):
            reads = [*_reads(name, function, module)]
            if all(_can_be_said(leaf, module) for leaf in reads):
                ordered = sorted(bindings, key=lambda one: module.tree.start(one.node))
                found.append(Rebound(name, tuple(ordered), tuple(reads)))
    return sorted(found, key=lambda one: module.tree.start(one.bindings[0].node))


def returns(function: LN) -> list[LN]:
    """The ``return`` statements of a function, without those of functions inside; of one without a
    value the keyword."""
    found = []
    for node in own_nodes(function.children[-1]):
        if node.type == token.NAME and node.value == "return":
            found.append(node.parent if node.parent.type == symbols.return_stmt else node)
    return found


def seen_returning(function: LN) -> Iterator[LN]:
    """The ``with`` and ``try`` statements that would see an exception by which a function
    returns: of the latter those that catch any."""
    for one in returns(function):
        child = one
        for parent in ancestors(one):
            if parent is function:
                break
            if parent.type == symbols.with_stmt:
                yield parent
            if parent.type == symbols.try_stmt and child is parent.children[2]:
                if any(map(_catches_all, parent.children)):
                    yield parent
            child = parent


def _catches_all(clause: LN) -> bool:
    if clause.type == token.NAME and clause.value == "except":
        return True  # alone: else it is the first word of a clause
    if clause.type != symbols.except_clause:
        return False
    words = [leaf.value for leaf in clause.leaves()]
    return len(words) == 1 or "BaseException" in words


def _is_plain(binding: Binding, function: Scope, module: Module) -> bool:
    node = binding.node
    if binding.kind == "parameter":
        return is_name(node)
    if binding.kind not in ("assign", "augment") or not is_name(node):
        return False
    statement = node.parent
    if module.scope_of(node) is not function or statement.type != symbols.expr_stmt:
        return False
    is_sole = len(statement.children) == 3 and statement.children[0] is node
    return is_sole and statement.children[1].type != symbols.annassign


def _reads(name: str, function: Scope, module: Module) -> Iterator[LN]:
    for leaf in module.leaves_of(name):
        if is_variable(leaf) and module.reads((leaf,)):
            if module.scope_of(leaf).owner(name) is function:
                yield leaf


def _can_be_said(leaf: LN, module: Module) -> bool:
    """Whether a call can stand where a name is read: not in a pattern, nor in a field of an
    f-string that shows the code itself."""
    if in_case_pattern(leaf):
        return False
    fields = [one for one in (leaf, *ancestors(leaf)) if _is_field(one)]
    behind = (module.source.text[module.tree.start(one.children[-1]) :] for one in fields)
    return not any(rest.lstrip().startswith("=") for rest in behind)


def _is_field(node: LN) -> bool:
    return node.parent is not None and node.parent.type == token.STRING
