"""Where a match stands: in which scope, program, condition, call, beside which code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.linear_regex import regular
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
    main_guards,
    statement_of,
)
from pinsetter.analyzer.values.questions import possible_calls

from ..matching.inert_modules import runs_early
from ..matching.match import Match
from ..matching.pattern_words import words_of
from ..packs.code_in import pattern_in
from ..reading.pattern import Pattern
from .arguments import (
    CAPTURE,
    CLASSES,
    CODE,
    CONDITIONS,
    FLAG,
    FUNCTIONS,
    GIVEN,
    NAMES,
    REGEX,
    keys,
    list_of,
    one_of,
)
from .conditions import (
    fits,
    function_names,
    may_be_meant,
    mentions,
    of_some_module,
    program_modules,
)
from .registry import predicate, satisfies

BRANCHING = frozenset({symbols.if_stmt, symbols.try_stmt})
_SCOPES = frozenset({symbols.funcdef, symbols.lambdef, symbols.classdef})
_TEST_CASE = "unittest.TestCase"
# What may stand before the quotes of a string.
_PREFIXES = "rRuUbBfFtT"


@predicate(FLAG)
def entry(match: Match, wanted: Any) -> Match | None:
    """Whether the module is the entry script of a program.

    ::

        match: f()
        where: [{entry: true}]
        holds:
          - f()
          - |
            # file: main.py
            import other
            f()
            # file: other.py
            x = 1
        fails:
          - |
            # file: main.py
            import other
            # file: other.py
            f()
          - |
            # file: main.py
            from app.other import g
            # file: app/__init__.py
            x = 1
            # file: app/other.py
            def g():
                f()
    """
    return match if match.facts.programs.is_entry(match.module) == wanted else None


@predicate(FLAG)
def tests(match: Match, wanted: Any) -> Match | None:
    """Whether the module is run by a test runner: it is pytest's conftest.py, defines a test case
    of unittest, or functions called ``test…`` in a file that is called so, and which does nothing
    else when it is run.

    ::

        match: f()
        where: [{tests: true}]
        holds:
          - |
            # file: test_a.py
            def test_a():
                f()
          - |
            # file: main.py
            import unittest
            class Some(unittest.TestCase):
                def test_a(self):
                    f()
          - |
            # file: conftest.py
            f()
        fails:
          - |
            # file: main.py
            def test_a():
                f()
          - |
            # file: test_a.py
            f()
          - |
            # file: test_a.py
            def test_a(): pass
            if __name__ == '__main__':
                f()
    """
    hierarchy = match.facts.evaluator.hierarchy
    stem = match.module.path.stem
    called_so = stem.startswith("test_") or stem.endswith("_test")
    called_so = called_so and all(map(_runs_tests, main_guards(match.module.tree.root)))
    if called_so:  # a script that trains when it is run is no test, whatever it is called
        steps = match.facts.programs.steps_in(match.module)
        called_so = all(match.module.scope_of(step).function is not None for step in steps)
    found = stem == "conftest" or any(
        (called_so and scope.kind == "function" and scope.name.startswith("test"))
        or (
            scope.kind == "class"
            and hierarchy.isa(f"{match.module.name}.{scope.qualified_name}", _TEST_CASE)
        )
        for scope in match.module.scopes
    )
    return match if found == wanted else None


def _runs_tests(guard: LN) -> bool:
    """Whether what a module does when it is run is to call a test runner, as pytest.main(), or
    nothing."""
    words = {leaf.value for leaf in leaves(guard.children[3]) if leaf.value.strip()}
    return words == {"pass"} or not words.isdisjoint(
        ("pytest", "unittest", "test", "absltest", "nose")
    )


@predicate(NAMES)
def precedes(match: Match, names: Any) -> Match | None:
    """The match may run before its program has called one of the functions, if the program calls
    one.

    ::

        match: f()
        where: [{precedes: [json.dumps]}]
        holds:
          - |
            import json
            f()
            json.dumps(1)
          - |
            import json
            if a:
                json.dumps(1)
            f()
        fails:
          - |
            import json
            json.dumps(1)
            f()
          - f()
    """
    if program_calls(match, names) is None:
        return None
    wanted = function_names(match, names)
    for program in match.facts.programs.of(match.module):
        starting = match.facts.starting(program, wanted)
        if not starting.found or starting.may_precede(match.node):
            return match
    return None


@predicate(NAMES)
def only_before(match: Match, names: Any) -> Match | None:
    """The match runs before its program has called one of the functions, and not again later.

    ::

        match: f()
        where: [{only_before: [json.dumps]}]
        holds:
          - |
            import json
            f()
            json.dumps(1)
        fails:
          - |
            import json
            json.dumps(1)
            f()
          - |
            import json
            for x in a:
                f()
                json.dumps(x)
          - f()
    """
    if program_calls(match, names) is None:
        return None
    wanted = function_names(match, names)
    for program in match.facts.programs.of(match.module):
        way = match.facts.starting(program, wanted)
        if not way.found or not way.only_precedes(match.node):
            return None
    return match


@predicate(FLAG)
def imported_early(match: Match, wanted: Any) -> Match | None:
    """Whether the match runs when its module is imported by others, which may be above their start:
    importing it only defines things, and prints.

    ::

        match: print($...given)
        where: [{imported_early: true}]
        holds:
          - |
            # file: main.py
            import other
            # file: other.py
            print('loaded')
        fails:
          - print('loaded')
          - |
            # file: main.py
            import other
            # file: other.py
            def g():
                print('loaded')
          - |
            # file: main.py
            import other
            # file: other.py
            print('loaded')
            begin()
    """
    return match if runs_early(match.node, match.module, match.facts) == wanted else None


@predicate(keys({"functions": NAMES, "as": GIVEN}))
def called_above(match: Match, argument: Any) -> Match | None:
    """``{functions, as}``: above the match the module's own statements, not those of functions,
    call one of the functions; the last that does is captured as $as.

    ::

        match: f()
        where: [{called_above: {functions: [os.getenv], as: asked}}]
        holds:
          - |
            import os
            x = os.getenv('A')
            f()
        captures: {asked: x = os.getenv('A')}
        fails:
          - |
            import os
            f()
            os.getenv('A')
          - |
            import os
            def g():
                os.getenv('A')
            f()
    """
    wanted = function_names(match, argument["functions"])
    place = match.module.tree.start(match.node)
    key = (_called_outside, id(match.module), wanted)
    calls = match.facts.remembered(key, lambda: _called_outside(match, wanted))
    above = [call for start, call in calls if start < place]
    if not above:
        return None
    found: LN = above[-1].power
    outer = [found, *ancestors(found)]
    statement = outer[-2] if len(outer) > 1 else found
    simple = statement.type == symbols.simple_stmt
    return match.with_captures({argument["as"]: (statement.children[0] if simple else statement,)})


def _called_outside(match: Match, wanted: frozenset[str]) -> list[tuple[int, Call]]:
    """The calls of functions by a module's own statements, with their places."""
    module = match.module
    return [
        (module.tree.start(call.trailer), call)
        for call in possible_calls(module, wanted, match.facts.evaluator)
        if module.scope_of(call.trailer).function is None
        and match.facts.evaluator.names(call.callee, module) & wanted
    ]


@predicate(FUNCTIONS)
def program_calls(match: Match, names: Any) -> Match | None:
    """Some module of the match's programs calls one of the functions.

    ::

        match: f()
        where: [{program_calls: [json.dumps]}]
        holds:
          - |
            import json
            f()
            def g():
                json.dumps(1)
          - |
            # file: main.py
            import other
            f()
            # file: other.py
            import json
            json.dumps(1)
        fails:
          - |
            import json
            f()
            g(json.dumps)
          - |
            # file: main.py
            f()
            # file: other.py
            import json
            json.dumps(1)
    """
    wanted = function_names(match, names)
    called = of_some_module(
        match, (_calls_one, wanted), lambda module: _calls_one(match.facts, module, wanted)
    )
    return match if called else None


def _calls_one(facts: Facts, module: Module, functions: frozenset[str]) -> bool:
    """Whether a module calls one of the functions; asked for each match of a rule."""

    def calls() -> bool:
        calls = possible_calls(module, functions, facts.evaluator)
        return any(facts.evaluator.names(call.callee, module) & functions for call in calls)

    return facts.remembered((_calls_one, id(module), functions), calls)


@predicate(CLASSES)
def program_makes(match: Match, names: Any) -> Match | None:
    """Some module of the match's programs calls the constructor of one of the classes or roles.

    ::

        match: f()
        where: [{program_makes: [logging.Handler]}]
        holds:
          - |
            import logging
            f()
            class Own(logging.Handler): pass
            Own()
        fails:
          - |
            import logging
            f()
            class Own(logging.Handler): pass
          - |
            import logging
            f()
            logging.getLogger()
    """
    classes = frozenset(match.pack.classes_called(names))
    made = of_some_module(
        match, (_makes_one, classes), lambda module: _makes_one(match.facts, module, classes)
    )
    return match if made else None


def _makes_one(facts: Facts, module: Module, classes: frozenset[str]) -> bool:
    """Whether a module calls the constructor of one of the classes; asked for each match."""

    def makes() -> bool:
        hierarchy = facts.evaluator.hierarchy
        return any(
            hierarchy.isa(made, cls)
            for call in possible_calls(module, classes, facts.evaluator, below=True)
            for made in facts.evaluator.names(call.callee, module)
            for cls in classes
        )

    return facts.remembered((_makes_one, id(module), classes), makes)


@predicate(list_of(REGEX))
def program_spells(match: Match, patterns: Any) -> Match | None:
    """In a string of some module of the match's programs one of the regular expressions is found;
    between the quotes, as it is written there.

    ::

        match: f()
        where: [{program_spells: ["^gs://"]}]
        holds:
          - |
            path = 'gs://a/b'
            f()
          - |
            # file: main.py
            import other
            f()
            # file: other.py
            PATH = f'gs://a/{name}'
        fails:
          - |
            path = '/gs://'
            f()
          - |
            # gs://a
            f()
    """
    texts = tuple(patterns)
    found = of_some_module(
        match, (_spells, texts), lambda module: _spells(match.facts, module, texts)
    )
    return match if found else None


def _spells(facts: Facts, module: Module, patterns: tuple[str, ...]) -> bool:
    """Whether a module has such a string; asked for each match of a rule."""

    def spells() -> bool:
        strings = (node for node in module.tree.nodes() if node.type == token.STRING)
        texts = {string.value.lstrip(_PREFIXES).strip("\"'") for string in strings}
        return any(regular(p).search(text) is not None for p in patterns for text in texts)

    return facts.remembered((_spells, id(module), patterns), spells)


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
        {"of": CAPTURE, "as": GIVEN, "holds": CONDITIONS},
    )
)
def present(match: Match, argument: Any) -> Match | None:
    """``{code, in, of?, as?, holds?}``: the code pattern, with the rule's captures, fits somewhere
    in the rest of the ``block`` or in what stands ``before`` the match, or $of, in it, in the
    ``function``, ``module`` or ``program`` around the match; and there the conditions under
    ``holds`` hold of what fits, which is $as, and $match, in them.

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
                return match
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
    """Not every run of the program need get to $x: it stands in a branch (``in_branch``), or a call
    of its function does, or of the function around that.

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
        fails:
          - |
            def g():
                f()
            g()
          - |
            if __name__ == '__main__':
                f()
    """
    waiting = [(match.capture(capture)[0], match.module)]
    seen: set[int] = set()
    while waiting:
        node, module = waiting.pop()
        if _branches(node, module):
            return match
        function = module.scope_of(node).function
        if function is not None and id(function) not in seen:
            seen.add(id(function))
            sites = match.facts.evaluator.callers.sites(Definition(module, function))
            waiting += [(call.trailer, where) for call, where in sites]
    return None


def _branches(node: LN, module: Module) -> bool:
    for parent in ancestors(statement_of(node)):
        if parent.type in _SCOPES:
            return False
        if parent.type in BRANCHING and not any(parent is g for g in module.main_guards):
            return True
    return False
