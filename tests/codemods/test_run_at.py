"""`pinsetter run --at`: what would be proposed for a revision, whatever is there now."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from campaigning import NEW, OLD, PLAIN, Repo
from commands import BIN, REPOSITORY, Result
from commands import run as run_command

SCRIPT = REPOSITORY / "codemods" / "utcnow.py"
FRONT_ENDS = {
    "pinsetter": [str(BIN / "pinsetter"), "run", "utcnow"],
    "bowler": [str(BIN / "bowler"), "run", str(SCRIPT), "--"],
}


def run(*arguments: str | Path, cwd: Path | None = None, front_end: str = "pinsetter") -> Result:
    return run_command(*arguments, command=FRONT_ENDS[front_end], cwd=cwd)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo.of(tmp_path / "repo", {"pkg/x.py": OLD, "pkg/y.py": PLAIN})
    made.git("tag", "then")
    made.commit({"pkg/x.py": NEW})
    return made


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_a_revision_is_checked(repo: Repo, front_end: str, jobs: str) -> None:
    for revision, code in (("then", 1), ("HEAD", 0)):
        done = run("--check", "--at", revision, "--jobs", jobs, "pkg", cwd=repo.folder,
                   front_end=front_end)  # fmt: skip
        assert done.code == code, done.said
    assert repo.git("status", "--porcelain") == ""


def test_the_patch_fits_the_revision(repo: Repo) -> None:
    (repo.folder / "pkg" / "x.py").unlink()
    done = run("--diff", "--at=then", "pkg", cwd=repo.folder)
    assert done.code == 0, done.said
    repo.git("checkout", "--quiet", "then")
    applied = subprocess.run(
        ["git", "apply", "-"], cwd=repo.folder, input=done.out, capture_output=True, check=False
    )
    assert applied.returncode == 0, applied.stderr
    assert (repo.folder / "pkg" / "x.py").read_text() == NEW


def test_a_repository_without_a_work_tree(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    done = run("--diff", "--at=then", tmp_path / "bare.git")
    assert done.code == 0, done.said
    assert "pkg/x.py" in done.said


def test_use_it_wrong(repo: Repo, tmp_path: Path) -> None:
    for more, said in (
        ([], "--at needs --diff or --check"),
        (["--write"], "--at needs --diff or --check"),
        (["--check", "--since", "then"], "--at and --since exclude each other"),
        (["--check", "--staged"], "--at and --staged exclude each other"),
        (["--diff", "--resume"], "--at and --resume exclude each other"),
        (["--check", "--write-baseline", "b"], "--at and --write-baseline exclude each other"),
    ):
        done = run("--at", "then", *more, ".", cwd=repo.folder)
        assert (done.code, said in done.said) == (3, True), done.said
    other = Repo.of(tmp_path / "other", {"z.py": OLD})
    done = run("--check", "--at=then", repo.folder, other.folder)
    assert (done.code, "is not in the repository of" in done.said) == (2, True), done.said
    done = run("--check", "--at=none", repo.folder)
    assert (done.code, "no revision 'none'" in done.said) == (2, True)
    done = run("--check", "--at=then", repo.folder / "none.py")
    assert (done.code, "no such file" in done.said) == (2, True), done.said
    done = run("--check", "--at=then", cwd=repo.folder)
    assert done.code == 3, done.said
