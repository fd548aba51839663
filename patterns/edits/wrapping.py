"""wrapped: new lines that are too long for their file, broken where a formatter would.

A bracket is opened at the end of a line and closed at the beginning of another, as Black does; in a
file that aligns what continues a line with the bracket, as PEP 8's first example does, that is
done. Lines that stand in the original stay as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pinsetter.analyzer.files.source import LINE_END

from .branches import branches_apart
from .line_tokens import (
    CLOSING,
    OPENING,
    Token,
    depths_of,
    divided,
    logical_lines,
    outer_of,
    outer_words,
    pairs_of,
    parts_of,
    rows_of,
    split_at,
    statements_of,
    text_of,
    value_of,
)


@dataclass(frozen=True)
class Style:
    """How a file is written: at most ``limit`` columns, indented by ``unit``; ``aligned``: what
    continues a line stands under what follows the bracket. ``starts`` are the offsets of the lines
    at which its statements, and the heads of blocks, begin; ``quote`` begins most of its strings,
    or is empty if it has none."""

    limit: int
    unit: str
    newline: str
    aligned: bool
    starts: tuple[int, ...]
    quote: str = ""


_Span = tuple[int, int, str]


def wrapped(text: str, made: Sequence[_Span], style: Style) -> list[_Span]:
    """The replacements of spans of ``text``, with what they make too long broken up."""
    found: list[_Span] = []
    for start, end, inside in _statements(text, made, style):
        new = _applied(text, start, end, inside)
        old = text[start:end]
        broken = _broken(new, old, style) if _is_long(new, style) else new
        if broken == new:
            found += inside
        else:
            found.append(_trimmed(start, old, broken))
    return found


def _is_long(text: str, style: Style) -> bool:
    return any(len(line) > style.limit for line in LINE_END.split(text))


def _statements(
    text: str, made: Sequence[_Span], style: Style
) -> Iterator[tuple[int, int, list[_Span]]]:
    """The whole statements that replacements are in, with these."""
    group: list[_Span] = []
    start = end = 0
    for span in made:
        first = max(bisect_right(style.starts, span[0]) - 1, 0)
        behind = bisect_right(style.starts, span[1])
        begin = style.starts[first] if style.starts else 0
        stop = style.starts[behind] if behind < len(style.starts) else len(text)
        begin = min(begin, span[0])
        if group and begin < end:
            end = max(end, stop)
        else:
            if group:
                yield start, end, group
            group, start, end = [], begin, stop
        group.append(span)
    if group:
        yield start, end, group


def _applied(text: str, start: int, end: int, made: Sequence[_Span]) -> str:
    parts: list[str] = []
    at = start
    for first, last, new in made:
        parts += [text[at:first], new]
        at = last
    return "".join([*parts, text[at:end]])


def _trimmed(start: int, old: str, new: str) -> _Span:
    """The replacement without the lines that are the same at both ends."""
    olds, news = old.splitlines(keepends=True), new.splitlines(keepends=True)
    most = min(len(olds), len(news))
    head = next((n for n in range(most) if olds[n] != news[n]), most)
    tail = next((n for n in range(most - head) if olds[-1 - n] != news[-1 - n]), most - head)
    first = sum(map(len, olds[:head]))
    last = len(old) - sum(map(len, olds[len(olds) - tail :]))
    return start + first, start + last, "".join(news[head : len(news) - tail])


def _broken(new: str, old: str, style: Style) -> str:
    kept = set(LINE_END.split(old))
    return "".join(
        _without_long_lines(line, kept, style) if _is_long(line, style) else line
        for line in logical_lines(new)
    )


_FOR_TOOLS = re.compile(
    r"noqa|type:|fmt:|pragma|pylint|yapf|isort|nosec|pyright|mypy|ruff|pinsetter", re.IGNORECASE
)
# A longer line, or one with more brackets beside each other, is no person's.
_LONGEST = 2000
_MOST_PAIRS = 4


def _without_long_lines(line: str, kept: set[str], style: Style) -> str:
    """A logical line whose lines are as short as they can be, but for those that are kept."""
    rows = rows_of(line)
    if rows is None:
        return line
    apart = _apart(rows, kept, style)
    if apart is not None:
        return apart
    found: list[str] = []
    # Strings that were on lines that were too long before stay in one piece.
    whole = "".join(one for one in kept if len(one) > style.limit)
    opened: list[str] = []  # by the rows with these indentations
    shifted = False
    for number, (tokens, end) in enumerate(rows):
        text = "".join(map(str, tokens))
        after = "".join(map(str, rows[number + 1][0])) if number + 1 < len(rows) else ""
        if not style.limit < len(text) < _LONGEST or text in kept or not tokens:
            found.append(text + end)
        else:
            part = "\\" in end or (number > 0 and "\\" in rows[number - 1][1])
            breaker = _Breaker(style, part, whole)
            lines = _break_row(tokens, opened, _indentation(after), breaker)
            found.append(style.newline.join(lines) + end)
            # What follows was aligned with brackets that stand elsewhere now.
            opens = sum((t.text in OPENING) - (t.text in CLOSING) for t in tokens) > 0
            shifted = shifted or (opens and any(one[-1:] in OPENING for one in lines[:-1]))
        for token in tokens:
            if token.text in OPENING:
                opened.append(tokens[0].before)
            elif token.text in CLOSING:
                opened[-1:] = []
    text = "".join(found)
    if shifted and len(rows) <= _MOST_ROWS:
        anew = _anew(rows, style, whole)
        return anew if anew and not _is_long(anew, style) else text
    if len(LINE_END.findall(text)) - len(rows) >= _MANY_MORE:
        return min(text, _anew(rows, style, whole) or text, key=partial(_size, style))
    return text


def _apart(rows: Sequence[tuple[list[Token], str]], kept: set[str], style: Style) -> str | None:
    """A statement with a conditional expression, whose branches get lines of their own; None where
    it has none that makes a line too long."""
    for number, (tokens, _) in enumerate(rows[1:], 1):
        text = "".join(map(str, tokens))
        if style.limit < len(text) < _LONGEST and text not in kept:
            lines = branches_apart(rows, number, style.unit, style.limit)
            if lines is not None:
                new = style.newline.join(lines) + rows[-1][1]
                return _without_long_lines(new, kept, style) if _is_long(new, style) else new
    return None


# So many more lines are worth breaking all of a statement anew.
_MANY_MORE = 3
# Statements of more lines are not changed as a whole.
_MOST_ROWS = 12


def _size(style: Style, text: str) -> tuple[bool, int]:
    return _is_long(text, style), len(LINE_END.findall(text))


def _anew(rows: Sequence[tuple[list[Token], str]], style: Style, whole: str) -> str:
    """A statement broken as if it had stood on one line, with nothing aligned; empty where its own
    lines mean something."""
    tokens = [token for row, _ in rows for token in row]
    if any(t.text.startswith("#") for t in tokens) or any("\\" in end for _, end in rows):
        return ""
    joined: list[Token] = []
    for row, _ in rows:
        for number, token in enumerate(row):
            if number or not joined:
                joined.append(token)
            else:
                close = joined[-1].text in OPENING or token.text[0] in CLOSING + ",.:"
                joined.append(Token("" if close else " ", token.text))
    indent = joined[0].before
    bare = [Token("", joined[0].text), *joined[1:]]
    lines = _Breaker(replace(style, aligned=False), whole=whole).lines(bare, indent, inside=False)
    return style.newline.join(lines) + rows[-1][1]


def _indentation(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _break_row(
    tokens: list[Token], opened: Sequence[str], following: str, breaker: _Breaker
) -> list[str]:
    """The lines of one line; ``opened``: the indentations of earlier ones that have opened the
    brackets which it goes on in. ``following`` is the indentation of the next line."""
    comment = tokens[-1] if tokens[-1].text.startswith("#") else None
    code = tokens[:-1] if comment is not None else tokens
    # A comment for a tool is about the line that it stands on.
    if not code or (comment is not None and _FOR_TOOLS.search(comment.text)):
        return ["".join(map(str, tokens))]
    indent = code[0].before
    bare = [Token("", code[0].text), *code[1:]]
    lines = breaker.row(bare, indent, opened, following)
    if comment is None:
        return lines
    limit = breaker.style.limit
    if len(lines[-1] + str(comment)) <= limit:
        return [*lines[:-1], lines[-1] + str(comment)]
    if len(lines[-1] + comment.text) + 2 <= limit or opened or len(lines) > 1:
        return [*lines[:-1], f"{lines[-1]}  {comment.text}"]
    return [indent + comment.text, *lines]


class _Breaker:
    """``is_part``: a backslash joins the line to another, so that only brackets divide it: what it
    has is neither whole values nor whole statements. Strings that stand in ``whole`` are not
    divided."""

    def __init__(self, style: Style, is_part: bool = False, whole: str = "") -> None:
        self.style = style
        self.is_part = is_part
        self.whole = whole

    def row(
        self, tokens: list[Token], indent: str, opened: Sequence[str], following: str
    ) -> list[str]:
        depths, inside = depths_of(tokens), bool(opened)
        if min(depths, default=0) < 0:
            return self._closing_row(tokens, depths, indent, opened[-1:])
        if depths and depths[-1] > 0 and following:
            filled = self._open_row(tokens, depths, indent, following, inside)
            if self._fit(filled):
                return filled
            return min((filled, self._opened(tokens, indent, inside)), key=self._badness)
        whole = not inside and not self.is_part
        if whole and ";" in (words := outer_words(tokens)) and ":" not in words:
            return [
                line
                for statement in statements_of(tokens)
                for line in self.lines(statement, indent, inside=False)
            ]
        return self.lines(tokens, indent, inside)

    def _closing_row(
        self, tokens: list[Token], depths: list[int], indent: str, opened: Sequence[str]
    ) -> list[str]:
        """A line that closes a bracket which an earlier one has opened."""
        closing = next(number for number, depth in enumerate(depths) if depth < 0)
        inner, tail = tokens[:closing], tokens[closing:]
        if not inner or min(depths_of(tail[1:]), default=0) < 0:
            return [indent + text_of(tokens)]
        lines = self._rows(split_at(inner, [","]), [], indent, text_of(tail))
        closed = [*lines[:-1], lines[-1] + text_of(tail)]
        if not self._fit(closed) and opened:
            apart = [*self._rows(split_at(inner, [","]), [], indent, ""), opened[0] + text_of(tail)]
            if self._fit(apart):
                return apart
        return closed

    def _open_row(
        self, tokens: list[Token], depths: list[int], indent: str, following: str, inside: bool
    ) -> list[str]:
        """A line whose last bracket another closes: what does not fit begins another line."""
        level = depths[-1]
        last = max(n for n, t in enumerate(tokens) if t.text in OPENING and depths[n] == level)
        head = self.lines(tokens[: last + 1], indent, inside=False)
        if inside and not self._fit(head):
            head = min(head, self._in_string(tokens[: last + 1], indent), key=self._badness)
        return self._rows(split_at(tokens[last + 1 :], [","]), head, following, "")

    def _opened(self, tokens: list[Token], indent: str, inside: bool) -> list[str]:
        """Such a line with each of its items, and what is in each bracket, on lines of their own;
        ``inside`` a bracket that an earlier line has opened."""
        *closed, last = split_at(tokens, [","]) if inside else [tokens]
        found = [line for part in closed for line in self.lines(part, indent, inside=True)]
        whole = indent + text_of(last, bare=True)
        depths = depths_of(last)
        if len(whole) <= self.style.limit or not depths[-1]:
            return [*found, whole]
        opening = max(
            n for n, depth in enumerate(depths) if depth == 1 and not (n and depths[n - 1])
        )
        head, body = last[: opening + 1], last[opening + 1 :]
        if not body:
            return [*found, whole]
        inner = self._opened(body, indent + self.style.unit, inside=True)
        return [*found, indent + text_of(head, bare=True), *inner]

    def _rows(
        self, parts: list[list[Token]], lines: list[str], following: str, tail: str
    ) -> list[str]:
        """Items behind the lines there are, as many on each as fit; ``tail`` comes behind the
        last."""
        lines = list(lines)
        # Nothing is to stand alone behind a bracket that what follows is aligned with.
        aligned = bool(lines) and len(lines[-1]) == len(following)
        for number, part in enumerate(parts):
            first = number == 0
            more = tail if number == len(parts) - 1 else ""
            whole = text_of(part, bare=first)
            if lines and len(lines[-1] + whole + more) <= self.style.limit:
                lines[-1] += whole
                continue
            alone = len(following + whole + more) > self.style.limit or (first and aligned)
            broken = self.lines(part, following, inside=True)
            if lines and alone and len(parts_of(part)) > 1:
                self._fill(parts_of(part), lines, following)
            elif first and aligned and self._fit([lines[-1] + broken[0].strip()]):
                lines[-1] += broken[0].strip()
                lines += broken[1:]
            else:
                lines += broken
        return lines

    def _fill(self, parts: list[list[Token]], lines: list[str], following: str) -> None:
        for part in parts:
            text = text_of(part, bare=lines[-1][-1:] in OPENING)
            if len(lines[-1] + text) <= self.style.limit:
                lines[-1] += text
            else:
                lines.append(following + text.lstrip(" \t"))

    def lines(self, tokens: list[Token], indent: str, inside: bool) -> list[str]:
        """The lines of some code; ``inside`` a bracket they may end at any operator."""
        whole = indent + text_of(tokens, bare=True)
        if len(whole) <= self.style.limit:
            return [whole]
        around = self._at_operators if inside else self._in_parentheses
        # What goes on in lines behind these cannot be put in parentheses here.
        goes_on = not inside and (self.is_part or max(depths_of(tokens)[-1:], default=0) > 0)
        first = [] if goes_on else list(around(tokens, indent))
        if first and self._fit(first[0]):
            return first[0]
        candidates = [*first, *self._at_brackets(tokens, indent), [whole]]
        best = min(candidates, key=self._badness)
        if not inside or self._fit(best):
            return best
        return min(best, self._in_string(tokens, indent), key=self._badness)

    def _in_string(self, tokens: list[Token], indent: str) -> list[str]:
        """The string that code begins with in two, the second on another line with what follows; as
        it is where that cannot be."""
        first = tokens[0].text
        parts = divided(first, self.style.limit - len(indent)) if first not in self.whole else ()
        if not parts:
            return [indent + text_of(tokens, bare=True)]
        rest = [Token("", parts[1]), *tokens[1:]]
        return [indent + parts[0], *self.lines(rest, indent, inside=True)]

    def _fit(self, lines: list[str]) -> bool:
        return all(len(line) <= self.style.limit for line in lines)

    def _badness(self, lines: list[str]) -> tuple[int, int, int]:
        """Lines that are too long, by how much the longest is, and all lines."""
        limit = self.style.limit
        longest = max(map(len, lines))
        return sum(len(line) > limit for line in lines), max(longest - limit, 0), len(lines)

    def _at_operators(self, tokens: list[Token], indent: str) -> Iterator[list[str]]:
        parts = parts_of(tokens)
        if len(parts) > 1:
            yield [line for part in parts for line in self.lines(part, indent, inside=True)]

    def _in_parentheses(self, tokens: list[Token], indent: str) -> Iterator[list[str]]:
        """The value of an assignment, of a ``return`` or a condition, between parentheses."""
        found = value_of(tokens)
        if found is None:
            return
        start, end = found
        value = tokens[start:end]
        if len(parts_of(value)) > 1 and not any(t.text == "," for t in outer_of(value)):
            inner = self.lines(value, indent + self.style.unit, inside=True)
            head = indent + text_of(tokens[:start]) + " ("
            yield [head, *inner, indent + ")" + text_of(tokens[end:])]

    def _at_brackets(self, tokens: list[Token], indent: str) -> Iterator[list[str]]:
        """A pair of brackets opened at the end of a line and closed on another; the last first."""
        for opening, closing in pairs_of(tokens)[: -_MOST_PAIRS - 1 : -1]:
            head, tail = tokens[: opening + 1], tokens[closing:]
            body = tokens[opening + 1 : closing]
            if self.style.aligned:
                yield from self._aligned(head, body, tail, indent)
            yield [
                *self.lines(head, indent, inside=False),
                *self._body(body, head, indent + self.style.unit),
                *self.lines(tail, indent, inside=False),
            ]

    def _aligned(
        self, head: list[Token], body: list[Token], tail: list[Token], indent: str
    ) -> Iterator[list[str]]:
        """What follows the bracket, with its further lines under it."""
        first = indent + text_of(head, bare=True)
        lines, under = [first], " " * len(first)
        parts = split_at(body, [","])
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            text = text_of(part, bare=True) + (text_of(tail) if last else "")
            gap = "" if number == 0 else " "
            if number == 0 or len(lines[-1] + gap + text) <= self.style.limit:
                lines[-1] += gap + text
            else:
                lines.append(under + text)
        if self._fit(lines):
            yield lines

    def _body(self, body: list[Token], head: list[Token], indent: str) -> list[str]:
        """What stands between brackets: on one line, or each item on its own."""
        if len(indent + text_of(body, bare=True)) <= self.style.limit:
            return [indent + text_of(body, bare=True)]
        parts = split_at(body, [","])
        last = parts[-1]
        stars = any(part[0].text in ("*", "**") for part in parts)
        generates = "for" in outer_words(body)
        if len(parts) > 1 and last[-1].text != "," and not (stars or generates or _is_index(head)):
            parts[-1] = [*last, Token("", ",")]
        return [line for part in parts for line in self.lines(part, indent, inside=True)]


def _is_index(head: list[Token]) -> bool:
    """Whether the bracket at the end asks for an item of what stands before it."""
    if len(head) < 2 or head[-1].text != "[":
        return False
    before = head[-2]
    return not head[-1].before and (before.text[-1].isalnum() or before.text[-1] in "_)]\"'")
