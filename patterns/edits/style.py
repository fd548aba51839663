"""style_of: how a file is written, where new lines have to fit in."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from fissix.pgen2 import token

from pinsetter.analyzer.files.line_length import line_length
from pinsetter.analyzer.files.source import LINE_END
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import leaves

from .wrapping import Style

_SHORTEST = 79
# Blanks of an indentation, and not of something that a line is aligned with by hand.
_FARTHEST = 8
_OPENING = (token.LPAR, token.LSQB, token.LBRACE)
_CLOSING = (token.RPAR, token.RSQB, token.RBRACE)
_PLAIN = re.compile(r"[A-Za-z]{0,2}([\"'])[^\"']+\1\Z")
# Not of a head of a block, whose further lines are set apart from that.
_BLANKS = re.compile(r" *(?!(?:async|class|def|elif|for|if|while|with)\b|[ \t])")
_NO_CODE = (token.NEWLINE, token.INDENT, token.DEDENT, token.ENDMARKER)


def style_of(module: Module) -> Style:
    """The file's style: the columns that its repository's settings allow, else those of its longest
    line of code, but 79; how most of its brackets that have several lines go on, and what most of
    its strings begin with."""
    lines = _lines(module)
    limit = line_length(module.path) or max(_SHORTEST, lines.longest)
    quote = _quote(module)
    usual = "\t" not in module.indentation and 0 < lines.hanging <= _FARTHEST
    unit = " " * lines.hanging if usual else module.indentation
    return Style(limit, unit, module.source.newline, lines.aligned, lines.starts, quote)


@dataclass(frozen=True)
class _Lines:
    """Where statements begin, whether what continues lines is aligned, by how many blanks it is
    indented most often where it is not, and the columns of the longest line without its comment."""

    starts: tuple[int, ...]
    aligned: bool
    hanging: int
    longest: int


def _quote(module: Module) -> str:
    """Docstrings and strings that hold a quote of the other kind say nothing."""
    numbers = Counter(
        match[1]
        for leaf in leaves(module.tree.root)
        if leaf.type == token.STRING and (match := _PLAIN.match(leaf.value))
    )
    return max(numbers, key=lambda quote: (numbers[quote], quote), default="")


def _lines(module: Module) -> _Lines:
    tree = module.tree
    starts: list[int] = []
    aligned = 0
    hanging: Counter[int] = Counter()
    begins, before = True, 0
    # Where what is in each bracket begins, -1 once a line has ended in it.
    opened: list[int] = []
    end = longest = 0
    for leaf in leaves(tree.root):
        start = end + len(leaf.prefix)
        if leaf.type == token.NEWLINE or LINE_END.search(leaf.prefix):
            longest = max(longest, end - tree.line_start(end))
        end = start + len(leaf.value)
        if leaf.type == token.NEWLINE:
            begins = True
        if leaf.type in _NO_CODE:
            continue
        if begins:
            starts.append(tree.line_start(start))
            begins = False
        elif opened and opened[-1] >= 0 and LINE_END.search(leaf.prefix):
            column = start - tree.line_start(start)
            inner = opened[-1] - tree.line_start(opened[-1])
            aligned += before not in _OPENING and column == inner
            if before in _OPENING:
                line = tree.line_start(opened[-1] - 1)
                if (blanks := _BLANKS.match(tree.text, line)) is not None:
                    hanging[column - len(blanks[0])] += 1
            opened[-1] = -1
        if leaf.type in _OPENING:
            opened.append(end)
        elif leaf.type in _CLOSING and opened:
            opened.pop()
        before = leaf.type
    usual = max(hanging, key=lambda by: (hanging[by], -by), default=0)
    return _Lines(tuple(starts), aligned > hanging.total(), usual, longest)
