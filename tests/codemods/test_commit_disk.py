"""A commit is read as what a checkout of it is, and nothing of this machine with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from campaigning import Repo
from commands import REPOSITORY
from hypothesis import assume, given
from hypothesis import strategies as st

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.disk import LOCAL
from pinsetter.analyzer.files.listing import Listing
from pinsetter.codemods.engine.git.at_revision import at_revision
from pinsetter.codemods.engine.git.commit_disk import CommitDisk
from pinsetter.codemods.engine.git.git_process import find_git
from pinsetter.codemods.engine.git.git_stand_in import GitSilence
from pinsetter.codemods.engine.git.side_repository import Identity, SideRepository

FILES = {
    "a.py": "import b\n",
    "pkg/__init__.py": "",
    "pkg/deep/er/x.py": "x = 1\n",
    "pkg/deep/er/data.bin": b"\0\xff\r\n",
    "crlf.py": b"x = 1\r\n",
    ".gitattributes": "*.py text eol=crlf\n",
    ".gitignore": "ignored.py\n/pkg/hidden/\n",
    "pkg/hidden/y.py": "",
    "ignored.py": "",
    "odd \u00fc name.py": "",
    "tab\tname.py": "",
}
LINKS = {
    "link.py": "a.py",
    "pkg/up.py": "../a.py",
    "folder": "pkg/deep",
    "pkg/through": "../folder/er",
    "nothing.py": "not/there.py",
    "circle.py": "circle.py",
    "one": "two",
    "two": "one",
    "chain.py": "pkg/up.py",
}
OUT = {"out.py": "../outside.py", "absolute.py": "/etc/passwd", "top": "/", "above": ".."}
WORDS = ["a.py", "pkg", "deep", "er", "x.py", "..", ".", "link.py", "up.py", "folder", "through",
         "nothing.py", "circle.py", "one", "chain.py", "none", "a.py/",
         "odd \u00fc name.py"]  # fmt: skip


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    folder = tmp_path_factory.mktemp("commit")
    (folder / "outside.py").write_text("secret = 1\n")
    made = Repo.of(folder / "repo", {})
    made.write(FILES)
    os.makedirs(os.fsencode(made.folder) + b"/bytes", exist_ok=True)
    Path(os.fsdecode(os.fsencode(made.folder) + b"/bytes/\xff.py")).write_text("")
    (made.folder / "a.py").chmod(0o755)
    for name, target in {**LINKS, **OUT}.items():
        (made.folder / name).symlink_to(target)
    made.git("add", "--force", ".")
    made.git("commit", "-m", "x")
    return made


@pytest.fixture(scope="module")
def sides(repo: Repo) -> Iterator[tuple[CommitDisk, Path, Path]]:
    """The commit, where it is said to be, and where it is checked out."""
    git = find_git()
    assert git is not None
    above = repo.folder.parent
    side = SideRepository.beside(git, repo.folder, above / "side")
    commit = side.commit_of("HEAD")
    assert commit is not None
    root, checkout = above / "said" / "here", above / "really" / "here"
    checkout.parent.mkdir()
    subprocess.run(["git", "-c", "core.autocrlf=false", "clone", "-q", repo.folder, checkout],
                   check=True)  # fmt: skip
    for name in OUT:
        (checkout / name).unlink()
    shutil.rmtree(checkout / ".git")
    (checkout / ".git").mkdir()
    with side.reading(commit, root) as found:
        yield found, root, checkout


@given(words=st.lists(st.sampled_from([*FILES, *LINKS, *WORDS, ".git", ".git/HEAD"]), max_size=5))
def test_paths_are_as_in_a_checkout(
    sides: tuple[CommitDisk, Path, Path], words: Sequence[str]
) -> None:
    commit, root, checkout = sides
    here, there = (os.path.join(top, *words) for top in (root, checkout))
    assume(not os.path.relpath(here, root).startswith(".."))
    assert commit.exists(here) == LOCAL.exists(there)
    with disk.using(LOCAL):
        assert commit.is_file(here) == disk.is_file(there)
    assert commit.is_folder(here) == LOCAL.is_folder(there)
    assert commit.is_link(here) == LOCAL.is_link(there)
    if LOCAL.is_folder(there):
        names = set(LOCAL.names_in(there))
        assert names - {".git", *OUT} == {*commit.names_in(here)} - {".git", *OUT}
    if LOCAL.exists(there):
        assert commit.real(here).replace(str(root), str(checkout)) == LOCAL.real(there)


def test_files_are_listed_as_in_a_checkout(sides: tuple[CommitDisk, Path, Path]) -> None:
    _, root, checkout = sides
    with disk.using(LOCAL):
        wanted = Listing([checkout])
    found = Listing([root])
    for name in OUT:
        found.shown.pop(str(root / name), None)
    assert [path.replace(str(root), str(checkout)) for path in found.shown] == [*wanted.shown]
    assert {p.replace(str(root), str(checkout)) for p in found.ignored} == {*wanted.ignored}
    assert "ignored.py" in " ".join(found.ignored)


def test_bytes_are_those_of_the_commit(sides: tuple[CommitDisk, Path, Path]) -> None:
    commit, root, checkout = sides
    assert commit.read(f"{root}/pkg/deep/er/data.bin") == b"\0\xff\r\n"
    # A checkout would have made other line ends of it.
    assert commit.read(f"{root}/a.py") == b"import b\n"
    assert LOCAL.read(f"{checkout}/a.py") == b"import b\r\n"
    assert commit.read(f"{root}/chain.py") == b"import b\n"
    assert commit.digest(f"{root}/chain.py") == commit.digest(f"{root}/a.py")
    assert commit.digest(f"{root}/a.py") != commit.digest(f"{root}/pkg/__init__.py")
    with commit.opened(f"{root}/a.py") as (file, size):
        assert (file.read(), size) == (b"import b\n", 9)
    for name in ("nothing.py", "circle.py", *OUT, "pkg", "none.py", ".git/config"):
        with pytest.raises(OSError, match=r"link|directory"):
            commit.read(f"{root}/{name}")
        assert commit.digest(f"{root}/{name}") is None
    for name in ("a.py", "none"):
        with pytest.raises(OSError, match="directory"):
            commit.entries(f"{root}/{name}")


def test_nothing_outside_of_a_commit_is_in_it(sides: tuple[CommitDisk, Path, Path]) -> None:
    commit, root, _ = sides
    for name in ("out.py", "absolute.py", "top/etc/passwd", "above/outside.py", "top"):
        assert not commit.exists(f"{root}/{name}")
    # What is beside it is this machine's.
    assert commit.is_file(f"{root.parents[1]}/outside.py")
    assert commit.read(f"{root.parents[1]}/outside.py") == b"secret = 1\n"


def test_names_that_git_writes_nowhere(tmp_path: Path) -> None:
    """A tree may have been made by anybody."""
    repo = Repo.of(tmp_path / "odd", {"a.py": "", "pkg/x.py": ""})
    (tmp_path / "up.py").write_text("secret = 1\n")
    blob, inner = (bytes.fromhex(repo.git("rev-parse", f"HEAD:{n}")) for n in ("a.py", "pkg"))
    names = ((b"100644", b"../up.py", blob), (b"40000", b"..", inner), (b"40000", b".", inner),
             (b"40000", b".git", inner), (b"100644", b"good.py", blob))  # fmt: skip
    made = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"], cwd=repo.folder,
        input=b"".join(b"%s %s\0%s" % one for one in names), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    commit = repo.git("commit-tree", made, "-m", "x")
    copy = tmp_path / "copy"
    repo.git("worktree", "add", "--no-checkout", "--detach", str(copy), "HEAD")
    with at_revision(copy, commit):
        assert {entry.name for entry in disk.entries(copy)} == {"good.py"}
        assert [*Listing([copy]).shown] == [str(copy / "good.py")]


def test_forks_have_a_git_of_their_own(sides: tuple[CommitDisk, Path, Path]) -> None:
    commit, root, _ = sides
    children = []
    for _ in range(4):
        child = os.fork()
        if not child:
            good = all(commit.read(f"{root}/a.py") == b"import b\n" for _ in range(200))
            os._exit(0 if good else 1)
        children.append(child)
    assert all(commit.read(f"{root}/pkg/deep/er/x.py") == b"x = 1\n" for _ in range(200))
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4


def test_what_git_has_not_is_said(repo: Repo, tmp_path: Path) -> None:
    for revision, said in (("none", "no revision"), ("", "no revision"), ("--help", "no revision")):
        with pytest.raises(GitSilence, match=said), at_revision(repo.folder, revision):
            pass
    with pytest.raises(GitSilence, match="in no git repository"), at_revision(tmp_path, "HEAD"):
        pass
    copy = tmp_path / "copy"
    shutil.copytree(repo.folder, copy, symlinks=True)
    blob = repo.git("rev-parse", "HEAD:a.py")
    (copy / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with at_revision(copy / "gone" / "x.py", "HEAD"):
        assert disk.read(copy / "pkg" / "deep" / "er" / "x.py") == b"x = 1\n"
        with pytest.raises(GitSilence, match="unable to read object"):
            disk.read(copy / "a.py")


def test_the_current_folder_is_in_the_repository(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(repo.folder)
    monkeypatch.chdir(repo.folder / "pkg")
    with at_revision(Path(), "HEAD"):
        assert disk.is_file("deep/er/x.py")
        assert disk.is_file("../a.py")
        assert disk.is_file(tmp_path / "link" / "a.py")
        assert not disk.is_file("../../a.py")


def test_a_commit_with_other_contents(repo: Repo, tmp_path: Path) -> None:
    git = find_git()
    assert git is not None
    side = SideRepository.beside(git, repo.folder, tmp_path / "side")
    base = side.commit_of("HEAD")
    assert base is not None
    by = Identity("A", "a@example.org")
    changes = {b"a.py": b"import c\r\n", b"pkg/deep/er/x.py": b"", b"bytes/\xff.py": b"y\n"}
    made = side.committed(base, changes, "m", by)
    assert made is not None
    assert side.different(base, made) == {*changes}
    for name, data in changes.items():
        shown = subprocess.run(["git", "show", os.fsencode(made) + b":" + name], cwd=repo.folder,
                               capture_output=True, check=True)  # fmt: skip
        assert shown.stdout == data
    # Modes stay, and links are followed.
    assert repo.git("ls-tree", made, "a.py").startswith("100755 blob")
    through = side.committed(base, {b"chain.py": b"z\n"}, "m", by)
    assert through is not None
    assert side.different(base, through) == {b"a.py"}
    assert repo.git("fsck", "--strict", made, through) == ""
    assert side.committed(base, {b"a.py": b"import b\n"}, "m", by) is None
    for name in (b"none.py", b"none/a.py", b"a.py/x.py"):
        with pytest.raises(GitSilence):
            side.committed(base, {name: b""}, "m", by)


# What reads, or asks for, a file of this machine.
_READING = re.compile(
    r"(?<![\w.])open\(|\.read_bytes\(|\.read_text\(|os\.(?:open|stat|scandir|listdir|access)\("
    r"|os\.path\.(?:exists|lexists|isfile|isdir|islink|realpath)\("
    r"|\.(?:exists|is_file|is_dir|is_symlink|iterdir|resolve)\(\)"
)
_TEXTS = re.compile(r'(?s)""".*?"""')
_ANALYSING = ("analyzer", "patterns/applying", "patterns/matching", "patterns/predicates",
              "codemods/engine/propose", "codemods/engine/hunks")  # fmt: skip
# The machine's own: this program's files, its cache, the memory that there is.
_OWN = {
    "analyzer/domains/tensorflow/data", "analyzer/effects",
    "analyzer/files/bounds.py", "analyzer/files/disk.py",
    "analyzer/files/import_path.py", "analyzer/files/user_cache.py", "analyzer/interpreter/run.py",
    "analyzer/library", "analyzer/syntax/grammar.py", "codemods/engine/propose/plan_cache.py",
    "codemods/engine/propose/sent_run.py",
}  # fmt: skip


def test_an_analysis_reads_by_disk_alone() -> None:
    """Else it would read what is beside a commit."""
    found = {}
    for room in _ANALYSING:
        for path in sorted((REPOSITORY / room).rglob("*.py")):
            name = path.relative_to(REPOSITORY).as_posix()
            code = _TEXTS.sub("", path.read_text())  # predicates have examples in there
            told = [line for line in code.splitlines() if _READING.search(line)
                    and "disk." not in line and "entry." not in line]  # fmt: skip
            if told and not any(name.startswith(own) for own in _OWN):
                found[name] = told
    assert found == {}
