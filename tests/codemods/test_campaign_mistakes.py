"""Campaigns used wrong, and repositories that are not what one expects: each gets a message that
says what to do, and the exit code; nothing is lost, and nothing of the repository's is run."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from campaigning import NEW, OLD, PLAIN, Home, Repo
from commands import BIN, obeying_modes, run
from test_bad_luck import fill
from test_write import small_disk

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.of(tmp_path / "repo", {"x.py": OLD, "y.py": PLAIN})


@pytest.mark.parametrize("name", ["sqlalchemy", "alembic", "codeowners", "starlette", "uvicorn"])
def test_what_campaigns_need_is_not_installed(name: str) -> None:
    """As after `pip install pinsetter`."""
    code = (
        f"import sys; sys.modules[{name!r}] = None\n"
        "from pinsetter.codemods.engine.cli import main\n"
        "for line in sys.argv[1:]:\n"
        "    sys.argv[1:] = line.split()\n"
        "    try: main()\n"
        "    except SystemExit as left: print('code', left.code or 0, flush=True)\n"
    )
    command = [sys.executable, "-c", code]
    used = ["serve"] if name in ("starlette", "uvicorn") else ["serve", "campaign"]
    for one in used:
        lines = [f"{one} {given}" for given in ("x", "--help", "start --pack x y")]
        said = run(*lines, command=command).said
        assert said.count("code 3\n") == 3
        assert said.count(f"{one} needs {name}: pip install 'pinsetter[campaign]'") == 3
    assert run("--version", "--help", "list", command=command).said.count("code 0\n") == 3


@pytest.mark.parametrize(("arguments", "said"), [
    (("start", "../up", "--pack", "utcnow", "."), "is no name"),
    (("start", "-x", "--pack", "utcnow", "."), "No such option"),
    (("start", ".guard", "--pack", "utcnow", "."), "is no name"),
    (("start", "utc", "--pack", "utcnow"), "at least one repository"),
    (("start", "utc", "--pack", "no-such", "."), "no codemod 'no-such'"),
    (("start", "utc", "--pack", "utcnow", "--skip", "no-such", "."), "no-such"),
    (("start", "utc", "--pack", "utcnow", "--option", "no-such", "."), "no-such"),
    (("start", "utc", "--pack", "utcnow", "--size", "0", "."), "--size"),
    (("decide", "utc", "accept"), "Say which"),
    (("apply", "utc", "--request"), "--request needs --push"),
    (("check", "utc"), "COMMAND"),
])  # fmt: skip
def test_usage(home: Home, repo: Repo, arguments: tuple[str, ...], said: str) -> None:
    assert said in home.run(*arguments, code=3, cwd=repo.folder).said


@pytest.mark.parametrize("command", [
    ("scan", "utc"), ("status", "utc"), ("apply", "utc"), ("review", "utc"),
    ("forget", "utc", "--yes"), ("decide", "utc", "accept", "--rule", "x"),
    ("check", "utc", "--", "true"),
])  # fmt: skip
def test_no_campaign(home: Home, command: tuple[str, ...]) -> None:
    assert "no campaign 'utc'" in home.run(*command, code=2).said


def test_a_name_is_taken(home: Home, repo: Repo) -> None:
    home.start(repo)
    assert "there is a campaign utc" in home.start(repo, code=2).said
    home.run("forget", "utc", "--yes")
    home.start(repo)


def test_no_shard_owner_rule_of_that_name(home: Home, repo: Repo) -> None:
    home.start(repo)
    assert "no shard 'x'" in home.run("apply", "utc", "--shard", "x", code=3).said
    assert "no owner 'x'" in home.run("status", "utc", "--owner", "x", code=3).said
    assert "'x'" in home.run("decide", "utc", "accept", "--rule", "x", code=3).said


def test_no_repository(home: Home, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for folder in (tmp_path / "plain", tmp_path / "none"):
        said = home.run("start", "utc", "--pack", "utcnow", folder, code=2).said
        assert f"{folder}: is" in said
    assert home.run("list").said == ""


def test_nothing_is_committed(home: Home, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.folder.mkdir()
    repo.git("init", "-q", "-b", "main")
    assert "on no branch" in home.start(repo, code=2).said


def test_a_detached_head(home: Home, repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    assert "--branch" in home.start(repo, code=2).said
    home.start(repo, "--branch", "main")
    assert home.counts() == {"open": 1}
    assert "no branch 'no'" in home.start(repo, "--branch", "no", name="b", code=2).said


def test_a_deleted_branch(home: Home, repo: Repo) -> None:
    home.start(repo)
    repo.git("checkout", "-q", "-b", "other")
    repo.git("branch", "-qD", "main")
    assert "no branch 'main' any more" in home.run("scan", "utc", code=2).said
    assert home.counts() == {"open": 1}
    repo.git("branch", "main")
    home.run("scan", "utc")


def test_a_deleted_branch_of_a_shard(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    home.run("apply", "utc")
    repo.git("branch", "-qD", "pinsetter/utc/no-owner")
    home.run("apply", "utc")
    assert repo.show("pinsetter/utc/no-owner", "x.py") == NEW


def test_the_repository_is_gone(home: Home, repo: Repo, tmp_path: Path) -> None:
    home.start(repo)
    repo.folder.rename(tmp_path / "elsewhere")
    for command in (("scan",), ("apply",), ("check", "utc", "--", "true")):
        name = () if len(command) > 1 else ("utc",)
        assert str(repo.folder) in home.run(*command, *name, code=2).said
    assert home.counts() == {"open": 1}


def test_a_bare_repository(home: Home, repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", str(repo.folder), str(tmp_path / "bare.git"))
    bare = Repo(tmp_path / "bare.git")
    for key, value in (("user.name", "First"), ("user.email", "first@example.org")):
        bare.git("config", key, value)
    home.start(bare)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    home.run("apply", "utc")
    assert bare.show("pinsetter/utc/no-owner", "x.py") == NEW


def test_a_shallow_clone(home: Home, repo: Repo, tmp_path: Path) -> None:
    repo.commit({"y.py": "x = 2\n"})
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.folder}", str(tmp_path / "shallow"))
    shallow = Repo(tmp_path / "shallow")
    for key, value in (("user.name", "First"), ("user.email", "first@example.org")):
        shallow.git("config", key, value)
    home.start(shallow)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    home.run("apply", "utc")
    assert shallow.show("pinsetter/utc/no-owner", "x.py") == NEW
    said = home.run("guard", "utc", shallow.folder, "--since", "HEAD~1", code=2).said
    assert "--unshallow" in said


def test_a_submodule_and_a_pointer_of_lfs(home: Home, repo: Repo, tmp_path: Path) -> None:
    other = Repo.of(tmp_path / "other", {"z.py": OLD})
    repo.git("submodule", "-q", "add", str(other.folder), "vendored")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"
    repo.commit({"data.bin": pointer, ".gitattributes": "*.bin filter=lfs\n"})
    home.start(repo)
    assert home.counts() == {"open": 1}
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    home.run("apply", "utc")
    assert repo.git("diff", "--name-only", "main", "pinsetter/utc/no-owner") == "x.py"


def test_git_does_not_know_who_commits(home: Home, repo: Repo) -> None:
    nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    home.start(repo)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    repo.git("config", "--unset", "user.email")
    assert "git config user.name" in home.run("apply", "utc", code=2, env=nobody).said
    assert repo.branches() == ["main"]


def test_lines_of_codeowners_that_say_nothing(home: Home, repo: Repo) -> None:
    lines = "* @all\n[a @x\n!x.py @x\ny.py x  # who?\n[Docs] @docs\n\\#x @x # y\n"
    repo.commit({"CODEOWNERS": lines, "z.py": OLD, "y.py": OLD})
    said = home.start(repo).said
    told = [line.partition("CODEOWNERS:")[2][:1] for line in said.splitlines() if "CODEOWN" in line]
    assert told == ["2", "3", "4", "5"]
    assert set(home.shards()) == {"all"}


def test_codeowners_that_is_no_text(home: Home, repo: Repo) -> None:
    repo.commit({"CODEOWNERS": b"\xff\xfe* @a\n"})
    assert "is not UTF-8" in home.start(repo).said
    assert set(home.shards()) == {"no-owner"}


def test_the_pack_is_broken_or_gone(home: Home, repo: Repo, tmp_path: Path) -> None:
    pack = tmp_path / "mine.yaml"
    example = "examples:\n      - unchanged: b()\n      - before: a()\n        after: b()\n"
    pack.write_text(
        "pack: mine\nsummary: Mine.\nrules:\n  - id: one\n    title: T\n    why: W.\n"
        f"    match: a()\n    edit: {{replace: $match, with: b()}}\n    {example}"
    )
    repo.commit({"z.py": "a()\n"})
    home.run("start", "mine", "--pack", pack, repo.folder)
    text = pack.read_text()
    pack.write_text(text.replace("b()", "c()"))
    assert "not as it was" in home.run("apply", "mine").said
    pack.write_text("pack: [")
    assert "mine.yaml" in home.run("scan", "mine", code=2).said
    pack.unlink()
    home.run("scan", "mine", code=(2, 3))
    home.run("status", "mine")


def test_two_at_once(home: Home, repo: Repo) -> None:
    home.start(repo)
    from filelock import FileLock

    with FileLock(home.folder / "utc" / "lock"):
        for command in ("scan", "apply", "review"):
            assert "another process works" in home.run(command, "utc", code=2).said
        home.run("status", "utc")
        home.run("guard", "utc", repo.folder, "--since", "HEAD")


def test_a_database_that_is_none(home: Home, tmp_path: Path) -> None:
    for text, said in (("not://x", "cannot be used"), ("x://:::", "is no database")):
        assert said in home.run("list", "--database", text, code=2).said
    broken = tmp_path / "broken.db"
    broken.write_text("no database" * 1000)
    assert "not a database" in home.run("list", "--database", broken, code=2).said
    assert broken.read_text() == "no database" * 1000
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    assert "another program" in home.run("list", "--database", other, code=2).said
    home.run("list", "--database", tmp_path / "new" / "good.db")
    with sqlite3.connect(tmp_path / "new" / "good.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'later'")
    said = home.run("list", "--database", tmp_path / "new" / "good.db", code=2).said
    assert "newer Pinsetter" in said


def test_a_home_that_cannot_be_written(home: Home, repo: Repo, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    command = obeying_modes([str(BIN / "pinsetter"), "campaign"])
    arguments = ("start", "utc", "--pack", "utcnow", repo.folder, "--home", folder / "in")
    done = run(*arguments, command=command)
    assert done.code == 2
    assert "cannot be made" in done.said


def test_links_out_of_the_repository_are_not_written_through(
    home: Home, repo: Repo, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(OLD)
    (repo.folder / "link.py").symlink_to(outside)
    (repo.folder / "inner.py").symlink_to("x.py")
    repo.commit({})
    # What it leads to is on this machine by chance: it is not read, either.
    assert "link.py: cannot be read: a link to what is no file" in home.start(repo, code=2).said
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    home.run("apply", "utc", code=(0, 2))
    assert outside.read_text() == OLD
    assert (repo.folder / "x.py").read_text() == OLD
    (branch,) = repo.git("branch", "--list", "--format=%(refname:short)", "pinsetter/*").split()
    changed = repo.git("diff", "--name-only", "main", branch).split()
    assert changed == ["x.py"]


def test_nothing_that_a_repository_names_is_run(home: Home, repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    bait = tmp_path / "bait"
    bait.write_text(f"#!/bin/sh\necho $0 $@ >> {ran}\ncat\n")
    bait.chmod(0o755)
    from test_git_runs_nothing import HOOKS, PROGRAMS

    repo.commit({".gitattributes": "*.py filter=odd diff=odd merge=odd\n"})
    home.start(repo)
    for name in (*HOOKS, "post-commit", "post-rewrite", "post-merge", "prepare-commit-msg"):
        hook = repo.folder / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        shutil.copy(bait, hook)
    for name in PROGRAMS:
        repo.git("config", name, str(bait))
    repo.git("config", "commit.gpgSign", "true")
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    home.run("scan", "utc", "--again")
    home.run("check", "utc", "--", "true")
    home.run("apply", "utc", "--patch", tmp_path / "patches")
    home.run("guard", "utc", repo.folder, "--since", "HEAD")
    assert not ran.exists(), ran.read_text()
    assert repo.show("pinsetter/utc/no-owner", "x.py") == NEW


def test_names_that_are_not_usual(home: Home, tmp_path: Path) -> None:
    odd = "a b/näme -x.py"
    repo = Repo.of(tmp_path / "my repo", {odd: OLD, "[x]?.py": OLD, "-y.py": OLD})
    home.start(repo)
    assert home.counts() == {"open": 3}
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    home.run("apply", "utc")
    for name in (odd, "[x]?.py", "-y.py"):
        assert repo.show("pinsetter/utc/no-owner", name) == NEW


def test_bytes_stay(home: Home, tmp_path: Path) -> None:
    """Ends of lines, marks and encodings, also where attributes have git convert them."""
    files = {
        "crlf.py": OLD.replace("\n", "\r\n").encode(),
        "bom.py": b"\xef\xbb\xbf" + OLD.encode(),
        "latin.py": b"# -*- coding: latin-1 -*-\n# \xe4\n" + OLD.encode(),
        "eol.py": OLD,
        ".gitattributes": "eol.py text eol=crlf\n",
    }
    repo = Repo.of(tmp_path / "repo", files)
    (repo.folder / "crlf.py").chmod(0o755)
    repo.commit({})
    home.start(repo)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    home.run("apply", "utc")
    branch = "pinsetter/utc/no-owner"
    shown = {
        name: subprocess.run(["git", "show", f"{branch}:{name}"], cwd=repo.folder,
                             capture_output=True, check=True).stdout
        for name in ("crlf.py", "bom.py", "latin.py", "eol.py")
    }  # fmt: skip
    assert shown["crlf.py"] == NEW.replace("\n", "\r\n").encode()
    assert shown["bom.py"] == b"\xef\xbb\xbf" + NEW.encode()
    assert shown["latin.py"] == b"# -*- coding: latin-1 -*-\n# \xe4\n" + NEW.encode()
    assert shown["eol.py"] == NEW.encode()
    assert repo.git("ls-tree", branch, "crlf.py").startswith("100755")
    changed = repo.git("diff", "--name-only", "main", branch).split()
    assert changed == ["bom.py", "crlf.py", "eol.py", "latin.py"]


def test_a_partial_clone(home: Home, repo: Repo, tmp_path: Path) -> None:
    """What it lacks is not fetched: a transport is a program, too."""
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repo.folder}",
             str(tmp_path / "partial"))  # fmt: skip
    partial = Repo(tmp_path / "partial")
    said = home.start(partial, code=2).said
    assert "not scanned" in said
    assert "git fetch" in said
    partial.git("checkout", "-q", "main")
    home.run("scan", "utc")
    assert home.counts() == {"open": 1}


def test_a_sparse_tree(home: Home, tmp_path: Path) -> None:
    repo = Repo.of(tmp_path / "repo", {"a/x.py": OLD, "b/y.py": OLD})
    repo.git("sparse-checkout", "set", "a")
    assert not (repo.folder / "b").exists()
    home.start(repo)
    assert home.counts() == {"open": 2}


def test_a_plot(home: Home, repo: Repo, tmp_path: Path) -> None:
    home.start(repo)
    home.run("status", "utc", "--plot", tmp_path / "new" / "left.svg")
    assert "1 left" in (tmp_path / "new" / "left.svg").read_text()
    assert "not written" in home.run("status", "utc", "--plot", "/proc/x.svg", code=2).said


@pytest.mark.parametrize("left", [0, 40, 120, 300])
def test_a_full_disk(tmp_path: Path, left: int) -> None:
    """Below the home, and below the repository, whose objects get the commits: each step says what
    is wrong, and goes on once there is room."""
    with small_disk(tmp_path / "disk", "3m") as disk:
        home = Home(disk / "home")
        repo = Repo.of(disk / "repo", {"x.py": OLD, "y.py": PLAIN})
        steps = (
            ("start", "utc", "--pack", "utcnow", repo.folder),
            ("decide", "utc", "accept", "--rule", "naive-utcnow"),
            ("check", "utc", "--", "true"),
            ("apply", "utc"),
        )
        for step in steps:
            filler = fill(disk, left)
            done = home.run(*step, code=(0, 2))
            assert done.code == 0 or done.err, step
            assert "internal error" not in done.said
            filler.unlink()
            done = home.run(*step, code=(0, 2))
            if done.code == 2:
                assert "there is a campaign" in done.said, done.said
                home.run("scan", "utc")
        assert repo.show("pinsetter/utc/no-owner", "x.py") == NEW
        assert repo.git("rev-list", "--count", "main..pinsetter/utc/no-owner") == "1"
        repo.git("fsck", "--strict")
