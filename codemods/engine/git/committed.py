"""committed: whether files are as the last commit has them; nothing of the repository is run.

git compares files through filters, which are programs that the repository or the person names. So
the files are compared here: by their bytes, or by what git's own conversions make of them (line
ends, encodings), in a stand-in for the repository that has its objects and its attributes, and
none of its configuration but what says how lines end. What passes a filter is not known.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from .git_process import in_repository
from .git_stand_in import GitSilence, StandIn, answered, stand_in

# What a command line may hold is limited.
_AT_ONCE = 500
_NO_FILTER = (b"unspecified", b"unset", b"set")


def differing(
    git: str, root: Path, files: Sequence[Path], revision: str = "HEAD"
) -> tuple[set[Path], dict[Path, str]]:
    """Which of ``files`` in the repository at ``root`` are not as a commit has them, or not in it;
    and those of which that is not known, with the reason on one line."""
    changed: set[Path] = set()
    unknown: dict[Path, str] = {}
    try:
        head = _head(git, root, revision)
        if head is None:
            return set(files), {}
        with stand_in(git, root) as repository:
            for start in range(0, len(files), _AT_ONCE):
                _compare(repository, head, files[start : start + _AT_ONCE], changed, unknown)
    except GitSilence as silence:
        unknown.update({path: str(silence) for path in files if path not in changed})
    except OSError as error:
        reason = f"the temporary folder cannot be used: {error.strerror or error}"
        unknown.update({path: reason for path in files if path not in changed})
    return changed, unknown


def _compare(
    repository: StandIn,
    head: str,
    files: Sequence[Path],
    changed: set[Path],
    unknown: dict[Path, str],
) -> None:
    names = {path: str(path.relative_to(repository.root)) for path in files}
    listed = _listed(repository.ask("ls-tree", "-z", "--full-tree", head, "--", *names.values()))
    other: list[Path] = []
    for path, name in names.items():
        try:
            data = path.read_bytes()
        except OSError as error:
            unknown[path] = f"it cannot be read: {error.strerror or error}"
            continue
        if name not in listed:
            changed.add(path)
        elif listed[name] != _blob(data, repository.digest):
            other.append(path)
    filters = _filters(repository, [names[path] for path in other]) if other else {}
    converted: list[Path] = []
    for path in other:
        if names[path] in filters:
            name = filters[names[path]]
            unknown[path] = f"what passes the filter {name!r} cannot be compared: no filter is run"
        else:
            converted.append(path)
    if converted:
        made = repository.ask("hash-object", "--", *(names[path] for path in converted))
        for path, digest in zip(converted, made.decode("ascii", "replace").split(), strict=True):
            if digest != listed[names[path]]:
                changed.add(path)


def staged_in(git: str, root: Path) -> set[Path]:
    """The files that the next commit of a repository would change. Raises GitSilence, OSError."""
    head = _head(git, root)
    said = answered(in_repository(git, root, "rev-parse", "--git-path", "index"))
    index = (root / os.fsdecode(said.removesuffix(b"\n"))).absolute()
    with stand_in(git, root) as repository:
        now = _listed(repository.ask("ls-files", "-s", "-z", index=index), 1)
        before = _listed(repository.ask("ls-tree", "-r", "-z", head)) if head is not None else {}
    return {root / name for name, blob in now.items() if before.get(name) != blob}


def _head(git: str, root: Path, revision: str = "HEAD") -> str | None:
    """A commit; None if there is none. Raises GitSilence."""
    said = answered(in_repository(git, root, "rev-parse", "--is-inside-work-tree", "--show-prefix"))
    if said != b"true\n\n":
        raise GitSilence(f"{root} is not where the repository has its files")
    found = in_repository(git, root, "rev-parse", "--verify", "--quiet", revision)
    return None if isinstance(found, str) else found.decode("ascii", "replace").strip()


def _listed(said: bytes, word: int = 2) -> Mapping[str, str]:
    """The blobs in what ``ls-tree`` printed, by name; ``ls-files`` has them as another word."""
    found = {}
    for entry in said.split(b"\0"):
        about, tab, name = entry.partition(b"\t")
        if tab:
            found[os.fsdecode(name)] = about.split()[word].decode("ascii", "replace")
    return found


def _filters(repository: StandIn, names: Sequence[str]) -> dict[str, str]:
    """The filters that files are to pass, by name; of most there is none."""
    said = repository.ask("check-attr", "-z", "filter", "--", *names).split(b"\0")
    return {
        os.fsdecode(name): os.fsdecode(value)
        for name, value in zip(said[::3], said[2::3], strict=False)
        if value not in _NO_FILTER
    }


def _blob(data: bytes, digest: str) -> str:
    """git's name for a file's bytes."""
    made = hashlib.new(digest, b"blob %d\0" % len(data), usedforsecurity=False)
    made.update(data)
    return made.hexdigest()
