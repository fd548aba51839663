"""Edit: a span of the original text and what stands there instead; apply puts several together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# How edits at one offset follow each other: what ends there before what begins there.
CLOSE, AFTER, BEFORE, OPEN = range(4)


@dataclass(frozen=True)
class Edit:
    """Replace ``text[start:end]`` of the original by ``text``; an insertion where they are equal.

    ``side`` and ``outer``, the construct that the edit belongs to, order insertions at one offset:
    an inner construct closes before an outer one, and opens after it. ``rank`` breaks ties.
    """

    start: int
    end: int
    text: str
    side: int = AFTER
    outer: tuple[int, int] = (0, 0)
    rank: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        inner_first = -self.outer[0] if self.side in (CLOSE, AFTER) else -self.outer[1]
        return (self.start, self.end != self.start, self.side, inner_first, self.rank)

    def contradicts(self, other: Edit) -> bool:
        """Whether both cannot be made; equal edits are one edit."""
        if (self.start, self.end, self.text) == (other.start, other.end, other.text):
            return False
        if self.start == self.end or other.start == other.end:
            point, span = (self, other) if self.start == self.end else (other, self)
            return span.start < point.start < span.end
        return self.start < other.end and other.start < self.end


def apply(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with the edits made. They must not contradict each other."""
    parts: list[str] = []
    at = 0
    done: set[tuple[int, int, str]] = set()
    for edit in sorted(edits, key=lambda edit: edit.key):
        if edit.end > edit.start:
            if (edit.start, edit.end, edit.text) in done:
                continue
            done.add((edit.start, edit.end, edit.text))
        parts.append(text[at : edit.start])
        parts.append(edit.text)
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)
