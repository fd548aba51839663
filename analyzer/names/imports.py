"""imports_of: what a file imports, and when; it follows from the file's bytes alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Node

from ..syntax.tree import (
    LN,
    ancestors,
    calls_in_power,
    dotted,
    leaves,
    main_guards,
    plain_string,
    walk,
)
from .bound_names import imported_from, imported_items

STAR = "*"
When = Literal["load", "script", "types"]


@dataclass(frozen=True)
class Import:
    """One imported module or name; ``name`` is None for the module, ``*`` for a star.

    ``when`` says when it is executed: ``load``, with the module or later; ``script``, only under
    the ``__main__`` guard; ``types``, only by type checkers.
    """

    module: str
    level: int = 0
    name: str | None = None
    when: When = "load"


def imports_of(root: Node, text: str) -> tuple[Import, ...]:
    """The imports of a file with this tree and text, in source order; behind them those by a call
    that says the name: ``import_module("a.b")``, ``__import__("a")``."""
    found = _statements(root, main_guards(root))
    if "import_module" in text or "__import__" in text:
        return (*found, *_calls(root, main_guards(root)))
    return tuple(found)


def _statements(root: Node, guards: Sequence[LN]) -> Iterator[Import]:
    stack: list[LN] = [root]
    while stack:
        node = stack.pop()
        if node.type == symbols.import_name:
            names, when = node.children[1], _when(node, guards)
            for item in names.children if names.type == symbols.dotted_as_names else [names]:
                if item.type != token.COMMA:
                    named = item.children[0] if item.type == symbols.dotted_as_name else item
                    yield Import("".join(leaf.value for leaf in leaves(named)), when=when)
        elif node.type == symbols.import_from:
            module, level = imported_from(node)
            when = _when(node, guards)
            for item in imported_items(node):
                name = next(leaves(item)).value
                yield Import(module, level, name, when)
        elif node.type in _HOLD_STATEMENTS:
            stack.extend(reversed(node.children))


def _calls(root: Node, guards: Sequence[LN]) -> Iterator[Import]:
    for node in walk(root):
        for call in calls_in_power(node) if node.type == symbols.power else ():
            names = dotted(call.callee)
            argument = call.argument("name", 0)
            if names and names[-1] in _IMPORTERS and argument is not None:
                text = plain_string(argument.value)
                name = text.lstrip(".")
                if name:
                    yield Import(name, len(text) - len(name), None, _when(node, guards))


def _when(node: LN, guards: Sequence[LN]) -> When:
    when: When = "load"
    child = node
    for parent in ancestors(node):
        if parent.type == symbols.if_stmt and child is parent.children[3]:
            if any(leaf.value == "TYPE_CHECKING" for leaf in leaves(parent.children[1])):
                when = "types"
            elif when == "load" and any(parent is guard for guard in guards):
                when = "script"
        child = parent
    return when


_IMPORTERS = {"import_module", "__import__"}
_HOLD_STATEMENTS = {
    symbols.file_input, symbols.simple_stmt, symbols.suite, symbols.if_stmt, symbols.while_stmt,
    symbols.for_stmt, symbols.try_stmt, symbols.with_stmt, symbols.funcdef, symbols.classdef,
    symbols.decorated, symbols.async_stmt, symbols.async_funcdef, symbols.match_stmt,
    symbols.case_block, symbols.except_star_block,
}  # fmt: skip
