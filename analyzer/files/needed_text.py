"""NeededText: words without which nothing can be found in a file, seen in its bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .sayings import Assumed, Saying, SayingSearch, words_in

# What is not ASCII may be part of a word, and may be white space or a byte-order mark.
_WHOLE = rb"\b%b\b"
_IMPORTED = b"import "


class End(NamedTuple):
    """Words with one of which code ends that means something, unless something is said by which
    that has another name."""

    words: frozenset[bytes]
    unless: frozenset[Assumed]


class Owner(NamedTuple):
    """A package that has something, and what has to be said for that to be had from elsewhere."""

    package: str
    unless: frozenset[Assumed]


@dataclass(frozen=True)
class NeededText:
    """Words of which all must be in the file itself (``own``), and sets of packages of each of
    which one must be imported there, or in a file that imports join it to (``shared``). One word
    of each of the ``ends`` must be in the file, too, unless some file gives it another name so;
    and what each of the packages that are ``owners`` is called."""

    own: frozenset[bytes]
    shared: tuple[frozenset[bytes], ...] = ()
    ends: tuple[End, ...] = ()
    owners: tuple[Owner, ...] = ()


class WordSearch:
    """Which of some words are in files."""

    def __init__(self, needs: Iterable[NeededText]) -> None:
        self.needs = tuple(dict.fromkeys(needs))
        ends = {end for need in self.needs for end in need.ends}
        own = {word for need in self.needs for word in need.own}
        self._own = own.union(*(end.words for end in ends))
        owners = {owner for need in self.needs for owner in need.owners}
        self._unless = {one for end in ends for one in end.unless}
        self._unless |= {one for owner in owners for one in owner.unless}
        self.packages = frozenset(owner.package for owner in owners)
        self._called: Mapping[str, frozenset[bytes]] = {}
        self.others = SayingSearch(self._unless)
        """By what something has another name."""
        shared = {word for need in self.needs for words in need.shared for word in words}
        self._shared = _wholes(shared)

    def calling(self, packages: Mapping[str, Collection[str]]) -> None:
        """Take into account what packages are called in the files that are looked at."""
        self._called = {
            package: frozenset(name.encode() for name in names)
            for package, names in packages.items() if all(map(str.isascii, names))
        }  # fmt: skip
        names = {name for called in packages.values() for name in called if name.isascii()}
        self._own = self._own.union(name.encode() for name in names)
        passed = {Assumed(name, Saying.PASSED) for name in names}
        self.others = SayingSearch(self._unless | passed)

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

        def is_had(owner: Owner) -> bool:
            called = self._called.get(owner.package, frozenset())
            passed = (Assumed(name.decode(), Saying.PASSED) for name in called)
            return (
                not called
                or not called.isdisjoint(found)
                or not owner.unless.isdisjoint(others)
                or any(one in others for one in passed)
            )

        return [
            need for need in self.needs
            if need.own <= {*found} and all(map(ends_so, need.ends))
            and all(map(is_had, need.owners))
        ]  # fmt: skip


def _wholes(words: Iterable[bytes]) -> list[tuple[bytes, re.Pattern[bytes]]]:
    return [(word, re.compile(_WHOLE % re.escape(word))) for word in sorted(words)]


def imports_one(found: Collection[bytes], packages: Iterable[bytes]) -> bool:
    """Whether one of the packages is among what was found in a file."""
    return any(_IMPORTED + package in found for package in packages)
