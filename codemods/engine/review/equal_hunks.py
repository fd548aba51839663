"""equal: which hunks make the same change, so that one answer may be for all of them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Hashable, Iterator

from ..hunks.hunk import Hunk
from ..hunks.plan import Plan

_WORD = re.compile(r"\w+|[^\w\s]")


def change_of(hunk: Hunk, plan: Plan) -> Hashable | None:
    """What a hunk has in common with those that are equal to it: its rule, what is said about it,
    what excludes it, and which words it takes away and puts there. None if it is like no other: a
    person wrote its text, or split it off."""
    if not is_of_rule(hunk):
        return None
    others = frozenset(other.id for other in plan.alternatives_of(hunk))
    said = (hunk.rule, hunk.title, hunk.why, hunk.warnings)
    return (*said, others, tuple(_words(hunk)))


def is_of_rule(hunk: Hunk) -> bool:
    """Whether a hunk is as its rule made it: no person wrote its text, or split it off."""
    return not (hunk.edited or hunk.part_of or hunk.is_comment)


def _words(hunk: Hunk) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """For each edit the words that go and those that come; not where."""
    text = hunk.module.source.text
    for edit in hunk.edits:
        old, new = _WORD.findall(text[edit.start : edit.end]), _WORD.findall(edit.text)
        if not old:
            yield (), tuple(new)
            continue
        gone: list[str] = []
        come: list[str] = []
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for tag, a1, a2, b1, b2 in matcher.get_opcodes():
            if tag != "equal":
                gone += old[a1:a2]
                come += new[b1:b2]
        yield tuple(gone), tuple(come)
