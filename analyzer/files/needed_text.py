"""NeededText: words without which nothing can be found in a file, seen in its bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from .sayings import Assumed, SayingSearch, words_in

# What is not ASCII may be part of a word, and may be white space or a byte-order mark.
_WHOLE = rb"\b%b\b"
_IMPORTED = b"import "


class End(NamedTuple):
    """Words with one of which code ends that means something, unless something is said by which
    that has another name."""

    words: frozenset[bytes]
    unless: frozenset[Assumed]


@dataclass(frozen=True)
class NeededText:
    """Words of which all must be in the file itself (``own``), and sets of packages of each of
    which one must be imported there, or in a file that imports join it to (``shared``). One word
    of each of the ``ends`` must be in the file, too, unless some file gives it another name so."""

    own: frozenset[bytes]
    shared: tuple[frozenset[bytes], ...] = ()
    ends: tuple[End, ...] = ()


class WordSearch:
    """Which of some words are in files."""

    def __init__(self, needs: Iterable[NeededText]) -> None:
        self.needs = tuple(dict.fromkeys(needs))
        ends = {end for need in self.needs for end in need.ends}
        own = {word for need in self.needs for word in need.own}
        self._own = own.union(*(end.words for end in ends))
        self.others = SayingSearch({one for end in ends for one in end.unless})
        """By what something has another name."""
        shared = {word for need in self.needs for words in need.shared for word in words}
        self._shared = _wholes(shared)

    def found_in(self, data: bytes, imports: bytes = b"", path: str = "") -> frozenset[bytes]:
        """The words that are in the bytes of a file, and the packages that its ``imports`` say, or
        its path: what a package defines need not import it."""
        found = words_in(data, self._own)
        told = imports + b"\n" + os.fsencode(path)
        for word, whole in self._shared:
            if word in told and whole.search(told):
                found.add(_IMPORTED + word)
        return frozenset(found)

    def fitting(
        self, found: Collection[bytes], others: Collection[Assumed] = ()
    ) -> list[NeededText]:
        """The needs that a file with these words meets by itself, where ``others`` are said by
        some file."""

        def ends_so(end: End) -> bool:
            return not end.words.isdisjoint(found) or not end.unless.isdisjoint(others)

        return [n for n in self.needs if n.own <= {*found} and all(map(ends_so, n.ends))]


def _wholes(words: Iterable[bytes]) -> list[tuple[bytes, re.Pattern[bytes]]]:
    return [(word, re.compile(_WHOLE % re.escape(word))) for word in sorted(words)]


def imports_one(found: Collection[bytes], packages: Iterable[bytes]) -> bool:
    """Whether one of the packages is among what was found in a file."""
    return any(_IMPORTED + package in found for package in packages)
