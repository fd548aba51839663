"""changed: which files differ from a revision, or are staged; nothing of the repository is run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem

from .committed import differing, staged_in
from .git_process import find_git, in_repository
from .git_stand_in import GitSilence
from .uncommitted import repository_of


def changed_files(
    files: Iterable[Path], since: str | None, staged: bool = False
) -> set[Path] | Problem:
    """Those of ``files`` that are not as they were where the branch of ``since`` began, new ones
    too, or, if ``staged``, that the next commit would change; the Problem says why git does not
    know. What passes a filter, and so cannot be compared, counts as changed."""
    git = find_git()
    groups: dict[Path | None, dict[Path, Path]] = {}
    for path in files:
        target = path.resolve()
        groups.setdefault(repository_of(target.parent), {})[target] = path
    found: set[Path] = set()
    option = "--staged" if staged else "--since"
    for root, paths in groups.items():
        first = next(iter(paths.values()))
        if root is None or git is None:
            why = "there is no git" if git is None else "it is in no git repository"
            return Problem(first, f"{option} is about changes that git knows, and {why}")
        try:
            if since is None:
                targets = staged_in(git, root).intersection(paths)
            else:
                different, unknown = differing(git, root, list(paths), _base(git, root, since))
                targets = different | unknown.keys()
        except (GitSilence, OSError) as error:
            return Problem(root, f"git does not say what changed: {error}")
        found.update(paths[target] for target in targets)
    return found


def _base(git: str, root: Path, revision: str) -> str:
    """The commit that a revision and the current one have in common; the revision's own where they
    have none. Raises GitSilence."""
    own, common = branched(git, root, revision)
    return common or own


def branched(git: str, root: Path, revision: str) -> tuple[str, str | None]:
    """The commit of a revision, and the one that it and the current one have in common, if they
    have one. Raises GitSilence."""
    if not revision or revision.startswith("-"):
        raise GitSilence(f"{revision!r} is no revision")
    both = in_repository(git, root, "rev-parse", f"{revision}...HEAD")
    if isinstance(both, str):
        raise GitSilence(f"there is no revision {revision!r}")
    lines = os.fsdecode(both).split()
    return lines[0], next((line[1:] for line in lines if line.startswith("^")), None)
