"""LiftedCall: a call behind blocks that are functions, as it is written by a rule with `lift`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    block_of,
    is_name,
    line_statement,
    outer_call,
    statement_of,
)

from ..packs.pack import Pack
from ..reading.qualified_names import qualified


@dataclass(frozen=True)
class Block:
    """A function that is the block of a clause, which ``word`` begins. ``test`` is what that asks,
    or goes through; ``by`` the function that returns it, if it has one of its own."""

    word: str
    definition: LN
    test: LN | None
    by: LN | None = None

    @property
    def suite(self) -> LN:
        return self.definition.children[-1]


@dataclass(frozen=True)
class LiftedCall:
    """``lines`` are what stands behind the blocks: functions that are tests, the call, and what
    takes names away or hands a ``signal`` on."""

    word: str
    blocks: tuple[Block, ...]
    lines: tuple[LN, ...]
    signal: str | None


class LiftedCalls:
    """Those of one module, by the forms of a pack."""

    def __init__(self, pack: Pack, module: Module, facts: Facts) -> None:
        self._module = module
        self._facts = facts
        forms = pack.lifted
        self.words: Mapping[str, str] = {} if forms is None else {
            qualified(form.call.partition("(")[0], pack.imports): word
            for word, form in forms.statements.items()
        }  # fmt: skip

    def word_of(self, call: Call) -> str:
        """What a call stands for: `if`, `while` or `for`; empty if for none."""
        names = self._facts.evaluator.names(call.callee, self._module)
        return next((self.words[name] for name in names if name in self.words), "")

    def of_line(self, line: LN) -> LiftedCall | None:
        """What a line of a block calls; None if that is nothing lifted, or has been changed."""
        given = line.children[0] if line.type == symbols.simple_stmt else line
        if line.type == symbols.simple_stmt and len(line.children) > 2:
            return None
        signal = None
        if given.type == symbols.expr_stmt and len(given.children) == 3:
            if not is_name(given.children[0]) or given.children[1].type != token.EQUAL:
                return None
            signal, given = str(given.children[0].value), given.children[2]
        call = outer_call((given,)) if given.type == symbols.power else None
        word = self.word_of(call) if call is not None else ""
        if call is None or not word or any(a.star or a.name not in _TOLD for a in call.arguments):
            return None
        return self._lifted(line, word, signal, [a.value for a in call.arguments if not a.name])

    def hands_on(self, statement: LN) -> LiftedCall | None:
        """The call whose signal an ``if`` hands on."""
        if _tested(statement) is None:
            return None
        lines = block_of(statement)
        at = next(n for n, line in enumerate(lines) if line is line_statement(statement))
        for line in reversed(lines[max(0, at - 4) : at]):
            found = self.of_line(line)
            if found is not None:
                return found if any(one is statement for one in found.lines) else None
        return None

    def around(self, node: LN) -> LiftedCall | None:
        """The call of which the function around a node is a block."""
        parent = node.parent
        while parent is not None and parent.type not in (symbols.funcdef, symbols.classdef):
            parent = parent.parent
        return self.of_block(parent) if parent is not None else None

    def of_block(self, definition: LN) -> LiftedCall | None:
        """The call of which a function is a block, or a test."""
        lines = block_of(definition) if definition.type == symbols.funcdef else []
        at = next((n for n, line in enumerate(lines) if line is definition), len(lines))
        for line in lines[at + 1 :]:
            if line.type == symbols.simple_stmt:
                found = self.of_line(line)
                blocks = found.blocks if found is not None else ()
                return found if any(definition in (b.definition, b.by) for b in blocks) else None
            if line.type != symbols.funcdef:
                return None
        return None

    def _lifted(
        self, line: LN, word: str, signal: str | None, given: Sequence[LN]
    ) -> LiftedCall | None:
        lines = block_of(line)
        at = next(n for n, one in enumerate(lines) if one is line)
        functions: dict[str, LN] = {}
        for one in reversed(lines[:at]):
            if one.type != symbols.funcdef:
                break
            functions[str(one.children[1].value)] = one
        used = {str(one.value) for one in given if is_name(one)}
        functions = {name: one for name, one in functions.items() if name in used}
        blocks = self._blocks(word, given, functions)
        if not blocks:
            return None
        behind = [*self._behind(lines[at + 1 :], signal, functions)]
        tests = [block.by for block in blocks if block.by is not None]
        if not self._are_own(functions, [line, *behind]):
            return None
        order = sorted(tests, key=self._module.tree.start)
        return LiftedCall(word, tuple(blocks), (*order, line, *behind), signal)

    def _blocks(
        self, word: str, given: Sequence[LN], functions: Mapping[str, LN]
    ) -> list[Block] | None:
        found: list[Block] = []
        if len(given) < 2:
            return None
        first, rest = given[0], [*given[1:]]
        words = iter((word,))
        tests: list[LN | None] = [first]
        while rest:
            keyword = next(words, "elif" if word == "if" and len(rest) > 1 else "else")
            if keyword == "elif":
                tests.append(rest.pop(0))
            elif keyword == "else":
                tests.append(None)
            definition = functions.get(str(rest[0].value)) if is_name(rest[0]) else None
            del rest[0]
            test = tests[-1]
            by = None
            if test is not None and keyword in ("elif", "while"):
                read = _returned(test, functions)
                if read is None:
                    return None
                test, by = read
            if definition is None or not _is_plain(definition, int(keyword == "for")):
                return None
            found.append(Block(keyword, definition, test, by))
        return found

    def _behind(
        self, lines: Sequence[LN], signal: str | None, functions: Mapping[str, LN]
    ) -> Iterator[LN]:
        """The lines behind a call that belong to it."""
        for line in lines:
            if line.type == symbols.simple_stmt and line.children[0].type == symbols.del_stmt:
                names = {str(leaf.value) for leaf in _names(line.children[0].children[1])}
                if not names or not names <= functions.keys():
                    return
            elif signal is None or _tested(line) != signal:
                return
            yield line

    def _are_own(self, functions: Mapping[str, LN], lines: Sequence[LN]) -> bool:
        """Whether nothing else speaks of the functions, which go."""
        return all(
            leaf.parent is one or any(line_statement(statement_of(leaf)) is n for n in lines)
            for name, one in functions.items()
            for leaf in self._module.leaves_of(name)
            if self._module.scope_of(leaf).owner(name) is self._module.scope_of(one).owner(name)
        )


def _returned(test: LN, functions: Mapping[str, LN]) -> tuple[LN, LN | None] | None:
    """What a function without parameters returns, with its definition if it has a name."""
    if test.type in (symbols.lambdef, symbols.old_lambdef):
        plain = len(test.children) == 3
        return (test.children[2], None) if plain else None
    by = functions.get(str(test.value)) if is_name(test) else None
    if by is None or not _is_plain(by, 0):
        return None
    last = [c for c in by.children[-1].children if c.type not in _LAYOUT][-1]
    node = last.children[0] if last.type == symbols.simple_stmt else last
    return (node.children[1], by) if node.type == symbols.return_stmt else None


def _is_plain(definition: LN, parameters: int) -> bool:
    """Whether a function has so many parameters, and neither a result's type nor decorators."""
    if definition.parent.type in (symbols.decorated, symbols.async_stmt, symbols.async_funcdef):
        return False
    children = definition.children
    if len(children) != 5:
        return False
    given = children[2].children[1:-1]
    return len(given) == parameters and all(map(is_name, given))


def _names(targets: LN) -> list[LN]:
    return [targets] if is_name(targets) else [c for c in targets.children if is_name(c)]


def _tested(statement: LN) -> str | None:
    """The name of which an ``if`` with one block asks whether it is something."""
    if statement.type != symbols.if_stmt or len(statement.children) != 4:
        return None
    test = statement.children[1]
    if test.type != symbols.comparison or not is_name(test.children[0]):
        return None
    sign = test.children[1]
    word = sign.children[0] if sign.children else sign
    is_is = word.type == token.NAME and word.value == "is"
    return str(test.children[0].value) if is_is else None


_LAYOUT = {token.NEWLINE, token.INDENT, token.DEDENT}
# None: what is given by position.
_TOLD = {None, "state", "until", "options"}
