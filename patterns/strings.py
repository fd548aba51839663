"""fits_strings: whether edits inside an f- or t-string leave it one, for every Python."""

from __future__ import annotations

from collections.abc import Sequence

from fissix.pgen2 import token
from fissix.pytree import Leaf

from pinsetter.analyzer.fstring import fields_of
from pinsetter.analyzer.tree import LN, Tree, ancestors

from .edit import Edit, apply


def fits_strings(node: LN, edits: Sequence[Edit], tree: Tree) -> bool:
    """Whether edits that are made for ``node`` keep the strings that it stands in.

    Before Python 3.12 (PEP 701) an expression in an f-string has no backslash, no comment and none
    of the string's quotes; a colon outside of brackets ends it in all of them.
    """
    around = [parent for parent in ancestors(node) if parent.type == token.STRING]
    if not around:
        return True
    outermost = around[-1]
    start, end = tree.span((outermost,))
    inside = [edit for edit in edits if start < edit.start and edit.end < end]
    quotes = {quote for string in around for quote in "\"'" if string.value.endswith(quote)}
    if any({*quotes, "\\", "#", "\n", "\r"} & set(edit.text) for edit in inside):
        return False
    moved = apply(outermost.value, [edit.moved(-start) for edit in inside])
    changed = fields_of(Leaf(token.STRING, moved))
    return changed is not None and len(changed) == len(fields_of(outermost) or ())
