"""colouring: the lines of a diff, with Python's syntax in colours and what differs marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from markupsafe import Markup
from pygments.lexers.python import PythonLexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    _TokenType,
    is_token_subtype,
)

from ..report.html import Line, lines, shown

_LEXER = PythonLexer(stripnl=False, ensurenl=False)
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "comment"), (Keyword, "keyword"), (String, "string"), (Number, "number"),
    (Operator.Word, "keyword"), (Name.Function, "name"), (Name.Class, "name"),
    (Name.Decorator, "name"), (Name.Builtin, "builtin"),
)  # fmt: skip
# Longer ones are shown without colours.
_LONG = 2_000
# How many are remembered: campaigns change the same again and again.
_KEPT = 10_000


@dataclass(frozen=True)
class Row:
    """A line as it was and as it becomes, side by side; one of them may be missing."""

    old: Line | None
    new: Line | None


@lru_cache(maxsize=_KEPT)
def rows(diff: str) -> Sequence[Row]:
    """The lines of a diff, those that take each other's place in one row."""
    found: list[Row] = []
    removed: list[Line] = []
    added: list[Line] = []

    def put() -> None:
        for number in range(max(len(removed), len(added))):
            found.append(
                Row(
                    removed[number] if number < len(removed) else None,
                    added[number] if number < len(added) else None,
                )
            )
        removed.clear()
        added.clear()

    for line in lines(diff.split("\n")):
        if line.kind == "removed":
            if added:
                put()
            removed.append(line)
        elif line.kind == "added":
            added.append(line)
        else:
            put()
            found.append(Row(line, line))
    put()
    return found


@lru_cache(maxsize=4 * _KEPT)
def coloured(kind: str, parts: tuple[tuple[str, bool], ...]) -> Markup:
    """A line, by its kind and its parts, which differ from the other one or do not."""
    text = "".join(part for part, _ in parts)
    if kind in ("place", "remark") or len(text) > _LONG:
        return Markup("").join(_span("", differs, part) for part, differs in parts)
    marks = [differs for part, differs in parts for _ in part]
    made: list[Markup] = []
    at = 0
    for name, value in _syntax(text):
        # A piece ends where syntax or mark does.
        for differs, group in groupby(range(at, at + len(value)), marks.__getitem__):
            places = list(group)
            made.append(_span(name, differs, text[places[0] : places[-1] + 1]))
        at += len(value)
    return Markup("").join(made)


def _syntax(text: str) -> Iterator[tuple[str, str]]:
    for kind, value in _LEXER.get_tokens(text):
        yield next((name for token, name in _CLASSES if is_token_subtype(kind, token)), ""), value


def _span(name: str, differs: bool, text: str) -> Markup:
    classes = f"{name}{' differs' if differs else ''}".strip()
    if not classes:
        return shown(text)
    return Markup('<span class="{}">{}</span>').format(classes, shown(text))
