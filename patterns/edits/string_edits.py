"""in_strings: edits inside an f- or t-string as they leave it one, for every Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fissix.pgen2 import token
from fissix.pytree import Leaf

from pinsetter.analyzer.syntax.fstring import fields_of
from pinsetter.analyzer.syntax.tree import LN, Tree, ancestors

from .edit import Edit, apply


def in_string(node: LN) -> bool:
    return any(parent.type == token.STRING for parent in ancestors(node))


def in_strings(node: LN, edits: Sequence[Edit], tree: Tree) -> list[Edit] | None:
    """The edits that are made for ``node``, if they keep the strings that it stands in; else None.

    Before Python 3.12 (PEP 701) an expression in an f-string has no backslash, no comment and none
    of the string's quotes; a colon outside of brackets ends it in all of them, and two braces are
    none that begin one.
    """
    around = [parent for parent in ancestors(node) if parent.type == token.STRING]
    if not around:
        return list(edits)
    outermost = around[-1]
    start, end = tree.span((outermost,))
    inside = [edit for edit in edits if start < edit.start and edit.end < end]
    quotes = {quote for string in around for quote in "\"'" if string.value.endswith(quote)}
    if any({*quotes, "\\", "#", "\n", "\r"} & set(edit.text) for edit in inside):
        return None
    made = [
        replace(edit, behind_brace=True)
        if start < edit.start < end and outermost.value[edit.start - start - 1] == "{"
        else edit
        for edit in edits
    ]
    moved = apply(
        outermost.value,
        [edit.moved(-start) for edit in made if start < edit.start and edit.end < end],
    )
    return made if _around_fields(moved) == _around_fields(outermost.value) else None


def _around_fields(literal: str) -> list[str] | None:
    """What of a string literal stands outside of its replacement fields."""
    fields = fields_of(Leaf(token.STRING, literal))
    if fields is None:
        return None
    spans = _outermost((start, end) for start, end, _ in fields)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(literal)]
    return [literal[end:start] for end, start in zip(ends, starts, strict=True)]


def _outermost(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found
