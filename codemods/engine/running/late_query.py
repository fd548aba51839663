"""LateQuery: a pack whose Bowler Query is made when a file has words of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pinsetter.analyzer.files.needed_text import NeededText
    from pinsetter.patterns.packs.pack import Pack

    from .pack_query import PackQuery


class LateQuery:
    """To import what a query and an analysis need takes longer than to search the bytes of a
    thousand files, most of which have to do with no rule. ``processors`` are Bowler's
    ``process()`` hooks."""

    def __init__(
        self,
        pack: Pack,
        paths: Sequence[str],
        options: Collection[str] = (),
        processors: Sequence[Callable[[str, Any], bool | None]] = (),
    ) -> None:
        self._made_of = (pack, paths, options)
        self.pack = pack.with_options(options)
        self.processors = processors

    @cached_property
    def needed(self) -> dict[str, list[NeededText]]:
        """What each rule needs, one of these, by the ids of the rules."""
        from pinsetter.patterns.matching.pattern_words import needed_in

        return needed_in(self.pack)

    @cached_property
    def query(self) -> PackQuery:
        from .pack_query import PackQuery

        return PackQuery(*self._made_of)
