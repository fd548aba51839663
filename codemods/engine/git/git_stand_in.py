"""StandIn: a repository in the place of another: its objects, and none of its configuration.

A repository's configuration may name programs for nearly everything; here none of it holds, nor any
of the person's but what says how lines end.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .git_process import call, in_repository

_CONVERTING = ("autocrlf", "eol", "ignorecase", "precomposeunicode", "attributesfile")


class GitSilence(Exception):
    """Why git does not say what is committed, on one line."""


@dataclass(frozen=True)
class StandIn:
    """A repository without configuration, in the place of the one at ``root``."""

    git: str
    root: Path
    folder: Path
    objects: Path
    digest: str
    settings: tuple[str, ...]

    @property
    def environment(self) -> dict[str, str]:
        """Of a git that works here."""
        return {
            **without_settings(),
            "GIT_DIR": str(self.folder),
            "GIT_OBJECT_DIRECTORY": str(self.objects),
        }

    def ask(self, *arguments: str, index: Path | None = None) -> bytes:
        """``index`` is that of the repository, if it is asked about. Raises GitSilence."""
        more = {"GIT_INDEX_FILE": str(index)} if index is not None else {}
        environment = {**self.environment, "GIT_WORK_TREE": str(self.root), **more}
        options = [word for setting in self.settings for word in ("-c", f"core.{setting}")]
        command = [self.git, "--no-pager", "--literal-pathspecs", "-C", str(self.root), *options]
        return answered(call([*command, *arguments], environment))


def without_settings() -> dict[str, str]:
    """The environment for a git that goes by no configuration: nothing of a person's either, for
    what filters of theirs do depends on the current folder."""
    clean = {name: v for name, v in os.environ.items() if not name.startswith("GIT_")}
    return {**clean, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def objects_of(git: str, root: Path) -> tuple[Path, str]:
    """Where a repository has its objects, and how it names them: sha1 or sha256. Raises
    GitSilence."""
    said = answered(
        in_repository(git, root, "rev-parse", "--show-object-format", "--git-path", "objects")
    )
    # The last line is a path, in which there may be line ends.
    kind, _, name = said.removesuffix(b"\n").partition(b"\n")
    return (root / os.fsdecode(name)).absolute(), "sha256" if kind == b"sha256" else "sha1"


@contextmanager
def stand_in(git: str, root: Path) -> Iterator[StandIn]:
    """Raises GitSilence, and OSError."""
    objects, digest = objects_of(git, root)
    with tempfile.TemporaryDirectory(prefix="pinsetter-") as made:
        folder = Path(made)
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n")
        if digest == "sha256":
            text = "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\n"
            (folder / "config").write_text(text)
        attributes = objects.parent / "info" / "attributes"
        if attributes.is_file():
            (folder / "info").mkdir()
            shutil.copyfile(attributes, folder / "info" / "attributes")
        yield StandIn(git, root, folder, objects, digest, tuple(_settings(git, root)))


def _settings(git: str, root: Path) -> Iterator[str]:
    """How the person, or the repository, has lines end; none of it names a program."""
    pattern = rf"^core\.({'|'.join(_CONVERTING)})$"
    said = in_repository(git, root, "config", "--null", "--get-regexp", pattern)
    if isinstance(said, str):
        return  # there are none
    for entry in said.split(b"\0"):
        key, equals, value = os.fsdecode(entry).partition("\n")
        if key:
            yield f"{key.removeprefix('core.')}={value}" if equals else key.removeprefix("core.")


def answered(said: bytes | str) -> bytes:
    if isinstance(said, str):
        raise GitSilence(said)
    return said
