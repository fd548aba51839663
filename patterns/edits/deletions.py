"""deletions: a block all of whose statements are deleted gets a `pass`, what is left of several
items has the commas that it needs, and no empty line is put beside one.

What is left follows from the edits that are made together: of two hunks that delete what a block
has, each alone leaves it a statement.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .fragment import Span

if TYPE_CHECKING:
    from .edit import Edit


_EMPTY = re.compile(r"[ \t\f]*(?:[\r\n]|\Z)")


@dataclass(frozen=True)
class Deleted:
    """A statement that is deleted, of those of a ``block``, and the line that stands for it where
    no other is left."""

    span: Span
    block: tuple[Span, ...]
    filler: str


@dataclass(frozen=True)
class Removed:
    """An item that goes, of several with commas between them, and what stands for all of them, and
    where, if none is left. ``lines`` are those of the items that have lines of their own, with
    their commas and comments. ``open``: they are those of a tuple with no comma at the end, which
    one item alone needs. ``ends`` are, for each item, where the comma before it ends, if that is on
    its line, and where the comma behind it does, if a line ends there: what stands in front keeps
    its line then, and what stands behind, too."""

    items: tuple[Span, ...]
    whole: tuple[Span, str]
    lines: tuple[Span | None, ...] = ()
    open: bool = False
    ends: tuple[tuple[int | None, int | None], ...] = ()

    def with_comma(self, run: Sequence[Span]) -> Span:
        """What goes with neighbours, if not all go: their lines, or the comma behind them, or else
        that before."""
        first, last = self.items.index(run[0]), self.items.index(run[-1])
        own = self.lines[first : last + 1]
        begin, end = (own[0], own[-1]) if own and all(own) else (None, None)
        if begin is not None and end is not None:
            return begin[0], end[1]
        before, ended = (self.ends[first][0], self.ends[last][1]) if self.ends else (None, None)
        if before is not None and ended is not None:
            return before, ended
        behind = last + 1
        if behind < len(self.items):
            return run[0][0], self.items[behind][0]
        return self.items[max(first - 1, 0)][1], run[-1][1]


def items_left(edits: Sequence[Edit]) -> list[Edit]:
    """The edits, in which items that go take the commas along that nothing needs then."""
    groups: dict[Removed, dict[Span, Edit]] = {}
    for edit in edits:
        if edit.removed is not None:
            groups.setdefault(edit.removed, {})[edit.start, edit.end] = edit
    made: list[Edit] = [edit for edit in edits if edit.removed is None]
    for removed, gone in groups.items():
        kept = [span for span in removed.items if span not in gone]
        if not kept:
            span, text = removed.whole
            made.append(_at(next(iter(gone.values())), span, text))
            continue
        alone = kept[0][1] if removed.open and len(kept) == 1 else None
        for stays, run in itertools.groupby(removed.items, set(kept).__contains__):
            spans = [] if stays else list(run)
            if spans:
                span = removed.with_comma(spans)
                made.append(_at(gone[spans[0]], span, "," if span[0] == alone else ""))
        if alone is not None and kept[0] == removed.items[-1]:
            made.append(_at(next(iter(gone.values())), (alone, alone), ","))
    return made


def _at(edit: Edit, span: Span, text: str) -> Edit:
    return replace(edit, start=span[0], end=span[1], outer=span, text=text, removed=None)


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


def gaps_left(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits without those that put an empty line in front of lines which go, where one is
    behind these."""
    gone = {e.start: e.end for e in edits if e.end > e.start and not e.text}
    return [edit for edit in edits if not (_is_gap(edit) and _ends_empty(edit.start, gone, text))]


def _is_gap(edit: Edit) -> bool:
    return edit.once and edit.start == edit.end and not edit.text.strip()


def _ends_empty(start: int, gone: Mapping[int, int], text: str) -> bool:
    at = start
    while at in gone:
        at = gone[at]
    return at > start and _EMPTY.match(text, at) is not None
