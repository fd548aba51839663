"""style_of: how a file is written, where new lines have to fit in."""

from __future__ import annotations

import re
from collections import Counter

from fissix.pgen2 import token

from pinsetter.analyzer.files.line_length import line_length
from pinsetter.analyzer.files.source import LINE_END
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import leaves

from .wrapping import Style

_SHORTEST = 79
_OPENING = (token.LPAR, token.LSQB, token.LBRACE)
_CLOSING = (token.RPAR, token.RSQB, token.RBRACE)
_PLAIN = re.compile(r"[A-Za-z]{0,2}([\"'])[^\"']+\1\Z")
_NO_CODE = (token.NEWLINE, token.INDENT, token.DEDENT, token.ENDMARKER)


def style_of(module: Module) -> Style:
    """The file's style: the columns that its repository's settings allow, else those of its longest
    line, but 79; how most of its brackets that have several lines go on, and what most of its
    strings begin with."""
    text = module.source.text
    limit = line_length(module.path) or max(_SHORTEST, *map(len, LINE_END.split(text)))
    starts, aligned = _lines(module)
    quote = _quote(module)
    return Style(limit, module.indentation, module.source.newline, aligned, starts, quote)


def _quote(module: Module) -> str:
    """Docstrings and strings that hold a quote of the other kind say nothing."""
    numbers = Counter(
        match[1]
        for leaf in leaves(module.tree.root)
        if leaf.type == token.STRING and (match := _PLAIN.match(leaf.value))
    )
    return max(numbers, key=lambda quote: (numbers[quote], quote), default="")


def _lines(module: Module) -> tuple[tuple[int, ...], bool]:
    tree = module.tree
    starts: list[int] = []
    aligned = hanging = 0
    begins, before = True, 0
    # Where what is in each bracket begins, -1 once a line has ended in it.
    opened: list[int] = []
    end = 0
    for leaf in leaves(tree.root):
        start = end + len(leaf.prefix)
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
            hanging += before in _OPENING
            opened[-1] = -1
        if leaf.type in _OPENING:
            opened.append(end)
        elif leaf.type in _CLOSING and opened:
            opened.pop()
        before = leaf.type
    return tuple(starts), aligned > hanging
