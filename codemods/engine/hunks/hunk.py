"""Hunk: one application of one rule, with its reason and what it depends on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .diff import hunk_lines
from .fingerprint import surroundings

if TYPE_CHECKING:  # every Bowler script imports this module, and few need what this brings along
    from pinsetter.analyzer.names.module import Module
    from pinsetter.patterns.applying.application import Application
    from pinsetter.patterns.edits.edit import Edit

IGNORED = ".ignore"
"""At the end of the id of a hunk that writes a comment instead of what another proposes."""


@dataclass(frozen=True, eq=False)
class Hunk:
    """What a person accepts or rejects.

    ``follows`` marks an import that is not asked about: it is accepted with the first hunk that
    requires it. ``alternatives`` are ids of hunks that cannot be accepted together with this one;
    saying so on one side is enough (``Plan.alternatives_of`` knows both). ``application`` tells
    where the hunk comes from. ``part_of`` is the id of the hunk that it was split off, ``edited``
    says that a person wrote its text.
    """

    id: str
    rule: str
    title: str
    why: str
    module: Module
    line: int
    edits: tuple[Edit, ...]
    warnings: tuple[str, ...] = ()
    requires: frozenset[str] = frozenset()
    follows: bool = False
    alternatives: frozenset[str] = frozenset()
    application: Application | None = None
    part_of: str = ""
    edited: bool = False

    @property
    def place(self) -> str:
        return self.module.source.place(self.line)

    @property
    def is_comment(self) -> bool:
        """Whether it writes a comment which keeps a rule away."""
        return self.id.endswith(IGNORED)

    @property
    def where(self) -> str:
        """The place in its file."""
        return self.module.source.where(self.line)

    @cached_property
    def lines(self) -> list[str]:
        """The hunk's own diff in Bowler's form."""
        return hunk_lines(str(self.module.path), self.module.source.text, self.edits)

    @cached_property
    def surroundings(self) -> str:
        """By which the next run knows the hunk again."""
        return surroundings(self.module.source.text, self.edits)

    def contradicts(self, other: Hunk) -> bool:
        """Whether the edits of both cannot be made."""
        if self.module is not other.module:
            return False
        return any(a.contradicts(b) for a in self.edits for b in other.edits)


class BowlerHunk(list[str]):
    """What ``Query.process()`` hooks get: the lines of a Bowler hunk; ``hunk`` says more."""

    def __init__(self, hunk: Hunk) -> None:
        super().__init__(hunk.lines)
        self.hunk = hunk


def hunk_id(rule: str, place: str, code: str, number: int) -> str:
    """An id that survives unrelated edits: it follows from the rule, the file and the code matched,
    and tells equal places in one file apart by their order."""
    text = "\0".join((rule, place, "".join(code.split()), str(number)))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]
