"""What a ``for`` goes through: how it counts, and whether it is a collection of Python's own."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.own_reading import literal_value
from pinsetter.analyzer.syntax.tree import LN, Expression, is_name, outer_call, unwrap
from pinsetter.analyzer.values.questions import sources

from ..matching.match import Match
from .arguments import CAPTURE, TEXT, keys, list_of, one_of, pair
from .registry import predicate


@predicate(pair(CAPTURE, one_of("positive", "negative")))
def signed(match: Match, argument: Any) -> Match | None:
    """``[$x, positive or negative]``: $x is a literal integer of that sign, which 0 has not, or a
    name that its function, or module, gives no other value than such.

    ::

        match: f($x)
        where: [{signed: [$x, positive]}]
        holds:
          - f(1)
          - |
            step = 1
            if fast:
                step = 2
            f(step)
        fails:
          - f(0)
          - f(-1)
          - f(1.5)
          - |
            step = 2
            step -= 3
            f(step)
    """
    capture, sign = argument
    found = _integers(match.capture(capture), match.module, _DEPTH)
    is_it = found and all((one > 0) if sign == "positive" else (one < 0) for one in found)
    return match if is_it else None


def _integers(expression: Expression, module: Module, depth: int) -> list[int]:
    """All that an expression may be; nothing where that is not known."""
    nodes = unwrap(expression)
    if len(nodes) != 1:
        return []
    if is_name(nodes[0]) and depth:
        found = []
        for one in module.scope_of(nodes[0]).lookup(nodes[0].value):
            is_whole = one.kind == "assign" and not one.element
            values = _integers(one.value, module, depth - 1) if is_whole else []
            if not values:
                return []
            found += values
        return found
    try:
        value = literal_value(module.tree.source(nodes).strip())
    except ValueError:
        return []
    return [value] if type(value) is int else []


@predicate(keys({"of": CAPTURE}, {"called": list_of(TEXT)}))
def collection(match: Match, argument: Any) -> Match | None:
    """``{of, called?}``: $of may be a list, tuple, dictionary, set, text or iterator of Python's
    own, by how it is written, or by what makes it: a builtin, a method of dictionaries and texts,
    or one of those whose last name is under ``called``.

    ::

        match: |
          for $x in $items:
              $...body
        where: [{collection: {of: $items, called: [query]}}]
        holds:
          - |
            for x in range(3):
                f(x)
          - |
            pairs = named.items()
            for pair in pairs:
                f(pair)
          - |
            for row in database.query():
                f(row)
        fails:
          - |
            for x in given:
                f(x)
          - |
            for x in given[1:]:
                f(x)
          - |
            for x in named.copy():
                f(x)
    """
    makers = {*_METHODS, *argument.get("called", ())}
    evaluator = match.facts.evaluator
    for nodes, module in sources(match.capture(argument["of"]), match.module, evaluator):
        if len(nodes) == 1 and _is_display(nodes[0]):
            return match
        call = outer_call(nodes)
        if call is not None:
            names = evaluator.names(call.callee, module)
            last = call.method or str(call.callee[-1]).strip()
            if last in makers or any(_is_builtin(one) for one in names):
                return match
    return None


def _is_display(node: LN) -> bool:
    if node.type == symbols.atom:
        inner = node.children[1]
        return node.children[0].value in "[{" or inner.type == symbols.testlist_gexp
    return node.type in _WITHOUT_BRACKETS


def _is_builtin(name: str) -> bool:
    package, _, last = name.partition(".")
    return package == "itertools" or (package == "builtins" and last in _BUILTINS)


_DEPTH = 3
_WITHOUT_BRACKETS = {
    token.STRING, symbols.testlist, symbols.testlist_star_expr, symbols.exprlist,
}  # fmt: skip
_BUILTINS = {
    "bytes", "dict", "dir", "enumerate", "filter", "frozenset", "input", "iter", "list", "map",
    "open", "range", "reversed", "set", "sorted", "str", "tuple", "vars", "zip",
}  # fmt: skip
_METHODS = {"items", "keys", "values", "split", "splitlines", "readlines"}
