"""Which loops may end at another step on each worker: those left by what the loop computes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ...syntax.tree import LN, ancestors, leaves, unwrap, walk

_TUPLES = (symbols.testlist_star_expr, symbols.testlist, symbols.testlist_gexp, symbols.exprlist)
_LOOPS = (symbols.for_stmt, symbols.while_stmt)
_FUNCTIONS = (symbols.funcdef, symbols.lambdef, symbols.classdef)
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
# What they give is the same on all workers if what they are given is.
_HARMLESS = {
    "abs", "assign", "assign_add", "bool", "float", "int", "isinstance", "len", "max", "min",
    "next", "numpy", "range", "round", "str",
}  # fmt: skip
_COUNTER = re.compile(r"(?:^|_)(?:steps?|iter(?:ation)?s?|epochs?|counts?|counter|index)$")
_ADDING = {"append", "appendleft", "add", "extend", "update"}
_ROUNDS = 32


@dataclass(frozen=True)
class _Change:
    """Something that gets a value, and the statement that gives it."""

    name: str
    value: LN
    statement: LN
    added: bool = False
    fetched: str = ""
    """What a session is asked for it."""


def loops_left(statement: LN) -> Iterator[LN]:
    """The loops that ``break`` or ``return`` leave, inner ones first; a ``while`` leaves itself,
    anything else the turn that it is in."""
    if statement.type == symbols.while_stmt:
        yield statement
        return
    returns = any(leaf.value == "return" for leaf in leaves(statement))
    for outer in ancestors(statement):
        if outer.type in _FUNCTIONS:
            return
        if outer.type in _LOOPS:
            yield outer
            if not returns:
                return


def deciding_figure(statement: LN, loop: LN) -> LN | None:
    """The condition under which a statement leaves a loop, if it speaks of what the loop computes,
    which is something else on each worker; None if all its conditions are counts and settings."""
    return next(iter(_deciding(statement, loop)), None)


def is_asked_alike(statement: LN, loop: LN) -> bool:
    """Whether each worker gets as often to the one condition by which a statement leaves a loop as
    it makes turns: it is asked in each turn, or by counts and settings, which all have alike. And
    whether it compares figures: a flag, as that of an environment, whose episode ends for each
    worker by itself, is nothing that one can say for all."""
    deciding = _deciding(statement, loop)
    if len(deciding) != 1 or any(_is_tried(node, loop) for node in ancestors(statement)):
        return False
    figures = _figures(loop)
    if not all(
        part.type == symbols.comparison or not _names(part) & figures
        for part in _parts(deciding[0])
    ):
        return False
    return not any(
        _deciding(node, loop)
        for node in walk(loop)
        if node.type == token.NAME and not node.children and node.value == "continue"
    )


def _parts(condition: LN) -> Iterator[LN]:
    """What a condition connects by ``and``, ``or`` and ``not``."""
    [node] = unwrap((condition,))
    if node.type in (symbols.and_test, symbols.or_test, symbols.not_test):
        for child in node.children:
            if child.children or child.value not in ("and", "or", "not"):
                yield from _parts(child)
    else:
        yield node


def _is_tried(outer: LN, loop: LN) -> bool:
    """Whether a ``try`` inside a loop, after which an exception makes other turns."""
    if outer.type != symbols.try_stmt:
        return False
    return any(above is loop for above in ancestors(outer))


def _deciding(statement: LN, loop: LN) -> list[LN]:
    """The conditions that speak of what the loop computes, of those under which a statement in it
    runs; a ``while`` runs under its own."""
    if statement is loop:
        conditions = [loop.children[1]]
    else:
        conditions = list(_conditions(statement, loop))
    figures = _figures(loop) if conditions else set()
    return [condition for condition in conditions if _names(condition) & figures]


def _figures(loop: LN) -> set[str]:
    """What a loop computes, that may be something else on each worker."""
    changes = list(_changes(loop))
    found: set[str] = set()
    for _ in range(_ROUNDS):
        more = {change.name for change in changes if _is_figure(change, loop, found)}
        if more <= found:
            break
        found |= more
    return found


def is_left_by_figures(loop: LN) -> bool:
    """Whether a ``break`` leaves a loop by what the loop computes."""
    return any(
        deciding_figure(node, loop) is not None
        for node in walk(loop)
        if node.type == token.NAME
        and not node.children
        and node.value == "break"
        and next(loops_left(node), None) is loop
    )


def _is_figure(change: _Change, loop: LN, figures: set[str]) -> bool:
    if _names(change.value) & figures:
        return True
    if any(_names(condition) & figures for condition in _conditions(change.statement, loop)):
        return True
    counts = any(_COUNTER.search(name.rpartition(".")[2]) for name in (change.name, change.fetched))
    return not change.added and not counts and _computes(change.value)


def _computes(value: LN) -> bool:
    """Whether a value comes from a call that may give something else on another worker."""
    for node in walk(value):
        if node.type == symbols.trailer and node.children[0].type == token.LPAR:
            callee = node.prev_sibling
            words = [leaf.value for leaf in leaves(callee)] if callee is not None else []
            if not words or words[-1] not in _HARMLESS:
                return True
    return False


def _conditions(statement: LN, loop: LN) -> Iterator[LN]:
    """The conditions inside a loop under which a statement runs, or does not."""
    child = statement
    for outer in ancestors(statement):
        if outer is loop:
            return
        if outer.type == symbols.while_stmt and child is not outer.children[1]:
            yield outer.children[1]
        if outer.type == symbols.if_stmt:
            for at, part in enumerate(outer.children):
                if part is child:
                    break
                if _opens_condition(part):
                    yield outer.children[at + 1]
        child = outer


def _opens_condition(part: LN) -> bool:
    return part.type == token.NAME and not part.children and part.value in ("if", "elif")


def _changes(loop: LN) -> Iterator[_Change]:
    for node in walk(loop.children[3 if loop.type == symbols.while_stmt else 5]):
        if node.type == symbols.expr_stmt:
            value = node.children[-1]
            for target in node.children[:-1:2]:
                items = unwrap((target,))[0]
                is_tuple = items.type in _TUPLES
                parts = _items(items) if is_tuple else [items]
                asked = _asked(value)
                if is_tuple and len(asked) == 1:
                    asked = _items(asked[0])
                for at, part in enumerate(parts):
                    name = _DOTTED.match(_text(part))
                    if name is not None:
                        fetched = _text(asked[at]) if len(asked) == len(parts) else ""
                        yield _Change(name.group(), value, node, fetched=fetched)
        elif node.type == symbols.power and len(node.children) > 2:
            trailers = [_text(child) for child in node.children]
            called = trailers[-2].lstrip(".")
            if called in _ADDING and trailers[-1].startswith("("):
                yield _Change("".join(trailers[:-2]), node.children[-1], node, added=True)


def _asked(value: LN) -> list[LN]:
    """The first argument of a call of a session's ``run``, or of what a tensor is asked for."""
    trailer = value.children[-1] if value.type == symbols.power else value
    if trailer.type != symbols.trailer or _text(trailer.prev_sibling) != ".run":
        return []
    given = trailer.children[1:-1]
    first = given[0].children[0] if given and given[0].type == symbols.arglist else None
    return [first] if first is not None else given


def _items(node: LN) -> list[LN]:
    """Those of a tuple or list that is written out."""
    if node.type == symbols.atom and len(node.children) == 3:
        return _items(node.children[1])
    return [child for child in node.children if child.type != token.COMMA]


def _text(node: LN) -> str:
    return "".join(leaf.value for leaf in leaves(node) if leaf.type != token.STRING)


def _names(node: LN) -> set[str]:
    """The names and attributes that code mentions, each with what they are attributes of."""
    code = " ".join(leaf.value for leaf in leaves(node) if leaf.type != token.STRING)
    found: set[str] = set()
    for name in _DOTTED.findall(code.replace(" . ", ".")):
        parts = name.split(".")
        found.update(".".join(parts[:end]) for end in range(1, len(parts) + 1))
    return found
