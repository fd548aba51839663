"""Campaigns read and write git's objects: nothing is checked out, nothing is converted."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from campaigning import NEW, OLD, PLAIN, Home, Repo

from pinsetter.codemods.engine.campaign import guarding

LONG = (
    "import datetime\n\n\ndef now(what):\n"
    "    return call(what, 'a text of some length', datetime.datetime.utcnow(), what)\n"
)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.of(tmp_path / "repo", {"x.py": OLD, "y.py": PLAIN})


def applied(home: Home, repo: Repo, *more: str) -> str:
    """Start, accept and apply; the only branch."""
    home.start(repo, *more)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    home.run("apply", "utc")
    (branch,) = repo.git("branch", "--list", "--format=%(refname:short)", "pinsetter/*").split()
    return branch


def content(repo: Repo, place: str) -> bytes:
    command = ["git", "show", place]
    return subprocess.run(command, cwd=repo.folder, capture_output=True, check=True).stdout


def test_nothing_is_checked_out(home: Home, repo: Repo) -> None:
    branch = applied(home, repo)
    assert content(repo, f"{branch}:x.py") == NEW.encode()
    home.run("scan", "utc", "--again")
    home.run("guard", "utc", repo.folder, "--since", "main")
    assert not [*home.folder.rglob("*.py")]


def test_a_sparse_work_tree_is_scanned_as_a_whole(home: Home, repo: Repo) -> None:
    repo.commit({"here/x.py": PLAIN, "there/x.py": OLD})
    repo.git("sparse-checkout", "set", "here")
    assert not (repo.folder / "there").exists()
    branch = applied(home, repo)
    assert content(repo, f"{branch}:there/x.py") == NEW.encode()
    assert not (repo.folder / "there").exists()


@pytest.mark.parametrize("attributes", ["*.py text", "*.py text eol=crlf", "*.py -text", "* ident"])
def test_line_ends_stay(home: Home, repo: Repo, attributes: str) -> None:
    """A checkout, and what is added from it, would have others."""
    for name, text in (("x.py", OLD), ("crlf.py", OLD.replace("\n", "\r\n"))):
        repo.write({name: text})
        repo.git("-c", "core.autocrlf=false", "add", name)
    repo.git("commit", "--quiet", "--allow-empty", "-m", "before")
    repo.write({".gitattributes": f"{attributes}\n"})
    repo.git("add", ".gitattributes")
    repo.git("commit", "--quiet", "-m", "attributes")
    branch = applied(home, repo)
    assert content(repo, f"{branch}:x.py") == NEW.encode()
    assert content(repo, f"{branch}:crlf.py") == NEW.replace("\n", "\r\n").encode()
    changed = repo.git("diff", "--numstat", f"main..{branch}").split("\n")
    assert [line.split("\t")[:2] for line in changed] == [["1", "1"], ["1", "1"]]


@pytest.mark.parametrize(
    ("files", "formatted"),
    [
        ({}, False),
        ({"pyproject.toml": "[tool.black]\n"}, True),
        ({"pyproject.toml": "[tool.black]\nskip-string-normalization = true\n"}, False),
        ({"sub/ruff.toml": "[format]\n"}, True),
        ({"sub/ruff.toml": "extend = '../conf/base.toml'\n[format]\n",
          "conf/base.toml": "[format]\nquote-style = 'preserve'\n"}, False),
        ({"sub/ruff.toml": "extend = '../conf/base.toml'\n[format]\n",
          "conf/base.toml": "[format]\nquote-style = 'double'\n"}, True),
        # It is not in the repository.
        ({"sub/ruff.toml": "extend = '../../outside.toml'\n[format]\n"}, False),
        ({"pyproject.toml": "[tool.black]\nline-length = \n"}, False),
    ],
)  # fmt: skip
def test_settings_of_formatters_are_those_of_the_commit(
    home: Home, repo: Repo, tmp_path: Path, files: dict[str, str], formatted: bool
) -> None:
    repo.commit({**files, "sub/z.py": LONG})
    # What is beside the commit is nobody's business.
    repo.write({"sub/pyproject.toml": "[tool.black]\nskip-string-normalization = true\n"})
    (tmp_path / "outside.toml").write_text("")
    home.folder.mkdir()
    (home.folder / "pyproject.toml").write_text("[tool.black]\n")
    branch = applied(home, repo)
    found = content(repo, f"{branch}:sub/z.py").decode()
    assert ("'a text of" not in found) == formatted
    assert "utcnow" not in found


def test_folders_of_other_repositories_are_empty(home: Home, repo: Repo, tmp_path: Path) -> None:
    other = Repo.of(tmp_path / "other", {"z.py": OLD})
    repo.git("submodule", "add", str(other.folder), "pkg/other")
    repo.git("commit", "-m", "submodule")
    branch = applied(home, repo)
    assert repo.git("diff", "--name-only", f"main..{branch}") == "x.py"
    assert repo.git("ls-tree", branch, "pkg/other").startswith("160000 commit")


def test_a_change_of_no_python_file_is_not_looked_at(
    home: Home, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.start(repo)
    repo.commit({"README.md": "x\n"})
    monkeypatch.setattr(guarding.SideRepository, "reading", None)
    home.run("guard", "utc", repo.folder, "--since", "main~1")


def test_what_cannot_be_parsed_is_read_from_the_commit(
    home: Home, repo: Repo, tmp_path: Path
) -> None:
    """A rename asks for the name in files that nobody understands."""
    pack = tmp_path / "names.yaml"
    pack.write_text(
        "pack: names\nsummary: Names.\nimports: {lib: lib}\nrules:\n  - id: rename-old\n"
        "    title: Another name\n    why: It is called so now.\n    match: lib.old\n"
        "    edit: {rename: $match, to: lib.new}\n    examples:\n      - unchanged: 'x = 1'\n"
    )
    repo.commit({"lib.py": "def old():\n    pass\n", "bad.py": "from lib import old\ndef (:\n"})
    (repo.folder / "bad.py").unlink()
    home.run("start", "utc", "--pack", pack, repo.folder, code=(0, 2))
    found = json.loads(home.run("status", "utc", "--hunks", "--json").out)["hunks"]
    assert [one["path"] for one in found] == ["lib.py"]
    (warning,) = found[0]["warnings"]
    assert "bad.py, too, which cannot be parsed" in warning


def test_names_of_objects_may_be_longer(home: Home, tmp_path: Path) -> None:
    repo = Repo.of(tmp_path / "long", {"pkg/sub/x.py": OLD}, "--object-format=sha256")
    branch = applied(home, repo)
    assert content(repo, f"{branch}:pkg/sub/x.py") == NEW.encode()
    assert repo.git("fsck", "--strict") == ""
