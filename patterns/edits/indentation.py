"""Layout: indentation and line ends for code inserted around a statement."""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.source import BOM
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    COMPOUND,
    LN,
    first_in,
    leaves,
    line_statement,
    lines_of,
    walk,
)

from .blocks import Block
from .deletions import Deleted, Removed
from .edit import AFTER, BEFORE, CLOSE, OPEN, Edit
from .fragment import Fragment, Span, joined
from .guards import Guard, Shared
from .precedence import AND, Code, Place, code_of
from .style import style_of
from .wrapping import Style

# Empty lines, but for those that end what a backslash goes on with.
_EMPTY_ABOVE = re.compile(r"(?:^|[^\\\r\n](?:\r\n?|\n))((?:[ \t]*(?:\r\n?|\n))+)\Z")
_FAR_ABOVE = 1_000
_EMPTY_BELOW = re.compile(r"(?:[ \t]*(?:\r\n?|\n))+")
# So many statements of a block are looked at, to see whether all stand under one condition.
_MOST_OF_BLOCK = 40
# Behind the imports that are inserted, and before all start code.
_EMPTY_LINE = (-1, 1 << 20)
BEFORE_IMPORTS = (-2,)
_BEHIND_START = (1 << 20,)
# What `and` takes as it is.
_OPERAND = Place(AND)


def _beside(line: LN) -> list[LN]:
    """The statements of a line, if they are several."""
    if line.type != symbols.simple_stmt:
        return []
    found = [one for one in line.children if one.type not in (token.SEMI, token.NEWLINE)]
    return found if len(found) > 1 else []


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


class Layout:
    """Edits that respect one file's style."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.tree = module.tree
        self.text = module.source.text
        self.newline = module.source.newline
        self.unit = module.indentation

    @property
    def style(self) -> Style:
        """How the file is written."""
        memo = self.module.memo
        if Style not in memo:
            memo[Style] = style_of(self.module)
        found: Style = memo[Style]
        return found

    def indentation(self, statement: LN) -> str:
        """The white space before a statement, or what it would be on a line of its own."""
        line = line_statement(statement)
        if _is_suite(line):
            # The head may take several lines; the block is indented from where it begins.
            return self.indentation(line.parent) + self.unit
        start = self.tree.start(line)
        head = self.text[self.line_start(start) : start]
        return head[: len(head) - len(head.lstrip())]

    def unit_below(self, indentation: str) -> str:
        """By what a block is indented below lines that are so: by a tab where these end with one,
        whatever most of the file's have."""
        return "\t" if indentation.endswith("\t") else self.unit

    def line_start(self, offset: int) -> int:
        """Where the line of an offset begins, behind a byte-order mark."""
        start = self.tree.line_start(offset)
        return start + self.text.startswith(BOM, start)

    def lines(self, code: Iterable[Fragment | str], indentation: str) -> list[Fragment]:
        """Template lines in the file's own indentation (templates use four spaces)."""
        found = []
        for line in code:
            whole = line if isinstance(line, Fragment) else Fragment(line)
            depth = len(whole.text) - len(whole.text.lstrip(" "))
            before = indentation + self.unit_below(indentation) * (depth // 4)
            found.append(before + whole[depth:] if whole.text.strip() else Fragment())
        return found

    def in_front(
        self, block: LN, code: Iterable[Fragment | str], rank: tuple[int, ...], end: int
    ) -> Edit:
        """Insert statements of one line each in front of the first one of a block. What others
        insert before that, up to ``end``, stands behind them."""
        line = lines_of(block)[0]
        start, behind = self.tree.start(line), "; "
        if block.type == symbols.suite:
            behind = self.newline + self.indentation(first_in(line))
        text = joined(Fragment() + one + behind for one in code)
        return _edit(start, text, BEFORE, (start, end), rank)

    def behind(
        self,
        at: int,
        code: Iterable[Fragment | str],
        indentation: str,
        outer: Span,
        rank: tuple[int, ...],
    ) -> Edit:
        """Insert whole lines where one ends, or the file does."""
        lines = self.lines(code, indentation)
        text = joined(line + self.newline for line in lines)
        if at and self.text[at - 1] not in "\r\n":
            text = joined(self.newline + line for line in lines)
        return _edit(at, text, AFTER, outer, rank)

    def under(self, statement: LN, code: Iterable[Fragment | str], rank: tuple[int, ...]) -> Edit:
        """Insert lines at the beginning of the block with which a statement ends, above the
        comments in it."""
        block = statement.children[-1]
        start, head = self.tree.start(statement), self.tree.end(block.children[0])
        return self.behind(head, code, self.indentation(lines_of(block)[0]), (start, head), rank)

    def behind_block(self, statement: LN, indentation: str) -> int:
        """Behind a statement, and behind the comments that stand deeper than it."""
        end = self.tree.end(statement)
        at = end
        while at < len(self.text):
            following = self.tree.line_end(at)
            line = self.text[at:following]
            bare = line.strip()
            if bare and not bare.startswith("#"):
                break
            depth = len(line.expandtabs()) - len(line.expandtabs().lstrip())
            if bare and depth <= len(indentation.expandtabs()):
                break
            if bare:
                end = following
            at = following
        return end

    def at(self, offset: int, code: Iterable[Fragment | str], rank: tuple[int, ...]) -> Edit:
        """Insert whole lines at module level at a line's beginning, or after the last line."""
        lines = self.lines(code, "")
        if offset == len(self.text) and self.text and not self.text.endswith(("\n", "\r")):
            return _edit(offset, self.newline + joined(lines, self.newline), AFTER, (0, 0), rank)
        text = joined(line + self.newline for line in lines)
        return _edit(offset, text, AFTER, (0, offset), rank)

    def at_start(
        self, offset: int, code: Iterable[Fragment | str], rank: tuple[int, ...]
    ) -> list[Edit]:
        """Insert lines of start code behind the imports, with one empty line between them, and one
        before imports that follow."""
        edits = [self.at(offset, code, rank)]
        if self.text.startswith(("import ", "from "), offset):
            edits.append(self.empty_line(offset, _BEHIND_START))
        before = self.text[:offset].rstrip(" \t\f")
        empty = before[: -len(self.newline)].endswith(("\n", "\r")) or not before
        if empty or not before.endswith(("\n", "\r")):
            return edits
        return [self.empty_line(offset), *edits]

    def empty_line(self, offset: int, rank: tuple[int, ...] = _EMPTY_LINE) -> Edit:
        """An empty line at an offset, once for all; behind the imports that are inserted there."""
        return Edit(offset, offset, self.newline, AFTER, (0, offset), rank, once=True)

    def after(
        self,
        statement: LN,
        code: Iterable[Fragment | str],
        rank: tuple[int, ...],
        around: tuple[Iterable[Fragment | str], Iterable[Fragment | str]] | None = None,
    ) -> list[Edit]:
        """Insert lines after a statement; breaks up its line if it shares one. ``around``: the head
        and the tail that they share with others at this place."""
        indentation = self.indentation(statement)
        start, end = self.tree.span((statement,))
        at, own_lines = end, False
        if self.owns_its_lines(statement):
            at = self.tree.end(line_statement(statement))
            own_lines = self.text[:at].endswith(("\n", "\r"))

        def placed(part: Iterable[Fragment | str], inner: str = "") -> Fragment:
            lines = self.lines(part, indentation + inner)
            if own_lines:
                return joined(line + self.newline for line in lines)
            return joined(self.newline + line for line in lines)

        block = None
        if around is not None:
            unit = self.unit_below(indentation)
            block = Block(placed(around[0]), placed(code, unit), placed(around[1], unit))
        text = block.whole if block is not None else placed(code)
        edit = _edit(at, text, AFTER, (start, at), rank)
        isolate = [] if own_lines else self._isolate(statement)
        return [*isolate, replace(edit, block=block)]

    def before(
        self, statement: LN, code: Iterable[Fragment | str], rank: tuple[int, ...]
    ) -> list[Edit]:
        """Insert lines before a statement."""
        indentation = self.indentation(statement)
        start, end = self.tree.span((statement,))
        whole = joined(line + self.newline for line in self.lines(code, indentation))
        text = whole[len(indentation) :] + indentation
        isolate = [] if self.owns_its_lines(statement) else self._isolate(statement)
        return [*isolate, _edit(start, text, BEFORE, (start, end), rank)]

    def replace(
        self, statement: LN, code: Iterable[Fragment | str], rank: tuple[int, ...]
    ) -> list[Edit]:
        """Lines instead of a statement; one alone where they are several, or a block."""
        start, end = self.tree.start(statement), self.tree.end(last_of(statement))
        indentation = self.indentation(statement)
        lines = self.lines(code, indentation)
        text = joined(lines, self.newline)[len(indentation) :]
        alone = len(lines) > 1 or statement.type in COMPOUND
        isolate = [] if not alone or self.owns_its_lines(statement) else self._isolate(statement)
        return [
            *isolate, Edit(start, end, text.text, outer=(start, end), rank=rank, slots=text.slots)
        ]  # fmt: skip

    def delete(self, statement: LN, rank: tuple[int, ...]) -> list[Edit]:
        """Nothing instead of a statement and its lines, with the comments at the end of its block,
        but `pass` where its block would be empty."""
        start, end = self.tree.span((statement,))
        line = line_statement(statement)
        if not self.owns_its_lines(statement):
            spans = tuple(self.tree.span((one,)) for one in _beside(line))
            removed = Removed(spans, ((spans[0][0], spans[-1][1]), "pass")) if spans else None
            text = "" if removed is not None else "pass"
            return [Edit(start, end, text, outer=(start, end), rank=rank, removed=removed)]
        first, last = self.line_start(start), self.tree.end(line)
        if line.type in COMPOUND:
            last = self.behind_block(line, self.indentation(statement))
        first = self._without_gap(first, last)
        block = tuple(self.tree.span((one,)) for one in _statements(line.parent))
        edit = Edit(first, last, "", outer=(start, end), rank=rank)
        if line.parent.type == symbols.file_input:
            return [edit]
        filler = f"{self.indentation(statement)}pass{self.newline}"
        return [replace(edit, deleted=Deleted((start, end), block, filler))]

    def _without_gap(self, first: int, last: int) -> int:
        """Where lines begin that go, with those empty ones above that would stand beside the ones
        below, or at the end of a block or of the file."""
        above = _EMPTY_ABOVE.search(self.text, max(0, first - _FAR_ABOVE), first)
        if above is None:
            return first
        below = _EMPTY_BELOW.match(self.text, last)
        empty = below[0].splitlines() if below is not None else []
        following = self.text[below.end() if below is not None else last :]
        ends = not following or (not empty and _depth(following) < _depth(self.text[first:last]))
        lines = above[1].splitlines(keepends=True)
        gone = lines if ends else lines[max(0, len(lines) - len(empty)) :]
        return first - sum(map(len, gone))

    def guard(
        self,
        statement: LN,
        condition: Fragment,
        rank: tuple[int, ...],
        code: Code,
        join: bool,
        readers: tuple[int, ...] = (),
    ) -> list[Edit]:
        """Put a statement under ``if condition:``, on lines of its own, or, if it is all of the
        block of an ``if``, into the test of that. ``join``: together with neighbours that are put
        under the same condition. ``readers``: if they are, too."""
        start, end = self.tree.span((statement,))
        unit = self.unit_below(self.indentation(statement))
        head = "if " + condition + f":{self.newline}{self.indentation(statement)}{unit}"
        guard, test = self._shareable(statement, condition, join)
        guard = replace(guard, readers=readers)
        at_line = Shared(guard, joined=unit)
        edits = [
            *(
                replace(e, shared=Shared(guard, joined=e.text), rank=rank)
                for e in self._isolate(statement)
            ),
            replace(_edit(start, head, OPEN, (start, end), rank), indent=unit, shared=at_line),
        ]
        edits.extend(
            Edit(at, at, unit, OPEN, (at, end), rank, loose=True, shared=at_line)
            for at in self._further_lines(statement)
        )
        if guard.previous is not None:
            edits.extend(
                Edit(at, at, "", OPEN, (start, end), rank, loose=True, shared=at_line)
                for at in self._comments(guard.previous[1], start)
            )
        if test is not None and guard.block[0] == guard.span:
            edits += self._in_test(guard, test, code, rank)
        return edits

    def is_whole_branch(self, statement: LN) -> bool:
        """Whether a statement is all of the block of an ``if`` that has no other branch, on the
        line of that: it can be guarded without lines of its own."""
        guard, _ = self._shareable(statement, Fragment(), join=False)
        return bool(guard.block) and _is_suite(line_statement(statement))

    def _shareable(self, statement: LN, condition: Fragment, join: bool) -> tuple[Guard, LN | None]:
        """The guard of a statement, and the test of the ``if`` that it may be lifted into."""
        guard = Guard(condition.text, self.tree.span((statement,)), join)
        if condition.slots:
            return guard, None
        before = _before(statement) if join else None
        if before is not None:
            guard = replace(guard, previous=self.tree.span((before,)))
        around = _sole_branch(statement)
        if around is None or any(around is main for main in self.module.main_guards):
            return guard, None
        most = _MOST_OF_BLOCK if join else 1
        inside = list(islice(_statements(around.children[3]), most + 1))
        if len(inside) > most:
            return guard, None
        test = around.children[1]
        block = tuple(self.tree.span((each,)) for each in inside)
        return replace(guard, block=block, test=self.tree.span((test,))), test

    def _in_test(self, guard: Guard, test: LN, code: Code, rank: tuple[int, ...]) -> Iterator[Edit]:
        """What adds the condition of a guard to the test of the ``if`` around it."""
        start, end = guard.test
        opening, closing = ("", "") if _OPERAND.takes(code_of((test,))) else ("(", ")")
        right = guard.condition if _OPERAND.takes(code) else f"({guard.condition})"
        for at, side, lifted in ((start, OPEN, opening), (end, CLOSE, f"{closing} and {right}")):
            if lifted:
                made = Shared(guard, lifted=lifted)
                yield Edit(at, at, "", side, guard.test, rank, loose=True, shared=made)

    def _comments(self, start: int, end: int) -> Iterator[int]:
        """Beginnings of the lines of comments between two statements, as far as they are indented
        like the second."""
        least = end - self.tree.line_start(end)
        for at in self.tree.lines_in(start, end):
            line = self.text[at:end]
            if line.lstrip(" \t").startswith("#") and len(line) - len(line.lstrip(" \t")) >= least:
                yield at

    def wrap(
        self,
        span: Span,
        before: Fragment,
        after: Fragment,
        rank: tuple[int, ...],
        code: Code,
        place: Place | None,
    ) -> list[Edit]:
        """Put text around an expression, which is ``code`` then; ``place`` is what may stand
        inside."""
        sides = ((span[0], before, OPEN), (span[1], after, CLOSE))
        return [
            replace(_edit(at, text, side, span, rank), code=code, place=place)
            for at, text, side in sides if text.text
        ]  # fmt: skip

    def keep_returned(self, statement: LN, name: str, rank: tuple[int, ...]) -> list[Edit]:
        """Turn ``return x`` into ``name = x``; ``return name`` is the caller's to insert."""
        keyword = statement.children[0]
        start = self.tree.start(keyword)
        return [Edit(start, start + len("return"), f"{name} =", OPEN, (start, start), rank)]

    def owns_its_lines(self, statement: LN) -> bool:
        """Whether a statement shares its lines with no other and with no `if x:`."""
        line = line_statement(statement)
        if _is_suite(line):
            return False
        return line.type != symbols.simple_stmt or len(line.children) <= 2

    def _isolate(self, statement: LN) -> list[Edit]:
        """Give a statement of `a; b` or `if x: a` a line of its own."""
        line = line_statement(statement)
        if line is statement or self.owns_its_lines(statement):
            return []
        edits = []
        breaks = self.newline + self.indentation(statement)
        if _is_suite(line):
            colon = self.tree.start(line.prev_sibling)
            first = self.tree.start(line)
            edits.append(Edit(colon, first, f":{breaks}", OPEN, (colon, first)))
        children = [c for c in line.children if c.type not in (token.SEMI, token.NEWLINE)]
        for left, right in itertools.pairwise(children):
            if left is statement or right is statement:
                end, start = self.tree.end(left), self.tree.start(right)
                edits.append(Edit(end, start, breaks, OPEN, (end, start)))
        return edits

    def _further_lines(self, statement: LN) -> Iterator[int]:
        """Beginnings of the statement's further lines; those inside strings and empty ones not."""
        start, end = self.tree.span((statement,))
        strings = [self.tree.span((n,)) for n in walk(statement) if n.type == token.STRING]
        lines = self.tree.lines_in(start, end)
        for offset, after in itertools.pairwise([*lines, end]):
            if self.text[offset:after].strip() and not any(a < offset < b for a, b in strings):
                yield offset


def _edit(at: int, text: Fragment, side: int, outer: Span, rank: tuple[int, ...]) -> Edit:
    """An insertion."""
    return Edit(at, at, text.text, side, outer, rank, slots=text.slots)


def _is_suite(line: LN) -> bool:
    """Whether the statements of a line are the body of `if x: …` on the same line."""
    return (
        line.type == symbols.simple_stmt
        and line.parent is not None
        and line.parent.type not in (symbols.suite, symbols.file_input)
    )


def _statements(block: LN) -> Iterator[LN]:
    """The statements of a block, one by one where several share a line."""
    for child in [block] if block.type == symbols.simple_stmt else block.children:
        if child.type == symbols.simple_stmt:
            yield from (part for part in child.children if part.type not in _SEPARATORS)
        elif child.type not in _INVISIBLE:
            yield child


def _before(statement: LN) -> LN | None:
    """The statement before another in its block."""
    node = statement.prev_sibling
    if node is not None and node.type == token.SEMI:
        return node.prev_sibling
    line = line_statement(statement)
    if line.children and line is not statement and line.children[0] is not statement:
        return None
    node = line.prev_sibling
    if node is None or node.type in _INVISIBLE or _is_suite(line):
        return None
    if node.type != symbols.simple_stmt:
        return node
    return next((part for part in reversed(node.children) if part.type not in _SEPARATORS), None)


def last_of(statement: LN) -> LN:
    """The last leaf of a statement that is no end of a line or of a block."""
    visible = (leaf for leaf in leaves(statement) if leaf.type not in _INVISIBLE)
    return deque(visible, maxlen=1)[0]


def _sole_branch(statement: LN) -> LN | None:
    """The ``if`` in whose block a statement stands, if that has no other branch."""
    line = line_statement(statement)
    block = line if _is_suite(line) else line.parent
    around = block.parent if block is not None else None
    if around is None or around.type != symbols.if_stmt or len(around.children) != 4:
        return None
    return around


_SEPARATORS = {token.SEMI, token.NEWLINE}
_INVISIBLE = {token.NEWLINE, token.INDENT, token.DEDENT, token.ENDMARKER}
