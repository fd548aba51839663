"""Workshop: a campaign that is worked on, with its packs, repositories and work trees."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem

from ..formatting.copied_settings import copy_settings
from ..git.git_process import find_git
from ..git.git_stand_in import GitSilence
from ..git.side_repository import SideRepository
from ..records import campaigns, hunks
from ..records.recorded import Campaign, Event, Repository
from ..records.store import Store
from ..resume.live_session import person
from ..shards.sharding import readable
from ..state.decision import now
from .campaign_home import Home
from .commit_plan import Codemod, Proposed
from .counting import counted
from .scanning import Scanned, scan

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_NO_GIT = "there is no git; campaigns work on git repositories"
_SETTINGS = "settings"
_FETCH = "if it is a partial clone: git fetch --refetch --no-filter, or check the branch out once"
_INIT = "git init, and commit what is there"


@dataclass(frozen=True)
class Workshop:
    home: Home
    store: Store
    campaign: Campaign

    @property
    def repositories(self) -> list[Repository]:
        """Raises RecordsError."""
        with self.store.look() as connection:
            return campaigns.repositories(connection, self.campaign.id)

    def side(self, repository: Repository) -> SideRepository:
        """Raises GitSilence, OSError."""
        git = find_git()
        if git is None:
            raise GitSilence(_NO_GIT)
        folder = self.home.of_repository(self.campaign.name, repository.name)
        return SideRepository.beside(git, repository.path, folder / "repository")

    def tree(self, repository: Repository, name: str) -> Path:
        """Where a work tree is. Raises OSError."""
        return self.home.of_repository(self.campaign.name, repository.name) / name

    def settings(self, repository: Repository) -> Path:
        """Where the settings of formatters are, as they are in the commit that was scanned. Raises
        OSError."""
        return self.home.of_repository(self.campaign.name, repository.name) / _SETTINGS

    def by(self, repository: Repository) -> str:
        """Who works on it, as git knows them. Raises GitSilence, OSError."""
        identity = self.side(repository).identity()
        return str(identity) if identity is not None else person(repository.path)

    def scan(
        self, codemod: Codemod, again: bool = False
    ) -> Iterator[tuple[Repository, Scanned | Problem]]:
        """Look at the newest commits of all repositories, and count. Raises RecordsError."""
        for repository in self.repositories:
            try:
                yield repository, scan(
                    self.store, self.campaign, repository, self.side(repository),
                    codemod, self.by(repository), again,
                )  # fmt: skip
            except (GitSilence, OSError) as error:
                # What a partial clone lacks is not fetched here: a transport is a program, too.
                hint = _FETCH if "unable to read" in str(error) else ""
                yield repository, Problem(repository.path, f"not scanned: {error}", hint=hint)
        with self.store.change() as connection:
            commits = {
                one.name: one.commit or ""
                for one in campaigns.repositories(connection, self.campaign.id)
            }
            found = counted(hunks.counts(connection, self.campaign.id))
            campaigns.add_scan(connection, self.campaign.id, now(), found.numbers, commits)

    def remove_trees(self) -> None:
        """Remove what is in the home of it, work trees and all."""
        shutil.rmtree(self.home.folder / self.campaign.name, ignore_errors=True)

    def proposed(self, repository: Repository, codemod: Codemod, formatting: bool) -> Proposed:
        """What is proposed for the commit that was scanned last; if it is to be put into form,
        with the settings of formatters (``settings``). Raises GitSilence, OSError."""
        assert repository.commit is not None
        top = repository.path
        with self.side(repository).reading(repository.commit, top):
            proposed = codemod.proposed(top)
            if formatting:
                files = {hunk.module.path for hunk in proposed.hunks}
                copy_settings(files, top, self.settings(repository))
        return proposed


def located(path: Path, git: str) -> Path | Problem:
    """The folder of the repository that a path is in; the Problem: it is in none."""
    if not path.is_dir():
        return Problem(path, "is no folder of a git repository")
    top = SideRepository(git, path, path, path).top()
    return top if top is not None else Problem(path, "is in no git repository", hint=_INIT)


def followed(top: Path, branch: str | None, git: str) -> str | Problem:
    """The branch of a repository that is followed; the Problem: none is known, or it is none."""
    side = SideRepository(git, top, top, top)
    name = branch if branch is not None else side.current_branch()
    if name is None:
        reason = "is on no branch (its HEAD is detached, or nothing is committed)"
        return Problem(top, reason, hint="say which to follow: --branch NAME")
    if side.commit_of(f"refs/heads/{name}") is None:
        return Problem(top, f"has no branch {name!r} with a commit in it", hint="--branch NAME")
    return name


def begun(
    home: Home,
    store: Store,
    campaign: Campaign,
    given: Sequence[tuple[Path, str]],
) -> Workshop | Problem:
    """A new campaign over repositories, each with the branch that is followed. Raises
    RecordsError."""
    with store.change() as connection:
        if campaigns.campaign(connection, campaign.name) is not None:
            hint = "pinsetter campaign list; another name, or campaign forget"
            return Problem(store.place, f"there is a campaign {campaign.name}", hint=hint)
        id = campaigns.begin(connection, campaign)
        names: set[str] = set()
        for path, branch in given:
            name = first = readable(path.name)
            number = 1
            while name in names:
                number += 1
                name = f"{first}-{number}"
            names.add(name)
            campaigns.add_repository(connection, id, path, name, branch)
        event = Event("started", campaign.started_by, now(), {"pack": campaign.pack})
        campaigns.happened(connection, id, [event])
        made = campaigns.campaign(connection, campaign.name)
    assert made is not None
    return Workshop(home, store, made)


def listed(file: Path) -> list[Path] | Problem:
    """The repositories that a file lists, one on each line, relative to it."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        return Problem(file, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        return Problem(file, "is not UTF-8")
    names = (line.strip() for line in lines)
    return [Path(os.path.abspath(file.parent / n)) for n in names if n and not n.startswith("#")]


def workshop_of(home: Home, store: Store, name: str) -> Workshop | Problem:
    """Raises RecordsError."""
    with store.look() as connection:
        found = campaigns.campaign(connection, name)
    if found is None:
        return Problem(
            store.place, f"there is no campaign {name!r}", hint="pinsetter campaign list"
        )
    return Workshop(home, store, found)


@contextmanager
def working(home: Home, store: Store, name: str) -> Iterator[Workshop | Problem]:
    """A campaign that nobody else works on inside the ``with``. Raises RecordsError."""
    found = workshop_of(home, store, name)
    if isinstance(found, Problem):
        yield found
        return
    with home.alone(name) as problem:
        yield problem if problem is not None else found
