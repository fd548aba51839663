"""SideRepository: one of our own beside another, with its objects and none of its settings.

It is where campaigns have their work trees. What is committed here is written to the objects of the
repository itself, where nothing is seen of it until a branch there is set to it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from .at_revision import commit_of, reading, top_of
from .commit_disk import CommitDisk, Objects
from .git_process import call, in_repository
from .git_stand_in import GitSilence, answered, objects_of, without_settings
from .new_tree import new_tree
from .remembered import Remembered

# In seconds; a monorepo takes a while to be checked out.
_LONG = 3600
_BRANCHES = "refs/heads/"
_REMEMBERED = "remembered.db"


class Conflict(GitSilence):
    """A commit that does not go with what it is put on."""

    def __init__(self, commit: str, files: Sequence[str]) -> None:
        super().__init__(f"commit {commit[:12]} conflicts in {', '.join(files) or 'it'}")
        self.commit, self.files = commit, tuple(files)


@dataclass(frozen=True)
class Identity:
    """Who writes a commit."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


@dataclass(frozen=True)
class SideRepository:
    """``root`` is a folder of the repository itself, or, of a bare one, it; ``folder`` is ours."""

    git: str
    root: Path
    folder: Path
    objects: Path

    @classmethod
    def beside(cls, git: str, root: Path, folder: Path) -> SideRepository:
        """The repository in ``folder``, made if need be. Raises GitSilence, OSError."""
        objects, form = objects_of(git, root)
        objects = objects.resolve()
        found = cls(git, root, folder, objects)
        if not (folder / "HEAD").exists():
            # A folder without HEAD is what an interrupted start left.
            shutil.rmtree(folder, ignore_errors=True)
            made = folder.with_name(f"{folder.name}.new")
            shutil.rmtree(made, ignore_errors=True)
            found._call(["init", "--quiet", "--bare", "--template=", f"--object-format={form}",
                         str(made)], made.parent)  # fmt: skip
            made.rename(folder)
        alternates = folder / "objects" / "info" / "alternates"
        alternates.parent.mkdir(parents=True, exist_ok=True)
        alternates.write_bytes(os.fsencode(objects) + b"\n")
        return found

    def top(self) -> Path | None:
        """The folder of the repository that ``root`` is in, or that it is if it is bare; None: it
        is in none."""
        return top_of(self.git, self.root)

    def commit_of(self, revision: str) -> str | None:
        """The commit that a revision of the repository itself is, if there is one."""
        return commit_of(self.git, self.root, revision)

    def current_branch(self) -> str | None:
        """The branch that the repository itself is on; None where its HEAD is detached."""
        said = in_repository(self.git, self.root, "rev-parse", "--symbolic-full-name", "HEAD")
        name = "" if isinstance(said, str) else os.fsdecode(said).strip()
        return name.removeprefix(_BRANCHES) if name.startswith(_BRANCHES) else None

    def identity(self) -> Identity | None:
        """Who git says that commits in the repository are written by."""
        found = []
        for key in ("user.name", "user.email"):
            said = in_repository(self.git, self.root, "config", key)
            found.append("" if isinstance(said, str) else said.decode("utf-8", "replace").strip())
        return Identity(*found) if all(found) else None

    def checked_out(self, branch: str) -> str | None:
        """The work tree in which somebody is on a branch of the repository itself."""
        said = in_repository(
            self.git, self.root, "for-each-ref", "--format=%(worktreepath)", _BRANCHES + branch
        )
        return None if isinstance(said, str) else os.fsdecode(said).strip() or None

    def set_branch(self, branch: str, commit: str, expected: str | None, why: str) -> None:
        """Set a branch of the repository itself, if it is where it is ``expected``, None for a new
        one. Raises GitSilence."""
        old = expected or "0" * len(commit)
        answered(in_repository(
            self.git, self.root, "update-ref", "-m", why, _BRANCHES + branch, commit, old
        ))  # fmt: skip

    def reading(self, commit: str, root: Path) -> AbstractContextManager[CommitDisk]:
        """Inside the ``with``, what is at ``root`` is what a commit has, to all that reads by
        ``disk``, which raises GitSilence where an object is not there."""
        remembered = Remembered(self.folder.with_name(_REMEMBERED))
        return reading(self.git, self.folder, self._environment, commit, root, remembered)

    def tree_at(self, path: Path, commit: str) -> None:
        """Have a work tree at ``path`` that is as a commit has it, and nothing else in it. Raises
        GitSilence, OSError."""
        if not self._is_work_tree(path):
            shutil.rmtree(path, ignore_errors=True)
            self._call(["worktree", "prune"], self.folder)
            self._call(["worktree", "add", "--quiet", "--force", "--detach", "--no-checkout",
                        str(path), commit], self.folder)  # fmt: skip
        for lock in self._git_folder(path).glob("*.lock"):
            lock.unlink()  # of a git that was killed: nobody else works here
        self.ask(path, "reset", "--quiet", "--hard", commit)
        self.ask(path, "checkout", "--quiet", "--detach", "--force", commit)
        self.ask(path, "clean", "--quiet", "-ffdx")

    def committed(
        self, base: str, contents: Mapping[bytes, bytes], message: str, by: Identity
    ) -> str | None:
        """The commit of other contents of some files on another; None if nothing is different.
        Raises GitSilence, OSError."""
        objects = Objects(self.git, self.folder, self._environment)
        try:
            there = CommitDisk(objects, base, self.folder)
            real = {there.path_of(name): data for name, data in contents.items()}
            made = new_tree(objects, self._told, base, real)
            if made == objects.get(f"{base}^{{tree}}")[0]:
                return None
        finally:
            objects.close()
        said = self._call(["commit-tree", made, "-p", base, "-m", message], self.folder, _who(by))
        return said.decode("ascii").strip()

    def put_on(self, tree: Path, commit: str, by: Identity) -> str:
        """The commit that a work tree has once the changes of another are made there; the one that
        it had, if they are made already. Raises Conflict, after which nothing but ``tree_at``
        makes the tree of use; GitSilence."""
        before = self._line(tree, "rev-parse", "HEAD", "HEAD^{tree}").split()
        try:
            self.ask(tree, "cherry-pick", "--allow-empty", "--keep-redundant-commits", commit,
                     by=by)  # fmt: skip
        except GitSilence:
            said = self.ask(tree, "diff", "--name-only", "--diff-filter=U", "-z")
            files = [os.fsdecode(name) for name in said.split(b"\0") if name]
            raise Conflict(commit, files) from None
        now, content = self._line(tree, "rev-parse", "HEAD", "HEAD^{tree}").split()
        if content != before[1]:
            return now
        self.ask(tree, "reset", "--quiet", "--hard", before[0])
        return before[0]

    def between(self, base: str, commit: str) -> list[str]:
        """The commits that ``commit`` has and ``base`` has not, the oldest first. Raises
        GitSilence."""
        said = self._call(["rev-list", "--reverse", "--topo-order", f"{base}..{commit}"],
                          self.folder)  # fmt: skip
        return said.decode("ascii").split()

    def message(self, commit: str) -> str:
        """Raises GitSilence."""
        said = self._call(["show", "--no-patch", "--format=%B", commit], self.folder)
        return said.decode("utf-8", "replace")

    def parents(self, commit: str) -> list[str]:
        """Raises GitSilence."""
        said = self._call(["rev-list", "--parents", "--max-count=1", commit], self.folder)
        return said.decode("ascii").split()[1:]

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Whether a commit has another among those before it, or is it. Raises GitSilence."""
        return not self._call(["rev-list", "--max-count=1", commit, f"^{of}"], self.folder)

    def same(self, one: str, other: str) -> bool:
        """Whether two commits say and do the same on the same parents. Raises GitSilence."""
        form = "--format=%T %P%n%an <%ae>%n%B"
        shown = [self._call(["show", "--no-patch", form, c], self.folder) for c in (one, other)]
        return shown[0] == shown[1]

    def different(self, one: str, other: str) -> set[bytes]:
        """The files that are not the same in two commits. Raises GitSilence."""
        said = self._call(["diff-tree", "-r", "--name-only", "--no-renames", "-z", one, other],
                          self.folder)  # fmt: skip
        return {name for name in said.split(b"\0") if name}

    def patch(self, commit: str) -> bytes:
        """A commit as `git am` takes it. Raises GitSilence."""
        return self._call(["format-patch", "--stdout", "--no-signature", "-1", commit], self.folder)

    def ask(self, tree: Path, *arguments: str, by: Identity | None = None) -> bytes:
        """What a git command prints in a work tree of ours. Raises GitSilence."""
        who = _who(by) if by is not None else {}
        if arguments[0] == "cherry-pick":  # whose author stays
            who = {name: value for name, value in who.items() if "COMMITTER" in name}
        return self._call(["-C", str(tree), *arguments], tree, who)

    def _told(self, arguments: Sequence[str], told: bytes) -> bytes:
        return self._call(arguments, self.folder, told=told)

    def _line(self, tree: Path, *arguments: str) -> str:
        return self.ask(tree, *arguments).decode("utf-8", "replace").strip()

    def _is_work_tree(self, path: Path) -> bool:
        if not (path / ".git").is_file():
            return False
        try:
            return self._git_folder(path).is_dir() and self._line(path, "rev-parse", "HEAD") != ""
        except GitSilence:
            return False

    def _git_folder(self, path: Path) -> Path:
        said = (path / ".git").read_bytes().removeprefix(b"gitdir: ").strip()
        return Path(os.fsdecode(said))

    @property
    def _environment(self) -> dict[str, str]:
        return {
            **without_settings(),
            "GIT_OBJECT_DIRECTORY": str(self.objects),
            "GIT_LFS_SKIP_SMUDGE": "1",
        }

    def _call(
        self,
        arguments: Sequence[str],
        folder: Path,
        more: Mapping[str, str] | None = None,
        told: bytes = b"",
    ) -> bytes:
        environment = {**self._environment, **(more or {})}
        options = ["--no-pager", "--literal-pathspecs", *_SETTINGS]
        at = [] if arguments[0] == "-C" else ["-C", str(folder)]
        if arguments[0] == "init":
            at = []
            del environment["GIT_OBJECT_DIRECTORY"]
        return answered(call([self.git, *options, *at, *arguments], environment, _LONG, told))


def _who(by: Identity) -> Mapping[str, str]:
    return {"GIT_AUTHOR_NAME": by.name, "GIT_AUTHOR_EMAIL": by.email,
            "GIT_COMMITTER_NAME": by.name, "GIT_COMMITTER_EMAIL": by.email}  # fmt: skip


# What is committed here must stay until a branch has it.
_SETTINGS = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")
