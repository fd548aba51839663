"""SomeOf: which of some things, as a few bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Generic, TypeVar

T = TypeVar("T")


class SomeOf(Generic[T]):
    """Of things that are told apart by what they are called. ``question`` is another one where
    these are others."""

    def __init__(self, things: Iterable[T], called: Callable[[T], str] = str) -> None:
        self._things = sorted(things, key=called)
        self._numbers = {thing: number for number, thing in enumerate(self._things)}
        names = repr([called(thing) for thing in self._things])
        self.question = blake2b(names.encode("utf-8", "backslashreplace"), digest_size=16).digest()

    def told(self, some: Iterable[T]) -> bytes:
        """The bytes that say which."""
        return b",".join(b"%d" % self._numbers[thing] for thing in some)

    def meant(self, told: bytes) -> set[T]:
        """The things that bytes say."""
        return {self._things[int(number)] for number in told.split(b",") if number}
