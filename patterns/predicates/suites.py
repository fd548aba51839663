"""What the blocks of an ``if``, ``while`` or ``for`` bind, and how they are left."""

from __future__ import annotations

from typing import Any

from pinsetter.analyzer.flow.suites import BRANCHING, clauses, suites_of
from pinsetter.analyzer.syntax.tree import LN, unwrap

from ..matching.lifted_calls import LiftedCalls
from ..matching.match import Match
from .arguments import CAPTURE, GIVEN, keys, list_of, one_of
from .registry import predicate


@predicate(keys({"of": CAPTURE}, {"as": GIVEN}))
def stays(match: Match, argument: Any) -> Match | None:
    """``{of, as?}``: something in the blocks of the ``if``, ``while`` or ``for`` that $of is, or in
    what is asked between them, is for the function that it stands in, and would be something else
    in one of its own: ``yield``, ``await``, ``super()``, ``locals()``, a look at the frames of the
    program …; what it is can be said."""
    reason = suites_of(match.module).stays(_branching(match, argument["of"]))
    if not reason:
        return None
    return match.with_texts({argument["as"]: reason}) if "as" in argument else match


@predicate(keys({"of": CAPTURE}, {"by": list_of(one_of("return", "break", "continue"))}))
def exits(match: Match, argument: Any) -> Match | None:
    """``{of, by?}``: the ``if``, ``while`` or ``for`` that $of is, or one of its turns, may be left
    by a ``return``, ``break`` or ``continue`` in its blocks, or by one of those that are named."""
    statement = _branching(match, argument["of"])
    found = {one.word for one in suites_of(match.module).exits(statement)}
    return match if found.intersection(argument.get("by", found)) else None


@predicate(keys({"of": CAPTURE, "as": GIVEN}))
def binds(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the blocks of the ``if``, ``while`` or ``for`` that $of is bind names, or its
    head does; they are listed with commas, for a template."""
    statement = _branching(match, argument["of"])
    tree = match.module.tree
    parts = [part for clause in clauses(statement) for part in (clause.target, clause.suite)]
    spans = [tree.span((part,)) for part in parts if part is not None]
    names = suites_of(match.module).bound(match.module.scope_of(statement), *spans)
    return match.with_texts({argument["as"]: ", ".join(names)}) if names else None


@predicate(CAPTURE)
def hands_on(match: Match, capture: Any) -> Match | None:
    """$x is an ``if`` behind what the pack lifts, which only hands on how a block was left."""
    calls = LiftedCalls(match.pack, match.module, match.facts)
    return match if calls.hands_on(_branching(match, capture)) is not None else None


@predicate(CAPTURE)
def in_lifted(match: Match, capture: Any) -> Match | None:
    """$x stands in a function that is a block of something that the pack lifts."""
    calls = LiftedCalls(match.pack, match.module, match.facts)
    return match if calls.around(match.capture(capture)[0]) is not None else None


def _branching(match: Match, capture: str) -> LN:
    found = unwrap(match.capture(capture))
    if len(found) != 1 or found[0].type not in BRANCHING:
        raise ValueError(f"{match.rule.id}: {capture} is no `if`, `while` or `for`")
    return found[0]
