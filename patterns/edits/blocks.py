"""blocks: inserted lines that applications at one place have in common, made once.

Which lines are shared follows from the edits that are made together: whoever rejects one of two
hunks still gets the right text for the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .fragment import Fragment, joined

if TYPE_CHECKING:
    from .edit import Edit


@dataclass(frozen=True)
class Block:
    """Inserted lines that stand under a ``head``, with a ``tail`` behind those of all that have the
    same head and tail."""

    head: Fragment
    body: Fragment
    tail: Fragment

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


def _by_rank(edit: Edit) -> tuple[int, ...]:
    return edit.rank


def _with(edit: Edit, other: Edit) -> Edit:
    """One edit instead of two."""
    if edit.block is None or other.block is None or edit.block.body == other.block.body:
        return edit
    block = replace(edit.block, body=edit.block.body + other.block.body)
    return replace(edit, block=block, text=block.whole.text, slots=block.whole.slots)
