"""branches_apart: ``if`` and ``else`` of an expression on lines of their own, where it has several.

What stands before them keeps its lines: inside brackets these stay where they are, and the value of
a statement is put between parentheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from .line_tokens import CLOSING, OPENING, Token, depths_of, outer_of, text_of, value_of

Row = tuple[list[Token], str]
_NO_OPERAND = {"lambda", "for", "async", "in", "if", "else", "=", ":="}


def branches_apart(rows: Sequence[Row], number: int, unit: str, limit: int) -> list[str] | None:
    """The lines of a statement one of whose rows ends brackets of earlier ones before an ``if`` and
    its ``else``; None where it is no such row, or these do not fit on lines of their own."""
    tokens = rows[number][0]
    at = _branches(tokens)
    if at is None or any("\\" in end for _, end in rows) or tokens[-1].text.startswith("#"):
        return None
    before = [token for row, _ in rows[:number] for token in row]
    depth = depths_of([*before, *tokens[: at[0]]])[-1]
    made = _inside(rows, number, at) if depth > 0 else _as_value(rows, number, at, unit)
    if made is None:
        return None
    lines, new = made
    return lines if all(len(line) <= limit for line in new) else None


def _branches(tokens: list[Token]) -> tuple[int, int] | None:
    """Where ``if`` and ``else`` stand behind brackets that other rows have opened, if both do in
    what the last of these was in."""
    depths = depths_of(tokens)
    lowest = list(accumulate(depths, min))
    for number, token in enumerate(tokens):
        depth = depths[number]
        if token.text != "if" or depth >= 0 or depth != lowest[number]:
            continue
        if tokens[number - 1].text not in CLOSING:
            return None
        for other in range(number + 1, len(tokens)):
            if depths[other] < depth or (depths[other] == depth and tokens[other].text == ","):
                return None
            if depths[other] == depth and tokens[other].text in ("if", "lambda", "for"):
                return None
            if depths[other] == depth and tokens[other].text == "else":
                return number, other
    return None


_Made = tuple[list[str], list[str]]


def _inside(rows: Sequence[Row], number: int, at: tuple[int, int]) -> _Made | None:
    """Inside brackets: all lines, and those of them that are new."""
    start = _start(rows, number, at[0])
    if start is None:
        return None
    row, first = start
    head = rows[row][0]
    column = text_of(head[:first]) + head[first].before
    indent = head[0].before if first == 0 else " " * len(column)
    tokens = rows[number][0]
    new = [
        text_of(tokens[: at[0]]),
        indent + text_of(tokens[at[0] : at[1]], bare=True),
        indent + text_of(tokens[at[1] :], bare=True),
    ]
    return [*_texts(rows[:number]), *new, *_texts(rows[number + 1 :])], new


def _start(rows: Sequence[Row], number: int, end: int) -> tuple[int, int] | None:
    """The row and place at which the item begins whose ``if`` stands at a place; None if that is
    no place for the whole of an expression."""
    depth = 0
    found: tuple[int, int] | None = None
    for row in range(number, -1, -1):
        tokens = rows[row][0]
        for place in range((end if row == number else len(tokens)) - 1, -1, -1):
            text = tokens[place].text
            if text in CLOSING:
                depth += 1
            elif text in OPENING:
                depth -= 1
            if depth < 0 or (depth == 0 and text == ","):
                return found
            if text.startswith("#"):
                continue
            if depth == 0 and text in _NO_OPERAND - {"="}:
                return None
            found = row, place
    return None


def _as_value(rows: Sequence[Row], number: int, at: tuple[int, int], unit: str) -> _Made | None:
    """The value of a statement, between parentheses."""
    tokens = [token for row, _ in rows for token in row]
    span = None if number + 1 < len(rows) or not tokens else value_of(tokens)
    if span is None or span[0] >= len(rows[0][0]):
        return None
    first, last = rows[0][0], rows[number][0]
    start, end = span[0], len(last) - (len(tokens) - span[1])
    words = [token.text for token in outer_of(tokens[start : span[1]])]
    if "," in words or _NO_OPERAND.intersection(words) != {"if", "else"} or words.count("if") > 1:
        return None
    indent = first[0].before
    inner = indent + unit
    value = [replace(first[start], before=""), *first[start + 1 :]]
    hangs = first[-1].text in OPENING
    moved = len(inner) - len(text_of(first[:start])) - len(first[start].before)
    operand = [value, *(row for row, _ in rows[1:number]), last[: at[0]]]
    lines = [text_of(first[:start]) + " (", inner + text_of(value)]
    for row in operand[1:]:
        shifted = unit + text_of(row) if hangs else _shifted(text_of(row), moved)
        if shifted is None:
            return None
        lines.append(shifted if row else "")
    lines += [
        inner + text_of(last[at[0] : at[1]], bare=True),
        inner + text_of(last[at[1] : end], bare=True),
        indent + ")" + text_of(last[end:]),
    ]
    return lines, lines


def _shifted(text: str, by: int) -> str | None:
    """A line moved to the right, or to the left; None where its indentation does not allow it."""
    if by >= 0:
        return " " * by + text
    return text[-by:] if text[:-by].isspace() and "\t" not in text[:-by] else None


def _texts(rows: Sequence[Row]) -> list[str]:
    return ["".join(map(str, tokens)) for tokens, _ in rows]
