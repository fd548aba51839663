"""Unlift: a lifted ``if``, ``while`` or ``for`` is put back, with all that is lifted in its blocks.

What a rule with `lift` has written is taken back, edit by edit, so that the file has its old bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.scopes import Scope
from pinsetter.analyzer.syntax.tree import LN, ancestors, block_of, is_name, outer_call, walk

from ..edits.edit import Edit
from ..edits.fragment import Fragment, taken
from ..edits.rendering import Misfit
from ..edits.template import needs_brackets
from ..matching.lifted_calls import Block, LiftedCall, LiftedCalls
from ..packs.lifted import Forms
from ..reading.qualified_names import qualified
from .moved_code import inside_argument, inside_returned, inside_value, spaced

if TYPE_CHECKING:
    from .application import Application
    from .module_rules import ModuleRules


class Unlift:
    """What stands in one line of a block, and all that is lifted inside it."""

    def __init__(self, line: LN, rules: ModuleRules, rank: tuple[int, ...]) -> None:
        assert rules.pack.lifted is not None
        self.rules = rules
        self.rank = rank
        self.forms: Forms = rules.pack.lifted
        self.module = rules.module
        self.tree = rules.module.tree
        self.text = rules.module.source.text
        self.calls = LiftedCalls(rules.pack, rules.module, rules.facts)
        found = self.calls.of_line(line)
        if found is None:
            raise Misfit("the functions are not those that belong to the call")
        if _relays(found):
            raise Misfit("it leaves a block that is not put back")
        self.top = found
        self.scope = rules.module.scope_of(line)
        imports = rules.pack.imports
        self.exits = {
            qualified(form.partition("(")[0], imports): word
            for word, form in self.forms.exits.items()
        }
        self._last = len(self.text)
        self.declared: dict[str, None] = {}
        self.after: list[Application] = []

    def edits(self) -> list[Edit]:
        """Raises Misfit."""
        return [*self._put_back(self.top), *self._unbound()]

    def _put_back(self, found: LiftedCall) -> Iterator[Edit]:
        yield self._without_lines(found)
        for block in found.blocks:
            target = yield from self._opening(block)
            yield self._head(block, target)
            yield from self._inside(block.suite)
            if block.by is not None:
                for node in walk(block.by):
                    self._note(node)

    def _without_lines(self, found: LiftedCall) -> Edit:
        for one, other in itertools.pairwise(found.lines):
            if "#" in self.text[self.tree.end(one) : self.tree.start(other)]:
                raise Misfit("a comment stands between the lines that go")
        start = self.tree.line_start(self.tree.start(found.lines[0]))
        end = self.tree.end(found.lines[-1])
        if end != self._last or self.text.endswith(("\n", "\r")):
            return self._edit(start, end, Fragment())
        # The file ends without a line end, and so did the last line of the blocks.
        self._last = start
        return self._edit(self._line_end(start), self._line_end(end), Fragment())

    def _line_end(self, offset: int) -> int:
        """Where the line before an offset ends, if one does."""
        before = self.text[:offset]
        return offset - (2 if before.endswith("\r\n") else before.endswith(("\r", "\n")))

    def _note(self, node: LN) -> None:
        """The names that a function declares as another's."""
        if node.type == symbols.global_stmt:
            self.declared.update((str(n.value), None) for n in node.children[1:] if is_name(n))

    def _inside(self, suite: LN) -> Iterator[Edit]:
        """What is lifted in a block, and what leaves it."""
        gone: set[int] = set()
        stack = [suite]
        while stack:
            node = stack.pop()
            if id(node) in gone or node.type in (symbols.funcdef, symbols.classdef):
                continue
            for line in node.children if node.type == symbols.suite else ():
                found = self.calls.of_line(line) if line.type == symbols.simple_stmt else None
                if found is not None:
                    gone.update(id(one) for one in found.lines)
                    yield from self._put_back(found)
            if node.type == token.NAME and node.value == "return":
                yield from self._exit(node)
            stack.extend(node.children)

    def _exit(self, keyword: LN) -> Iterator[Edit]:
        statement = keyword.parent
        value = keyword.next_sibling if statement.type == symbols.return_stmt else None
        call = outer_call((value,)) if value is not None else None
        named = call.callee if call is not None else (value,) if value is not None else ()
        names = self.rules.facts.evaluator.names(named, self.module) if named else set[str]()
        word = next((self.exits[name] for name in names if name in self.exits), "")
        start, end = self.tree.start(keyword), self.tree.end(value or keyword)
        if word in ("break", "continue") and call is None:
            yield self._edit(start, end, Fragment(word))
        elif word == "return" and call is not None and value is not None:
            arguments = call.trailer.children[1:-1]
            at = start + len("return")
            if not arguments:
                yield self._edit(at, end, Fragment())
                return
            inner = inside_returned(arguments[0])
            first, last = self.tree.span((inner,))
            opening = self.tree.start(call.trailer)
            bare = self.text[opening - 1].isspace()
            left, right = ("(", ")") if needs_brackets((inner,)) else ("", "")
            yield self._edit(at if bare else self.tree.start(value), first, Fragment(left))
            yield self._edit(last, end, Fragment(right))
        else:
            raise Misfit("one of its blocks returns what is no signal")

    # ------------------------------------------------------------ heads

    def _opening(self, block: Block) -> Generator[Edit, None, LN | None]:
        """Take away what a function begins with; the target of the loop."""
        statements = _statements(block.suite)
        target: LN | None = None
        at = 0
        while at < len(statements) and statements[at].type == symbols.global_stmt:
            self._note(statements[at])
            at += 1
        if block.word == "for":
            given = statements[at] if at < len(statements) else None
            parameter = str(block.definition.children[2].children[1].value)
            if given is None or given.type != symbols.expr_stmt or len(given.children) != 3 or (
                str(given.children[2]).strip() != parameter
            ):  # fmt: skip
                raise Misfit("its block does not begin with the loop's variable")
            target = given.children[0]
            at += 1
        if at == len(statements):
            raise Misfit("one of its blocks is empty")
        if at:
            start, end = self.tree.start(statements[0]), self.tree.start(statements[at])
            if target is not None:
                first, last = self.tree.span((target,))
                between = self.text[start:first] + self.text[last:end]
            else:
                between = self.text[start:end]
            if "#" in between:
                raise Misfit("a comment stands where its block begins")
            yield self._edit(start, end, Fragment())
        return target

    def _head(self, block: Block, target: LN | None) -> Edit:
        definition = block.definition
        keyword, name, parameters, colon = definition.children[:4]
        start, end = self.tree.start(keyword), self.tree.end(colon)
        opening, closing = parameters.children[0], parameters.children[-1]
        before = self.text[start + len("def") : self.tree.start(name)]
        if self.tree.end(name) < self.tree.start(opening):
            before = ""
        behind = self.text[self.tree.end(closing) : self.tree.start(colon)]
        head = Fragment(block.word)
        if target is not None:
            item = parameters.children[1]
            left = self.text[self.tree.end(opening) : self.tree.start(item)]
            right = self.text[self.tree.end(item) : self.tree.start(closing)]
            head = head + before + self._code(target) + spaced(left) + "in" + spaced(right)
            before = ""
        if block.test is not None:
            inside = inside_argument if block.word == "for" else inside_value
            is_own = block.word == "for" or block.by is not None
            head = head + before + self._test(inside(block.test) if is_own else block.test)
        return self._edit(start, end, head + behind + ":")

    # ------------------------------------------------------------ declarations

    def _unbound(self) -> Iterator[Edit]:
        """Take away the declarations of names that nothing else needs."""
        function = self.scope.function
        if function is None:
            return
        lines = dict(self._declarations(function))
        before = self.rules.unlifted.setdefault(id(function.node), {})
        waiting = self._still_lifted(function)
        for name in self.declared:
            others = before.setdefault(name, [])
            if name in lines and name not in waiting:
                line = lines[name]
                following = line.next_sibling
                end = self.tree.start(following) if following is not None else self.tree.end(line)
                gone = self._edit(self.tree.start(line), end, Fragment())
                # All of the function is Python only with what else is put back.
                yield replace(gone, outer=(gone.start, self.tree.end(function.node)))
                self.after += others

    def _declarations(self, function: Scope) -> Iterator[tuple[str, LN]]:
        unbound = qualified(self.forms.unbound, self.rules.pack.imports)
        suite = function.node.children[-1]
        for line in suite.children:
            if line.type == symbols.simple_stmt and len(line.children) == 2:
                given = line.children[0]
                if given.type == symbols.expr_stmt and given.children[1].type == symbols.annassign:
                    annotation = given.children[1].children
                    names = self.rules.facts.evaluator.names((annotation[1],), self.module)
                    if len(annotation) == 2 and unbound in names and is_name(given.children[0]):
                        yield str(given.children[0].value), line

    def _still_lifted(self, function: Scope) -> set[str]:
        """The names that blocks behind this bind, which take the declaration away themselves."""
        last = self.tree.end(self.top.lines[-1])
        return {
            str(leaf.value)
            for node in walk(function.node)
            if node.type == symbols.global_stmt and self.tree.start(node) > last
            and self._home(node) is function.node and self.calls.around(node) is not None
            for leaf in node.children[1:]
        }  # fmt: skip

    def _home(self, node: LN) -> LN | None:
        """The function whose statements blocks are, around a node of one."""
        for around in ancestors(node):
            if around.type == symbols.funcdef and self.calls.of_block(around) is None:
                return around
        return None

    def noted(self, application: Application) -> None:
        """What puts this back is required by whoever takes a declaration away later."""
        function = self.scope.function
        if function is not None:
            before = self.rules.unlifted.setdefault(id(function.node), {})
            for name in self.declared:
                before.setdefault(name, []).append(application)

    # ------------------------------------------------------------ places

    def _test(self, node: LN) -> Fragment:
        """A test in front of a colon, where no line may end outside of brackets."""
        code = self._code(node)
        return "(" + code + ")" if needs_brackets((node,)) else code

    def _code(self, node: LN) -> Fragment:
        return taken(self.text, self.tree.span((node,)))

    def _edit(self, start: int, end: int, text: Fragment) -> Edit:
        return Edit(start, end, text.text, outer=(start, end), rank=self.rank, slots=text.slots)


def _relays(found: LiftedCall) -> bool:
    """Whether a signal goes on as one, to the call of a block around."""
    returned = (n for line in found.lines for n in walk(line) if n.type == symbols.return_stmt)
    return any(is_name(n.children[1]) and n.children[1].value == found.signal for n in returned)


def _statements(suite: LN) -> list[LN]:
    """The statements of a block, one by one."""
    found: list[LN] = []
    for line in [suite] if suite.type == symbols.simple_stmt else block_of(suite.children[2]):
        if line.type == symbols.simple_stmt:
            found += [c for c in line.children if c.type not in (token.SEMI, token.NEWLINE)]
        else:
            found.append(line)
    return found
