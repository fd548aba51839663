"""checking: a command in the files of a shard, as they were before and as they are with it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..git.side_repository import SideRepository
from ..records import campaigns, checks
from ..records.checks import CheckRow
from ..records.recorded import Event, Repository, ShardRow
from ..state.decision import now
from .workshop import Workshop

# What is kept of a command's output, in characters: its end, where failures are told.
_KEPT = 20_000
TIMED_OUT = 124
_NOT_FOUND = 127


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it printed last."""

    code: int
    output: str


@dataclass(frozen=True)
class Checked:
    """``before`` is without the shard, ``after`` with it."""

    before: Ran
    after: Ran
    seconds: float

    @property
    def is_worse(self) -> bool:
        """Whether what went before fails with the shard."""
        return self.after.code != 0 and self.before.code == 0

    @property
    def said(self) -> str:
        if self.after.code == 0:
            return "passes" if self.before.code == 0 else "passes, and failed before"
        return "fails, and passed before" if self.is_worse else "fails, as before"


def check_shard(
    workshop: Workshop,
    repository: Repository,
    shard: ShardRow,
    commit: str,
    command: Sequence[str],
    timeout: float,
    before: dict[str, Ran],
) -> Checked:
    """Run a command for a shard's commit, and keep what it says. ``before`` is what it did at
    commits without any. Raises GitSilence, OSError, RecordsError."""
    base = repository.commit
    assert base is not None
    done = checked(
        workshop.side(repository), workshop.tree(repository, "check"), base, commit, command,
        timeout, before.get(base),
    )  # fmt: skip
    before[base] = done.before
    row = CheckRow(
        shard.id, tuple(command), base, commit, done.before.code, done.after.code,
        done.before.output, done.after.output, done.seconds, now(), workshop.by(repository),
    )  # fmt: skip
    about = {"command": list(command), "said": done.said, "commit": commit}
    with workshop.store.change() as connection:
        checks.add(connection, row)
        campaigns.happened(
            connection, workshop.campaign.id, [Event("checked", row.by, row.at, about, shard.id)]
        )
    return done


def checked(
    side: SideRepository,
    tree: Path,
    base: str,
    commit: str,
    command: Sequence[str],
    timeout: float,
    before: Ran | None = None,
) -> Checked:
    """Run a command in a clean work tree at both commits; ``before`` is what it did at ``base``, if
    that is known. Raises GitSilence, OSError."""
    started = time.monotonic()
    if before is None:
        side.tree_at(tree, base)
        before = _ran(command, tree, timeout)
    side.tree_at(tree, commit)
    after = _ran(command, tree, timeout)
    return Checked(before, after, time.monotonic() - started)


def _ran(command: Sequence[str], tree: Path, timeout: float) -> Ran:
    """What a person's own command does there; it is told nothing of the git that we are in."""
    environment = {name: v for name, v in os.environ.items() if not name.startswith("GIT_")}
    try:
        process = subprocess.Popen(
            command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=environment, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return Ran(_NOT_FOUND, f"{command[0]}: {error.strerror or error}")
    try:
        output, _ = process.communicate(timeout=timeout)
        code = process.returncode
    except subprocess.TimeoutExpired:
        _stop(process)
        output, _ = process.communicate()
        output += f"\nit did not end in {timeout:g} seconds".encode()
        code = TIMED_OUT
    except BaseException:
        _stop(process)
        raise
    return Ran(code, output.decode("utf-8", "replace")[-_KEPT:].replace("\0", "\\0"))


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a command, and what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError, AttributeError):
        process.kill()
