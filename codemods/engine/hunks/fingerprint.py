"""surroundings: a digest of what a hunk does and of the lines around it, wherever they stand."""

from __future__ import annotations

import difflib
import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.patterns.edits.edit import Edit, apply, replacements
from pinsetter.patterns.edits.guards import shared

_CONTEXT = 3


def surroundings(text: str, edits: Sequence[Edit], made: Sequence[Edit] = ()) -> str:
    """The digest of the diff that a hunk's edits make of ``text``, with its context and without the
    numbers of the lines: it stays as long as what a person saw of the hunk stays.

    With ``made`` it is the one that the hunk has once these edits are in its file: the next run
    proposes it there, between other lines than this one did.
    """
    if made:
        # What was made has no guard to share any more.
        made = shared(text, made)
        old, _ = _lines(apply(text, made))
        new = LINE_END.split(apply(text, [*made, *edits]))
    else:
        old, new = _lines(text)[0], _changed(text, edits)
    # Of the two texts alone, so that it does not depend on how the edits between them are put.
    shown = "\n".join(_diff(old, new)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(shown).hexdigest()[:16]


def _changed(text: str, edits: Sequence[Edit]) -> list[str]:
    """The lines of ``text`` with the edits made; only those around the edits are split again."""
    lines, starts = _lines(text)
    found = replacements(text, edits)
    if not found:
        return lines
    # One line more in front: an edit can make one end of line of two, its own and that before.
    first = max(0, bisect_right(starts, found[0][0]) - 2)
    last = bisect_right(starts, found[-1][1])
    end = starts[last] if last < len(starts) else len(text)
    parts: list[str] = []
    at = starts[first]
    for start, stop, new in found:
        parts += [text[at:start], new]
        at = stop
    between = LINE_END.split("".join([*parts, text[at:end]]))
    if last < len(starts):
        between.pop()  # what is behind the last end of line begins the next line
    return [*lines[:first], *between, *lines[last:]]


def _diff(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    # What is equal at both ends is most of a file, and costs the matcher the most.
    head = _equal(old, new)
    tail = _equal(old[head:][::-1], new[head:][::-1])
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    yield from (f" {line}" for line in old[:head][-_CONTEXT:])
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            yield from (f"-{line}" for line in before[a:b])
            yield from (f"+{line}" for line in after[c:d])
        elif b - a <= 2 * _CONTEXT:
            yield from (f" {line}" for line in before[a:b])
        else:
            yield from (f" {line}" for line in before[a : a + _CONTEXT])
            yield "@@"
            yield from (f" {line}" for line in before[b - _CONTEXT : b])
    yield from (f" {line}" for line in old[len(old) - tail :][:_CONTEXT])


def _equal(left: Sequence[str], right: Sequence[str]) -> int:
    """How many lines are equal from the start on."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


# All hunks of a file are asked for one after the other.
@lru_cache(maxsize=2)
def _lines(text: str) -> tuple[list[str], list[int]]:
    """The lines and where each begins; without their ends, which change nothing of a decision."""
    return LINE_END.split(text), [0, *(end.end() for end in LINE_END.finditer(text))]
