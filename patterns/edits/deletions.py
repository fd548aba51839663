"""deletions: a block all of whose statements are deleted gets a `pass`.

Whether any is left follows from the edits that are made together: of two hunks that delete what a
block has, each alone leaves it a statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .fragment import Span

if TYPE_CHECKING:
    from .edit import Edit


@dataclass(frozen=True)
class Deleted:
    """A statement that is deleted, of those of a ``block``, and the line that stands for it where
    no other is left."""

    span: Span
    block: tuple[Span, ...]
    filler: str


def emptied(edits: Sequence[Edit]) -> list[Edit]:
    """The edits, of which the last in a block that would be empty leaves `pass`."""
    gone: dict[tuple[Span, ...], dict[Span, Edit]] = {}
    for edit in edits:
        if edit.deleted is not None:
            gone.setdefault(edit.deleted.block, {})[edit.deleted.span] = edit
    last = {
        found[block[-1]] for block, found in gone.items() if all(span in found for span in block)
    }
    return [
        replace(edit, text=edit.deleted.filler) if edit.deleted and edit in last else edit
        for edit in edits
    ]  # fmt: skip
