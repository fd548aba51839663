"""Home: where campaigns have their database, their repositories and their work trees."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy.engine import URL

from pinsetter.analyzer.messages.problem import Problem

from ..records.store import Store, opened, parsed
from ..state import user_folder

_DATABASE = "campaigns.db"
# No campaign is called so.
_GUARD = ".guard"


@dataclass(frozen=True)
class Home:
    """``folder`` is where work trees are, ``url`` the database's."""

    folder: Path
    url: URL

    @classmethod
    def of(cls, folder: Path | None, database: str | None) -> Home | Problem:
        """What a person named, else the user's own."""
        if folder is None:
            problem = user_folder.refusal()
            if problem is not None:
                return problem
            folder = user_folder.folder() / "campaigns"
        folder = Path(os.path.abspath(folder))
        url = parsed(database if database is not None else str(folder / _DATABASE))
        if url is None:
            hint = "a file, or a URL as postgresql+psycopg://USER@HOST/NAME"
            return Problem(Path(str(database)), "is no database", hint=hint)
        return cls(folder, url)

    @property
    def environment(self) -> dict[str, str]:
        """What says to this program, in another process, that it is this one."""
        url = self.url.render_as_string(hide_password=False)
        return {"PINSETTER_CAMPAIGNS": str(self.folder), "PINSETTER_DATABASE": url}

    def open(self) -> Store | Problem:
        return opened(self.url)

    def of_repository(self, campaign: str, repository: str) -> Path:
        """The folder of a repository's work trees. Raises OSError."""
        folder = self.folder / campaign / repository
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def of_guard(self, repository: Path) -> Path:
        """The folder in which a change of a repository is looked at. Raises OSError."""
        digest = hashlib.sha256(os.fsencode(repository)).hexdigest()[:16]
        folder = self.folder / _GUARD / digest
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    @contextlib.contextmanager
    def alone(self, campaign: str) -> Iterator[Problem | None]:
        """Nobody else scans, checks or applies a campaign on this machine inside the ``with``; the
        Problem says that somebody does."""
        folder = self.folder / campaign
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(folder / "lock", timeout=0)
            lock.acquire()
        except Timeout:
            yield Problem(folder, f"another process works on the campaign {campaign}",
                          hint="try again when it is done")  # fmt: skip
            return
        except OSError as error:
            yield Problem(folder, f"cannot be used: {error.strerror or error}",
                          hint="name another folder: --home DIR")  # fmt: skip
            return
        try:
            yield None
        finally:
            lock.release()
