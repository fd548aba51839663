"""Evidence: what a rule was applied for, as text; it outlives the tree."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..matching.match import Match

_LONGEST = 120
# Captures that the compiler adds to a pattern, which no rule can name.
_ADDED = re.compile(r"name_\d+|\w+__\d+|following")


@dataclass(frozen=True)
class Capture:
    """What a ``$name`` of the rule stands for: the first line of the code, and its line number."""

    name: str
    code: str
    line: int


@dataclass(frozen=True)
class Evidence:
    """The captures of a match, the ``texts`` that conditions found out, and what was assumed."""

    captures: tuple[Capture, ...]
    texts: tuple[tuple[str, str], ...]
    assumed: tuple[str, ...]


def evidence(match: Match) -> Evidence:
    """What is known of a match."""
    captures = []
    for name, expression in match.captures.items():
        code = match.source(expression)
        if code and not _ADDED.fullmatch(name):
            line = match.module.tree.line_of(expression[0])
            captures.append(Capture(name, _first_line(code), line))
    texts = tuple((name, _first_line(text)) for name, text in match.texts.items())
    return Evidence(tuple(captures), texts, match.warnings)


def _first_line(code: str) -> str:
    line = (code.splitlines() or [""])[0]
    cut = line[:_LONGEST]
    return cut if cut == code else f"{cut} …"
