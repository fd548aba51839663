"""respelled: literals as they are written in another way, by regular expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fissix.pgen2 import token

from pinsetter.analyzer.files.linear_regex import regular
from pinsetter.analyzer.syntax import SyntaxProblem, parse
from pinsetter.analyzer.syntax.tree import Expression, Tree, leaves, literals_of

from ..edits.edit import Edit
from ..edits.rendering import Misfit


def respelled(
    expression: Expression, spellings: Mapping[str, str], tree: Tree, rank: tuple[int, ...]
) -> Iterator[Edit]:
    """The edits that replace what regular expressions fit in a literal, or in each of several
    strings side by side, as they are written. Raises Misfit for what is none, or were none then."""
    literals = literals_of(expression)
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
    kind = found[0].type if len(found) == 1 and found[0].value == text else None
    return int(kind) if kind in (token.STRING, token.NUMBER) else None
