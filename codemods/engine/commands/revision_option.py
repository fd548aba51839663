"""revision_option: a repository that is read as a revision has it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from pinsetter.analyzer.messages.problem import Problem

from ..console.exit_code import ExitCode
from ..console.terminal import echo_problem

revision_option = click.option(
    "--at", "revision", metavar="REVISION",
    help="Read the repository as this revision of git's has it; nothing is checked out.",
)  # fmt: skip


def read_at(paths: Sequence[Path], revision: str) -> None:
    """Have all that is read, until the command ends, be as a revision of the repository around
    some paths has it; ends with a message where that cannot be."""
    from ..git.at_revision import at_revision
    from ..git.git_stand_in import GitSilence

    first = next(iter(paths), Path())
    try:
        disk = click.get_current_context().with_resource(at_revision(first, revision))
    except (GitSilence, OSError) as error:
        echo_problem(Problem(first, f"cannot be read at {revision}: {error}"))
        sys.exit(ExitCode.FAILED)
    for path in paths:
        if not disk.covers(str(path)):
            reason = f"is not in the repository of {first}, which is read at {revision}"
            echo_problem(Problem(path, reason, hint="a run for each repository"))
            sys.exit(ExitCode.FAILED)
