"""What the blocks of an ``if``, ``while`` or ``for`` bind, and how they are left."""

from __future__ import annotations

from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.regular import regular
from pinsetter.analyzer.flow.suites import BRANCHING, clauses, suites_of
from pinsetter.analyzer.names.scopes import Scope
from pinsetter.analyzer.syntax.tree import LN, Tree, unwrap

from ..matching.lifted_calls import LiftedCalls
from ..matching.match import Match
from .arguments import CAPTURE, GIVEN, TEXT, keys, list_of, one_of
from .registry import predicate


@predicate(keys({"of": CAPTURE}, {"as": GIVEN}))
def stays(match: Match, argument: Any) -> Match | None:
    """``{of, as?}``: something in an expression, or in the blocks of the ``if``, ``while`` or
    ``for`` that $of is and in what is asked between them, is for the function that it stands in,
    and would be something else in one of its own: ``yield``, ``await``, ``super()``, ``locals()``,
    a look at the frames of the program …; what it is can be said."""
    found = unwrap(match.capture(argument["of"]))
    suites = suites_of(match.module)
    if len(found) == 1 and found[0].type in BRANCHING:
        reason = suites.stays(found[0])
    else:
        reason = next(filter(None, map(suites.stays_in_place, found)), "")
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


@predicate(keys({}, {"named": TEXT, "decorated": TEXT}))
def in_function(match: Match, argument: Any) -> Match | None:
    """``{named?, decorated?}``: of the functions around, the module, whose name is empty, included,
    one has a qualified name, as `Class.method`, that fits the first regular expression as a whole,
    and a decorator that fits the second; what fits nothing at all needs no decorator."""
    named, decorated = (regular(argument.get(key, ".*")) for key in ("named", "decorated"))
    scope: Scope | None = match.module.scope_of(match.node)
    while scope is not None:
        if scope.kind in ("function", "module") and named.fits(scope.qualified_name):
            if any(map(decorated.fits, ["", *_decorators(scope.node, match.module.tree)])):
                return match
        scope = scope.parent
    return None


def _decorators(definition: LN, tree: Tree) -> list[str]:
    """What stands behind the `@` of each decorator."""
    around = definition.parent
    while around is not None and around.type in (symbols.async_stmt, symbols.async_funcdef):
        around = around.parent
    if definition.type != symbols.funcdef or around is None or around.type != symbols.decorated:
        return []
    above = around.children[0]
    given = above.children if above.type == symbols.decorators else [above]
    return [tree.source((one,)).strip().removeprefix("@").strip() for one in given]


def _branching(match: Match, capture: str) -> LN:
    found = unwrap(match.capture(capture))
    if len(found) != 1 or found[0].type not in BRANCHING:
        raise ValueError(f"{match.rule.id}: {capture} is no `if`, `while` or `for`")
    return found[0]
