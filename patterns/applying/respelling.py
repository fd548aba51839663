"""respelled: literals as they are written in another way, by regular expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.regular import regular
from pinsetter.analyzer.syntax import SyntaxProblem, parse
from pinsetter.analyzer.syntax.tree import LN, Expression, Tree, leaves, unwrap

from ..edits.edit import Edit
from ..edits.rendering import Misfit

_LITERALS = (token.STRING, token.NUMBER)


def respelled(
    expression: Expression, spellings: Mapping[str, str], tree: Tree, rank: tuple[int, ...]
) -> Iterator[Edit]:
    """The edits that replace what regular expressions fit in a literal, or in each of several
    strings side by side, as they are written. Raises Misfit for what is none, or were none then."""
    literals = _literals(expression)
    if not literals:
        raise Misfit(f"{tree.source(expression) or 'nothing'} is no literal")
    for leaf in literals:
        new = leaf.value
        for pattern, spelling in spellings.items():
            new = regular(pattern).replaced(new, spelling)
        if _kind(new) != leaf.type:
            raise Misfit(f"{leaf.value} would be {new}, which is no literal")
        at = tree.start(leaf)
        for start, end, text in _difference(leaf.value, new):
            # Others of the application, which are made as one, may take the literal elsewhere.
            yield Edit(at + start, at + end, text, outer=tree.span((leaf,)), rank=(*rank, 1))


def _literals(expression: Expression) -> list[LN]:
    nodes = unwrap(expression)
    if len(nodes) != 1:
        return []
    node = nodes[0]
    if node.type == symbols.atom and all(c.type == token.STRING for c in node.children):
        return [*node.children]
    return [node] if node.type in _LITERALS else []


def _difference(old: str, new: str) -> Iterator[tuple[int, int, str]]:
    """The one span of the old text in which two differ, and what the new one has there."""
    if old == new:
        return
    shorter = min(len(old), len(new))
    first = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    same = shorter - first
    last = next((at for at in range(same) if old[-1 - at] != new[-1 - at]), same)
    yield first, len(old) - last, new[first : len(new) - last]


def _kind(text: str) -> int | None:
    """STRING or NUMBER, if the text is one such literal and nothing else."""
    try:
        found = [leaf for leaf in leaves(parse(f"{text}\n")) if leaf.value.strip()]
    except SyntaxProblem:
        return None
    alone = len(found) == 1 and found[0].type in _LITERALS and found[0].value == text
    return int(found[0].type) if alone else None
