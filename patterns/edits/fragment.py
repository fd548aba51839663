"""Fragment: new text in which some was taken from the file, and where that stands there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .precedence import Place

Span = tuple[int, int]


@dataclass(frozen=True)
class Slot:
    """``text[start:end]`` of a fragment is ``source`` of the file. If that was one expression,
    ``place`` is what may stand there in the new text without more parentheses than it has;
    ``bracketed``: lines may end in it; ``quoted``: it stands in a string."""

    start: int
    end: int
    source: Span
    place: Place | None = None
    bracketed: bool = True
    quoted: bool = False

    def moved(self, by: int) -> Slot:
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True)
class Fragment:
    """Fragments and strings are put together with ``+``."""

    text: str = ""
    slots: tuple[Slot, ...] = ()

    def __add__(self, other: Fragment | str) -> Fragment:
        more = other if isinstance(other, Fragment) else Fragment(other)
        moved = (slot.moved(len(self.text)) for slot in more.slots)
        return Fragment(self.text + more.text, (*self.slots, *moved))

    def __radd__(self, other: str) -> Fragment:
        return Fragment(other) + self

    def __getitem__(self, part: slice) -> Fragment:
        """A part of the text, with the slots that are whole in it."""
        start, end, _ = part.indices(len(self.text))
        inside = (slot for slot in self.slots if start <= slot.start and slot.end <= end)
        return Fragment(self.text[start:end], tuple(slot.moved(-start) for slot in inside))

    def split(self, separator: str) -> list[Fragment]:
        """The parts between separators, none of which is in what was taken from the file."""
        found, at = [], 0
        for part in self.text.split(separator):
            found.append(self[at : at + len(part)])
            at += len(part) + len(separator)
        return found


NOTHING = Fragment()


def taken(text: str, span: Span) -> Fragment:
    """A part of a file, as it stands there."""
    start, end = span
    return Fragment(text[start:end], (Slot(0, end - start, span),))


def joined(parts: Iterable[Fragment], separator: str = "") -> Fragment:
    whole = Fragment()
    for number, part in enumerate(parts):
        whole = whole + (separator if number else "") + part
    return whole
