"""compile_code: a code-shaped pattern with ``$metavariables`` to a lib2to3 pattern.

``$name`` stands for one expression (in front of a trailer, ``$name.method()``, for as much of the
chain as there is), ``$...name`` for any run of arguments, items or statements. A dotted name whose
head is one of the pack's imports (``tf.GradientTape``) stands for every expression with that
qualified name.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from fissix import pytree
from fissix.patcomp import PatternCompiler, PatternSyntaxError
from fissix.pgen2 import token
from fissix.pgen2.tokenize import TokenError
from fissix.pygram import python_symbols as symbols
from fissix.pytree import type_repr

from pinsetter.analyzer.names.scopes import BUILTINS, imported_items
from pinsetter.analyzer.syntax import SyntaxProblem, parse
from pinsetter.analyzer.syntax.tree import (
    LN,
    Expression,
    block_of,
    dotted,
    in_case_pattern,
    is_member,
    is_name,
    is_variable,
    same_code,
)

from ..edits.precedence import is_target
from .ways import ways

METAVARIABLE = re.compile(r"\$(\.\.\.)?([A-Za-z_]\w*)")
# What white space a pattern is laid out with says nothing.
_LAYOUT = {token.NEWLINE, token.INDENT, token.DEDENT}
_ONE, _MANY = "__one_", "__many_"
FOLLOWING = "following"
# The lines that a pattern of several statements fits.
STATEMENTS = "statements"
_RESERVED = re.compile(rf"match|it|{FOLLOWING}|{STATEMENTS}|name_\d+|\w+__\d+")


# Quoted, or a capture.
_CAPTURED = re.compile(r"""('[^']*'|"[^"]*")|\b\w+\s*=""")


class PatternProblem(ValueError):
    """A pattern that cannot be compiled."""


WHOLE_MODULE = "file_input< any* >"
# A dotted name that the pack's imports say the meaning of, however it is spelt.
_REFERENCE = "( power< any+ > | NAME )"
_OR_IMPORT = "( power< any+ > | NAME | import_from< any* > )"


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern. ``text`` is the lib2to3 form; ``means`` maps captures to names that
    they must resolve to; ``equal`` lists captures that must be the same code; ``single`` those that
    stand for one expression, ``chains`` those that stand for some of a chain, ``tuples`` those that
    stand for the items of a tuple, ``sets`` for items of a set; ``words`` maps captures to the text
    of the leaf that they must be. What ``awaits`` has `await` in its match; what is ``bare`` fits
    no part of a `case`'s pattern. A ``reference`` fits names, and chains of them, that may mean one
    thing; one that ``imports`` also the items of `from … import …`. Of several statements it is the
    first, and ``then`` are the others, which follow it in its block."""

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

    @property
    def names(self) -> frozenset[str]:
        """The captures that a rule may refer to."""
        texts = " ".join([self.text, *(f"{one.gap}= {one.text}" for one in self.then)])
        bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", texts)
        hidden = {FOLLOWING, *self.means, *self.words, *(again for _, again in self.equal)}
        return frozenset(re.findall(r"(\w+)\s*=", bare)) - hidden

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


@dataclass(frozen=True)
class Following:
    """A statement that follows another: next to it, or, with a ``gap`` that is captured so, behind
    any number of others. ``text`` is its lib2to3 form."""

    gap: str
    text: str
    compiled: object = field(default=None, compare=False)

    def captures(self, line: LN) -> Iterator[dict[str, Expression]]:
        """Every way in which what stands in a line fits, with its decorators or without."""
        node = _statement_in(line)
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
        if _statement_in(node) is node:
            return None
    is_block = parent is not None and parent.type in (symbols.suite, symbols.file_input)
    return node if is_block else None


def _statement_in(line: LN) -> LN:
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


# Packs of one choice share the rules of parts.
_REMEMBERED = 4096


@lru_cache(maxsize=_REMEMBERED)
def compile_query(text: str) -> Pattern:
    """A lib2to3 pattern, as it is; raises PatternProblem."""
    try:
        return Pattern(" ".join(text.split()), compiled=PatternCompiler().compile_pattern(text))
    except (PatternSyntaxError, TokenError) as error:
        raise PatternProblem(f"not a lib2to3 pattern: {error}") from None
    except (AssertionError, LookupError, AttributeError, UnboundLocalError) as error:
        # What PatternCompiler itself trips over: symbols such as `_x`, ranges such as `any{2,1}`.
        raise PatternProblem(f"not a lib2to3 pattern: {text.strip()!r} ({error})") from None


def with_imports(pattern: Pattern) -> Pattern:
    """A reference that fits where the name is imported, too."""
    compiled = PatternCompiler().compile_pattern(_OR_IMPORT)
    return replace(pattern, text=_OR_IMPORT, imports=True, compiled=compiled)


def compile_code(code: str, imports: Mapping[str, str]) -> Pattern:
    """A code-shaped pattern; raises PatternProblem."""
    return _of_code(code, tuple(imports.items()))


@lru_cache(maxsize=_REMEMBERED)
def _of_code(code: str, imports: tuple[tuple[str, str], ...]) -> Pattern:
    plain = METAVARIABLE.sub(lambda m: (_MANY if m[1] else _ONE) + m[2], code.strip())
    if "$" in plain:
        raise PatternProblem(f"a metavariable is $name or $...name: {code.strip()!r}")
    try:
        tree = parse(plain)
    except SyntaxProblem as problem:
        raise PatternProblem(f"not Python: line {problem.line}: {problem.reason}") from None
    statements = [child for child in tree.children if child.type != token.ENDMARKER]
    for line in statements:
        if line.type == symbols.simple_stmt and len(line.children) > 2:
            raise PatternProblem("each statement of a pattern has lines of its own")
    if not statements:
        raise PatternProblem("a pattern is an expression or statements")
    root, *others = map(_statement_in, statements)
    if others:
        return _of_statements(root, others, dict(imports))
    if _metavariable(root, _ONE) or _metavariable(root, _MANY):
        raise PatternProblem("a metavariable alone fits everything; add code around it")
    name = _qualified(root, dict(imports))
    if name:
        compiled = PatternCompiler().compile_pattern(_REFERENCE)
        return Pattern(_REFERENCE, {"name_1": name}, reference=True, compiled=compiled)
    emitter = _Emitter(dict(imports))
    text = emitter.emit(root, top=True)
    return emitter.pattern(text, _compiled(text))


def _of_statements(first: LN, others: list[LN], imports: Mapping[str, str]) -> Pattern:
    """A pattern for statements of one block, in their order."""
    if _metavariable(first, _MANY) or _metavariable(others[-1], _MANY):
        raise PatternProblem("$...name stands for statements between others")
    emitter = _Emitter(imports)
    text = emitter.emit(first)
    then: list[Following] = []
    gap = ""
    for statement in others:
        many = _metavariable(statement, _MANY)
        if many and gap:
            raise PatternProblem("two runs of statements side by side are one")
        if _metavariable(statement, _ONE):
            raise PatternProblem("a metavariable alone fits everything; add code around it")
        if many:
            gap = emitter.run(many)
        else:
            form = emitter.emit(statement)
            then.append(Following(gap, form, _compiled(form)))
            gap = ""
    return replace(emitter.pattern(text, _compiled(text)), then=tuple(then))


def _compiled(text: str) -> object:
    try:
        return PatternCompiler().compile_pattern(text)
    except (PatternSyntaxError, TokenError, AssertionError, LookupError) as error:
        raise PatternProblem(f"cannot be compiled: {error}: {text}") from None


class _Emitter:
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

    def pattern(self, text: str, compiled: object) -> Pattern:
        """The pattern of a text that was emitted."""
        return Pattern(
            text,
            self.means,
            tuple(dict.fromkeys(self.equal)),
            frozenset(self.single),
            frozenset(self.chains),
            frozenset(self.tuples),
            frozenset(self.sets),
            self.words,
            self.awaits,
            bare=True,
            compiled=compiled,
        )

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
            if len(body) == 1 and _metavariable(body[0].children[0], _MANY):
                return f"{self._name(_metavariable(body[0].children[0], _MANY))}=any"
            if any(_metavariable(child.children[0], _MANY) for child in body):
                return f"suite< {' '.join(self._statements(node))} >"
            if len(body) == 1 and len(node.children) == _SUITE_OF_ONE:
                # On lines of its own, or behind the colon: with the same captures.
                known = dict(self._used), dict(self.means), dict(self.words)
                inner = f"suite< {self._sequence(node.children)} >"
                self._used, self.means, self.words = known
                return f"( {inner} | {self.emit(body[0])} )"
        if node.type == symbols.simple_stmt:
            only = _metavariable(node.children[0], _MANY)
            if only:
                return f"{self._name(only)}=any"
        if node.type == symbols.atom and node.children[0].type == token.LPAR:
            only = _metavariable(node.children[1], _MANY) if len(node.children) == _PAIR else ""
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
                                 if (name := _metavariable(part, _MANY)))  # fmt: skip
            return f"atom< {self.emit(first)} {self._arguments(inner, kind)} {self.emit(last)} >"
        comma = "[',']" if _takes_comma(node) else ""
        return f"{type_repr(node.type)}< {self._sequence(node.children)} {comma} >"

    def _leaf(self, node: LN) -> str:
        if node.type == token.STRING and (_ONE in node.value or _MANY in node.value):
            raise PatternProblem("a metavariable stands for code, not for part of a string")
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
        last = "" if _metavariable(items[-1], _MANY) else "[',']"
        body = self.emit(node.children[-1])
        return f"with_stmt< 'with' ['('] {self._sequence(items)} {last} [')'] ':' {body} >"

    def _leaf_name(self, node: LN) -> str:
        one, many = _metavariable(node, _ONE), _metavariable(node, _MANY)
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
            one = _metavariable(head, _ONE)
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
            many = child.type == symbols.simple_stmt and _metavariable(child.children[0], _MANY)
            yield f"{self._name(many)}=any*" if many else self.emit(child)

    def _arguments(self, node: LN, kind: str = "arglist") -> str:
        """What stands between brackets, one or several; of a ``kind`` if it is several."""
        items = [node]
        if type_repr(node.type) == kind:
            items = [child for child in node.children if child.type != token.COMMA]
        many = [bool(_metavariable(item, _MANY)) for item in items]
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
        many = [bool(_metavariable(child, _MANY)) for child in children]
        kept: list[str] = []
        for index, child in enumerate(children):
            if child.type == token.COMMA and (
                many[index - 1] or (index + 1 < len(children) and many[index + 1])
            ):
                continue  # a run of items takes its commas along
            kept.append(self.emit(child))
        return " ".join(kept)

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


def _is_of_dictionary(run: Expression) -> bool:
    return any(node.type in (token.COLON, token.DOUBLESTAR) for node in run)


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


def _qualified(root: LN, imports: Mapping[str, str]) -> str:
    """What a pattern that is nothing but a dotted name means; nothing for any other."""
    head, *names = dotted((root,)) or ("",)
    return ".".join((imports[head], *names)) if head in imports else ""


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


def is_builtin(node: LN) -> bool:
    """Whether a name that is read is one of Python's own functions, classes or constants, if
    nothing else is called so."""
    return (
        is_variable(node)
        and node.value in BUILTINS
        and not node.value.startswith("_")
        and not is_target(node, node)
    )


def _metavariable(node: LN, mark: str) -> str:
    if is_name(node) and node.value.startswith(mark):
        return str(node.value[len(mark) :])
    return ""


def _is_named(item: LN) -> bool:
    """Whether a pattern's argument is given by a name that is written out."""
    if item.type != symbols.argument or item.children[1].type != token.EQUAL:
        return False
    return not item.children[0].value.startswith((_ONE, _MANY))


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
    return any(child.type == symbols.comp_for for node in expression for child in node.children)


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
