"""Layout: indentation and line ends for code inserted around a statement."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN, line_statement, walk

from .edit import AFTER, BEFORE, CLOSE, OPEN, Edit
from .fragment import Fragment, Span, joined
from .precedence import Code, Place


class Layout:
    """Edits that respect one file's style."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.tree = module.tree
        self.text = module.source.text
        self.newline = module.source.newline
        self.unit = module.indentation

    def indentation(self, statement: LN) -> str:
        """The white space before a statement, or what it would be on a line of its own."""
        line = line_statement(statement)
        if _is_suite(line):
            # The head may take several lines; the block is indented from where it begins.
            return self.indentation(line.parent) + self.unit
        start = self.tree.start(line)
        head = self.text[self.tree.line_start(start) : start].removeprefix("\ufeff")
        return head[: len(head) - len(head.lstrip())]

    def lines(self, code: Iterable[Fragment | str], indentation: str) -> list[Fragment]:
        """Template lines in the file's own indentation (templates use four spaces)."""
        found = []
        for line in code:
            whole = line if isinstance(line, Fragment) else Fragment(line)
            depth = len(whole.text) - len(whole.text.lstrip(" "))
            before = indentation + self.unit * (depth // 4)
            found.append(before + whole[depth:] if whole.text.strip() else Fragment())
        return found

    def at(self, offset: int, code: Iterable[Fragment | str], rank: tuple[int, ...]) -> Edit:
        """Insert whole lines at module level at a line's beginning, or after the last line."""
        lines = self.lines(code, "")
        if offset == len(self.text) and self.text and not self.text.endswith(("\n", "\r")):
            return _edit(offset, self.newline + joined(lines, self.newline), AFTER, (0, 0), rank)
        text = joined(line + self.newline for line in lines)
        return _edit(offset, text, AFTER, (0, offset), rank)

    def after(
        self, statement: LN, code: Iterable[Fragment | str], rank: tuple[int, ...]
    ) -> list[Edit]:
        """Insert lines after a statement; breaks up its line if it shares one."""
        lines = self.lines(code, self.indentation(statement))
        start, end = self.tree.span((statement,))
        if self.owns_its_lines(statement):
            end = self.tree.end(line_statement(statement))
            if self.text[:end].endswith(("\n", "\r")):
                text = joined(line + self.newline for line in lines)
                return [_edit(end, text, AFTER, (start, end), rank)]
        text = joined(self.newline + line for line in lines)
        return [*self._isolate(statement), _edit(end, text, AFTER, (start, end), rank)]

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

    def guard(self, statement: LN, condition: Fragment, rank: tuple[int, ...]) -> list[Edit]:
        """Put a statement under ``if condition:``, on lines of its own."""
        start, end = self.tree.span((statement,))
        indentation = self.indentation(statement) + self.unit
        head = "if " + condition + f":{self.newline}{indentation}"
        edits = [
            *self._isolate(statement),
            replace(_edit(start, head, OPEN, (start, end), rank), indent=self.unit),
        ]
        edits.extend(
            Edit(offset, offset, self.unit, OPEN, (offset, end), rank, loose=True)
            for offset in self._further_lines(statement)
        )
        return edits

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
