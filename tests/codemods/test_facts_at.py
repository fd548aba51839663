"""`pinsetter facts --at`: what was known of a file at a revision, whatever is there now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from campaigning import Repo
from commands import BIN, TRAIN, Result, run

ROLE = "optimizer"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo.of(tmp_path / "repo", {"pkg/train.py": TRAIN})
    made.git("tag", "then")
    (made.folder / "pkg" / "train.py").unlink()
    made.commit({"pkg/other.py": "x = 1\n"})
    return made


def facts(
    *arguments: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None
) -> Result:
    return run("facts", *arguments, command=[str(BIN / "pinsetter")], cwd=cwd, env=env)


@pytest.mark.parametrize("revision", ["then", "HEAD~1"])
def test_what_is_gone_is_known(repo: Repo, revision: str) -> None:
    done = facts("--at", revision, repo.folder / "pkg" / "train.py")
    assert (done.code, ROLE in done.said) == (0, True)
    assert f"{repo.folder}/pkg/train.py:" in done.said
    now = facts("--at", "HEAD", repo.folder)
    assert (now.code, ROLE in now.said) == (0, False)
    assert [path.name for path in repo.folder.rglob("*.py")] == ["other.py"]


def test_from_the_current_folder(repo: Repo) -> None:
    (repo.folder / "pkg").mkdir(exist_ok=True)
    done = facts("--at=then", "train.py:1", cwd=repo.folder / "pkg")
    assert (done.code, ROLE in done.said) == (0, False), done.said
    done = facts("--at=then", ".", cwd=repo.folder / "pkg")
    assert (done.code, ROLE in done.said) == (0, True)


def test_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    repo.git("clone", "--bare", ".", str(bare))
    done = facts("--at=then", bare / "pkg" / "train.py")
    assert (done.code, ROLE in done.said) == (0, True)


def test_use_it_wrong(repo: Repo, tmp_path: Path) -> None:
    for place, revision, said in (
        (repo.folder, "none", "has no revision 'none'"),
        (repo.folder, "-x", "has no revision '-x'"),
        (tmp_path, "HEAD", "is in no git repository"),
    ):
        done = facts(f"--at={revision}", place)
        assert (done.code, said in done.said) == (2, True), done.said
        assert "Traceback" not in done.said
    done = facts("--at=HEAD", repo.folder / "pkg" / "train.py")
    assert (done.code, "There is no file or folder" in done.said) == (3, True)
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = facts("--at=HEAD", repo.folder, env=environment)
    assert (done.code, "there is no git" in done.said) == (2, True)
