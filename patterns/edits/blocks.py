"""blocks: inserted lines that applications at one place have in common, made once.

Which lines are shared follows from the edits that are made together: whoever rejects one of two
hunks still gets the right text for the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .fragment import Fragment, joined

if TYPE_CHECKING:
    from .edit import Edit


_COMMA = ", "
# What an import in a block begins with.
_INDENT = re.compile(r"[ \t]+(?=from)")


@dataclass(frozen=True)
class Block:
    """Inserted lines that stand under a ``head``, with a ``tail`` behind those of all that have the
    same head and tail; or with ``names`` those that one import brings."""

    head: Fragment
    body: Fragment
    tail: Fragment
    names: bool = False

    @property
    def whole(self) -> Fragment:
        return joined((self.head, self.body, self.tail))


def blocks_joined(edits: Sequence[Edit]) -> list[Edit]:
    """The edits, with the blocks at one place that have a head in common put together, and the
    lines that are to be inserted once inserted once."""
    if not any(edit.block is not None or edit.once for edit in edits):
        return list(edits)
    found: dict[object, Edit] = {}
    for number, edit in enumerate(sorted(edits, key=_by_rank)):
        if edit.block is not None:
            key: object = (edit.start, edit.side, edit.block.head.text, edit.block.tail.text)
        else:
            # An empty line before imports is not the one that is behind them.
            rank = () if edit.text.strip() else edit.rank
            key = (edit.start, edit.side, rank, edit.text) if edit.once else number
        found[key] = _with(found[key], edit) if key in found else edit
    return list(found.values())


def _with_names(edit: Edit, one: Block, other: Block) -> Edit:
    """An import with the names of both; each on a line of its own, if one would be too long."""
    names = sorted({*one.body.text.split(_COMMA), *other.body.text.split(_COMMA)}, key=by_kind)
    block = replace(one, body=Fragment(_COMMA.join(names)))
    text, style = block.whole.text, edit.style
    if style is not None and max(map(len, text.splitlines())) > style.limit:
        head, tail = one.head.text, one.tail.text
        indent = _INDENT.search(head)
        newline = f"{style.newline}{indent[0] if indent is not None else ''}"
        listed = "".join(f"{newline}{style.unit}{name}," for name in names)
        text = f"{head}({listed}{newline}){tail}"
    return replace(edit, block=block, text=text)


def by_kind(name: str) -> tuple[int, str]:
    """As isort and ruff have the names of an import: constants, classes, and what is left."""
    word = name.partition(" ")[0]
    kind = 0 if word.isupper() and len(word) > 1 else 1 if word[:1].isupper() else 2
    return kind, word


def _by_rank(edit: Edit) -> tuple[int, ...]:
    return edit.rank


def _with(edit: Edit, other: Edit) -> Edit:
    """One edit instead of two."""
    if edit.block is None or other.block is None or edit.block.body == other.block.body:
        return edit
    if edit.block.names:
        return _with_names(edit, edit.block, other.block)
    block = replace(edit.block, body=edit.block.body + other.block.body)
    return replace(edit, block=block, text=block.whole.text, slots=block.whole.slots)
