"""Files that a program both writes and reads, by what their paths are put together from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import Binding
from pinsetter.analyzer.syntax.tree import (
    LN,
    Expression,
    calls_in_power,
    dotted,
    is_name,
    is_variable,
    leaves,
)
from pinsetter.analyzer.values.questions import possible_calls, reaching, sources

from ..matching.match import Match
from .arguments import CAPTURE, FLAG, FUNCTIONS, TEXT, keys, list_of
from .conditions import function_names, program_modules, whole
from .registry import predicate

_SEPARATOR = re.compile(r"[/\\]+")
# What a name is formatted with ends what is known of it.
_FIELD = re.compile(r"[{%*<]")
_QUOTED = re.compile(r"[A-Za-z]*(\"\"\"|'''|\"|')(.*)\1\Z", re.DOTALL)
# What writers put behind a name that they are given.
_ADDED = re.compile(r"\.(npy|npz|index|meta)\Z")
# Shorter ones say too little.
_SHORTEST = 3
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class _Parts:
    """Of a path: names of files, and of folders and variables."""

    files: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()

    def meets(self, other: _Parts, folder: bool) -> bool:
        """Whether both may be of one file; or the one of a ``folder``, and the other of what is in
        it."""
        if not folder and self.files and other.files:
            return not self.files.isdisjoint(other.files)
        mine, theirs = (self.files, self.others), (other.files, other.others)
        return not all(one.isdisjoint(another) for one in mine for another in theirs)


class _Gathering:
    """Parts of a path as they are found: they may be thousands, and few of them are new."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.others: set[str] = set()

    def add(self, parts: _Parts) -> None:
        self.files |= parts.files
        self.others |= parts.others

    def parts(self, match: Match) -> _Parts:
        """What was found; what is found of many names alike is kept once."""
        kept: dict[frozenset[str], frozenset[str]] = match.facts.remembered(_Gathering, dict)
        files, others = frozenset(self.files), frozenset(self.others)
        return _Parts(kept.setdefault(files, files), kept.setdefault(others, others))


@predicate(
    keys({"value": CAPTURE, "functions": FUNCTIONS, "methods": list_of(TEXT)}, {"folder": FLAG})
)
def written_path(match: Match, argument: Any) -> Match | None:
    """``{value, functions, methods, folder?}``: the path $x, or that of something in the folder $x,
    may be one that the program gives to one of the functions, or to a method of such a name: they
    have the name of a file in common, or, where one of them has none, of a folder or a variable.

    ::

        match: load($path)
        where: [{written_path: {value: $path, functions: [json.dump], methods: [save]}}]
        holds:
          - |
            model.save('out/weights.bin')
            load('weights.bin')
          - |
            path = folder + '/weights.bin'
            model.save(path)
            load(path)
          - |
            model.save(settings['out'])
            load(settings["out"])
        fails:
          - |
            model.save('out/weights.bin')
            load('out/other.bin')
          - load('weights.bin')
          - |
            model.keep('weights.bin')
            load('weights.bin')
          - |
            model.save(settings['out'])
            load(settings['in'])
    """
    value = match.capture(argument["value"])
    read = _parts(value, match.module, match, _DEPTH) if value else _Parts()
    functions = function_names(match, argument["functions"])
    methods = frozenset(argument["methods"])
    folder = argument.get("folder", False)
    met = any(
        read.meets(parts, folder)
        for module in program_modules(match)
        for parts in _written(match, module, functions, methods)
    )
    return match if met else None


def _written(
    match: Match, module: Module, functions: frozenset[str], methods: frozenset[str]
) -> Collection[_Parts]:
    """The paths that a module writes, worked out once for all programs that it is part of."""
    evaluator = match.facts.evaluator

    def find() -> Collection[_Parts]:
        written = [call for call in module.tree.calls if call.method in methods]
        written += (
            call for call in possible_calls(module, functions, evaluator)
            if evaluator.names(call.callee, module) & functions
        )  # fmt: skip
        return {
            _parts((given.value,), module, match, _DEPTH)
            for call in written
            for given in call.arguments[:2]
        }

    return match.facts.remembered((written_path, functions, methods, id(module)), find)


def _parts(expression: Expression, module: Module, match: Match, depth: int) -> _Parts:
    """Those of an expression; many names come from the same place."""
    key = (_parts, *map(id, expression), depth)

    def find() -> tuple[Expression, _Parts]:
        found = _Gathering()
        for node in whole(expression):
            _gather(node, module, match, depth, found)
        # With the expression, so that its identity stays its own.
        return expression, found.parts(match)

    return match.facts.remembered(key, find)[1]


def _gather(node: LN, module: Module, match: Match, depth: int, found: _Gathering) -> None:
    if node.type == token.STRING:
        found.add(_of_string(node.value))
        return
    if is_variable(node):
        found.add(_of_name((node,), module, match, depth))
        return
    if node.type == symbols.power:
        calls = list(calls_in_power(node))
        for call in calls:
            for given in call.arguments:
                _gather(given.value, module, match, depth, found)
            if call.method in ("format", "joinpath"):
                found.add(_parts(call.receiver, module, match, depth))
        if calls:
            return
        if dotted((node,)):
            found.add(_of_name((node,), module, match, depth))
            return
        if is_name(node.children[0]) and all(map(_is_constant, node.children[1:])):
            found.add(_of_item(node, module, match, depth))
            return
    for child in node.children:
        _gather(child, module, match, depth, found)


def _is_constant(trailer: LN) -> bool:
    """Whether behind a name stands that of an attribute, or a key that is written out."""
    if trailer.type != symbols.trailer:
        return False
    first, key = trailer.children[:2]
    return bool(first.type == token.DOT) or key.type in (token.STRING, token.NUMBER)


def _of_item(node: LN, module: Module, match: Match, depth: int) -> _Parts:
    """Those of an item of a dictionary; if nothing is known of that, it is not its other items."""
    known = _known((node,), (), module, match, depth) if depth else _Parts()
    if known.files or known.others:
        return known
    keys = "".join(str(leaf.value) for leaf in leaves(node)).replace('"', "'")
    return _Parts(others=frozenset([f"{id(module.scope_of(node))}:{keys}"]))


def _of_string(literal: str) -> _Parts:
    quoted = _QUOTED.match(literal)
    if quoted is None:
        return _Parts()
    *folders, file = _SEPARATOR.split(quoted[2])
    names = {name for known in _telling(file) for name in (known, _ADDED.sub("", known)) if name}
    return _Parts(frozenset(names), frozenset(n for f in folders for n in _telling(f)))


def _telling(piece: str) -> Iterator[str]:
    known = _FIELD.split(piece)[0].rstrip("_-. ")
    if len(known) >= _SHORTEST and not known.startswith("."):
        yield known


def _of_name(expression: Expression, module: Module, match: Match, depth: int) -> _Parts:
    key = (_of_name, tuple(map(id, expression)), depth)
    # With the expression, so that its identity stays its own.
    _, found = match.facts.remembered(
        key, lambda: (expression, _meant(expression, module, match, depth))
    )
    return found


def _meant(expression: Expression, module: Module, match: Match, depth: int) -> _Parts:
    names = dotted(expression)
    # A plain name means the same in its own scope only.
    scope = f"{id(module.scope_of(expression[0]))}:" if len(names) == 1 else ""
    found = _Parts(others=frozenset([scope + ".".join(names)]))
    if not depth:
        return found
    bindings = reaching(expression[0], module) if len(names) == 1 else ()
    if bindings:
        # Wherever the variable has these, it has its value from the same places.
        key = (_known, *map(id, bindings), depth)
        known = match.facts.remembered(
            key, lambda: _known(expression, bindings, module, match, depth)
        )
    else:
        known = _known(expression, (), module, match, depth)
    # What a variable of this scope is put together from says more than what it is called.
    return known if known.files or known.others else found


def _known(
    expression: Expression, bindings: Sequence[Binding], module: Module, match: Match, depth: int
) -> _Parts:
    """The parts of what a name, or an attribute, may take its value from."""
    known = _Gathering()
    for source, where in sources(expression, module, match.facts.evaluator):
        if source != expression:
            known.add(_parts(source, where, match, depth - 1))
    # What a loop goes through tells of what it has in each turn.
    for binding in bindings:
        if binding.kind == "for" and binding.value:
            known.add(_parts(binding.value, module, match, depth - 1))
    return known.parts(match)
