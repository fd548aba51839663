"""Emitter: the lib2to3 form of code with metavariables."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import type_repr

from pinsetter.analyzer.names.scopes import BUILTINS
from pinsetter.analyzer.syntax.tree import (
    LN,
    is_member,
    is_name,
    is_variable,
)

from ..edits.precedence import is_target

METAVARIABLE = re.compile(r"\$(\.\.\.)?([A-Za-z_]\w*)")
# What white space a pattern is laid out with says nothing.
_LAYOUT = {token.NEWLINE, token.INDENT, token.DEDENT}
ONE, MANY = "__one_", "__many_"
FOLLOWING = "following"
# The lines that a pattern of several statements fits.
STATEMENTS = "statements"
_RESERVED = re.compile(rf"match|it|{FOLLOWING}|{STATEMENTS}|name_\d+|\w+__\d+")


class PatternProblem(ValueError):
    """A pattern that cannot be compiled."""


class Emitter:
    def __init__(self, imports: Mapping[str, str]) -> None:
        self.imports = imports
        self.means: dict[str, str] = {}
        self.equal: list[tuple[str, str]] = []
        self.single: set[str] = set()
        self.chains: set[str] = set()
        self.words: dict[str, str] = {}
        self.tuples: set[str] = set()
        self.sets: set[str] = set()
        self.awaits = False
        self._used: dict[str, int] = {}

    def run(self, name: str) -> str:
        """The name of a run of statements."""
        return self._name(name)

    def emit(self, node: LN, top: bool = False) -> str:
        if is_name(node):
            return self._leaf_name(node)
        if node.type in _LAYOUT:
            return "any"
        if not node.children:
            return self._leaf(node)
        if node.type == symbols.power:
            return self._power(node, top)
        if node.type == symbols.with_stmt:
            return self._with(node)
        if node.type == symbols.suite:
            body = [c for c in node.children if c.type == symbols.simple_stmt]
            if len(body) == 1 and metavariable_in(body[0].children[0], MANY):
                return f"{self._name(metavariable_in(body[0].children[0], MANY))}=any"
            if any(metavariable_in(child.children[0], MANY) for child in body):
                return f"suite< {' '.join(self._statements(node))} >"
            if len(body) == 1 and len(node.children) == _SUITE_OF_ONE:
                # On lines of its own, or behind the colon: with the same captures.
                known = dict(self._used), dict(self.means), dict(self.words)
                inner = f"suite< {self._sequence(node.children)} >"
                self._used, self.means, self.words = known
                return f"( {inner} | {self.emit(body[0])} )"
        if node.type == symbols.simple_stmt:
            only = metavariable_in(node.children[0], MANY)
            if only:
                return f"{self._name(only)}=any"
        if node.type == symbols.atom and node.children[0].type == token.LPAR:
            only = metavariable_in(node.children[1], MANY) if len(node.children) == _PAIR else ""
            if only:  # as in a template, a tuple
                name = self._name(only)
                self.tuples.add(name)
                return f"( atom< '(' ')' > | atom< '(' {name}=testlist_gexp< any* > ')' > )"
        if node.type == symbols.trailer and len(node.children) == 3:
            return f"trailer< {self.emit(node.children[0])} {self._arguments(node.children[1])} " \
                   f"{self.emit(node.children[2])} >"  # fmt: skip
        if node.type == symbols.classdef and len(node.children) == _WITH_BASES:
            before, bases, after = node.children[:3], node.children[3], node.children[4:]
            return f"classdef< {self._sequence(before)} {self._arguments(bases)} " \
                   f"{self._sequence(after)} >"  # fmt: skip
        if _is_display(node):
            first, inner, last = node.children
            kind = "listmaker" if first.type == token.LSQB else "dictsetmaker"
            if kind == "dictsetmaker":
                self.sets.update(name for part in inner.children or (inner,)
                                 if (name := metavariable_in(part, MANY)))  # fmt: skip
            return f"atom< {self.emit(first)} {self._arguments(inner, kind)} {self.emit(last)} >"
        if node.type == symbols.dictsetmaker and _runs_in(node):
            return f"dictsetmaker< {' '.join(self._pairs(node))} >"
        comma = "[',']" if _takes_comma(node) else ""
        return f"{type_repr(node.type)}< {self._sequence(node.children)} {comma} >"

    def _leaf(self, node: LN) -> str:
        if node.type == token.STRING and (ONE in node.value or MANY in node.value):
            raise PatternProblem(
                "a metavariable stands for code, not for part of a string: `parts` asks for one"
            )
        quote, text = node.value[:1], node.value[1:-1]
        if node.type == token.STRING and quote in "'\"" and not set(text) & set("'\"\\"):
            # How a string is quoted says nothing.
            return "(" + " | ".join(repr(f"{other}{text}{other}") for other in "'\"") + ")"
        # fissix's patterns take what begins with a letter for a name.
        return self._word(node.value) if node.value[:1].isalpha() else repr(node.value)

    def _word(self, text: str) -> str:
        name = f"word__{len(self.words) + 1}"
        self.words[name] = text
        return f"{name}=any"

    def _with(self, node: LN) -> str:
        """With or without parentheses around the items."""
        items = list(node.children[1:-2])
        if items[0].type == token.LPAR:
            items = items[1:-1]
        if items[-1].type == token.COMMA:
            items.pop()
        # A run of items takes its commas along.
        last = "" if metavariable_in(items[-1], MANY) else "[',']"
        body = self.emit(node.children[-1])
        return f"with_stmt< 'with' ['('] {self._sequence(items)} {last} [')'] ':' {body} >"

    def _leaf_name(self, node: LN) -> str:
        one, many = metavariable_in(node, ONE), metavariable_in(node, MANY)
        if one:
            return f"{self._single(one)}=any"
        if many:
            return f"{self._name(many)}=any*"
        if node.value in self.imports and not is_member(node):
            return f"{self._meaning(self.imports[node.value])}=any"
        if is_builtin(node):
            return f"{self._meaning(f'builtins.{node.value}')}={node.value!r}"
        return repr(node.value)

    def _power(self, node: LN, top: bool) -> str:
        children = list(node.children)
        parts: list[str] = []
        awaits = children[0].type == token.AWAIT
        if awaits:
            parts.append(self._word(children.pop(0).value))
            self.awaits = top
        head = children[0]
        if is_name(head) and head.value in self.imports:
            names = [self.imports[head.value]]
            rest = children[1:]
            while rest and rest[0].type == symbols.trailer and rest[0].children[0].value == ".":
                names.append(rest.pop(0).children[1].value)
            capture = self._meaning(".".join(names))
            if not rest and not awaits:
                return f"{capture}=any"
            parts.append(f"{capture}=any+")
        else:
            one = metavariable_in(head, ONE)
            if top and not one and not awaits:
                parts.append("[any]")  # `await`, which fissix keeps as the first part
            parts.append(f"{self._chain(one)}=any+" if one else self.emit(head))
            rest = children[1:]
        parts.extend(self.emit(child) for child in rest)
        # The chain may go on after the pattern: `$ds.take($n)` in `x.take(1).y`.
        if top:
            parts.append(f"{FOLLOWING}=any*")
        return f"power< {' '.join(parts)} >"

    def _statements(self, suite: LN) -> Iterator[str]:
        """The statements of a block, of which `$...name` stands for any number, none included."""
        for child in suite.children:
            many = child.type == symbols.simple_stmt and metavariable_in(child.children[0], MANY)
            yield f"{self._name(many)}=any*" if many else self.emit(child)

    def _arguments(self, node: LN, kind: str = "arglist") -> str:
        """What stands between brackets, one or several; of a ``kind`` if it is several."""
        items = [node]
        if type_repr(node.type) == kind:
            items = [child for child in node.children if child.type != token.COMMA]
        many = [bool(metavariable_in(item, MANY)) for item in items]
        emitted = [self.emit(item) for item in items]
        if many == [True]:
            return emitted[0]
        fixed = [text for text, is_many in zip(emitted, many, strict=True) if not is_many]
        if len(fixed) > 1 and kind == "arglist":
            emitted, many = self._in_any_order(items, emitted, many)
        last = "" if many[-1] else "[',']"
        several = f"{kind}< {' '.join(self._spread(emitted, many))} {last} >"
        if len(several) > _LONGEST:
            reason = "too many forms: calls inside one another, and orders of names, multiply them"
            raise PatternProblem(reason)
        if not fixed and kind != "arglist":
            return " ".join(emitted)
        # One argument alone has no arglist around it; `any` would fit an arglist as well.
        return f"( {several} | {fixed[0]} )" if len(fixed) == 1 else several

    def _in_any_order(
        self, items: list[LN], emitted: list[str], many: list[bool]
    ) -> tuple[list[str], list[bool]]:
        """Neighbouring arguments with names as one, in whatever order they are given."""
        texts: list[str] = []
        runs: list[bool] = []
        numbers = range(len(items))
        for named, group in itertools.groupby(numbers, lambda n: _is_named(items[n])):
            places = list(group)
            alike = [emitted[n] for n in places]
            if named and 1 < len(alike) <= _MOST_NAMED:
                orders = (" ',' ".join(order) for order in itertools.permutations(alike))
                alike, places = [f"( {' | '.join(orders)} )"], places[:1]
            texts += alike
            runs += [many[n] for n in places]
        return texts, runs

    def _sequence(self, children: list[LN]) -> str:
        many = [bool(metavariable_in(child, MANY)) for child in children]
        kept: list[str] = []
        for index, child in enumerate(children):
            if child.type == token.COMMA and (
                many[index - 1] or (index + 1 < len(children) and many[index + 1])
            ):
                continue  # a run of items takes its commas along
            kept.append(self.emit(child))
        return " ".join(kept)

    def _pairs(self, node: LN) -> Iterator[str]:
        """What stands in a dictionary, of which `**$...name` is any number of items, which take
        their commas along."""
        runs = _runs_in(node)
        children = list(node.children)
        for at, child in enumerate(children):
            if at in runs:
                name = self._name(metavariable_in(children[at + 1], MANY))
                self.tuples.add(name)
                yield f"{name}=any*"
            elif at - 1 not in runs and not (
                child.type == token.COMMA and (at - 2 in runs or at + 1 in runs)
            ):
                yield self.emit(child)
        if len(children) - 2 not in runs and children[-1].type != token.COMMA:
            yield "[',']"

    def _spread(self, emitted: list[str], many: list[bool]) -> Iterator[str]:
        for index, text in enumerate(emitted):
            if index and not many[index] and not many[index - 1]:
                yield "','"
            yield text

    def _chain(self, name: str) -> str:
        name = self._name(name)
        self.chains.add(name)
        return name

    def _single(self, name: str) -> str:
        name = self._name(name)
        self.single.add(name)
        return name

    def _name(self, name: str) -> str:
        if _RESERVED.fullmatch(name):
            raise PatternProblem(f"${name} is a name of Pinsetter's own; choose another")
        count = self._used[name] = self._used.get(name, 0) + 1
        if count == 1:
            return name
        again = f"{name}__{count}"
        self.equal.append((name, again))
        return again

    def _meaning(self, qualified: str) -> str:
        name = f"name_{len(self.means) + 1}"
        self.means[name] = qualified
        return name


def _runs_in(node: LN) -> frozenset[int]:
    """Where `**$...name` stands in a dictionary: the indices of the stars."""
    children = node.children
    return frozenset(
        at for at, child in enumerate(children[:-1])
        if child.type == token.DOUBLESTAR and metavariable_in(children[at + 1], MANY)
    )  # fmt: skip


def _takes_comma(node: LN) -> bool:
    """Whether a comma at the end says nothing: that of a dictionary."""
    return bool(
        node.type == symbols.dictsetmaker
        and any(child.type == token.COLON for child in node.children)
        and node.children[-1].type not in (token.COMMA, symbols.comp_for)
    )


def _is_display(node: LN) -> bool:
    """A list or set that is written out; a dictionary's items are no single nodes."""
    if node.type != symbols.atom or len(node.children) != _DISPLAY:
        return False
    first, inner, _ = node.children
    if first.type not in (token.LSQB, token.LBRACE):
        return False
    parts = inner.children if inner.type in (symbols.listmaker, symbols.dictsetmaker) else []
    return not any(p.type in (symbols.comp_for, token.COLON, token.DOUBLESTAR) for p in parts)


def is_builtin(node: LN) -> bool:
    """Whether a name that is read is one of Python's own functions, classes or constants, if
    nothing else is called so."""
    return (
        is_variable(node)
        and node.value in BUILTINS
        and not node.value.startswith("_")
        and not is_target(node, node)
    )


def metavariable_in(node: LN, mark: str) -> str:
    if is_name(node) and node.value.startswith(mark):
        return str(node.value[len(mark) :])
    return ""


def _is_named(item: LN) -> bool:
    """Whether a pattern's argument is given by a name that is written out."""
    if item.type != symbols.argument or item.children[1].type != token.EQUAL:
        return False
    return not item.children[0].value.startswith((ONE, MANY))


# Something between two parentheses.
_PAIR = 3
_DISPLAY = 3
# `class` name `(` bases `)` `:` block
_WITH_BASES = 7
# The statement between the end of the line and of the block.
_SUITE_OF_ONE = 4
# Characters of the lib2to3 form; those of real rules have some hundreds.
_LONGEST = 20_000
# More are taken in the order in which they stand: each order is a pattern of its own.
_MOST_NAMED = 5
