"""NeededText: words without which nothing can be found in a file, seen in its bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

# What is not ASCII may be part of a word, and may be white space or a byte-order mark.
_WHOLE = rb"\b%b\b"


@dataclass(frozen=True)
class NeededText:
    """Words of which all must be in the file itself (``own``), and sets of words of each of which
    one must be there, or in a file that imports join it to (``shared``)."""

    own: frozenset[bytes]
    shared: tuple[frozenset[bytes], ...] = ()


class WordSearch:
    """Which of some words are in files."""

    def __init__(self, needs: Iterable[NeededText]) -> None:
        self.needs = tuple(dict.fromkeys(needs))
        words = {word for need in self.needs for word in need.own.union(*need.shared)}
        self._words = [(word, re.compile(_WHOLE % re.escape(word))) for word in sorted(words)]

    def found_in(self, data: bytes, path: str = "") -> frozenset[bytes]:
        """The words that are in the bytes of a file, or in its path: what a package defines need
        not say its name."""
        data += b"\n" + os.fsencode(path)
        found = (word for word, whole in self._words if word in data and whole.search(data))
        return frozenset(found)

    def fitting(self, words: Collection[bytes]) -> list[NeededText]:
        """The needs that a file with these words meets by itself."""
        return [need for need in self.needs if need.own <= {*words}]
