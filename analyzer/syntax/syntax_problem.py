"""SyntaxProblem: why a text is not Python, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fissix.pgen2 import token

from .strings import PREFIX

if TYPE_CHECKING:
    from fissix.pytree import Leaf

    from .automaton import Table

Bracket = tuple[str, int, int]

# More than these many are not listed.
_MAX_EXPECTED = 4
_TOKENS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a string",
    "NEWLINE": "the end of the line",
    "INDENT": "an indented block",
    "DEDENT": "the end of the block",
    "ENDMARKER": "the end of the file",
    "ASYNC": "'async'",
    "AWAIT": "'await'",
    "with(": "'('",
    "group(": "'('",
    "except*": "'except'",
    "decorator@": "'@'",
}
# With these an expression begins, and with these it goes on: named once, not one by one.
_BEGINNING = frozenset(
    {"NAME", "NUMBER", "STRING", "AWAIT", "(", "[", "{", "-", "+", "~", "`", ".", "*", "**"}
    | {"not", "lambda", "yield"}
)
_CONTINUING = frozenset(
    {"(", "[", ".", "**", "*", "@", "/", "%", "//", "+", "-", "<<", ">>", "&", "^", "|", "STRING"}
    | {"<", ">", "==", ">=", "<=", "<>", "!=", "in", "not", "is", "and", "or", "if", ":="}
    | {"for", "ASYNC", "+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
    | {"**=", "//="}
)
_FOUND = {
    token.NEWLINE: "end of the line",
    token.INDENT: "indentation",
    token.DEDENT: "end of a block",
    token.ENDMARKER: "end of the file",
}


class SyntaxProblem(Exception):
    """Text that is not Python as far as the grammar goes; ``line`` from 1, ``column`` from 0."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


def no_token(text: str, at: int, line: int, column: int) -> SyntaxProblem:
    """What begins at ``at`` is no token."""
    string = re.compile(rf"{PREFIX}?(\"\"\"|'''|\"|')").match(text, at)
    if string is not None:
        field = "f" in string[0].lower() or "t" in string[0].lower()
        what = "f-string" if field else "string"
        where = "" if len(string[1]) == 3 else " on its line"
        reason = f"cannot be parsed: this {what} does not end{where}; expected {string[1]}"
        return SyntaxProblem(reason, line, column)
    if text[at] == "\\":
        reason = "cannot be parsed: a backslash that continues a line must be its last character"
        return SyntaxProblem(reason, line, column)
    good = next((i for i, c in enumerate(text[at:]) if not f"_{c}".isidentifier()), 0)
    at, column = at + good, column + good
    shown = f"{text[at]!r} (U+{ord(text[at]):04X})" if not text[at].isascii() else repr(text[at])
    return SyntaxProblem(f"cannot be parsed: unexpected character {shown}", line, column)


def never_closed(bracket: str, line: int, column: int) -> SyntaxProblem:
    return SyntaxProblem(f"cannot be parsed: {bracket!r} is never closed", line, column)


def unexpected(leaf: Leaf, tables: Iterable[Table], brackets: list[Bracket]) -> SyntaxProblem:
    """``leaf`` can stand in none of ``tables``: each is asked if the rule above it may end."""
    labels: set[str] = set()
    for table in tables:
        more, may_end = table.expected()
        labels |= more
        if not may_end:
            break
    reason = f"cannot be parsed: unexpected {_found(leaf)}"
    expected = _listed(labels)
    if expected:
        reason += f"; expected {expected}"
    if brackets and brackets[-1][1] < leaf.lineno:
        bracket, line, _ = brackets[-1]
        reason += f" ({bracket!r} of line {line} is still open)"
    return SyntaxProblem(reason, leaf.lineno, leaf.column)


def _found(leaf: Leaf) -> str:
    if leaf.type in _FOUND:
        return _FOUND[leaf.type]
    shown = leaf.value.splitlines()[0]
    return repr(shown if len(shown) < 40 else f"{shown[:37]}...")


def _listed(labels: set[str]) -> str:
    """What a person would expect, in a few words; "" where that is too much to say."""
    if "pass" in labels:
        return "a statement"
    items: list[str] = []
    if labels >= {"NAME", "NUMBER", "("}:
        items.append("an expression")
        labels = labels - _BEGINNING
    # After `for x` an expression cannot go on with `in`, but the statement must.
    labels = (labels - (_CONTINUING if "not" in labels else _CONTINUING - {"in"})) or labels
    items += sorted(_TOKENS.get(label, repr(label)) for label in labels)
    if len(items) > _MAX_EXPECTED:
        items = [item for item in items if item in (_TOKENS["NEWLINE"], "an expression")]
    return " or ".join(dict.fromkeys(items))
