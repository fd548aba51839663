"""git: which of the files that are to be written have changes that are not committed.

git keeps what is committed; a change that is not would be mixed with those of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem

from ..console.terminal import echo
from .committed import differing
from .git_process import find_git

_SHOWN = 5
HINT = "commit them, or --require-clean"


@dataclass
class Changes:
    """``uncommitted`` are the files with changes, or that git does not know; ``unknown`` those that
    git could not be asked about, with the reason: "" if they are in no repository."""

    uncommitted: list[Path] = field(default_factory=list)
    unknown: dict[Path, str] = field(default_factory=dict)


def changes(files: Iterable[Path]) -> Changes:
    """Ask git about ``files``, repository by repository; nothing that one of them names is run."""
    found = Changes()
    git = find_git()
    groups: dict[Path | None, dict[Path, Path]] = {}
    for path in dict.fromkeys(files):
        try:
            target = path.resolve()
        except (OSError, RuntimeError):  # a loop of links is a RuntimeError before 3.13
            target = path.absolute()
        groups.setdefault(repository_of(target.parent), {})[target] = path
    for root, paths in groups.items():
        if root is None or git is None:
            found.unknown.update(dict.fromkeys(paths.values(), ""))
            continue
        changed, unknown = differing(git, root, list(paths))
        found.uncommitted.extend(path for target, path in paths.items() if target in changed)
        found.unknown.update({paths[target]: why for target, why in unknown.items()})
    return found


def warn(files: Sequence[Path]) -> None:
    """Say on standard error which of ``files`` have changes that are not committed. Files in no
    repository are nobody's concern."""
    found = changes(files)
    if found.uncommitted:
        number = len(found.uncommitted)
        what = "1 file to be written has" if number == 1 else f"{number} files to be written have"
        text = f"warning: {what} uncommitted changes: {_listed(found.uncommitted)} ({HINT})"
        echo(text, fg="yellow", err=True)
    warn_unknown(found)


def warn_unknown(found: Changes) -> None:
    """Say on standard error why git does not say what is committed, where it does not."""
    for reason in dict.fromkeys(reason for reason in found.unknown.values() if reason):
        echo(f"warning: git does not say what is committed: {reason}", fg="yellow", err=True)


def obstacles(files: Sequence[Path]) -> list[Problem]:
    """Why ``--require-clean`` forbids to write: one Problem for each of ``files`` that git could
    not give back as it is."""
    found = changes(files)
    reason = "not written: it has uncommitted changes"
    problems = [Problem(path, reason, hint="commit or stash them") for path in found.uncommitted]
    for path, why in found.unknown.items():
        text = why or "it is in no git repository"
        problems.append(Problem(path, f"not written: --require-clean, but {text}"))
    return problems


def repository_of(folder: Path) -> Path | None:
    """The root of the git repository that a folder is in."""
    return next((p for p in (folder, *folder.parents) if (p / ".git").exists()), None)


def _listed(files: Sequence[Path]) -> str:
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return ", ".join(map(str, files[:_SHOWN])) + more
