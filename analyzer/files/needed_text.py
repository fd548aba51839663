"""NeededText: words without which nothing can be found in a file, seen in its bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

# What is not ASCII may be part of a word, and may be white space or a byte-order mark.
_WHOLE = rb"\b%b\b"
_IMPORTED = b"import "


@dataclass(frozen=True)
class NeededText:
    """Words of which all must be in the file itself (``own``), and sets of packages of each of
    which one must be imported there, or in a file that imports join it to (``shared``)."""

    own: frozenset[bytes]
    shared: tuple[frozenset[bytes], ...] = ()


class WordSearch:
    """Which of some words are in files."""

    def __init__(self, needs: Iterable[NeededText]) -> None:
        self.needs = tuple(dict.fromkeys(needs))
        own = {word for need in self.needs for word in need.own}
        shared = {word for need in self.needs for words in need.shared for word in words}
        self._own, self._shared = map(_wholes, (own, shared))

    def found_in(self, data: bytes, imports: bytes = b"", path: str = "") -> frozenset[bytes]:
        """The words that are in the bytes of a file, and the packages that its ``imports`` say, or
        its path: what a package defines need not import it."""
        found = {word for word, whole in self._own if word in data and whole.search(data)}
        told = imports + b"\n" + os.fsencode(path)
        for word, whole in self._shared:
            if word in told and whole.search(told):
                found.add(_IMPORTED + word)
        return frozenset(found)

    def fitting(self, found: Collection[bytes]) -> list[NeededText]:
        """The needs that a file with these words meets by itself."""
        return [need for need in self.needs if need.own <= {*found}]


def _wholes(words: Iterable[bytes]) -> list[tuple[bytes, re.Pattern[bytes]]]:
    return [(word, re.compile(_WHOLE % re.escape(word))) for word in sorted(words)]


def imports_one(found: Collection[bytes], packages: Iterable[bytes]) -> bool:
    """Whether one of the packages is among what was found in a file."""
    return any(_IMPORTED + package in found for package in packages)
