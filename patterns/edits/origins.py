"""origins: which line of a text each line of what edits make of it comes from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from pinsetter.analyzer.files.source import LINE_END

from .edit import Edit, settled


def origins(text: str, edits: Iterable[Edit]) -> tuple[int, ...]:
    """For each line of the new text its line of ``text``, from 1: that of the first code that was
    taken from there, or else of what the edit belongs to. For edits that move no lines."""
    starts = [0, *(end.end() for end in LINE_END.finditer(text))]

    def line_of(offset: int) -> int:
        return bisect_right(starts, offset)

    # Where each piece of the new text comes from: code of the file counts more than what is new.
    pieces: list[tuple[str, int, bool]] = []
    at = 0
    for edit in sorted(settled(text, edits), key=lambda edit: edit.key):
        pieces.append((text[at : edit.start], at, True))
        own = 0
        belongs = edit.outer[0] if edit.start == edit.end else edit.start
        for slot in sorted(edit.slots, key=lambda slot: slot.start):
            pieces.append((edit.text[own : slot.start], belongs, False))
            pieces.append((edit.text[slot.start : slot.end], slot.source[0], True))
            own = slot.end
        pieces.append((edit.text[own:], belongs, False))
        at = max(at, edit.end)
    pieces.append((text[at:], at, True))
    found: list[int] = []
    here: tuple[int, bool] | None = None
    for piece, source, taken in pieces:
        place = 0
        while place < len(piece):
            end = LINE_END.search(piece, place)
            stop = end.end() if end is not None else len(piece)
            said = piece[place:stop].strip() != ""
            if said and (here is None or (taken and not here[1])):
                here = (line_of(source + place if taken else source), taken)
            if end is not None:
                found.append(here[0] if here is not None else line_of(source))
                here = None
            place = stop
    if here is not None:
        found.append(here[0])
    return tuple(found)
