"""ShardWork: the hunks of shards, with what was decided about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem

from ..decide.decisions import Decisions
from ..formatting.formatting import Formatting
from ..hunks.hunk import Hunk
from ..hunks.proposed import FoundProgram, Planned
from ..records.recorded import Known
from ..resume.live_session import LiveSession
from ..state.folder import StateFolder
from ..state.sessions import Subject
from .commit_plan import Codemod, Proposed
from .kept_plans import InCampaign, saved


@dataclass
class ShardWork:
    """What ``lacking`` and the writer of edits ask for: it is an ``Account``."""

    planned: Planned
    decisions: Decisions
    session: LiveSession
    formatting: Formatting
    failures: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    allowed: set[Path] = field(default_factory=set)
    declined: set[Path] = field(default_factory=set)

    @property
    def programs(self) -> Sequence[FoundProgram]:
        return self.planned.programs


def taken_up(
    proposed: Proposed,
    codemod: Codemod,
    name: str,
    files: Collection[bytes],
    known: Sequence[Known],
    keeper: InCampaign,
    reviewing: bool,
    say: Callable[[Hunk, str, bool], None],
    formatting: Formatting,
) -> ShardWork:
    """The hunks of files, decided as they were decided before; what is decided from here on is
    kept, if somebody is ``reviewing``."""
    planned = proposed.planned.within(lambda path: proposed.name(path) in files)
    decisions = Decisions(planned.plan)
    tree = proposed.tree.resolve()
    folder = StateFolder(tree.parent, tree)
    decided = saved(known, name)
    session = LiveSession(
        folder, Subject(name, ()), codemod.packs, decided, decided, reviewing=reviewing, say=say,
        keeper=keeper,
    )  # fmt: skip
    if reviewing:
        session.watch(decisions)
    session.restore(decisions, planned.plan.hunks)
    return ShardWork(planned, decisions, session, formatting)
