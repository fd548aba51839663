"""NeededText: words without which nothing can be found in a file, seen in its bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .subset_bytes import SomeOf
from .word_uses import Assumed, Saying, SayingSearch, words_in

# What is not ASCII may be part of a word, and may be white space or a byte-order mark.
_WHOLE = rb"\b%b\b"


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

    own: frozenset[bytes] = frozenset()
    shared: frozenset[frozenset[bytes]] = frozenset()
    ends: frozenset[End] = frozenset()
    owners: frozenset[Owner] = frozenset()

    def joined(self, other: NeededText) -> NeededText:
        """What both need."""
        return NeededText(
            self.own | other.own,
            self.shared | other.shared,
            self.ends | other.ends,
            self.owners | other.owners,
        )

    @property
    def words(self) -> frozenset[bytes]:
        """Those that the file itself may be asked for."""
        return self.own.union(*(end.words for end in self.ends))

    def may_be_in(self, found: Collection[bytes]) -> bool:
        """Whether a file with these words may have it, whatever other files say."""
        return self.own <= {*found} and all(
            end.unless or not end.words.isdisjoint(found) for end in self.ends
        )


class WordSearch:
    """Which of some words are in files."""

    def __init__(self, needs: Iterable[NeededText]) -> None:
        self.needs = tuple(dict.fromkeys(needs))
        ends = {end for need in self.needs for end in need.ends}
        self._own = frozenset[bytes]().union(*(need.words for need in self.needs))
        owners = {owner for need in self.needs for owner in need.owners}
        self.packages = frozenset(owner.package for owner in owners)
        self._called: Mapping[str, frozenset[bytes]] = {}
        unless = [*(end.unless for end in ends), *(owner.unless for owner in owners)]
        self.others = SayingSearch(frozenset[Assumed]().union(*unless))
        """By what something has another name."""
        self.shared = frozenset(words for need in self.needs for words in need.shared)
        self._shared = _wholes({word for words in self.shared for word in words})

    def where(self, met: Collection[frozenset[bytes]]) -> WordSearch:
        """The same for what needs no other packages than those by which some needs are ``met``."""
        return WordSearch(need for need in self.needs if need.shared <= {*met})

    def calling(self, packages: Mapping[str, Collection[str]]) -> None:
        """Take into account what packages are called in the files that are looked at."""
        self._called = {
            package: frozenset(name.encode() for name in names)
            for package, names in packages.items() if all(map(str.isascii, names))
        }  # fmt: skip
        names = frozenset[bytes]().union(*self._called.values())
        self._own |= names
        passed = {Assumed(name.decode(), Saying.PASSED) for name in names}
        self.others = SayingSearch(self.others.wanted | passed)

    @property
    def some(self) -> SomeOf[bytes]:
        """Of the words."""
        return SomeOf(self._own, repr)

    def found_in(self, data: bytes) -> set[bytes]:
        """The words that are in the bytes of a file."""
        return words_in(data, self._own)

    def imported_in(self, imports: bytes, path: str) -> set[bytes]:
        """The packages that the ``imports`` of a file say, or its path: what a package defines need
        not import it."""
        told = imports + b"\n" + os.fsencode(path)
        return {word for word, whole in self._shared if word in told and whole.search(told)}

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
