"""Indents: the blocks that are open, and the INDENT and DEDENT leaves where they change."""

from __future__ import annotations

from fissix.pgen2 import token

from .parsed import ParsedLeaf, layout
from .syntax_problem import SyntaxProblem

# The width of a tab stop, in Python's tokenizer and fissix's.
_TAB = 8


class Indents:
    """``text`` is the current indentation as it is written."""

    def __init__(self) -> None:
        self.text = ""
        self._columns = [0]
        self._async: list[int] = []

    def enter_async(self) -> None:
        """An ``async def`` begins; it ends at the next line that is not deeper than this one."""
        self._async.append(len(self._columns))

    @property
    def in_async(self) -> bool:
        return bool(self._async)

    def first(self, text: str, line: int) -> None:
        """Refuse a first line that is indented."""
        if _column(text):
            raise SyntaxProblem("unexpected indentation", line, len(text))

    def change(self, text: str, prefix: str, line: int) -> list[tuple[str, ParsedLeaf]]:
        """The leaves, last first, at a line that begins with ``text``; ``prefix`` comes before it.

        As in fissix, an INDENT leaf is the blanks themselves while they are the prefix of the first
        of several DEDENTs. Raises SyntaxProblem.
        """
        column = _column(text)
        self.text = text
        if column == self._columns[-1]:
            return []
        if column > self._columns[-1]:
            self._columns.append(column)
            return [("INDENT", layout(token.INDENT, text, prefix, line, 0))]
        leaves: list[tuple[str, ParsedLeaf]] = []
        prefix += text
        while column < self._columns[-1]:
            self._columns.pop()
            leaves.append(("DEDENT", layout(token.DEDENT, "", prefix, line, len(text))))
            prefix = ""
        if column != self._columns[-1]:
            reason = "this line's indentation is that of no block around it"
            raise SyntaxProblem(reason, line, len(text))
        return leaves[::-1]

    def new_line(self) -> None:
        """A line begins, and with it ends every ``async def`` that it does not belong to."""
        while self._async and self._async[-1] >= len(self._columns):
            self._async.pop()

    def end(self, line: int) -> list[tuple[str, ParsedLeaf]]:
        """The leaves, last first, that close the blocks at the end of the file."""
        blocks = self._columns[1:]
        leaves = [("ENDMARKER", layout(token.ENDMARKER, "", "", line, 0))]
        return leaves + [("DEDENT", layout(token.DEDENT, "", "", line, 0)) for _ in blocks]


def _column(text: str) -> int:
    column = 0
    for char in text:
        if char == "\t":
            column = (column // _TAB + 1) * _TAB
        else:
            column = 0 if char == "\f" else column + 1
    return column
