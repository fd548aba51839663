"""one_object: whether a name always holds the same object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.scopes import Scope
from pinsetter.analyzer.programs.entry import starts_program
from pinsetter.analyzer.syntax.tree import (
    LN,
    Expression,
    ancestors,
    attribute_name,
    calls_in_power,
    is_name,
    is_variable,
    leaves,
    unwrap,
    walk,
)

from ..matching.match import Match
from .arguments import CAPTURE
from .registry import predicate

_LOOPS = {symbols.for_stmt, symbols.while_stmt}


@predicate(CAPTURE)
def one_object(match: Match, capture: Any) -> Match | None:
    """$x is a name whose only binding runs once, so that it always is the same object: outside
    loops, in the module, or in the function that a script runs, which nothing else names.

    ::

        match: f($x)
        where: [{one_object: $x}]
        holds:
          - |
            x = g()
            f(x)
          - |
            def main():
                x = g()
                f(x)
            main()
        fails:
          - |
            x = g()
            x = g()
            f(x)
          - |
            for x in a:
                f(x)
          - |
            def main():
                x = g()
                f(x)
            main()
            main()
          - |
            def main(x):
                f(x)
            main(1)
    """
    nodes = unwrap(match.capture(capture))
    if len(nodes) != 1 or not is_name(nodes[0]):
        return None
    bindings = match.module.scope_of(nodes[0]).lookup(nodes[0].value)
    if len(bindings) != 1 or bindings[0].kind in ("for", "match"):
        return None
    binding = bindings[0]
    scope = binding.scope
    if match.module.scope_of(binding.node) is not scope or _repeats(binding.node):
        return None
    if scope.kind == "module":
        return None if _set_elsewhere(nodes[0].value, match) else match
    return match if binding.kind == "assign" and _runs_once(scope, match) else None


def _repeats(node: LN) -> bool:
    return any(outer.type in _LOOPS for outer in ancestors(node))


def _runs_once(function: Scope, match: Match) -> bool:
    """Whether a function is what a script runs: its name is said once besides, outside functions
    and loops, where it is called, or given to what runs a program; and no file imports it."""
    module = match.module
    plain = function.kind == "function" and function.node.parent is module.tree.root
    if not plain or function.is_generator or match.facts.project.linked.is_imported(module.real):
        return False
    said = [
        leaf for leaf in leaves(module.tree.root)
        if is_name(leaf) and leaf.value == function.name and is_variable(leaf)
        and leaf.parent is not function.node
    ]  # fmt: skip
    if len(said) != 1 or module.scope_of(said[0]).kind != "module" or _repeats(said[0]):
        return False
    calls = (call for one in ancestors(said[0]) if one.type == symbols.power
             for call in calls_in_power(one))  # fmt: skip
    return any(
        call.callee == (said[0],)
        or (
            any(argument.value is said[0] for argument in call.arguments)
            and starts_program(call, module, match.facts.evaluator)
        )
        for call in calls
    )


def _set_elsewhere(name: str, match: Match) -> bool:
    """Whether code assigns to the name as an attribute of the match's module."""
    for module in match.facts.evaluator.modules:
        for owner in _owners_set(name, module.tree.root):
            if match.module.name in match.facts.evaluator.names(owner, module):
                return True
    return False


def _owners_set(name: str, root: LN) -> Iterator[Expression]:
    """``a`` of each assignment to ``a.name``."""
    for statement in walk(root, skip={symbols.power}):
        if statement.type == symbols.expr_stmt:
            for target in statement.children[:-1]:
                for part in walk(target, skip={symbols.power}):
                    if part.type == symbols.power and attribute_name((part,)) == name:
                        yield tuple(part.children[:-1])
