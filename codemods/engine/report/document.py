"""Document: what a run found and did, as values that every format is made from.

Lines and columns count from 1, offsets from 0; all count characters (Unicode code points), as
Python reads the file. ``path`` is for people, ``uri`` is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

SCHEMA_VERSION = 1


class State(str, Enum):
    """What became of a hunk. It is proposed until somebody decides or the run writes, and
    ``alternative`` if another is taken that excludes it."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    WRITTEN = "written"
    NOT_WRITTEN = "not-written"
    ALTERNATIVE = "alternative"


class Kind(str, Enum):
    """Why something failed: the program is refused, the file is not understood, or not written, or
    a rule cannot be used, by a mistake of its own. A warning is no failure; it says what a person
    should know of a file."""

    REFUSED = "refused"
    NOT_UNDERSTOOD = "not-understood"
    NOT_WRITTEN = "not-written"
    RULE_FAILED = "rule-failed"
    WARNING = "warning"


UNSUCCESSFUL = frozenset({Kind.NOT_UNDERSTOOD, Kind.RULE_FAILED, Kind.NOT_WRITTEN})
"""What keeps a run from being all that was asked for."""


@dataclass(frozen=True)
class Position:
    offset: int
    line: int
    column: int


@dataclass(frozen=True)
class Span:
    """``end`` is the position behind the last character."""

    start: Position
    end: Position


@dataclass(frozen=True)
class FileName:
    """``uri`` is relative to the folder of the run for files below it, else absolute."""

    path: str
    uri: str
    relative: bool


@dataclass(frozen=True)
class Change:
    """Put ``new`` in the place of ``old``, which stands at ``span`` in the file as it was read."""

    span: Span
    old: str
    new: str


@dataclass(frozen=True)
class FileChange:
    """What several hunks together do to one file."""

    file: FileName
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class HunkEntry:
    """One hunk. ``comes_along`` marks an import that is proposed for others' sake alone.

    ``diff`` is what the hunk does by itself, ``changes`` the same as exact spans; ``fix`` is what
    accepting it does: with all that it requires, in every file.
    """

    id: str
    rule: str
    title: str
    why: str
    file: FileName
    span: Span
    state: State
    comes_along: bool
    warnings: tuple[str, ...]
    requires: tuple[str, ...]
    required_by: tuple[str, ...]
    alternatives: tuple[str, ...]
    changes: tuple[Change, ...]
    diff: tuple[str, ...]
    fix: tuple[FileChange, ...]


@dataclass(frozen=True)
class FileEntry:
    """One file that was read. ``changes`` are those of all its accepted hunks together: in order
    and without overlap, so that making them gives what ``--write`` writes."""

    name: FileName
    encoding: str
    newline: str
    bom: bool
    written: bool
    hunks: tuple[str, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class RuleEntry:
    """A rule that is used in the document, or could have been."""

    id: str
    title: str
    why: str
    uri: str
    hunks: int


@dataclass(frozen=True)
class NoteEntry:
    """Something that a person must know or do."""

    rule: str
    file: FileName
    line: int
    text: str


@dataclass(frozen=True)
class SuppressedEntry:
    """A place that a comment in the file, on line ``by``, keeps a rule from."""

    rule: str
    file: FileName
    line: int
    by: int
    reason: str


@dataclass(frozen=True)
class FailureEntry:
    """``line`` is 0 for the file as a whole."""

    kind: Kind
    file: FileName
    line: int
    column: int
    reason: str
    hint: str


class Why(str, Enum):
    """Why no rule was tried on a file: it is part of no program that a pack is for, or it, or the
    folder, is ignored."""

    NO_PROGRAM = "no-program"
    IGNORED = "ignored"


@dataclass(frozen=True)
class LeftEntry:
    """A file, or a folder, that no rule was tried on."""

    name: FileName
    why: Why


@dataclass(frozen=True)
class ProgramEntry:
    entry: FileName
    because: str
    training_apis: tuple[str, ...]
    modules: tuple[FileName, ...]


@dataclass(frozen=True)
class Counts:
    """``seen``, ``parsed``, ``matched`` and ``written`` are files; from ``proposed`` to
    ``undecided`` hunks, those that come along not counted. Without decisions from before, every
    hunk that is not rejected is accepted."""

    seen: int
    parsed: int
    matched: int
    written: int
    proposed: int
    accepted: int
    rejected: int
    undecided: int
    suppressed: int
    refused: int
    failed: int
    notes: int


@dataclass(frozen=True)
class Document:
    """``verdict`` is what the exit code means here, in a sentence."""

    version: str
    codemods: tuple[str, ...]
    mode: str
    folder_uri: str
    exit_code: int
    verdict: str
    counts: Counts
    rules: tuple[RuleEntry, ...]
    files: tuple[FileEntry, ...]
    hunks: tuple[HunkEntry, ...]
    notes: tuple[NoteEntry, ...]
    suppressed: tuple[SuppressedEntry, ...]
    failures: tuple[FailureEntry, ...]
    programs: tuple[ProgramEntry, ...]
    left_alone: tuple[LeftEntry, ...] = ()

    @property
    def asked(self) -> tuple[HunkEntry, ...]:
        """The hunks that a person would be asked about."""
        return tuple(hunk for hunk in self.hunks if not hunk.comes_along)
