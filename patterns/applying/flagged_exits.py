"""Flagged: a ``continue``, ``break`` or ``return`` as a flag that is set, and that what would not
have been reached asks.

What stands behind a statement in which one may be, in each block around it, gets under a condition;
a ``while`` asks the flag as well, and a ``for`` ends by it at the end of its body. Comments and
strings stay, and lines are moved to the right only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow.rebinding import returns
from pinsetter.analyzer.flow.suites import (
    always_leaves,
    clauses,
    own_nodes,
    suites_of,
    try_parts,
)
from pinsetter.analyzer.syntax.tree import (
    LN,
    block_of,
    first_in,
    line_statement,
    lines_of,
    statement_of,
)

from ..edits.edit import AFTER, BEFORE, CLOSE, OPEN, Edit
from ..edits.fragment import Fragment
from ..edits.precedence import AND, Place, code_of
from ..edits.rebuilding import block_at, enclosed
from ..edits.rendering import BLOCK, KEPT, Filling, Misfit, Rendered, around, plain
from ..edits.template import Kind
from .substitutions import own_statements

if TYPE_CHECKING:
    from .module_rules import ModuleRules

Rank = tuple[int, ...]
Render = Callable[[str, Mapping[str, Filling], Kind], Rendered]


class Flagged:
    """One loop's, or function's, by the templates of an ``edit``."""

    def __init__(
        self, node: LN, rules: ModuleRules, render: Render, edit: Mapping[str, Any], rank: Rank
    ) -> None:
        self.node = node
        self.rules = rules
        self.render = render
        self.edit = edit
        self.word: str = edit["exits"]
        self.rank = rank
        self.tree = rules.module.tree
        self.layout = rules.layout
        self.suites = suites_of(rules.module)
        self.is_function = node.type == symbols.funcdef
        if self.is_function != (self.word == "return"):
            raise Misfit(f"a `{self.word}` is not for it")
        self.scope = rules.module.scope_of(node.children[-1] if self.is_function else node)
        self._check()
        names = edit.get("names", {})
        self.flag = self._fresh(names.get("flag", _NAMES[self.word]))
        self.value = self._fresh(names.get("value", "result")) if self.is_function else ""
        self.regions: dict[int, Sequence[LN]] = {}
        """What is under the condition, by the id() of its first line."""
        self.loops: dict[int, LN] = {}
        """The loops that end by the flag."""
        self.handlers: dict[int, LN] = {}
        """The blocks for exceptions by which an exit may have been given up."""
        self.ended: dict[int, tuple[LN, bool]] = {}
        """The `try` statements whose `finally` leaves on each way, which gives up all exits and
        exceptions before; whether it leaves by one of these exits."""
        self.asked: set[int] = set()
        """The exits after which something asks the flag, by their id()."""
        for one in self._exits():
            self._follow(one)
        if "$flag" in edit.get("result", ""):
            self.asked |= {id(one) for one in self._exits()}

    def _check(self) -> None:
        if self.scope.kind == "class":
            raise Misfit("a flag would be an attribute of the class")
        function = self.scope.function
        reason = self.suites.stays_by_name(function.node) if function is not None else ""
        if reason:
            raise Misfit(reason)

    def _fresh(self, name: str) -> str:
        """A name that is free in the outermost function around, or in the module."""
        wanted = f"_{name}" if self.scope.function is None else name
        home = self.scope
        while home.parent is not None and home.parent.function is not None:
            home = home.parent
        taken = self.rules.flags.setdefault(id(home.node), set())
        found = self.rules.module.fresh(wanted, frozenset(taken))
        taken.add(found)
        return found

    def _exits(self) -> list[LN]:
        if self.is_function:
            return returns(self.node)
        found = self.suites.exits(self.node)
        return [one.node for one in found if one.word == self.word and one.target is self.node]

    def _follow(self, node: LN) -> None:
        """Note what would not be reached behind an exit, in all blocks up to the whole."""
        line = line_statement(node)
        if line.children and line.children[-1].type == token.NEWLINE:
            if any(one is not node for one in _behind(node, line)):
                raise Misfit("something stands behind it on its line")
        may_be_given_up = False
        while True:
            block = line.parent
            rest = [] if block.type != symbols.suite else _lines_behind(line)
            if rest:
                self.regions.setdefault(id(rest[0]), rest)
                self.asked.add(id(node))
            around = block if block.type != symbols.suite else block.parent
            inside = line if block.type != symbols.suite else block
            if around is self.node and self._is_body(inside):
                return
            if around.type == symbols.try_stmt:
                self._check_try(node, around, inside)
                if may_be_given_up and inside is around.children[2]:
                    self.handlers |= {id(one): one for one in _handlers(around)}
                may_be_given_up = may_be_given_up or _has_finally(around)
            may_be_given_up = may_be_given_up or around.type == symbols.with_stmt
            is_loop = around.type in (symbols.while_stmt, symbols.for_stmt)
            if is_loop and inside is clauses(around)[0].suite:
                self._note_loop(around)
                self.asked.add(id(node))
            line = statement_of(around)
            if line is self.node:
                return

    def _is_body(self, suite: LN) -> bool:
        if self.is_function:
            return suite is self.node.children[-1]
        return suite is clauses(self.node)[0].suite

    def _check_try(self, node: LN, statement: LN, suite: LN) -> None:
        """Note what of a ``try`` around an exit is not reached by it. Raises Misfit."""
        parts = try_parts(statement)
        if self.is_function and [word for word, _ in parts] == ["try", "finally"]:
            final = parts[1][1]
            if final.type == symbols.suite and always_leaves(final):
                is_own = final is suite or self.ended.get(id(statement), (statement, False))[1]
                self.ended[id(statement)] = (statement, is_own)
                return
        for word, block in parts:
            if word == "finally" and block is suite:
                raise Misfit("it stands in a `finally`, and ends an exception there")
            if word == "finally" and any(map(_is_exit, own_nodes(block))):
                raise Misfit("a `finally` around it may leave on another way")
            if word == "else" and suite is parts[0][1]:
                if block.type != symbols.suite:
                    raise Misfit("the `else` of a `try` has no lines of its own")
                lines = lines_of(block)
                self.regions.setdefault(id(lines[0]), lines)
                self.asked.add(id(node))

    def _note_loop(self, loop: LN) -> None:
        parts = clauses(loop)
        breaks = (one for one in self.suites.exits(loop) if one.word == "break")
        is_left = any(one.target is loop for one in breaks)
        if len(parts) > 1 and parts[0].word == "while" and is_left:
            raise Misfit("a `while` around it has an `else`; first, that has to go by lower-breaks")
        if parts[0].suite.type != symbols.suite:
            raise Misfit("a loop's body has no lines of its own")
        self.loops[id(loop)] = loop

    # ------------------------------------------------------------ edits

    def edits(self) -> list[Edit]:
        """Raises Misfit."""
        if self.word == "break":
            self.loops[id(self.node)] = self.node
        edits = [*self._start()]
        for one in self._exits():
            edits += self._set(one)
        edits += [self._reset(one) for one in self.handlers.values()]
        for one, is_own in self.ended.values():
            edits += self._given_up(one, is_own)
        for number, lines in enumerate(self.regions.values()):
            head = [Fragment(f"if not {self.flag}:"), Fragment(f"    {BLOCK}")]
            rank = (*self.rank, number)
            edits += [e for e in enclosed(self.node, tuple(lines), head, self.layout, rank)
                      if e.text or e.indent]  # fmt: skip
        for loop in self.loops.values():
            edits += self._ended(loop)
        if self.is_function:
            edits.append(self._end())
        return edits

    def _start(self) -> Iterator[Edit]:
        if self.is_function:
            lines = [f"{self.flag} = False"] if self.asked else []
            body = own_statements(self.node.children[-1])
            initial = self.render(self.edit.get("initial", "None"), {}, Kind.EXPRESSION).text
            yield self._first(body, [*lines, f"{self.value} = {initial.text}"])
        elif self.word == "continue":
            body = clauses(self.node)[0].suite
            yield self._first(lines_of(body), [f"{self.flag} = False"])
        else:
            whole = statement_of(self.node)
            yield from self.layout.before(whole, [f"{self.flag} = False"], self.rank)

    def _first(self, body: Sequence[LN], lines: Sequence[str]) -> Edit:
        """Lines in front of the first one of a block, and of its comments."""
        block = block_at(tuple(body), self.layout)
        if block.inline:
            raise Misfit("its body has no lines of its own")
        text = "".join(f"{block.indentation}{one}{self.layout.newline}" for one in lines)
        outer = (block.span[0], self.tree.end(self.node))
        return Edit(block.span[0], block.span[0], text, BEFORE, outer, self.rank)

    def _set(self, node: LN) -> Iterator[Edit]:
        """The flag is set, and the value kept."""
        start, end = self.tree.span((node,))
        outer = (start, end)
        done = f"{self.flag} = True"
        if not self.is_function:
            yield Edit(start, end, done, outer=outer, rank=self.rank)
            return
        has_value = node.type == symbols.return_stmt
        is_asked = id(node) in self.asked
        if not has_value:
            is_said = self.handlers or "initial" in self.edit
            text = f"{self.value} = None" if is_said else ""
            both = [text, done if is_asked else ""]
            said = "; ".join(filter(None, both)) or "pass"
            yield Edit(start, end, said, outer=outer, rank=self.rank)
            return
        value = node.children[1]
        span = self.tree.span((value,))
        made = self.render(f"{self.value} = $it", {"it": around((value,))}, Kind.CODE).text
        before, after = (part.text for part in made.split(KEPT))
        yield Edit(start, span[0], before, outer=outer, rank=self.rank)
        if after:
            yield Edit(span[1], span[1], after, CLOSE, span, self.rank)
        if is_asked:
            yield self._beside(node, done)

    def _reset(self, block: LN) -> Edit:
        """Where an exception ends a ``with`` or ``finally`` on the way, nothing is left."""
        end = self.tree.end(block)
        return self.layout.in_front(block, [f"{self.flag} = False"], self.rank, end)

    def _given_up(self, statement: LN, is_own: bool) -> Iterator[Edit]:
        """What a ``finally`` does that leaves: nothing before it counts, no exception either."""
        final = statement.children[-1]
        yield self._reset(final)
        if is_own:
            word = statement.children[-3]
            start = self.tree.start(word)
            indentation = self.layout.indentation(statement)
            lines = ("except BaseException:", f"{self.layout.unit}pass", "")
            text = (self.layout.newline + indentation).join(lines)
            outer = (start, self.tree.end(statement))
            yield Edit(start, start, text, BEFORE, outer, self.rank)

    def _beside(self, node: LN, text: str) -> Edit:
        """A statement behind another: in the next line, or in the same if that is all there is."""
        line = line_statement(node)
        if line.parent.type != symbols.suite or len(line.children) > 2:
            end = self.tree.end(node)
            return Edit(end, end, f"; {text}", AFTER, self.tree.span((node,)), self.rank)
        (edit,) = self.layout.after(node, [text], self.rank)
        return edit

    def _ended(self, loop: LN) -> Iterator[Edit]:
        parts = clauses(loop)
        if parts[0].word == "while":
            test = parts[0].test
            assert test is not None
            span = self.tree.span((test,))
            # `while(x):` has no space in front of what is asked first now.
            asked = f"not {self.flag}"
            if not self.layout.text[span[0] - 1].isspace():
                asked = f" {asked}"
            if str(test).strip() in ("True", "1"):
                yield Edit(*span, asked, outer=span, rank=self.rank)
            else:
                fits = Place(AND).takes(code_of((test,)))
                opening, closing = ("", "") if fits else ("(", ")")
                yield Edit(span[0], span[0], f"{asked} and {opening}", OPEN, span, self.rank)
                if closing:
                    yield Edit(span[1], span[1], closing, CLOSE, span, self.rank)
            for clause in parts[1:]:
                # It stands where the loop stands, and is reached if that has not been left.
                head = (self.tree.start(clause.keyword), self.tree.end(clause.keyword))
                yield Edit(*head, f"if not {self.flag}", outer=head, rank=self.rank)
            return
        suite = parts[0].suite
        if suite.type != symbols.suite:
            raise Misfit("its body has no lines of its own")
        lines = [Fragment(f"if {self.flag}:"), Fragment("    break")]
        yield self._behind_lines(lines_of(suite), lines, self.tree.span((suite,)))

    def _end(self) -> Edit:
        body = lines_of(self.node.children[-1])
        outer = (self.tree.start(self.node), self.tree.end(self.node) + 1)
        given = {"it": plain(self.value), "flag": plain(self.flag if self.asked else "True")}
        result = self.render(self.edit.get("result", "$it"), given, Kind.EXPRESSION).text
        return self._behind_lines(body, ["return " + result], outer)

    def _behind_lines(
        self, body: Sequence[LN], lines: Sequence[Fragment], outer: tuple[int, int]
    ) -> Edit:
        """Lines behind the last one of a block, and the comments of that."""
        block = block_at(tuple(body), self.layout)
        at = block.span[1]
        outer = (outer[0], max(outer[1], at))
        return self.layout.behind(at, lines, block.indentation, outer, self.rank)


def _handlers(statement: LN) -> list[LN]:
    """The blocks of a ``try`` for exceptions."""
    return [block for word, block in try_parts(statement) if word == "except"]


def _has_finally(statement: LN) -> bool:
    return any(word == "finally" for word, _ in try_parts(statement))


def _is_exit(node: LN) -> bool:
    return node.type == token.NAME and node.value in ("return", "break", "continue")


def _lines_behind(line: LN) -> list[LN]:
    lines = block_of(first_in(line))
    at = next(n for n, one in enumerate(lines) if one is line)
    return list(lines[at + 1 :])


def _behind(node: LN, line: LN) -> list[LN]:
    """The other statements of a line that stand behind one."""
    parts = [one for one in line.children if one.type not in (token.SEMI, token.NEWLINE)]
    at = next((n for n, one in enumerate(parts) if one is node), len(parts))
    return parts[at + 1 :]


_NAMES = {"continue": "skipped", "break": "stopped", "return": "returned"}
_LAYOUT = {token.NEWLINE, token.INDENT, token.DEDENT}
