"""What the blocks of an ``if``, ``while`` or ``for`` bind, and how they are left."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow.suites import BRANCHING, clauses, suites_of
from pinsetter.analyzer.syntax.tree import LN, block_of, is_name, line_statement, outer_call, unwrap

from ..matching.match import Match
from ..reading.qualified_names import qualified
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
    statement = _branching(match, capture)
    name = _tested(statement)
    if name is None or match.pack.lifted is None:
        return None
    lines = block_of(statement)
    at = next(n for n, line in enumerate(lines) if line is line_statement(statement))
    while at and lines[at].type == symbols.if_stmt and _tested(lines[at]) == name:
        at -= 1
    if lines[at].type == symbols.simple_stmt and lines[at].children[0].type == symbols.del_stmt:
        at -= 1
    line = lines[at]
    given = line.children[0] if line.type == symbols.simple_stmt else line
    if given.type != symbols.expr_stmt or str(given.children[0]).strip() != name:
        return None
    call = outer_call((given.children[-1],))
    if call is None:
        return None
    forms = match.pack.lifted.statements.values()
    wanted = {qualified(form.call.partition("(")[0], match.pack.imports) for form in forms}
    return match if match.facts.evaluator.names(call.callee, match.module) & wanted else None


def _branching(match: Match, capture: str) -> LN:
    found = unwrap(match.capture(capture))
    if len(found) != 1 or found[0].type not in BRANCHING:
        raise ValueError(f"{match.rule.id}: {capture} is no `if`, `while` or `for`")
    return found[0]


def _tested(statement: LN) -> str | None:
    """The name of which an ``if`` with one block asks whether it is something."""
    if statement.type != symbols.if_stmt or len(statement.children) != 4:
        return None
    test = statement.children[1]
    if test.type != symbols.comparison or not is_name(test.children[0]):
        return None
    sign = test.children[1]
    word = sign.children[0] if sign.children else sign
    is_is = word.type == token.NAME and word.value == "is"
    return str(test.children[0].value) if is_is else None
