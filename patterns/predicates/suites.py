"""What the blocks of an ``if``, ``while`` or ``for`` bind, and how they are left."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow.block_state import BlockState
from pinsetter.analyzer.flow.rebinding import rebound, returns
from pinsetter.analyzer.flow.suites import (
    BRANCHING,
    EXITS,
    clauses,
    last_break,
    own_nodes,
    suites_of,
)
from pinsetter.analyzer.syntax.tree import (
    LN,
    ancestors,
    block_of,
    dotted,
    is_name,
    line_statement,
    outer_call,
    statement_of,
    unwrap,
)

from ..matching.match import Match
from .arguments import CAPTURE, FLAG, GIVEN, REGEX, keys, list_of, one_of
from .conditions import branching_of, function_of
from .registry import predicate

_BRANCHES = {symbols.if_stmt, symbols.try_stmt}


@predicate(keys({"of": CAPTURE}, {"as": GIVEN}))
def stays(match: Match, argument: Any) -> Match | None:
    """``{of, as?}``: something in an expression, or in the blocks of the ``if``, ``while`` or
    ``for`` that $of is and in what is asked between them, is for the function that it stands in,
    and would be something else in one of its own: ``yield``, ``await``, ``super()``, ``locals()``,
    a look at the frames of the program …; what it is can be said. Of a function: its variables are
    asked for by their names, so that they cannot be anything else, or it may not return a
    value.

    ::

        query: while_stmt< any* >
        where: [{stays: {of: $match, as: reason}}]
        holds:
          - |
            def f():
                while go():
                    yield 1
        fails:
          - |
            def f():
                while go():
                    return 1
          - |
            def f():
                while go():
                    g()
    """
    found = unwrap(match.capture(argument["of"]))
    suites = suites_of(match.module)
    if len(found) == 1 and found[0].type in BRANCHING:
        reason = suites.stays(found[0])
    elif len(found) == 1 and found[0].type == symbols.funcdef:
        reason = suites.stays_by_name(found[0])
    else:
        reason = next(filter(None, map(suites.stays_in_place, found)), "")
    if not reason:
        return None
    return match.with_texts({argument["as"]: reason}) if "as" in argument else match


@predicate(keys({"of": CAPTURE}, {"by": list_of(one_of("return", "break", "continue"))}))
def exits(match: Match, argument: Any) -> Match | None:
    """``{of, by?}``: the ``if``, ``while`` or ``for`` that $of is, or one of its turns, may be left
    by a ``return``, ``break`` or ``continue`` in its blocks, or by one of those that are named.

    ::

        query: for_stmt< any* >
        where: [{exits: {of: $match, by: [return, break]}}]
        holds:
          - |
            def f():
                for x in a:
                    return x
          - |
            for x in a:
                if x: break
        fails:
          - |
            for x in a:
                if x: continue
                f(x)
          - |
            for x in a:
                while x:
                    break
    """
    statement = branching_of(match, argument["of"])
    found = {one.word for one in suites_of(match.module).exits(statement)}
    return match if found.intersection(argument.get("by", found)) else None


@predicate(FLAG)
def before_failure(match: Match, wanted: Any) -> Match | None:
    """Whether the block that the match stands in, of an ``if``, ``else`` or ``except``, ends with a
    ``raise``, or with a call that ends the program by another code than 0: the program gives up
    there.

    ::

        match: print($...given)
        where: [{before_failure: true}]
        holds:
          - |
            if wrong:
                print('no')
                raise ValueError()
          - "if wrong: print('no'); sys.exit('wrong')"
          - |
            try:
                f()
            except OSError as error:
                print(error)
                sys.exit(1)
        fails:
          - |
            if done:
                print('yes')
                sys.exit(0)
          - |
            print('no')
            raise ValueError()
          - |
            for x in a:
                print(x)
                sys.exit(1)
    """
    found = _is_of_branch(match.node) and _fails(_last_in(block_of(statement_of(match.node))[-1]))
    return match if found == wanted else None


def _is_of_branch(node: LN) -> bool:
    line = line_statement(statement_of(node))
    block = line.parent if line.parent is not None and line.parent.type == symbols.suite else line
    if block.parent is None or block.parent.type not in _BRANCHES:
        return False
    before = block.prev_sibling.prev_sibling  # behind the colon
    return block.parent.type == symbols.if_stmt or str(before).split(None, 1)[0] == "except"


def _last_in(line: LN) -> LN:
    """The last statement of a line."""
    if line.type != symbols.simple_stmt:
        return line
    return [one for one in line.children if one.type not in (token.SEMI, token.NEWLINE)][-1]


def _fails(statement: LN) -> bool:
    if statement.type == symbols.raise_stmt or is_name(statement):
        return statement.type == symbols.raise_stmt or bool(statement.value == "raise")
    call = outer_call((statement,))
    if call is None or ".".join(dotted(call.callee)) not in EXITS:
        return False
    return any(str(argument.value).strip() != "0" for argument in call.arguments)


@predicate(keys({"of": CAPTURE, "as": GIVEN}))
def binds(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the blocks of the ``if``, ``while`` or ``for`` that $of is bind names, or the
    head of the ``for`` does; they are listed with commas, for a template.

    ::

        query: if_stmt< any* >
        where: [{binds: {of: $match, as: names}}]
        holds:
          - |
            if a:
                x = 1
            else:
                y = 2
        captures: {names: "x, y"}
        fails:
          - |
            if a:
                f()
          - |
            if a:
                a.x = 1
          - |
            if a:
                b[0] = 1
    """
    statement = branching_of(match, argument["of"])
    tree = match.module.tree
    parts = [part for clause in clauses(statement) for part in (clause.target, clause.suite)]
    spans = [tree.span((part,)) for part in parts if part is not None]
    names = suites_of(match.module).bound(match.module.scope_of(statement), *spans)
    return match.with_texts({argument["as"]: ", ".join(names)}) if names else None


@predicate(
    keys({"of": CAPTURE, "as": GIVEN}, {"in_place": REGEX, "literals": FLAG, "logical": FLAG})
)
def resists(match: Match, argument: Any) -> Match | None:
    """``{of, as, in_place?, literals?, logical?}``: something in the ``if``, ``while`` or ``for``
    that $of is cannot be said by functions that are given values and give some: it leaves a block,
    is there for its effect, changes an attribute or item, gets a value on some ways only …; what it
    is, and where, can be said. ``in_place`` is a regular expression for methods that change what
    they are called on, without ``literals`` no number or text may be among the values, and with
    ``logical`` there are calls for `and`, `or` and `not` in a test.

    ::

        query: if_stmt< any* >
        where: [{resists: {of: $match, as: reason}}]
        holds:
          - |
            def f(x):
                if x:
                    return 1
                g()
          - |
            if x:
                print(x)
          - |
            if x:
                x.size = 1
        captures: {reason: "a `return` leaves a block, in line 3"}
        fails:
          - |
            def f(x):
                if x:
                    return 1
                return 2
          - |
            def f(x, y):
                if x:
                    y = g(x)
                return y
          - |
            def f(x):
                if x:
                    y = 1
                else:
                    y = g(x)
                return y
    """
    state = BlockState(branching_of(match, argument["of"]), match.module)
    told = (argument.get("in_place", ""), argument.get("literals", True))
    found = state.resistance(*told, argument.get("logical", False))
    return match.with_texts({argument["as"]: str(found)}) if found is not None else None


@predicate(keys({"of": CAPTURE, "as": GIVEN}))
def updates(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the blocks of the ``if``, ``while`` or ``for`` that $of is change names by an
    operator like ``+=``; they are listed with commas.

    ::

        query: if_stmt< any* >
        where: [{updates: {of: $match, as: names}}]
        holds:
          - |
            if a:
                x += 1
            else:
                y *= 2
        captures: {names: "x, y"}
        fails:
          - |
            if a:
                x = x + 1
          - |
            if a:
                b.x += 1
          - |
            x += 1
            if a:
                f()
    """
    found = BlockState(branching_of(match, argument["of"]), match.module).updated
    return match.with_texts({argument["as"]: ", ".join(found)}) if found else None


@predicate(keys({"of": CAPTURE, "by": one_of("continue", "break", "return")}))
def left_early(match: Match, argument: Any) -> Match | None:
    """``{of, by}``: the loop that $of is has a `continue` or `break`, or the function a `return`,
    of its own, elsewhere than where all ways meet: a `return` as the last statement of a function,
    or at the end of a `for` one `break` that alone stands under a condition, which is a name.

    ::

        query: while_stmt< any* >
        where: [{left_early: {of: $match, by: break}}]
        holds:
          - |
            while a:
                if b:
                    break
                f()
        fails:
          - |
            while a:
                f()
          - |
            while a:
                if b:
                    continue
                f()
          - |
            while a:
                for x in b:
                    break
    """
    (node,) = match.capture(argument["of"])[:1]
    if argument["by"] == "return":
        suite = function_of(match, argument["of"]).children[-1]
        found = returns(node)
        last = suite.children[-2] if suite.type == symbols.suite else suite
        at_end = [one for one in found if line_statement(one) is last]
    else:
        exits = suites_of(match.module).exits(branching_of(match, argument["of"]))
        found = [e.node for e in exits if e.word == argument["by"] and e.target is node]
        last = last_break(node)
        at_end = [one for one in found if any(around is last for around in ancestors(one))]
    return match if len(found) > len(at_end) or len(at_end) > 1 else None


@predicate(CAPTURE)
def ends_loop(match: Match, capture: Any) -> Match | None:
    """$x is an ``if`` at the end of a ``for`` that a name, and nothing else, makes a `break`.

    ::

        query: if_stmt< any* >
        where: [{ends_loop: $match}]
        holds:
          - |
            for x in a:
                f(x)
                if done:
                    break
        fails:
          - |
            for x in a:
                if done:
                    break
                f(x)
          - |
            for x in a:
                if g(x):
                    break
          - |
            while a:
                f(x)
                if done:
                    break
    """
    statement = branching_of(match, capture)
    loop = statement.parent.parent
    return match if loop is not None and last_break(loop) is statement else None


@predicate(CAPTURE)
def connects(match: Match, capture: Any) -> Match | None:
    """A test of the ``if`` or ``while`` that $x is has parts that Python may not evaluate: it
    connects them by `and`, `or`, or as a chain of comparisons.

    ::

        query: if_stmt< any* >
        where: [{connects: $match}]
        holds:
          - |
            if a and b:
                f()
          - |
            if a < b < c:
                f()
          - |
            if a:
                f()
            elif b or c:
                f()
        fails:
          - |
            if not a:
                f()
          - |
            if f(a, b):
                a and b
          - |
            if f(a and b):
                g()
    """
    return match if BlockState(branching_of(match, capture), match.module).connects else None


@predicate(CAPTURE)
def branches(match: Match, capture: Any) -> Match | None:
    """The function that $x is has an ``if``, ``while`` or ``for`` of its own.

    ::

        query: funcdef< any* >
        where: [{branches: $match}]
        holds:
          - |
            def f(a):
                if a:
                    return 1
                return 2
        fails:
          - |
            def f(a):
                return 1 if a else 2
          - |
            def f(a):
                try:
                    return a()
                finally:
                    g()
    """
    nodes = own_nodes(function_of(match, capture).children[-1])
    return match if any(node.type in BRANCHING for node in nodes) else None


@predicate(keys({"of": CAPTURE, "as": GIVEN}, {"parameters": FLAG}))
def rebinds(match: Match, argument: Any) -> Match | None:
    """``{of, as, parameters?}``: the function that $of is binds variables, or parameters, more than
    once, each time by itself; they are listed with commas, for a template.

    ::

        query: funcdef< any* >
        where: [{rebinds: {of: $match, as: names}}]
        holds:
          - |
            def f(a):
                x = g(a)
                x = h(x)
                a += 1
                return a, x
        captures: {names: "a, x"}
        fails:
          - |
            def f(a):
                x = g(a)
                return x
          - |
            def f(a):
                for x in a:
                    g(x)
                for x in a:
                    h(x)
    """
    function = match.module.scope_of(function_of(match, argument["of"]).children[-1])
    found = [
        one.name for one in rebound(function, match.module)
        if one.parameter is not None or not argument.get("parameters")
    ]  # fmt: skip
    return match.with_texts({argument["as"]: ", ".join(found)}) if found else None
