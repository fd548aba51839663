"""Where a match stands: under which conditions, and beside which code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow.suites import EXITS, always_leaves
from pinsetter.analyzer.names.definition import Definition
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    Expression,
    ancestors,
    block_of,
    flat,
    leaves,
    line_statement,
    statement_of,
    walk,
)

from ..matching.match import Match
from ..matching.pattern_words import words_of
from ..packs.code_in import pattern_in
from ..reading.pattern import Pattern
from .arguments import (
    CAPTURE,
    CODE,
    CONDITIONS,
    FUNCTIONS,
    GIVEN,
    NAMES,
    keys,
    list_of,
    one_of,
)
from .conditions import (
    fits,
    function_names,
    may_be_meant,
    mentions,
    program_modules,
)
from .registry import predicate, satisfies

BRANCHING = frozenset({symbols.if_stmt, symbols.try_stmt})
_SCOPES = frozenset({symbols.funcdef, symbols.lambdef, symbols.classdef})


@predicate(FUNCTIONS)
def guarded(match: Match, names: Any) -> Match | None:
    """The match stands under a condition that calls one of the functions.

    ::

        match: f()
        where: [{guarded: [os.getenv]}]
        holds:
          - |
            import os
            if os.getenv('A'):
                f()
          - |
            import os
            if a:
                g()
            elif os.getenv('A'):
                f()
          - |
            import os
            a = os.getenv('A')
            x = f() if a == '1' else 2
        fails:
          - |
            import os
            f() and os.getenv('A')
          - |
            import os
            if not os.getenv('A'):
                exit()
            f()
          - |
            if a:
                f()
    """
    wanted = function_names(match, names)
    return match if _is_guarded(match.node, match.module, match, wanted) else None


@predicate(NAMES)
def behind(match: Match, names: Any) -> Match | None:
    """Only some get to the match, by a condition that calls one of the functions: it stands under
    one, or after an ``if`` with one that is left otherwise, or in a function that is called only
    so.

    ::

        match: f()
        where: [{behind: [os.getenv]}]
        holds:
          - |
            import os
            def g():
                if not os.getenv('A'):
                    return
                f()
          - |
            import os
            def g():
                f()
            if os.getenv('A'):
                g()
        fails:
          - |
            import os
            def g():
                f()
            g()
            if os.getenv('A'):
                g()
          - |
            import os
            if os.getenv('A'):
                g()
            f()
    """
    wanted = function_names(match, names)
    if not may_be_meant(names, match):
        return None
    return match if _is_behind(match.node, match.module, match, wanted, ()) else None


def _is_guarded(node: LN, module: Module, match: Match, wanted: frozenset[str]) -> bool:
    child: LN = node
    for parent in ancestors(node):
        if mentions(tuple(_asked_before(child, parent)), module, match, wanted, 1):
            return True
        child = parent
    return False


def _asked_before(child: LN, parent: LN) -> list[LN]:
    """The conditions by which a part of a statement or expression is got to, or not."""
    before = list(takewhile(lambda one: one is not child, parent.children))
    if parent.type == symbols.if_stmt:
        return before[1::4]  # each behind its word, before a colon and a block
    if parent.type == symbols.test:
        return [] if child is parent.children[2] else [parent.children[2]]
    if parent.type in (symbols.and_test, symbols.or_test):
        return before
    if parent.type == symbols.match_stmt and child.type == symbols.case_block:
        return [parent.children[1]]
    if parent.type == symbols.case_block and child is parent.children[-1]:
        return [one for one in before if one.type == symbols.guard]
    return []


# Calls of calls are followed so far; recursion ends somewhere.
_DEEPEST = 50


def _is_behind(
    node: LN, module: Module, match: Match, wanted: frozenset[str], inside: tuple[LN, ...]
) -> bool:
    if _is_guarded(node, module, match, wanted):
        return True
    if len(inside) > _DEEPEST:
        return False
    child: LN = node
    for parent in ancestors(node):
        if parent.type in (symbols.suite, symbols.file_input):
            first = _first_to_let_some_on(parent, module, match, wanted)
            if first is not None and first < module.tree.start(child):
                return True
        if parent.type == symbols.lambdef or any(parent is one for one in inside):
            return False
        if parent.type == symbols.funcdef:
            calls = _all_calls(parent, module, match)
            return bool(calls) and all(
                _is_behind(call.trailer, where, match, wanted, (*inside, parent))
                for call, where in calls
            )
        child = parent
    return False


def _first_to_let_some_on(
    block: LN, module: Module, match: Match, wanted: frozenset[str]
) -> int | None:
    """Where the first such statement of a block begins; None if there is none."""

    def first() -> int | None:
        starts = (
            module.tree.start(one)
            for one in block.children
            if _lets_some_on(one, module, match, wanted)
        )
        return next(starts, None)

    return match.facts.remembered((_lets_some_on, id(block), wanted), first)


def _lets_some_on(statement: LN, module: Module, match: Match, wanted: frozenset[str]) -> bool:
    """Whether it is an ``if`` on one of the functions, of which a branch is always left."""
    if statement.type != symbols.if_stmt:
        return False
    suites = [p for p in statement.children if p.type in (symbols.suite, symbols.simple_stmt)]
    conditions = (statement.children[1],)
    return any(always_leaves(suite, EXITS) for suite in suites) and mentions(
        conditions, module, match, wanted, 1
    )


def _all_calls(function: LN, module: Module, match: Match) -> list[tuple[Call, Module]]:
    """The calls of a function, if nothing else is done with its name anywhere; else none."""
    scope = module.scopes.opened_by(function)
    if scope is None:
        return []
    calls = list(match.facts.evaluator.callers.sites(Definition(module, scope)))
    callees = {id(leaf) for call, _ in calls for node in call.callee for leaf in leaves(node)}
    others = match.facts.mentions.get(scope.name, []) if calls else []
    known = {*callees, id(function.children[1])}
    return calls if all(id(leaf) in known for leaf in others) else []


@predicate(
    keys(
        {"code": CODE, "in": one_of("block", "before", "function", "module", "program")},
        {"of": CAPTURE, "as": GIVEN, "holds": CONDITIONS, "binds": list_of(GIVEN)},
    )
)
def present(match: Match, argument: Any) -> Match | None:
    """``{code, in, of?, as?, holds?, binds?}``: the code pattern, with the rule's captures, fits
    somewhere in the rest of the ``block`` or in what stands ``before`` the match, or $of, in it, in
    the ``function``, ``module`` or ``program`` around the match; and there the conditions under
    ``holds`` hold of what fits, which is $as, and $match, in them. The first place that fits says
    what the captures under ``binds`` are.

    ::

        match: f($x)
        where: [{present: {code: $x.close(), in: block}}]
        holds:
          - |
            f(a)
            a.close()
          - |
            f(a)
            if b:
                a.close()
        fails:
          - |
            f(a)
            b.close()
          - |
            a.close()
            f(a)
          - |
            if b:
                f(a)
            a.close()
    """
    pattern = pattern_in(match.pack, argument["code"])
    around = match.capture(argument.get("of", "$match"))
    conditions, name = argument.get("holds", ()), argument.get("as", "match")
    for module, node in _places(match, argument["in"], statement_of(around[0])):
        for found in _fitting(pattern, node, match, module, bool(conditions)):
            there = replace(match, module=module).with_captures({**found, name: found["match"]})
            if satisfies(there, conditions) is not None:
                return match.with_captures({n: found[n] for n in argument.get("binds", ())})
    return None


def _fitting(
    pattern: Pattern, node: LN, match: Match, module: Module, every: bool
) -> Sequence[Mapping[str, Expression]]:
    """The ways in which a pattern fits in a node; one of them, if not ``every`` is asked for."""

    words = match.facts.remembered((words_of, id(pattern)), lambda: words_of(pattern))
    if any(word not in module.source.text for word in words):
        return ()

    def ways() -> Sequence[Mapping[str, Expression]]:
        parts = module.tree.nodes_of(pattern.kinds, node)
        found = (way for part in parts for way in fits(pattern, part, match, module))
        return [*(found if every else islice(found, 1))]

    if node is not module.tree.root:
        return ways()
    # Many matches ask the same of a whole file; the pattern is one that is kept.
    own = [
        (name, tuple(leaf.value for part in flat(code) for leaf in leaves(part)))
        for name, code in sorted(match.captures.items())
        if name != "match" and name in pattern.names
    ]
    return match.facts.remembered((_fitting, id(pattern), tuple(own), id(module), every), ways)


def _places(match: Match, where: str, statement: LN) -> Iterator[tuple[Module, LN]]:
    if where in ("block", "before"):
        block = block_of(statement)
        mine = line_statement(statement)
        at = next((i for i, node in enumerate(block) if node is mine), 0)
        for node in block[at:] if where == "block" else block[:at]:
            yield match.module, node
    elif where == "function":
        function = match.module.scope_of(match.node).function
        yield match.module, function.node if function else match.module.tree.root
    elif where == "module":
        yield match.module, match.module.tree.root
    else:
        for module in program_modules(match):
            yield module, module.tree.root


@predicate(CAPTURE)
def in_branch(match: Match, capture: Any) -> Match | None:
    """The statement of $x stands in a branch of an ``if`` or ``try``, inside its function; what
    stands under ``if __name__ == "__main__"`` alone does not.

    ::

        match: f()
        where: [{in_branch: $match}]
        holds:
          - |
            if a:
                f()
          - |
            try:
                f()
            finally:
                g()
        fails:
          - |
            if __name__ == '__main__':
                f()
          - |
            for x in a:
                f()
          - |
            if a:
                def g():
                    f()
    """
    return match if _branches(match.capture(capture)[0], match.module) else None


@predicate(CAPTURE)
def passed_by(match: Match, capture: Any) -> Match | None:
    """Not every run of the program need get to $x: it stands in a branch (``in_branch``), or behind
    one that returns, or a call of its function does, or of the function around that.

    ::

        match: f()
        where: [{passed_by: $match}]
        holds:
          - |
            if a:
                f()
          - |
            def g():
                f()
            if a:
                g()
          - |
            def g():
                try:
                    h()
                except OSError:
                    return
                f()
        fails:
          - |
            def g():
                f()
            g()
          - |
            def g():
                def h():
                    return 1
                f()
                return 2
          - |
            if __name__ == '__main__':
                f()
    """
    waiting = [(match.capture(capture)[0], match.module)]
    seen: set[int] = set()
    while waiting:
        node, module = waiting.pop()
        if _branches(node, module) or _is_behind_return(node):
            return match
        function = module.scope_of(node).function
        if function is not None and id(function) not in seen:
            seen.add(id(function))
            sites = match.facts.evaluator.callers.sites(Definition(module, function))
            waiting += [(call.trailer, where) for call, where in sites]
    return None


def _is_behind_return(node: LN) -> bool:
    """Whether its function may have returned before."""
    child = statement_of(node)
    for parent in ancestors(child):
        if parent.type in _SCOPES:
            return False
        for before in parent.children:
            if before is child:
                break
            if before.type not in _SCOPES and _returns(before):
                return True
        child = parent
    return False


def _returns(statement: LN) -> bool:
    words = (node for node in walk(statement, skip={*_SCOPES}) if node.type == token.NAME)
    return any(word.value == "return" for word in words)


def _branches(node: LN, module: Module) -> bool:
    for parent in ancestors(statement_of(node)):
        if parent.type in _SCOPES:
            return False
        if parent.type in BRANCHING and not any(parent is g for g in module.main_guards):
            return True
    return False
