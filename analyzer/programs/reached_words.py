"""ReachedWords: what of its modules a program may run, told by the words of its code alone.

A function may run if code that may run says its name, as a name, an attribute or in a string, or if
something else may have been given it: a decorator, a class of a library that its class derives
from. That is more than runs, and seldom less: what a name is put together of when the program runs
is not seen.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.definition import decorator_names
from ..names.module import Module
from ..names.scopes import Scope
from ..syntax.tree import LN, is_name, leaves, walk
from .programs import Program

_WORD = re.compile(r"[^\W\d]\w*")
_IMPORTS = (symbols.import_name, symbols.import_from)
_DEFINING = (symbols.funcdef, symbols.classdef)
# Decorators after which a function is still called by its name.
_PLAIN = {"staticmethod", "classmethod", "property", "abstractmethod", "wraps", "setter"}
_ALL = "__all__"


@dataclass(frozen=True)
class _Unit:
    """A function that stands in no other one; ``makers`` are the names of the classes around."""

    name: str
    start: int
    end: int
    words: frozenset[str]
    makers: tuple[str, ...]
    given: bool


@dataclass(frozen=True)
class _Words:
    """What a module has: its functions, the words of the rest, and of what runs only where it is
    the script, and what it calls otherwise."""

    units: tuple[_Unit, ...]
    rest: frozenset[str]
    guarded: frozenset[str]
    others: tuple[tuple[str, str], ...]


class ReachedWords:
    """For one program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def may_run(self, module: Module, offset: int) -> bool:
        """Whether the program may run what stands at a place of one of its modules."""
        around = [u for u in _words_of(module).units if u.start <= offset < u.end]
        return not around or all(id(unit) in self._running for unit in around)

    @cached_property
    def _running(self) -> set[int]:
        modules = {module: _words_of(module) for module in self.program.modules}
        waiting: list[str] = []
        by_word: defaultdict[str, list[_Unit]] = defaultdict(list)
        meant: defaultdict[str, set[str]] = defaultdict(set)
        found: set[int] = set()
        for module, words in modules.items():
            waiting += words.rest
            waiting += words.guarded if module is self.program.entry else ()
            for other, name in words.others:
                meant[other].add(name)
            for unit in words.units:
                if module is self.program.entry or (unit.given and not unit.makers):
                    found.add(id(unit))
                    waiting += unit.words
                by_word[unit.name].append(unit)
                for maker in unit.makers if unit.given else ():
                    by_word[maker].append(unit)
        said: set[str] = set()
        while waiting:
            word = waiting.pop()
            if word in said:
                continue
            said.add(word)
            waiting += meant[word]
            for unit in by_word[word]:
                if id(unit) not in found:
                    found.add(id(unit))
                    waiting += unit.words
        return found


def _words_of(module: Module) -> _Words:
    found = module.memo.get(ReachedWords)
    if found is None:
        found = module.memo[ReachedWords] = _read(module)
    assert isinstance(found, _Words)
    return found


def _read(module: Module) -> _Words:
    own = [scope for scope in module.scopes if _is_outermost(scope)]
    classes = {s.name for s in module.scopes if s.kind == "class"}
    units = []
    for scope in own:
        start, end = module.tree.span((scope.node,))
        words = frozenset(_words(scope.node, ()))
        units.append(_Unit(scope.name, start, end, words, *_given(scope, classes)))
    nodes = (*(scope.node for scope in own), *module.main_guards)
    rest = frozenset(_words(module.tree.root, nodes))
    guarded = frozenset(word for guard in module.main_guards for word in _words(guard, ()))
    return _Words(tuple(units), rest, guarded, tuple(_others(module)))


def _is_outermost(scope: Scope) -> bool:
    around = scope.parent
    while around is not None and around.kind == "class":
        around = around.parent
    return scope.kind == "function" and scope.name != "<lambda>" and (
        around is not None and around.kind == "module"
    )  # fmt: skip


def _given(scope: Scope, classes: set[str]) -> tuple[tuple[str, ...], bool]:
    """The classes around a function, and whether others may call it: what its decorator gives it
    to, what makes an instance, a library that its class derives from."""
    makers = []
    special = scope.name.startswith("__") and scope.name.endswith("__")
    derived = False
    around = scope.parent
    while around is not None and around.kind == "class":
        makers.append(around.name)
        bases = [leaf.value for leaf in _bases(around.node) if is_name(leaf)]
        derived = derived or any(base not in classes and base != "object" for base in bases)
        around = around.parent
    decorated = any(name.rpartition(".")[2] not in _PLAIN for name in decorator_names(scope.node))
    return tuple(makers), decorated or special or derived


def _bases(node: LN) -> Iterator[LN]:
    at = next((i for i, c in enumerate(node.children) if c.type == token.COLON), 0)
    return (leaf for child in node.children[2:at] for leaf in leaves(child))


def _words(node: LN, without: tuple[LN, ...]) -> Iterator[str]:
    """The words of code, and of its texts, but for those of definitions, imports and docstrings."""
    left_out = {id(one) for one in without}
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if id(current) in left_out or current.type in _IMPORTS:
            continue
        if not current.children:
            if is_name(current):
                yield current.value
            elif current.type == token.STRING:
                yield from _WORD.findall(current.value)
            continue
        children = current.children
        if current.type in _DEFINING:
            children = [c for i, c in enumerate(children) if i != 1]
        elif current.type == symbols.simple_stmt and _says_nothing(children[0]):
            continue
        waiting += children


def _says_nothing(statement: LN) -> bool:
    """Whether a statement is a docstring, or a list of what a module exports."""
    if statement.type == token.STRING:
        return True
    return bool(statement.type == symbols.expr_stmt and statement.children[0].type == token.NAME
                and statement.children[0].value == _ALL)  # fmt: skip


def _others(module: Module) -> Iterator[tuple[str, str]]:
    """What imports call otherwise: the name here, and that there."""
    for node in walk(module.tree.root):
        if node.type in (symbols.import_as_name, symbols.dotted_as_name):
            for leaf in leaves(node.children[0]):
                if is_name(leaf):
                    yield node.children[2].value, leaf.value
