"""Starting: what of a program may run before it has called one of some functions.

The program is gone through in the order in which it runs, from its entry script on: statements of a
module when it is loaded, functions where they are called. A function that is only handed on may be
called at once, and what it starts may be started elsewhere. What is not reached on the way runs
later, or never.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..flow.suites import EXITS, always_leaves
from ..names.definition import Definition
from ..names.module import Module
from ..syntax.tree import LN, ancestors
from ..values.questions import callees
from .mentions import DEFINITIONS, Mentions
from .programs import Program

_SUITES = (symbols.suite, symbols.simple_stmt)
# Calls of calls are followed so far; recursion ends somewhere.
_DEEPEST = 50


class Starting:
    """The way of one program to the first call of one of the functions ``starters``."""

    def __init__(self, program: Program, starters: frozenset[str], mentions: Mentions) -> None:
        self._program = program
        self._starters = starters
        self._mentions = mentions
        self._evaluator = mentions.evaluator
        self._early: set[int] = set()
        self._once: set[int] = set()
        self._repeats = 0
        self._inside: list[int] = []
        self._starts: dict[int, bool] = {}
        self._entered: dict[int, bool] = {}
        self._loaded: set[int] = set()
        self.found = self._load(program.entry)
        """Whether the call is reached whenever the program runs to its end."""

    def may_precede(self, node: LN) -> bool:
        """Whether code of the program may run before the call."""
        return _within(node, self._early)

    def only_precedes(self, node: LN) -> bool:
        """Whether code runs on the way to the call, and not again behind it."""
        return _within(node, self._once)

    def _load(self, module: Module) -> bool:
        if id(module) in self._loaded:
            return False
        self._loaded.add(id(module))
        return self._run(module.tree.root.children, module)

    def _run(self, statements: Iterable[LN], module: Module) -> bool:
        """Go through statements until the call was made; whether it was."""
        return any(self._step(statement, module) for statement in statements)

    def _step(self, statement: LN, module: Module) -> bool:
        if statement.type in DEFINITIONS or statement.type == token.ENDMARKER:
            return False
        if statement.type == symbols.classdef:
            return self._run(statement.children[-1:], module)
        if statement.type in (symbols.suite, symbols.async_stmt):
            return self._run(statement.children, module)
        if any(self._load(other) for other in self._imports(statement, module)):
            return True
        if not self._leads_to_start(statement, module):
            self._mark(statement, module)
            if not self._repeats:
                self._once.add(id(statement))
            return False
        if any(part.type in _SUITES for part in statement.children):
            return self._compound(statement, module)
        return self._simple(statement, module)

    def _simple(self, statement: LN, module: Module) -> bool:
        if self._calls_start(statement, module):
            return True
        called = {id(d.scope) for d in callees(statement, module, self._evaluator)}
        for definition in self._mentions.functions(statement, module):
            if not self._function_starts(definition):
                self._mark_function(definition)
            elif self._enter(definition) and id(definition.scope) in called:
                return True
        self._early.add(id(statement))
        return False

    def _compound(self, statement: LN, module: Module) -> bool:
        suites = [part for part in statement.children if part.type in _SUITES]
        for part in statement.children:
            if part not in suites:
                self._mark(part, module)
        repeats = int(statement.type in (symbols.for_stmt, symbols.while_stmt))
        self._repeats += repeats
        ran = [self._run([suite], module) for suite in suites]
        self._repeats -= repeats
        if statement.type in (symbols.with_stmt, symbols.try_stmt) or self._is_guard(
            statement, module
        ):
            return ran[0]
        if statement.type != symbols.if_stmt or not _has_else(statement):
            return False
        return any(ran) and all(
            done or always_leaves(suite, EXITS) for done, suite in zip(ran, suites, strict=True)
        )

    def _is_guard(self, statement: LN, module: Module) -> bool:
        own = module is self._program.entry
        return own and any(statement is guard for guard in module.main_guards)

    def _enter(self, definition: Definition) -> bool:
        key = id(definition.scope)
        if key not in self._entered and len(self._inside) > _DEEPEST:
            self._mark_function(definition)
            return True
        if key not in self._entered:
            self._entered[key] = False
            self._inside.append(key)
            body = definition.scope.node.children[-1:]
            repeats = int(len(list(self._evaluator.callers.sites(definition))) > 1)
            self._repeats += repeats
            self._entered[key] = self._run(body, definition.module)
            self._repeats -= repeats
            self._inside.pop()
        return self._entered[key]

    def _mark(self, node: LN, module: Module) -> None:
        """The code runs before the call, and so does what it calls or hands on."""
        waiting = [(node, module)]
        while waiting:
            current, where = waiting.pop()
            self._early.add(id(current))
            for other in self._imports(current, where):
                self._load(other)
            waiting += (
                (definition.scope.node, definition.module)
                for definition in self._mentions.functions(current, where)
                if id(definition.scope.node) not in self._early
            )

    def _mark_function(self, definition: Definition) -> None:
        if id(definition.scope.node) not in self._early:
            self._mark(definition.scope.node, definition.module)

    def _leads_to_start(self, node: LN, module: Module) -> bool:
        named = self._mentions.functions(node, module)
        return self._calls_start(node, module) or any(map(self._function_starts, named))

    def _function_starts(self, definition: Definition) -> bool:
        if id(definition.scope) not in self._starts:
            self._settle(definition)
        return self._starts[id(definition.scope)]

    def _settle(self, definition: Definition) -> None:
        """Find out which functions lead to the call, of this one and those that it leads to."""
        callers: dict[int, list[int]] = defaultdict(list)
        seen: set[int] = set()
        starting: list[int] = []
        waiting = [definition]
        while waiting:
            current = waiting.pop()
            key, body = id(current.scope), current.scope.node.children[-1]
            if key in seen:
                continue
            seen.add(key)
            if self._calls_start(body, current.module):
                starting.append(key)
            for other in self._mentions.functions(body, current.module):
                callers[id(other.scope)].append(key)
                if self._starts.get(id(other.scope)):
                    starting.append(key)
                elif id(other.scope) not in self._starts:
                    waiting.append(other)
        self._starts.update(dict.fromkeys(seen, False))
        while starting:
            key = starting.pop()
            if not self._starts[key]:
                self._starts[key] = True
                starting.extend(caller for caller in callers[key] if caller in seen)

    def _calls_start(self, node: LN, module: Module) -> bool:
        return bool(self._mentions.calls(node, module) & self._starters)

    def _imports(self, statement: LN, module: Module) -> Iterator[Module]:
        for other in self._mentions.imports(statement, module):
            if other in self._program.modules:
                yield other


def _within(node: LN, found: set[int]) -> bool:
    """Whether a node stands in one of those found, and runs with it."""
    for outer in (node, *ancestors(node)):
        if id(outer) in found:
            return True
        if outer.type == symbols.funcdef:
            return False
    return False


def _has_else(statement: LN) -> bool:
    return any(child.type == token.NAME and child.value == "else" for child in statement.children)
