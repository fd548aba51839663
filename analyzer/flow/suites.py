"""Suites: the blocks of an ``if``, ``while`` or ``for``; what they bind, how they may be left, and
what in them is for the function that they stand in."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..files.source import BOM
from ..names.bound_names import is_walrus
from ..names.module import Module
from ..names.scopes import Scope
from ..syntax.tree import (
    LN,
    ancestors,
    dotted,
    is_name,
    leaves,
    lines_of,
    outer_call,
    statement_of,
)

BRANCHING = {symbols.if_stmt, symbols.while_stmt, symbols.for_stmt}
_LOOPS = {symbols.while_stmt, symbols.for_stmt}
_OWN = {symbols.funcdef, symbols.lambdef, symbols.old_lambdef, symbols.classdef}
_WORDS = ("if", "elif", "else", "while", "for")
# Calls that end the program.
EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit"})


@dataclass(frozen=True)
class Clause:
    """One block with its head: ``test`` is the condition, or what a ``for`` goes through."""

    keyword: LN
    test: LN | None
    target: LN | None
    colon: LN
    suite: LN

    @property
    def word(self) -> str:
        return str(self.keyword.value)

    @property
    def is_late(self) -> bool:
        """Whether its test is evaluated when what comes before it has been, or more than once."""
        return self.word in ("elif", "while")


@dataclass(frozen=True)
class Exit:
    """A ``return``, ``break`` or ``continue``; ``target`` is the loop, None for the function, or
    module, itself."""

    word: str
    node: LN
    target: LN | None

    def leaves(self, statement: LN) -> bool:
        """Whether it leaves a statement around it, or goes on with its next turn."""
        return self.target is None or any(n is self.target for n in _and_around(statement))


def clauses(statement: LN) -> list[Clause]:
    """The clauses of an ``if``, ``while`` or ``for``."""
    found = []
    children = statement.children
    heads = [n for n, c in enumerate(children) if c.type == token.NAME and c.value in _WORDS]
    for at in heads:
        colon = next(n for n in range(at, len(children)) if children[n].type == token.COLON)
        inner = children[at + 1 : colon]
        target = inner[0] if children[at].value == "for" else None
        test = inner[-1] if inner else None
        found.append(Clause(children[at], test, target, children[colon], children[colon + 1]))
    return found


def always_leaves(part: LN, exits: Collection[str] = ()) -> bool:
    """Whether control never gets behind a statement or block: on each way through it there is a
    ``return``, ``raise``, ``break`` or ``continue``, or a call of one of the ``exits``, or it never
    ends."""

    def left(inner: LN) -> bool:
        return always_leaves(inner, exits)

    if part.type in (symbols.suite, symbols.simple_stmt):
        return any(map(left, part.children))
    if part.type in (symbols.return_stmt, symbols.raise_stmt):
        return True
    if part.type == token.NAME:
        return part.value in ("return", "raise", "break", "continue") and _is_statement(part)
    if part.type == symbols.power:
        call = outer_call((part,)) if exits else None
        return call is not None and ".".join(dotted(call.callee)) in exits
    if part.type == symbols.if_stmt:
        parts = clauses(part)
        return parts[-1].word == "else" and all(left(one.suite) for one in parts)
    if part.type == symbols.while_stmt:
        first = clauses(part)[0]
        test = first.test
        forever = test is not None and is_name(test) and test.value == "True"
        return forever and not any(
            node.type == token.NAME and node.value == "break" and _target(node) is part
            for node in own_nodes(first.suite)
        )
    if part.type == symbols.try_stmt:
        # A ``with`` may suppress what is raised in it.
        blocks = try_parts(part)
        of = {word: left(block) for word, block in blocks}
        handled = all(left(block) for word, block in blocks if word == "except")
        return of.get("finally", False) or (handled and (of["try"] or of.get("else", False)))
    return False


def returns_nothing(function: LN) -> bool:
    """Whether a ``funcdef`` may return without a value: by a bare ``return``, or at its end. What a
    ``with`` may suppress is not taken for a way there."""
    body = function.children[-1]
    return not _returns(body) or any(
        node.type == token.NAME and node.value == "return" and _is_statement(node)
        for node in own_nodes(body)
    )


def _returns(block: LN) -> bool:
    if always_leaves(block, EXITS):
        return True
    last = lines_of(block)[-1]
    if last.type == symbols.with_stmt:
        return _returns(last.children[-1])
    if last.type == symbols.if_stmt:
        parts = clauses(last)
        return parts[-1].word == "else" and all(_returns(one.suite) for one in parts)
    return False


def try_parts(statement: LN) -> list[tuple[str, LN]]:
    """The blocks of a ``try``, each with its word: try, except, else or finally."""
    found: list[tuple[str, LN]] = []
    word = ""
    for child in statement.children:
        if child.type == symbols.except_star_block:
            found.append(("except", child.children[-1]))
        elif child.type == symbols.except_clause:
            word = "except"
        elif child.type == token.NAME:
            word = str(child.value)
        elif child.type != token.COLON:
            found.append((word, child))
    return found


def last_break(loop: LN) -> LN | None:
    """The ``if`` by which a ``for`` is left at the end of its body: under a name, and with nothing
    else to it."""
    if loop.type != symbols.for_stmt:
        return None
    body = clauses(loop)[0].suite
    last = lines_of(body)[-1]
    if last.type != symbols.if_stmt or body.type != symbols.suite:
        return None
    parts = clauses(last)
    if len(parts) > 1 or not is_name(last.children[1]):
        return None
    inner = lines_of(parts[0].suite)
    words = [leaf.value for leaf in leaves(inner[0]) if leaf.type == token.NAME]
    return last if len(inner) == 1 and words == ["break"] else None


class Suites:
    """What the statements of one file bind and are left by."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._tree = module.tree

    def exits(self, statement: LN) -> list[Exit]:
        """The exits in the blocks of a statement that leave it, or one of its turns."""
        found = []
        for clause in clauses(statement):
            for node in own_nodes(clause.suite):
                if node.type == token.NAME and node.value in ("return", "break", "continue"):
                    if node.parent.type == symbols.return_stmt or _is_statement(node):
                        one = Exit(node.value, _with_value(node), _target(node))
                        if one.leaves(statement):
                            found.append(one)
        return found

    def bound(self, scope: Scope, *spans: tuple[int, int]) -> list[str]:
        """The names that the code of a scope binds there, in order of their first binding; those
        that functions and classes inside bind are left out."""
        starts, names = self._bindings.get(id(scope), ([], []))
        found = [
            name
            for start, end in spans
            for name in names[bisect_left(starts, start) : bisect_left(starts, end)]
        ]
        return list(dict.fromkeys(found))

    def is_bound_outside(self, scope: Scope, name: str) -> bool:
        """Whether the scope itself binds a name in none of its ``if``, ``while`` and ``for``."""
        return any(
            b.kind == "parameter" or (
                outside_comprehensions(self.module.scope_of(b.node)) is scope
                and not any(a.type in BRANCHING for a in _within(b.node, scope.node))
            )
            for b in scope.bindings.get(name, ())
        )  # fmt: skip

    def stays(self, statement: LN) -> str:
        """What in an ``if``, ``while`` or ``for`` would not be the same in a function of its own;
        empty if nothing."""
        scope = self.module.scope_of(statement)
        if not self._is_python_3:
            return "the file is no Python of the version that Pinsetter runs with"
        if scope.kind == "class":
            return "it stands in a class, whose names no function can bind"
        if statement.parent is not None and statement.parent.type == symbols.async_stmt:
            return "`async for` is for the coroutine that it stands in"
        moved = [
            part
            for clause in clauses(statement)
            for part in (
                clause.suite,
                *([clause.target] if clause.target is not None else ()),
                *([clause.test] if clause.is_late and clause.test is not None else ()),
            )
        ]
        reason = next(filter(None, map(self.bound_to_function, moved)), "")
        if reason:
            return reason
        function = scope.function
        if function is not None and self.asks_for_names(function):
            return f"`{function.name}` asks for all of its local names"
        if function is not None and _is_async(function.node) and function.is_generator:
            if any(one.word == "return" for one in self.exits(statement)):
                return "an asynchronous generator returns nothing"
        return ""

    def stays_by_name(self, function: LN) -> str:
        """What in a function asks for its variables by their names, or that it cannot return by an
        exception, so that neither can be written otherwise; empty if nothing."""
        if not self._is_python_3:
            return "the file is no Python of the version that Pinsetter runs with"
        scope = self.module.scope_of(function.children[-1])
        if _is_async(function) and scope.is_generator:
            return "an asynchronous generator returns nothing"
        for node in self._tree.nodes(function.children[-1]):
            if is_name(node) and node.value != "super" and self._own_frame(node):
                return f"`{node.value}` asks for all of the local names"
            if is_name(node) and node.value in _FRAMES:
                return f"`{node.value}` looks at the frames of the program"
        return ""

    def stays_in_place(self, expression: LN) -> str:
        """What in an expression would not be the same in a function of its own; empty if
        nothing."""
        scope = self.module.scope_of(expression)
        if outside_comprehensions(scope).kind == "class":
            return "it stands in a class, whose names no function sees"
        reason = self.bound_to_function(expression)
        if not reason and any(map(is_walrus, own_nodes(expression))):
            reason = "`:=` binds a name of the function that it stands in"
        return reason

    def bound_to_function(self, part: LN) -> str:
        """What in some code is for the function that it stands in; empty if nothing."""
        inside_strings = False
        for node in own_nodes(part):
            if node.type == token.STRING:
                for inner in self._tree.fields(node) or ():
                    for leaf in own_nodes(inner):
                        inside_strings = inside_strings or is_walrus(leaf)
                        reason = self._reason(leaf)
                        if reason:
                            return reason
            reason = self._reason(node)
            if reason:
                return reason
        return "`:=` in a string binds a name" if inside_strings else ""

    def _reason(self, node: LN) -> str:
        if node.type == token.NAME and node.value == "yield":
            return "`yield` is for the function that it stands in"
        if node.type in (token.AWAIT, token.ASYNC):
            following = node.next_sibling
            if following is None or following.type != symbols.funcdef:
                return f"`{node.value}` is for the coroutine that it stands in"
        if node.type == symbols.global_stmt:
            return f"`{node.children[0].value}` is for all of the function"
        if node.type == symbols.annassign and is_name(node.parent.children[0]):
            return f"the annotation of `{node.parent.children[0].value}` is for all of the scope"
        if node.type == symbols.import_from and node.children[-1].type == token.STAR:
            return "`import *` is for modules"
        if is_name(node) and node.value in _FRAMES:
            return f"`{node.value}` looks at the frames of the program"
        if is_name(node) and node.value in ("stack", "trace") and _is_of_inspect(node):
            return f"`inspect.{node.value}` looks at the frames of the program"
        if node.type == symbols.argument and node.children[0].type == token.NAME:
            if node.children[0].value == "stacklevel":
                return "`stacklevel` counts the frames of the program"
        return self._own_frame(node)

    def _own_frame(self, node: LN) -> str:
        """What a call of a builtin says of the function that it stands in."""
        if not is_name(node) or node.value not in _OF_FRAME:
            return ""
        call = outer_call((node, node.next_sibling)) if _is_called(node) else None
        if call is None or not self.module.builtin((node,)):
            return ""
        if node.value in ("eval", "exec"):
            return "" if len(call.arguments) > 1 else f"`{node.value}` reads all names there are"
        return "" if call.arguments else f"`{node.value}()` is for the function that it stands in"

    def asks_for_names(self, function: Scope) -> bool:
        """Whether a function asks for all of its names, among which new ones would be."""
        words = [leaf for name in _NAMES for leaf in self.module.leaves_of(name)]
        return any(
            self.module.scope_of(leaf).function is function and self._own_frame(leaf)
            for leaf in words
        )

    @cached_property
    def _is_python_3(self) -> bool:
        try:
            ast.parse(self.module.source.text.removeprefix(BOM))
        except (SyntaxError, ValueError):
            return False
        return True

    @cached_property
    def _bindings(self) -> dict[int, tuple[list[int], list[str]]]:
        found: dict[int, list[tuple[int, str]]] = {}
        for scope in self.module.scopes:
            if scope.kind == "type":
                continue
            for bindings in scope.bindings.values():
                for binding in bindings:
                    if binding.kind == "parameter" or binding.node not in self._tree:
                        continue
                    if scope.kind == "comprehension":
                        continue
                    own = outside_comprehensions(self.module.scope_of(binding.node))
                    place = self._tree.start(binding.node)
                    found.setdefault(id(own), []).append((place, binding.name))
        ordered = {key: sorted(one) for key, one in found.items()}
        return {key: ([p for p, _ in one], [n for _, n in one]) for key, one in ordered.items()}


def suites_of(module: Module) -> Suites:
    """What is known of a module's statements, for all who ask."""
    key = Suites.__qualname__
    if key not in module.memo:
        module.memo[key] = Suites(module)
    found: Suites = module.memo[key]
    return found


def outside_comprehensions(scope: Scope) -> Scope:
    while scope.kind in ("comprehension", "type") and scope.parent is not None:
        scope = scope.parent
    return scope


def own_nodes(part: LN) -> Iterator[LN]:
    """The nodes of some code without those of functions and classes inside it, but with what of
    these is evaluated around: defaults, decorators, annotations, bases."""
    stack = [part]
    while stack:
        node = stack.pop()
        yield node
        inner = node.children[:-1] if node.type in _OWN else node.children
        stack.extend(reversed(inner))


def _and_around(statement: LN) -> Iterable[LN]:
    return (statement, *ancestors(statement))


def _within(node: LN, top: LN) -> Iterator[LN]:
    for around in ancestors(node):
        if around is top:
            return
        yield around


def _with_value(leaf: LN) -> LN:
    return leaf.parent if leaf.parent.type == symbols.return_stmt else leaf


def _is_statement(leaf: LN) -> bool:
    return statement_of(leaf) is leaf


def _target(leaf: LN) -> LN | None:
    """The loop that a ``break`` or ``continue`` is for."""
    if leaf.value == "return":
        return None
    child: LN = leaf
    for parent in ancestors(leaf):
        if parent.type in _LOOPS and clauses(parent)[0].suite is child:
            return parent
        child = parent
    return None


def _is_called(leaf: LN) -> bool:
    trailer = leaf.next_sibling
    return bool(
        trailer is not None
        and trailer.type == symbols.trailer
        and trailer.children[0].type == token.LPAR
        and leaf.parent.type == symbols.power
        and leaf.parent.children[0] is leaf
    )


def _is_of_inspect(leaf: LN) -> bool:
    before = leaf.parent.prev_sibling if leaf.parent.type == symbols.trailer else None
    return before is not None and is_name(before) and before.value == "inspect"


def _is_async(function: LN) -> bool:
    around = function.parent
    return around is not None and around.type in (symbols.async_funcdef, symbols.async_stmt)


_NAMES = ("locals", "vars", "dir")
_OF_FRAME = {*_NAMES, "super", "eval", "exec"}
_FRAMES = {
    "_getframe", "_getframemodulename", "currentframe", "getouterframes", "extract_stack",
    "format_stack", "print_stack", "walk_stack",
}  # fmt: skip
