"""What statements do with names, and how control goes through them: activity, liveness, reaching
definitions. Names of functions and attribute paths (`self.n`) alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow import Flow, flow_of
from pinsetter.analyzer.flow.activity import Activity
from pinsetter.analyzer.flow.suites import always_leaves, own_nodes
from pinsetter.analyzer.syntax.tree import (
    LN,
    Expression,
    between_commas,
    in_case_pattern,
    is_name,
    is_variable,
    lines_of,
    statement_of,
)

from ..edits.precedence import is_target
from ..matching.match import Match
from .arguments import CAPTURE, GIVEN, keys, one_of
from .registry import predicate

_PARAMETERS = {symbols.typedargslist, symbols.varargslist, symbols.parameters, symbols.tname}
_LINES = {symbols.suite, symbols.simple_stmt}
# Bindings of what stands there, and not of an item of that, or of what it enters.
_WHOLE = {"assign", "walrus"}
_LISTED = keys({"of": CAPTURE, "as": GIVEN})


@predicate(_LISTED)
def reads(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the expression that $of is, or its statements with all blocks that they have,
    read names and attributes, which are listed with commas: `x, self.n`. What functions inside take
    from around is read; their own names are not. What is assigned to or declared, and not
    evaluated, stands for its statement.

    ::

        match: |
          with step():
              $...body
        where: [{reads: {of: $...body, as: names}}]
        holds:
          - |
            with step():
                x = self.n + y
          - |
            with step():
                f = lambda z: z + y
        captures: {names: "self, self.n, y"}
        fails:
          - |
            with step():
                x = 1
          - |
            with step():
                pass
    """
    return _listed(match, argument, lambda found: found.read)


@predicate(_LISTED)
def writes(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the same for what it binds, `x`, or stores, `self.n` or `x[0]`.

    ::

        match: |
          with step():
              $...body
        where: [{writes: {of: $...body, as: names}}]
        holds:
          - |
            with step():
                x = self.n = y
          - |
            with step():
                for z in y:
                    import os
        captures: {names: "self.n, x"}
        fails:
          - |
            with step():
                f(x)
          - |
            with step():
                x.append(1)
    """
    return _listed(match, argument, lambda found: found.written | found.deleted)


@predicate(_LISTED)
def changes(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the same for what keeps its name and not its state: the target of `+=`, and
    what an attribute or item of is stored.

    ::

        match: |
          with step():
              $...body
        where: [{changes: {of: $...body, as: names}}]
        holds:
          - |
            with step():
                x += 1
                self.a.b = y[0] = 2
        captures: {names: "self.a, x, y"}
        fails:
          - |
            with step():
                x = 1
          - |
            with step():
                x.append(1)
    """
    return _listed(match, argument, lambda found: found.modified)


@predicate(keys({"of": CAPTURE, "as": GIVEN}, {"at": one_of("start", "end")}))
def live(match: Match, argument: Any) -> Match | None:
    """``{of, as, at?}``: names of the function, or module, around the statements that $of is may be
    read from their end on, or with `at: start` from their beginning, before they are bound; they
    are listed with commas. An expression stands for its statement.

    ::

        match: |
          with step():
              $...body
        where: [{live: {of: $...body, as: names}}]
        holds:
          - |
            def f(a):
                with step():
                    b = a + 1
                    c = b
                return c
          - |
            def f(a):
                while a:
                    with step():
                        a = a - 1
        captures: {names: c}
        fails:
          - |
            def f(a):
                with step():
                    b = a + 1
                b = 2
                return b
          - |
            def f(a):
                with step():
                    print(a)
    """
    lines = _lines(match, argument["of"])
    if not lines:
        return None
    flow = _flow(match, lines[0])
    at_start = argument.get("at") == "start"
    found = flow.live_before(lines[0]) if at_start else flow.live_after(lines[0], last=lines[-1])
    return _with(match, argument["as"], found)


@predicate(keys({"of": CAPTURE}, {"as": GIVEN, "lines": GIVEN}))
def reaching(match: Match, argument: Any) -> Match | None:
    """``{of, as?, lines?}``: bindings of the name that $of is may give it the value that is read
    there, and all that may are known; the lines in which they stand are listed with commas, and if
    there is one, which assigns it a whole value, that is $as.

    ::

        match: f($x)
        where: [{reaching: {of: $x, as: value, lines: lines}}]
        holds:
          - |
            def g(a):
                x = a + 1
                f(x)
          - |
            def g(a):
                x = 1
                x = a
                f(x)
        captures: {value: a + 1, lines: "2"}
        fails:
          - |
            def g(a):
                x = 1
                if a:
                    x = 2
                f(x)
          - |
            def g(a):
                if a:
                    x = 2
                f(x)
          - |
            def g(a):
                for x in a:
                    f(x)
    """
    leaf = _name(match, argument["of"])
    if leaf is None:
        return None
    flow = flow_of(match.module.scope_of(leaf), match.module)
    try:
        found = flow.definitions_of(leaf)
        if not found or flow.bound_elsewhere(leaf) or flow.maybe_unbound(leaf):
            return None
    except KeyError:
        return None
    if "as" in argument:
        one = found[0]
        if len(found) != 1 or one.kind not in _WHOLE or not one.value or one.element:
            return None
        match = match.with_captures({argument["as"]: one.value})
    if "lines" in argument:
        lines = sorted({match.module.tree.line_of(one.node) for one in found})
        match = match.with_texts({argument["lines"]: ", ".join(map(str, lines))})
    return match


@predicate(CAPTURE)
def may_be_unbound(match: Match, capture: Any) -> Match | None:
    """The name that $x is may have no value where it is read.

    ::

        match: f($x)
        where: [{may_be_unbound: $x}]
        holds:
          - |
            def g(a):
                if a:
                    x = 1
                f(x)
          - |
            def g(a):
                for x in a:
                    pass
                f(x)
        fails:
          - |
            def g(a):
                if a:
                    x = 1
                else:
                    return
                f(x)
          - |
            def g(x):
                f(x)
          - f(unknown)
    """
    leaf = _name(match, capture)
    if leaf is None or not is_variable(leaf) or not match.module.reads((leaf,)):
        return None
    try:
        found = flow_of(match.module.scope_of(leaf), match.module).maybe_unbound(leaf)
    except KeyError:
        return None
    return match if found else None


@predicate(CAPTURE)
def local(match: Match, capture: Any) -> Match | None:
    """$x is a name that the function around it binds, and no function inside it does.

    ::

        match: f($x)
        where: [{local: $x}]
        holds:
          - |
            def g(x):
                f(x)
          - |
            def g():
                for x in a:
                    f(x)
        fails:
          - |
            x = 1
            f(x)
          - |
            def g():
                x = 1
                def h():
                    f(x)
          - |
            def g():
                x = 1
                def h():
                    nonlocal x
                    x = 2
                f(x)
    """
    leaf = _name(match, capture)
    if leaf is None:
        return None
    scope = match.module.scope_of(leaf)
    if scope.kind != "function" or scope.owner(leaf.value) is not scope:
        return None
    return None if leaf.value in flow_of(scope, match.module).flows.redirected else match


@predicate(CAPTURE)
def leaves_always(match: Match, capture: Any) -> Match | None:
    """Control never gets behind the statements that $x is, or behind the last statement of the
    function that it is: on each way there is a `return`, `raise`, `break` or `continue`.

    ::

        match: |
          with step():
              $...body
        where: [{leaves_always: $...body}]
        holds:
          - |
            with step():
                raise ValueError()
          - |
            with step():
                if a:
                    return 1
                else:
                    return 2
        fails:
          - |
            with step():
                f()
          - |
            with step():
                if a:
                    return 1
          - |
            with step():
                sys.exit()
    """
    lines = _lines(match, capture)
    if lines and lines[0].type == symbols.funcdef:
        lines = [lines[0].children[-1]]
    return match if any(map(always_leaves, lines)) else None


def _listed(
    match: Match, argument: Any, which: Callable[[Activity], Iterable[str]]
) -> Match | None:
    expressions = _evaluated(match, argument["of"])
    lines = [] if expressions else _lines(match, argument["of"])
    if not expressions and not lines:
        return None
    flow = _flow(match, lines[0] if lines else expressions[0][0])
    found: set[str] = set()
    for expression in expressions:
        found.update(which(flow.evaluating(expression)))
    for node in chain.from_iterable(map(own_nodes, lines)):
        try:
            found.update(which(flow.activity(node)))
        except KeyError:
            continue  # no statement
    return _with(match, argument["as"], found)


def _with(match: Match, name: str, found: Iterable[str]) -> Match | None:
    names = sorted(found)
    return match.with_texts({name: ", ".join(names)}) if names else None


def _name(match: Match, capture: str) -> LN | None:
    """The name that a capture is, if it is one alone."""
    found = match.capture(capture)
    return found[0] if len(found) == 1 and is_name(found[0]) else None


def _lines(match: Match, capture: str) -> list[LN]:
    """The statements of one block that a capture is; of code that is none, the one around it."""
    nodes = match.capture(capture)
    if not nodes:
        return []
    first, *more = nodes
    if first.type == symbols.suite:
        return lines_of(first)
    if first.type == symbols.simple_stmt or statement_of(first) is first:
        return [first, *(one for one in more if one.type != token.SEMI)]
    return [statement_of(first)]


def _evaluated(match: Match, capture: str) -> list[Expression]:
    """The expressions that a capture is, if it is no statement, and Python evaluates them."""
    nodes = match.capture(capture)
    if not nodes or nodes[0].type in _LINES or statement_of(nodes[0]) is nodes[0]:
        return []
    found = between_commas(nodes)
    is_read = all(
        match.module.reads(one) and one[0].parent.type not in _PARAMETERS and
        all(node.type != symbols.comp_for for node in one)
        for one in found
    )  # fmt: skip
    is_read = is_read and not is_target(nodes[0], nodes[-1]) and not in_case_pattern(nodes[0])
    return found if is_read else []


def _flow(match: Match, statement: LN) -> Flow:
    return flow_of(match.module.scope_of(statement), match.module)
