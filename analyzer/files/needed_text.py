"""NeededText: words without which nothing can be found in a file, seen in its bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

# What is not ASCII may be part of a word, and may be white space or a byte-order mark.
_WHOLE = rb"\b%b\b"
# The line of an import, or of a call that imports, up to a word in it.
_IMPORT = rb"(?:\b(?:import|from)\b|import_module|__import__)(?:[^\r\n\\]|\\(?:\r\n|.))*?\b%b\b"
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
        own = sorted({word for need in self.needs for word in need.own})
        shared = sorted({word for need in self.needs for words in need.shared for word in words})
        self._own = [(word, re.compile(_WHOLE % re.escape(word))) for word in own]
        self._shared = [
            (
                word,
                re.compile(_IMPORT % re.escape(word), re.DOTALL),
                re.compile(_WHOLE % re.escape(word)),
            )
            for word in shared
        ]

    def found_in(self, data: bytes, path: str = "") -> frozenset[bytes]:
        """The words that are in the bytes of a file, and the packages that it imports, or that its
        path says: what a package defines need not import it."""
        place = os.fsencode(path)
        found = {word for word, whole in self._own if word in data and whole.search(data)}
        for word, imported, whole in self._shared:
            if (word in data and imported.search(data)) or (word in place and whole.search(place)):
                found.add(_IMPORTED + word)
        return frozenset(found)

    def fitting(self, found: Collection[bytes]) -> list[NeededText]:
        """The needs that a file with these words meets by itself."""
        return [need for need in self.needs if need.own <= {*found}]


def imports_one(found: Collection[bytes], packages: Iterable[bytes]) -> bool:
    """Whether one of the packages is among what was found in a file."""
    return any(_IMPORTED + package in found for package in packages)
