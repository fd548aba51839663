"""Conditions of each item of a run, of one of them, or of each use of a name."""

from __future__ import annotations

from typing import Any

from pinsetter.analyzer.syntax.tree import (
    Expression,
    ancestors,
    flat,
    is_name,
    is_variable,
    unwrap,
)

from ..matching.match import Match
from .arguments import CAPTURE, CONDITIONS, GIVEN, keys
from .registry import predicate, satisfies
from .structure import separated

_OF_ITEMS = keys({"of": CAPTURE, "as": GIVEN, "holds": CONDITIONS})


@predicate(_OF_ITEMS)
def every(match: Match, argument: Any) -> Match | None:
    """``{of, as, holds}``: the conditions hold of each item, argument or statement of the run $of,
    which is called $as in them; of none, too.

    ::

        match: f($...given)
        where: [{every: {of: $...given, as: one, holds: [{constant: $one}]}}]
        holds: ["f(1, 'a')", f()]
        fails: ["f(1, n)", f(*given)]
    """
    found = [satisfies(item, argument["holds"]) for item in _items(match, argument)]
    warnings = [one.warnings for one in found if one is not None]
    if len(warnings) < len(found):
        return None
    return match.with_captures({}, *(text for one in warnings for text in one))


@predicate(_OF_ITEMS)
def some(match: Match, argument: Any) -> Match | None:
    """``{of, as, holds}``: the conditions hold of an item, argument or statement of the run $of;
    the first that they hold of is $as, and adds its captures.

    ::

        match: f($...given)
        where: [{some: {of: $...given, as: one, holds: [{matches: {$one: len($of)}}]}}]
        holds: ["f(1, len(a), len(b))"]
        captures: {one: len(a), of: a}
        fails: ["f(1, 2)", f()]
    """
    found = (satisfies(item, argument["holds"]) for item in _items(match, argument))
    return next((one for one in found if one is not None), None)


@predicate(_OF_ITEMS)
def uses(match: Match, argument: Any) -> Match | None:
    """``{of, as, holds}``: the conditions hold of each place outside of the match that says the
    variable $of of a function, and none binds it; it is $as, and $match, in them. A variable of a
    module may be used elsewhere.

    ::

        match: $answer = fetch()
        where: [{uses: {of: $answer, as: use, holds: [{within: $use.json()}]}}]
        holds:
          - |
            def load():
                answer = fetch()
                return answer.json()
          - |
            def load():
                answer = fetch()
        fails:
          - |
            def load():
                answer = fetch()
                return answer.json(), answer.status
          - |
            def load():
                answer = fetch()
                answer = answer.json()
          - |
            answer = fetch()
            answer.json()
    """
    nodes = flat(unwrap(match.capture(argument["of"])))
    if len(nodes) != 1 or not is_name(nodes[0]):
        return None
    module, name = match.module, nodes[0].value
    owner = module.scope_of(nodes[0]).owner(name)
    if owner is None or owner.kind in ("module", "class") or owner.star_imports:
        return None
    current = match
    inside = {id(node) for node in match.expression}
    for leaf in module.leaves_of(name):
        if not is_variable(leaf) or module.scope_of(leaf).owner(name) is not owner:
            continue
        if any(id(outer) in inside for outer in (leaf, *ancestors(leaf))):
            continue
        place: Expression = (leaf,)
        found = satisfies(
            match.with_captures({"match": place, argument["as"]: place}), argument["holds"]
        )
        if not module.reads(place) or found is None:
            return None
        current = current.with_captures({}, *found.warnings)
    return current


def _items(match: Match, argument: Any) -> list[Match]:
    items = separated(match.capture(argument["of"]))
    return [match.with_captures({argument["as"]: item}) for item in items]
