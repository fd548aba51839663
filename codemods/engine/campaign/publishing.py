"""publishing: a shard's branch, pushed, and asked to be taken over."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from pinsetter.analyzer.messages.problem import Problem

from ..git.side_repository import SideRepository
from ..records import campaigns
from ..records.recorded import Event, Repository, ShardRow
from ..state.decision import now
from .workshop import Workshop

# In seconds.
_PUSHING, _ASKING = 600, 120
# How often it is asked again after a rate limit, and after how many seconds first.
_TRIES, _PAUSE = 4, 15
_SLOWER = ("rate limit", "secondary rate", "too many requests", "429")


@dataclass(frozen=True)
class Asked:
    """What is to be done with a branch: pushed to a remote, asked to be taken over, as a draft,
    with labels."""

    push: bool = False
    remote: str = "origin"
    request: bool = False
    draft: bool = False
    labels: tuple[str, ...] = ()


def published(
    workshop: Workshop,
    repository: Repository,
    shard: ShardRow,
    side: SideRepository,
    commit: str,
    asked: Asked,
) -> Problem | None:
    """Push the branch, and ask for it. Nothing of others is pushed over: what the remote has must
    be in the branch, or be what was pushed last. Raises RecordsError."""
    remote = f"refs/remotes/{asked.remote}/{shard.branch}"
    known = side.commit_of(remote)
    lease = f"--force-with-lease=refs/heads/{shard.branch}:{known or ''}"
    ref = f"refs/heads/{shard.branch}"
    if known != commit:
        # As the person would do it: with their transport, credentials and hooks.
        problem = _run(
            [side.git, "push", "--quiet", lease, asked.remote, f"{commit}:{ref}"], repository,
            _PUSHING,
        )[1]  # fmt: skip
        if problem is not None:
            return problem
        _note(workshop, shard, "pushed", str(workshop.by(repository)), commit=commit)
    if not asked.request or shard.request is not None:
        return None
    address = _requested(repository, shard, side, commit, asked)
    if isinstance(address, Problem):
        return address
    with workshop.store.change() as connection:
        campaigns.note_requested(connection, shard.id, address)
    _note(workshop, shard, "requested", str(workshop.by(repository)), address=address)
    return None


def _requested(
    repository: Repository, shard: ShardRow, side: SideRepository, commit: str, asked: Asked
) -> str | Problem:
    """Ask for a branch by the tool that is installed for where it was pushed to; the address."""
    said, problem = _run([side.git, "remote", "get-url", asked.remote], repository, _ASKING)
    if problem is not None:
        return problem
    tool = "glab" if "gitlab" in said else "gh"
    program = shutil.which(tool)
    if program is None:
        hint = f"install it, or open the request for {shard.branch} by hand"
        return Problem(repository.path, f"{tool} is not installed", hint=hint)
    subject, _, body = side.message(commit).partition("\n")
    command = _gh(program, repository, shard, subject, body, asked)
    if tool == "glab":
        command = _glab(program, repository, shard, subject, body, asked)
    pause = _PAUSE
    for left in reversed(range(_TRIES)):
        said, problem = _run(command, repository, _ASKING)
        if problem is None:
            lines = [line.strip() for line in said.splitlines()]
            return next((line for line in reversed(lines) if "://" in line), said.strip())
        if not left or not any(word in str(problem).lower() for word in _SLOWER):
            break
        time.sleep(pause)
        pause *= 2
    assert problem is not None
    return problem


def _gh(
    program: str, repository: Repository, shard: ShardRow, subject: str, body: str, asked: Asked
) -> list[str]:
    reviewers = [owner.removeprefix("@") for owner in shard.owners if owner.startswith("@")]
    return [
        program, "pr", "create", "--head", shard.branch, "--base", repository.branch,
        "--title", subject, "--body", body.strip(),
        *(word for one in reviewers for word in ("--reviewer", one)),
        *(word for one in asked.labels for word in ("--label", one)),
        *(["--draft"] if asked.draft else []),
    ]  # fmt: skip


def _glab(
    program: str, repository: Repository, shard: ShardRow, subject: str, body: str, asked: Asked
) -> list[str]:
    # A reviewer is a person there, not a group.
    people = [o.removeprefix("@") for o in shard.owners if o.startswith("@") and "/" not in o]
    return [
        program, "mr", "create", "--yes", "--source-branch", shard.branch,
        "--target-branch", repository.branch, "--title", subject, "--description", body.strip(),
        *(word for one in people for word in ("--reviewer", one)),
        *(word for one in asked.labels for word in ("--label", one)),
        *(["--draft"] if asked.draft else []),
    ]  # fmt: skip


def _run(
    command: Sequence[str], repository: Repository, timeout: float
) -> tuple[str, Problem | None]:
    name = " ".join([os.path.basename(command[0]), *command[1:3]])
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GH_PROMPT_DISABLED": "1"}
    try:
        done = subprocess.run(
            command, cwd=repository.path, capture_output=True, stdin=subprocess.DEVNULL,
            timeout=timeout, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "", Problem(repository.path, f"{name} did not end in {timeout:g} seconds")
    except OSError as error:
        return "", Problem(repository.path, f"{name}: {error.strerror or error}")
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace"), None
    said = done.stderr.decode("utf-8", "replace").strip() or f"it ended with {done.returncode}"
    hint = "somebody pushed there: git fetch, and apply again" if "stale info" in said else ""
    return "", Problem(repository.path, f"{name} failed: {' / '.join(said.splitlines()[-3:])}",
                       hint=hint)  # fmt: skip


def _note(workshop: Workshop, shard: ShardRow, kind: str, by: str, **about: str) -> None:
    with workshop.store.change() as connection:
        campaigns.happened(
            connection, workshop.campaign.id, [Event(kind, by, now(), about, shard.id)]
        )
