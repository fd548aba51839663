"""What the programs of a match do: where they begin, and what they call, make and spell."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.linear_regex import regular
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.entry import has_test_cases
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    ancestors,
    leaves,
    main_guards,
)
from pinsetter.analyzer.values.questions import possible_calls

from ..matching.inert_modules import runs_early
from ..matching.match import Match
from .arguments import (
    CLASSES,
    FLAG,
    FUNCTIONS,
    GIVEN,
    NAMES,
    REGEX,
    keys,
    list_of,
)
from .conditions import (
    function_names,
    of_some_module,
)
from .registry import predicate

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
    stem = match.module.path.stem
    called_so = stem.startswith("test_") or stem.endswith("_test")
    called_so = called_so and all(map(_runs_tests, main_guards(match.module.tree.root)))
    if called_so:  # a script that trains when it is run is no test, whatever it is called
        steps = match.facts.programs.steps_in(match.module)
        called_so = all(match.module.scope_of(step).function is not None for step in steps)
    found = stem == "conftest" or has_test_cases(match.module, match.facts.evaluator)
    found = found or any(
        called_so and scope.kind == "function" and scope.name.startswith("test")
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


@predicate(list_of(REGEX))
def program_names(match: Match, patterns: Any) -> Match | None:
    """In a name that the code of some module of the match's programs uses one of the regular
    expressions is found: of variables, attributes, functions and arguments, not in strings and
    comments. It tells what a program speaks of, where what it calls cannot be told.

    ::

        match: f()
        where: [{program_names: ["(?i)shuffl", ^choice$]}]
        holds:
          - |
            f()
            rows.shuffle(7)
          - |
            # file: main.py
            import other
            f()
            # file: other.py
            def next_row(rows):
                return choice(rows)
        fails:
          - |
            f()
            rows.choices(7)
          - |
            f()
            print("shuffle")  # to shuffle
    """
    named = tuple(patterns)
    found = of_some_module(
        match, (_names, named), lambda module: _names(match.facts, module, named)
    )
    return match if found else None


def _names(facts: Facts, module: Module, patterns: tuple[str, ...]) -> bool:
    """Whether a module has such a name; asked for each program that it is part of."""
    return facts.remembered(
        (_names, id(module), patterns),
        lambda: any(regular(p).search(name) for p in patterns for name in module.names),
    )


def _spells(facts: Facts, module: Module, patterns: tuple[str, ...]) -> bool:
    """Whether a module has such a string; asked for each match of a rule."""

    def spells() -> bool:
        strings = (node for node in module.tree.nodes() if node.type == token.STRING)
        texts = {string.value.lstrip(_PREFIXES).strip("\"'") for string in strings}
        return any(regular(p).search(text) is not None for p in patterns for text in texts)

    return facts.remembered((_spells, id(module), patterns), spells)
