"""recorded: campaigns, their repositories, shards, hunks, decisions and events, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any


class HunkState(Enum):
    """``proposed``: at the commit that was scanned last; ``merged``: it was accepted and applied,
    and its code is as it wanted it; ``gone``: its code is no more; ``suppressed``: a comment leaves
    it out; ``reported``: a rule tells of the place, and rewrites nothing."""

    PROPOSED = "proposed"
    MERGED = "merged"
    GONE = "gone"
    SUPPRESSED = "suppressed"
    REPORTED = "reported"


KINDS = ("open", "accepted", "refused", "merged", "gone", "suppressed", "reported", "regressed")
# The verdicts of which something is taken, and those of which nothing is.
TOOK, LEFT = ("accepted", "split"), ("rejected", "ignored")


def kind_of(state: HunkState, verdict: str | None) -> str:
    """What a hunk counts as: ``open`` are proposed and not decided, ``accepted`` and ``refused``
    proposed and decided, the others as their state is called."""
    if state is not HunkState.PROPOSED:
        return str(state.value)
    if verdict in TOOK:
        return "accepted"
    return "refused" if verdict in LEFT else "open"


@dataclass(frozen=True)
class Campaign:
    id: int
    name: str
    pack: str
    settings: Mapping[str, Any]
    started: int
    started_by: str


@dataclass(frozen=True)
class Repository:
    """``commit`` is the one of ``branch`` that was scanned last, if any was, with a pack of this
    ``digest``, which is empty if not all files were understood."""

    id: int
    path: Path
    name: str
    branch: str
    commit: str | None
    digest: str

    @property
    def is_understood(self) -> bool:
        """Whether the last scan knows what there is to be proposed for all files."""
        return self.commit is not None and bool(self.digest)


@dataclass(frozen=True)
class ShardRow:
    """``applied`` is the commit that was made of it last, on ``base``."""

    id: int
    name: str
    owners: tuple[str, ...]
    branch: str
    applied: str | None = None
    base: str | None = None
    request: str | None = None


@dataclass(frozen=True)
class Found:
    """A hunk, or what is only told of, as a scan finds it; ``key`` is the id in the plan."""

    key: str
    path: bytes
    rule: str
    title: str
    why: str
    warnings: tuple[str, ...]
    line: int
    diff: str
    code: str
    surroundings: str
    requires: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    state: HunkState = HunkState.PROPOSED


@dataclass(frozen=True)
class DecisionRow:
    hunk: int
    verdict: str
    surroundings: tuple[str, ...]
    digest: str
    pieces: Sequence[Any]
    decided: int
    by: str
    comment: str = ""


@dataclass(frozen=True)
class Known:
    """A hunk as it is kept."""

    id: int
    found: Found
    shard: int
    regressed: bool = False
    decision: DecisionRow | None = None

    @property
    def state(self) -> HunkState:
        return self.found.state

    @property
    def verdict(self) -> str | None:
        return self.decision.verdict if self.decision is not None else None

    @property
    def kind(self) -> str:
        return kind_of(self.state, self.verdict)


@dataclass(frozen=True)
class Event:
    kind: str
    by: str
    at: int
    about: Mapping[str, Any] = field(default_factory=dict)
    shard: int | None = None
    hunk: int | None = None
    id: int = 0
