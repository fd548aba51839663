"""Wanted: a pack that a run looks for: what is to be known before a file has words of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pinsetter.analyzer.files.needed_text import NeededText
    from pinsetter.patterns.packs.pack import Pack

    from .rule_query import RuleQuery


class Wanted(Protocol):
    """A ``RuleQuery``, or what becomes one."""

    @property
    def pack(self) -> Pack: ...

    @property
    def needed(self) -> Mapping[str, Sequence[NeededText]]:
        """What each rule needs, one of these, by the ids of the rules."""

    @property
    def query(self) -> RuleQuery:
        """What looks for the rules in trees."""
