"""git_process: git itself, called so that it runs nothing that a repository names.

A repository comes with a ``.git/config`` of its own, which may name programs for nearly
everything: a file system monitor, filters, hooks, a pager, a transport. So in a repository only
``rev-parse`` and ``config`` are called, which run none of them; all that looks at files is called
in a stand-in that has no configuration (``committed``).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..console.signals import stop_if_told

# In seconds. A configuration can include what never ends; the files of a tree are many.
_SOON, _LATER = 10, 60
# Inside a hook these say where git is running, which need not be where the files are.
_OF_A_HOOK = frozenset((
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_INDEX_FILE",
    "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_WORK_TREE",
))  # fmt: skip
# rev-parse and config need none of this; it is for a git that thinks of something new.
_NOTHING_RUNS = (
    "--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
)  # fmt: skip
_ENVIRONMENT = {
    # Looking must not take the lock that somebody else's commit needs.
    "GIT_OPTIONAL_LOCKS": "0",
    # What a partial clone lacks is not fetched: a transport is a program, too.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
}


def find_git() -> str | None:
    """git's absolute path. Relative folders in PATH are left out: they are in the tree when that is
    the current folder."""
    folders = [folder for folder in os.get_exec_path() if os.path.isabs(folder)]
    found = shutil.which("git", path=os.pathsep.join(folders))
    return found if found is not None and os.path.isabs(found) else None


def in_repository(git: str, folder: Path, *arguments: str) -> bytes | str:
    """What ``rev-parse`` or ``config`` prints in a folder; or why it says nothing, on one line.

    They go by the person's own configuration, too: it tells git which folders of other users are
    safe.
    """
    environment = {name: v for name, v in os.environ.items() if name not in _OF_A_HOOK}
    return call([git, *_NOTHING_RUNS, "-C", str(folder), *arguments], environment, _SOON)


def begun(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A git command that answers what is written to it. Raises OSError."""
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**environment, **_ENVIRONMENT},
    )  # fmt: skip


def call(
    command: Sequence[str],
    environment: Mapping[str, str],
    timeout: int = _LATER,
    told: bytes = b"",
) -> bytes | str:
    """What a git command prints that is ``told`` something; or why it failed, on one line.
    ``timeout`` is in seconds."""
    try:
        done = subprocess.run(
            command, capture_output=True, input=told,
            env={**environment, **_ENVIRONMENT}, timeout=timeout, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"it did not answer in {timeout} seconds"
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        stop_if_told()
        return str(error)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return said[0] if said else f"git ended with {done.returncode}"
    return done.stdout
