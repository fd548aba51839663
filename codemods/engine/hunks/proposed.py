"""Planned: what a run proposes, and all that it could not do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .plan import Plan

if TYPE_CHECKING:
    from pinsetter.analyzer.files.source import Source
    from pinsetter.analyzer.files.word_uses import Assumed
    from pinsetter.analyzer.messages.problem import Problem
    from pinsetter.analyzer.names.module import Module
    from pinsetter.patterns.applying.application import Report

    from .hunk import Hunk
    from .suppression import Suppressed


@dataclass(frozen=True)
class FoundProgram:
    """What is kept of a program: its entry script, all its modules, the APIs that it trains with,
    why it is a program, and what is essential to it, by rule, with what would go wrong without."""

    entry: Module
    modules: tuple[Module, ...]
    apis: frozenset[str]
    because: str
    essential: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ParsedFile:
    """What is kept of a file that was understood."""

    path: Path
    encoding: str
    newline: str
    bom: bool

    @classmethod
    def of(cls, source: Source) -> ParsedFile:
        return cls(source.path, source.encoding, source.newline, source.bom)


@dataclass
class Planned:
    """What a run proposes, and all that it could not do: ``problems`` are of files, ``faults`` of
    rules.

    ``unreached`` are given files that are part of no program that a pack is for, ``ignored`` files
    and folders that rules leave out. ``assumed`` is what was taken for granted of all other files
    but so many of those ``near``, where a file was analysed alone.
    """

    plan: Plan = field(default_factory=Plan)
    files: list[Path] = field(default_factory=list)
    parsed: list[ParsedFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    faults: list[Problem] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    programs: list[FoundProgram] = field(default_factory=list)
    matched: int = 0
    suppressed: list[Suppressed] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    unreached: list[Path] = field(default_factory=list)
    ignored: list[Path] = field(default_factory=list)
    assumed: Mapping[Assumed, int] = field(default_factory=dict)
    near: Sequence[Path] = ()

    def add(self, other: Planned) -> list[Hunk]:
        """Take over what was found in other files, but for the hunks, which are returned."""
        self.files += other.files
        self.parsed += other.parsed
        self.problems += other.problems
        self.faults += other.faults
        self.refused += other.refused
        self.reports += other.reports
        self.programs += other.programs
        self.matched += other.matched
        self.suppressed += other.suppressed
        self.notes += other.notes
        self.unreached += other.unreached
        self.ignored += other.ignored
        return other.plan.hunks

    def within(self, files: Callable[[Path], bool], known: Collection[str] = ()) -> Planned:
        """What of it is about some files. Its hunks require no others than these and ``known``."""
        hunks = [hunk for hunk in self.plan.hunks if files(hunk.module.path)]
        there = {*known, *(hunk.id for hunk in hunks)}
        return Planned(
            Plan(replace(hunk, requires=hunk.requires & there) for hunk in hunks),
            [file for file in self.files if files(file)],
            [parsed for parsed in self.parsed if files(parsed.path)],
            [problem for problem in self.problems if files(problem.path)],
            [fault for fault in self.faults if files(fault.path)],
            [problem for problem in self.refused if files(problem.path)],
            [report for report in self.reports if files(report.module.path)],
            [program for program in self.programs if files(program.entry.path)],
            len({hunk.module for hunk in hunks}),
            [one for one in self.suppressed if files(one.module.path)],
            [note for note in self.notes if files(note.path)],
            [file for file in self.unreached if files(file)],
        )
