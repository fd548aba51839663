"""Taken, batches: the parts of a run in the order in which they are done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pinsetter.analyzer.files.import_groups import Part

_FILES_OF_A_JOB = 32


class Taken:
    """Parts of which it is known how many were taken so far, and whether there are more."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self._parts = iter(parts)
        self._next = next(self._parts, None)
        self._taken = 0

    def __iter__(self) -> Iterator[Part]:
        while (part := self._next) is not None:
            self._next = next(self._parts, None)
            self._taken += 1
            yield part

    def are(self, number: int) -> bool:
        """Whether so many are all that there are."""
        return self._next is None and number == self._taken


def batches(parts: Iterator[Part]) -> Iterator[list[Part]]:
    """More and more of them together: the first are waited for, and many are quick."""
    size = 1
    while batch := list(islice(parts, size)):
        yield batch
        size = min(2 * size, _FILES_OF_A_JOB)
