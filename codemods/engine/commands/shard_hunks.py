"""shard_hunks: the hunks of a campaign's shards, with what was decided about them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem

from ..campaign.commit_plan import Codemod, Proposed
from ..campaign.kept_plans import InCampaign
from ..campaign.shard_work import ShardWork, taken_up
from ..campaign.workshop import Workshop
from ..console.terminal import echo_problem
from ..formatting.formatting import Formatting
from ..git.git_stand_in import GitSilence
from ..hunks.hunk import Hunk
from ..records import hunks
from ..records.recorded import HunkState, Known, Repository, ShardRow


def ready_of(
    workshop: Workshop, repository: Repository, wanted: Codemod, formatting: bool = False
) -> Proposed | None:
    """What is proposed for a repository, as it was scanned; says why there is nothing."""
    if repository.commit is None:
        echo_problem(Problem(repository.path, "was not scanned yet",
                             hint=f"pinsetter campaign scan {workshop.campaign.name}"))  # fmt: skip
        return None
    if repository.digest not in ("", wanted.digest):
        reason = "the pack is not as it was at the last scan; what is new in it is left"
        hint = f"pinsetter campaign scan {workshop.campaign.name}"
        echo_problem(Problem(repository.path, reason, hint=hint), fg="yellow")
    try:
        return workshop.proposed(repository, wanted, formatting)
    except (GitSilence, OSError) as error:
        echo_problem(Problem(repository.path, f"cannot be read as it was scanned: {error}"))
        return None


def hunks_of(
    workshop: Workshop,
    repository: Repository,
    rows: Sequence[ShardRow],
    wanted: Codemod,
    ready: Proposed,
    reviewing: bool,
    by: str | None = None,
) -> tuple[ShardWork, list[Known]]:
    """The hunks of shards with what was decided about them. What is decided from here on, if
    somebody is ``reviewing``, is kept, as said ``by`` a person, or by whoever git says works here.
    Raises RecordsError, GitSilence, OSError."""
    with workshop.store.look() as connection:
        known = hunks.known(
            connection, shards=[row.id for row in rows], states=[HunkState.PROPOSED]
        )
    keeper = InCampaign(workshop.store, workshop.campaign.id, known, by or workshop.by(repository))
    files = {one.found.path for one in known}
    settings = workshop.settings(repository)

    def place(path: Path) -> Path:
        return settings / os.path.relpath(path, ready.tree)

    formatting = Formatting(workshop.campaign.settings["format_with"], place=place)

    def say(hunk: Hunk, why: str, rejected: bool) -> None:
        how = "rejected" if rejected else "not decided any more"
        problem = Problem(hunk.module.path, f"{hunk.rule}: {how}: {why}", hunk.line)
        echo_problem(problem, fg="yellow")

    work = taken_up(
        ready, wanted, workshop.campaign.name, files, known, keeper, reviewing, say, formatting
    )
    return work, known
