"""Pattern: what a rule looks for, compiled, and every way in which it fits a node."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fissix import pytree
from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.bound_names import imported_items
from pinsetter.analyzer.syntax.tree import (
    LN,
    Expression,
    block_of,
    in_case_pattern,
    is_name,
    is_variable,
    same_code,
)

from .emitter import FOLLOWING, STATEMENTS
from .pattern_ways import ways

# Quoted, or a capture.
_CAPTURED = re.compile(r"""('[^']*'|"[^"]*")|\b\w+\s*=""")
WHOLE_MODULE = "file_input< any* >"


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern. ``text`` is the lib2to3 form; ``means`` maps captures to names that they
    must resolve to; ``equal`` lists captures that must be the same code; ``single`` those that
    stand for one expression, ``chains`` those that stand for some of a chain, ``tuples`` those
    that stand for the items of a tuple or dictionary, ``sets`` for items of a set; ``words`` maps
    captures to the text of the leaf that they must be. What ``awaits`` has `await` in its match;
    what is ``bare`` fits no part of a `case`'s pattern. A ``reference`` fits names, and chains of
    them, that may mean one thing; one that ``imports`` also the items of `from … import …`. Of
    several statements it is the first, and ``then`` are the others, which follow it in its
    block."""

    text: str
    means: Mapping[str, str] = field(default_factory=dict)
    equal: tuple[tuple[str, str], ...] = ()
    single: frozenset[str] = frozenset()
    chains: frozenset[str] = frozenset()
    tuples: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    words: Mapping[str, str] = field(default_factory=dict)
    awaits: bool = False
    bare: bool = False
    reference: bool = False
    imports: bool = False
    then: tuple[Following, ...] = ()
    compiled: object = field(default=None, compare=False)

    @property
    def is_whole_module(self) -> bool:
        """Whether it fits every module, once."""
        return self.text == WHOLE_MODULE

    @property
    def shape(self) -> str:
        """The lib2to3 form without the names of its captures."""
        return _CAPTURED.sub(lambda found: found[1] or "", self.text)

    @cached_property
    def form(self) -> str:
        """The lib2to3 form with the places of its captures, but without their names."""
        return _CAPTURED.sub(lambda found: found[1] or "=", self.text)

    @cached_property
    def in_order(self) -> tuple[str, ...]:
        """The names of the captures, where they stand in the lib2to3 form."""
        found = _CAPTURED.finditer(self.text)
        return tuple(one[0].rstrip("= \t") for one in found if not one[1])

    @cached_property
    def nameless(self) -> tuple[object, ...]:
        """Equal for patterns that differ only in what they call their captures, and in what these
        must mean: what fits one fits the other."""
        if self.reference or self.then:
            return (self,)
        called = {name: f"capture_{n}" for n, name in enumerate(dict.fromkeys(self.in_order))}
        called[FOLLOWING] = FOLLOWING
        sets = (
            {called.get(n, n) for n in names}
            for names in (self.single, self.chains, self.tuples, self.sets)
        )
        order = [called[name] for name in self.in_order]
        equal = [(called.get(a, a), called.get(b, b)) for a, b in self.equal]
        words = {called.get(name, name): word for name, word in self.words.items()}
        return (self.form, order, *sets, equal, words, self.awaits, self.bare, self.imports)

    def renamed(
        self, captures: Mapping[str, Expression], other: Pattern
    ) -> Mapping[str, Expression]:
        """Captures of another pattern that is ``nameless`` the same, by the names of this one."""
        if self.in_order == other.in_order:
            return captures
        called = dict(zip(other.in_order, self.in_order, strict=True))
        return {called.get(name, name): code for name, code in captures.items()}

    @property
    def names(self) -> frozenset[str]:
        """The captures that a rule may refer to."""
        texts = " ".join([self.text, *(f"{one.gap}= {one.text}" for one in self.then)])
        bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", texts)
        hidden = {FOLLOWING, *self.means, *self.words, *(again for _, again in self.equal)}
        return frozenset(re.findall(r"(\w+)\s*=", bare)) - hidden

    @cached_property
    def kinds(self) -> frozenset[int] | None:
        """The types of the nodes that it may fit; None if it may fit any."""
        return None if self.reference or not self.text else _kinds(self.compiled)

    def may_fit(self, node: LN) -> bool:
        """Whether it may fit a node, as far as the node's type tells."""
        return self.kinds is None or node.type in self.kinds

    def matches(self, node: LN) -> Iterator[dict[str, Expression]]:
        """Every way in which the pattern matches ``node`` as a whole, as captures."""
        if not self.text:
            return
        if self.reference:
            items = node.type == symbols.import_from
            for found in _imported(node) if items else _references(node):
                yield {**dict.fromkeys(self.means, found), "match": found}
            return
        for captures in self._captured(node):
            if self._fits(node, captures):
                whole = (node,) if node.type != symbols.power else tuple(node.children)
                following = captures.pop(FOLLOWING, ())
                found = whole[: len(whole) - len(following)]
                kept = {
                    name: _awaited(code)
                    for name, code in captures.items()
                    if name not in self.words
                }
                yield {**kept, "match": found if self.awaits else _awaited(found)}

    def _captured(self, node: LN) -> Iterator[dict[str, Expression]]:
        """What the compiled patterns say."""
        for captures in _captures(self.text, self.compiled, node):
            if not self.then:
                yield captures
            elif (line := _line_of(node)) is not None:
                lines = block_of(line)
                at = next(n for n, one in enumerate(lines) if one is line)
                begun = {**captures, STATEMENTS: (line,)}
                yield from self._followed(begun, lines[at + 1 :], self.then)

    def _followed(
        self, captures: dict[str, Expression], lines: Sequence[LN], left: tuple[Following, ...]
    ) -> Iterator[dict[str, Expression]]:
        """The captures with those of the statements that follow."""
        if not left:
            yield captures
            return
        first, *rest = left
        for at in range(len(lines) if first.gap else min(1, len(lines))):
            gap = {first.gap: tuple(lines[:at])} if first.gap else {}
            for found in first.captures(lines[at]):
                known = {**captures, **gap, **found}
                known[STATEMENTS] = (*captures[STATEMENTS], lines[at])
                if all(same_code(known[a], known[b]) for a, b in self.equal
                       if a in known and b in known):  # fmt: skip
                    yield from self._followed(known, lines[at + 1 :], tuple(rest))

    def _fits(self, node: LN, captures: Mapping[str, Expression]) -> bool:
        """What the compiled pattern cannot say."""
        following = captures.get(FOLLOWING, ())
        return (
            all(_is_one(captures[name]) for name in self.single if name in captures)
            and all(_is_chain(captures[name]) for name in self.chains if name in captures)
            and not any(_is_generator(captures[n]) for n in self.tuples if n in captures)
            and not any(_is_of_dictionary(captures[n]) for n in self.sets if n in captures)
            and all(_is_word(captures[name], word) for name, word in self.words.items())
            and all(same_code(captures[a], captures[b]) for a, b in self.equal)
            and not any(map(_has_parenthesis_of_with, captures.values()))
            and not (self.bare and in_case_pattern(node))
            # `await` waits for all of a chain.
            and not (self.awaits and following and following[0].type != token.DOUBLESTAR)
        )


def _kinds(compiled: object) -> frozenset[int] | None:
    if isinstance(compiled, pytree.NodePattern | pytree.LeafPattern):
        return None if compiled.type is None else frozenset([compiled.type])
    if not isinstance(compiled, pytree.WildcardPattern) or not compiled.content:
        return None
    once = (compiled.min, compiled.max) == (1, 1)
    if not once or any(len(choice) > 1 for choice in compiled.content):
        return None
    found = [_kinds(only) for (only,) in compiled.content]
    return None if None in found else frozenset[int]().union(*filter(None, found))


@dataclass(frozen=True)
class Following:
    """A statement that follows another: next to it, or, with a ``gap`` that is captured so, behind
    any number of others. ``text`` is its lib2to3 form."""

    gap: str
    text: str
    compiled: object = field(default=None, compare=False)

    def captures(self, line: LN) -> Iterator[dict[str, Expression]]:
        """Every way in which what stands in a line fits, with its decorators or without."""
        node = statement_in(line)
        yield from _captures(self.text, self.compiled, node)
        while node.type in AROUND_DEFINITION:
            node = node.children[-1]
            yield from _captures(self.text, self.compiled, node)


def _line_of(node: LN) -> LN | None:
    """The node of a block's list that a statement is all of; None if it is part of another, or
    shares a line."""
    parent = node.parent
    while parent is not None and parent.type in AROUND_DEFINITION and node is parent.children[-1]:
        node, parent = parent, parent.parent
    if parent is not None and parent.type == symbols.simple_stmt:
        node, parent = parent, parent.parent
        if statement_in(node) is node:
            return None
    is_block = parent is not None and parent.type in (symbols.suite, symbols.file_input)
    return node if is_block else None


def statement_in(line: LN) -> LN:
    """What stands in a line of a block; the line itself if it is several statements."""
    is_simple = line.type == symbols.simple_stmt and len(line.children) <= _WITH_NEWLINE
    return line.children[0] if is_simple else line


_WITH_NEWLINE = 2
# What a function or a class is the last part of.
AROUND_DEFINITION = {symbols.decorated, symbols.async_stmt, symbols.async_funcdef}


def _captures(text: str, compiled: object, node: LN) -> Iterator[dict[str, Expression]]:
    several = text.replace(f"{FOLLOWING}=any*", "").count("any*") > 1
    for results in (ways if several else _all_matches)(compiled, node):
        yield {name: _expression(found) for name, found in results.items()}


NEVER = Pattern("")  # fits nothing


def _imported(node: LN) -> Iterator[Expression]:
    return ((item,) for item in imported_items(node) if item.type != token.STAR)


def _references(node: LN) -> Iterator[Expression]:
    """The names, and the chains of names, that begin with a node."""
    if is_name(node):
        parent, before = node.parent, node.prev_sibling
        exponent = before is not None and before.type == token.DOUBLESTAR
        following = node.next_sibling
        called = following is not None and following.type == token.LPAR
        part = parent.type in _CHAINS or (parent.type == symbols.decorator and called)
        if is_variable(node) and not in_case_pattern(node) and (exponent or not part):
            yield (node,)
        return
    if node.type != symbols.power:
        return
    parts = tuple(node.children)
    parts = parts[1:] if parts[0].type == token.AWAIT else parts
    for count in range(1, len(parts) + 1):
        last = parts[count - 1]
        if count > 1 and (last.type != symbols.trailer or last.children[0].value != "."):
            return
        if not is_name(parts[0]):
            return
        yield parts[:count]


# What begins with a name is asked about as a whole.
_CHAINS = {symbols.power, symbols.dotted_name}


def _is_one(expression: Expression) -> bool:
    """Whether code is one expression, not several arguments or `*a`, `k=1`, `1:2` or a comma."""
    node = expression[0]
    if node.type == symbols.argument:
        return any(c.type in (symbols.comp_for, token.COLONEQUAL) for c in node.children)
    if node.type == symbols.subscriptlist:  # a tuple, but for slices among its items
        return not any(c.type in (symbols.subscript, token.COLON) for c in node.children)
    return node.type not in _ITEMS


# One or several items of something, none of which is an expression by itself.
_ITEMS = {symbols.arglist, symbols.listmaker, symbols.dictsetmaker, symbols.testlist_gexp,
          symbols.star_expr, symbols.subscript, token.COMMA, token.COLON}  # fmt: skip


def _is_generator(expression: Expression) -> bool:
    return any(
        part.type == symbols.comp_for for node in expression for part in (node, *node.children)
    )


def _is_of_dictionary(run: Expression) -> bool:
    return any(node.type in (token.COLON, token.DOUBLESTAR) for node in run)


def _is_chain(expression: Expression) -> bool:
    # `**` and what follows it are the last parts of a power.
    return all(node.type != token.DOUBLESTAR for node in expression[-2:])


def _is_word(expression: Expression, text: str) -> bool:
    return len(expression) == 1 and not expression[0].children and expression[0].value == text


def _has_parenthesis_of_with(code: Expression) -> bool:
    """Whether neighbours have a parenthesis around the items of a ``with`` among them."""
    if not code or code[0].parent is None or code[0].parent.type != symbols.with_stmt:
        return False
    return any(node.type in (token.LPAR, token.RPAR) for node in code)


def _awaited(expression: Expression) -> Expression:
    """Without the ``await`` that fissix keeps as the first part of a chain."""
    return expression[1:] if expression and expression[0].type == token.AWAIT else expression


def _expression(found: object) -> Expression:
    return tuple(found) if isinstance(found, list) else (found,)


def _all_matches(pattern: object, node: LN) -> Iterator[dict[str, object]]:
    # NodePattern.match stops at the first way to split a chain; `a.take(1).take(2)` has two.
    if isinstance(pattern, pytree.NodePattern) and pattern.wildcards:
        if pattern.type is not None and pattern.type != node.type:
            return
        for count, results in pytree.generate_matches(pattern.content, node.children):
            if count == len(node.children):
                yield dict(results)
    else:
        results = {}
        if pattern.match(node, results):  # type: ignore[attr-defined]
            yield results
