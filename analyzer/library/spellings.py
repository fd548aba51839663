"""spellings: how else qualified names are written, and what code that means them ends with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..files.word_uses import Assumed, Saying

if TYPE_CHECKING:
    from . import Library


def last_words(names: Iterable[str], library: Library) -> frozenset[str]:
    """What any spelling of some qualified names ends with."""
    return frozenset(name.rpartition(".")[2] for name in spellings(names, library))


def second_names(names: Iterable[str], library: Library, how: Saying) -> Iterator[Assumed]:
    """What has to be said so for what some qualified names mean to have other names."""
    for name in spellings(names, library):
        last = name.rpartition(".")[2]
        word = f"{name.partition('.')[0]}.{last}" if how is Saying.RENAMED else last
        yield Assumed(word, how)


def spellings(names: Iterable[str], library: Library) -> Iterator[str]:
    """Qualified names, and how else they are written."""
    names = frozenset(names)
    yield from names
    yield from (other for name in sorted(names) for other in library.others.get(name, ()))
    yield from (
        alias for name in names & library.classes.keys() for alias in library.classes[name].aliases
    )
