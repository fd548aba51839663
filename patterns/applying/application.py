"""Application, Report: what becomes of one match of a rule."""

from __future__ import annotations

from dataclasses import dataclass

from pinsetter.analyzer.names.module import Module

from ..edits.edit import Edit
from ..packs.pack import Rule
from .evidence import Evidence


@dataclass(frozen=True)
class Application:
    """One application of one rule. ``imports`` are the aliases that the file does not bind yet, and
    the pack's definitions that it does not have; ``evidence`` is what it was made for. ``whole``
    are the modules that have to have one of the same rule, all or none; ``after`` are those
    without which this one must not be. What is ``of_repository`` other files of it may need, too,
    each by itself."""

    rule: Rule
    module: Module
    start: int
    code: str
    edits: tuple[Edit, ...]
    warnings: tuple[str, ...] = ()
    imports: frozenset[str] = frozenset()
    evidence: Evidence | None = None
    whole: tuple[Module, ...] = ()
    after: tuple[Application, ...] = ()
    of_repository: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """What is the same of two applications that make the same hunk."""
        edits = tuple((edit.start, edit.end, edit.text) for edit in self.edits)
        return (self.rule.id, edits)

    @property
    def line(self) -> int:
        """Where a reader looks for it: a rule for the whole module shows where it inserts."""
        return self.module.tree.line(self.start if self.code else self.edits[0].start)


@dataclass(frozen=True)
class Report:
    """Something that a person must know or do; ``refuse`` stops the whole program. With ``option``,
    one of the pack, there would be less to do."""

    rule: Rule
    module: Module
    line: int
    text: str
    refuse: bool = False
    option: str = ""
