"""Campaigns on real git repositories: what is proposed, decided, checked, applied, and how it goes
on while the code changes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pexpect
import pytest
from campaigning import NEW, OLD, PLAIN, PYTHON, Home, Repo
from commands import BIN, run

from pinsetter.codemods.engine.campaign import publishing

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
OWNERS = "a/ @org/team-a\nb/ @team-b\n"
LONGER = "{}\n\n\nx = 1\ny = 2\nz = 3\n"
MOVED = f"# A line.\n{LONGER}w = 4\n"
FILES = {"a/x.py": OLD, "b/y.py": OLD, "c.py": PLAIN, ".github/CODEOWNERS": OWNERS}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.of(tmp_path / "repo", FILES)


def test_nothing_is_to_be_done(home: Home, tmp_path: Path) -> None:
    repo = Repo.of(tmp_path / "repo", {"a.py": PLAIN, "b.py": NEW})
    before = repo.state()
    assert "nothing new" in home.start(repo).said
    assert home.counts() == {}
    done = home.run("apply", "utc")
    assert (done.said, repo.state(), repo.branches()) == ("", before, ["main"])
    assert home.run("status", "utc", "--exit-code").code == 0


def test_what_nobody_decided_is_not_applied(home: Home, repo: Repo) -> None:
    before = repo.state()
    home.start(repo)
    assert "1 hunk(s) are open" in home.run("apply", "utc").said
    assert (repo.state(), repo.branches()) == (before, ["main"])
    assert home.run("status", "utc", "--exit-code", code=1).code == 1


def test_what_is_rejected_is_not_applied(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "reject", "--rule", "naive-utcnow")
    home.run("apply", "utc")
    assert repo.branches() == ["main"]
    assert home.counts() == {"refused": 2}
    assert home.run("status", "utc", "--exit-code").code == 0


def test_a_shard_becomes_a_branch(home: Home, repo: Repo) -> None:
    repo.write({"mine.py": "not committed", "c.py": "changed"})
    before = repo.state()
    home.start(repo)
    assert set(home.shards()) == {"org.team-a", "team-b"}
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc")
    assert repo.branches() == ["main", "pinsetter/utc/team-b"]
    assert repo.show("pinsetter/utc/team-b", "b/y.py") == NEW
    assert repo.git("diff", "--name-only", "main", "pinsetter/utc/team-b") == "b/y.py"
    assert repo.state() == before
    message = repo.git("log", "-1", "--format=%an <%ae>%n%B", "pinsetter/utc/team-b")
    assert message.startswith("First <first@example.org>\nutc: 1 change in 1 file\n")
    assert "Pinsetter-Campaign: utc\nPinsetter-Shard: team-b" in message
    assert "Co-authored-by" not in message  # who commits reviewed it


def test_applied_twice_is_applied_once(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc")
    first = repo.head("pinsetter/utc/team-b")
    assert "is already at" in home.run("apply", "utc").said
    assert repo.head("pinsetter/utc/team-b") == first


def test_who_reviewed_is_named(home: Home, repo: Repo) -> None:
    home.start(repo)
    repo.git("config", "user.name", "Second")
    repo.git("config", "user.email", "second@example.org")
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    repo.git("config", "user.name", "First")
    repo.git("config", "user.email", "first@example.org")
    home.run("apply", "utc")
    message = repo.git("log", "-1", "--format=%B", "pinsetter/utc/team-b")
    assert "Co-authored-by: Second <second@example.org>" in message


def test_the_code_moves_on(home: Home, repo: Repo) -> None:
    repo.commit({"b/y.py": LONGER.format(OLD)})
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc")
    repo.commit({"a/x.py": PLAIN, "d/z.py": OLD, "b/y.py": MOVED.format(OLD)})
    assert "1 new, 1 gone" in home.run("scan", "utc").said
    assert home.counts() == {"open": 1, "accepted": 1, "gone": 1}
    home.run("apply", "utc")
    assert repo.show("pinsetter/utc/team-b", "b/y.py") == MOVED.format(NEW)
    assert repo.head("pinsetter/utc/team-b~1") == repo.head()


def test_a_changed_place_is_asked_about_again(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("decide", "utc", "reject", "--owner", "@org/team-a")
    other = OLD.replace("    return", "    # Look here.\n    return")
    repo.commit({"b/y.py": other, "c.py": "x = 2\n"})
    assert "1 to be decided again" in home.run("scan", "utc").said
    assert home.counts() == {"open": 1, "refused": 1}


def test_merged_and_come_back(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc")
    repo.git("merge", "-q", "--squash", "pinsetter/utc/team-b")
    repo.commit({}, "squashed")
    assert "1 merged" in home.run("scan", "utc").said
    assert home.counts() == {"open": 1, "merged": 1}
    assert "delete it if it is merged" in home.run("apply", "utc", "--owner", "@team-b").said
    repo.git("branch", "-qD", "pinsetter/utc/team-b")
    repo.commit({"b/y.py": OLD})
    assert "1 came back" in home.run("scan", "utc").said
    assert home.counts() == {"open": 2, "regressed": 1}


def test_what_is_left_of_a_merged_file_keeps_its_decision(home: Home, tmp_path: Path) -> None:
    """Though the lines around it are others once the branch is merged."""
    two = OLD + "    return datetime.datetime.utcfromtimestamp(1)\n"
    repo = Repo.of(tmp_path / "repo", {"x.py": two})
    home.start(repo)
    rules = {one["rule"]: one["id"] for one in home.status("utc", "--hunks")["hunks"]}
    assert len(rules) == 2
    home.run("decide", "utc", "accept", "--hunk", rules.pop("naive-utcnow"))
    home.run("decide", "utc", "reject", "--hunk", rules.popitem()[1])
    home.run("apply", "utc")
    repo.git("merge", "-q", "pinsetter/utc/no-owner")
    assert "to be decided again" not in home.run("scan", "utc").said
    assert home.counts() == {"refused": 1, "merged": 1}


def test_a_program_is_not_applied_without_what_is_essential(home: Home, tmp_path: Path) -> None:
    demo = Path(__file__).parents[2] / "fixtures" / "demo"
    files = {str(path.relative_to(demo)): path.read_text() for path in demo.rglob("*.py")}
    repo = Repo.of(tmp_path / "repo", files)
    home.run("start", "hvd", "--pack", "tf2_gradient_tape", repo.folder)
    home.run("decide", "hvd", "accept", "--shard", "no-owner")
    (id,) = [one["id"] for one in home.status("hvd", "--hunks")["hunks"]
             if one["rule"] == "average-gradients"]  # fmt: skip
    home.run("decide", "hvd", "reopen", "--hunk", id)
    said = home.run("apply", "hvd", code=2).said
    assert "average-gradients" in said
    assert str(repo.folder / "train.py") in said
    assert repo.branches() == ["main"]
    home.run("decide", "hvd", "accept", "--hunk", id)
    home.run("apply", "hvd")
    assert len(repo.branches()) == 2


def test_a_branch_with_merges_is_left(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc")
    repo.git("checkout", "-q", "-b", "side", "pinsetter/utc/team-b~1")
    repo.commit({"side.py": PLAIN})
    repo.git("checkout", "-q", "pinsetter/utc/team-b")
    repo.git("merge", "-q", "--no-edit", "side")
    theirs = repo.head()
    repo.git("checkout", "-q", "main")
    repo.commit({"c.py": "x = 2\n"})
    home.run("scan", "utc")
    assert "there are merges on it" in home.run("apply", "utc", code=2).said
    assert repo.head("pinsetter/utc/team-b") == theirs


def test_commits_of_others_are_kept(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc")
    repo.git("checkout", "-q", "pinsetter/utc/team-b")
    theirs = repo.commit({"b/test_y.py": "assert True\n"}, "A test")
    assert "is already at" in home.run("apply", "utc").said
    repo.git("checkout", "-q", "main")
    repo.commit({"c.py": "x = 2\n"})
    home.run("scan", "utc")
    repo.git("checkout", "-q", "pinsetter/utc/team-b")
    assert "while somebody is on it" in home.run("apply", "utc", code=2).said
    assert repo.head("pinsetter/utc/team-b") == theirs
    repo.git("checkout", "-q", "main")
    assert "1 commit(s) of others kept" in home.run("apply", "utc").said
    subjects = repo.git("log", "--format=%s", "main..pinsetter/utc/team-b").splitlines()
    assert subjects == ["A test", "utc: 1 change in 1 file"]
    assert repo.head("pinsetter/utc/team-b~2") == repo.head()
    again = home.run("apply", "utc").said
    assert "is already at" in again
    assert "1 commit(s) of others kept" in again


def test_a_commit_of_others_that_came_another_way_is_not_kept(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc")
    repo.git("checkout", "-q", "pinsetter/utc/team-b")
    theirs = repo.commit({"b/test_y.py": "assert True\n"}, "A test")
    repo.git("checkout", "-q", "main")
    repo.git("cherry-pick", theirs)
    home.run("scan", "utc")
    assert "of others kept" not in home.run("apply", "utc").said
    assert repo.git("rev-list", "--count", "main..pinsetter/utc/team-b") == "1"


def test_a_conflict_with_others_is_told_and_nothing_lost(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc")
    repo.git("checkout", "-q", "pinsetter/utc/team-b")
    theirs = repo.commit({"b/y.py": NEW.replace("tzinfo=None", "tzinfo=None, fold=0")})
    repo.git("checkout", "-q", "main")
    repo.commit({"b/y.py": OLD.replace("datetime.utcnow()", "datetime.utcnow()  # Here.")})
    home.run("scan", "utc")
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    said = home.run("apply", "utc", code=2).said
    assert "conflicts in b/y.py" in said
    assert repo.head("pinsetter/utc/team-b") == theirs


def test_a_branch_of_somebody_else_is_left(home: Home, repo: Repo) -> None:
    repo.git("branch", "pinsetter/utc/team-b")
    repo.git("checkout", "-q", "pinsetter/utc/team-b")
    theirs = repo.commit({"mine.py": PLAIN})
    repo.git("checkout", "-q", "main")
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    assert "no commit of this campaign" in home.run("apply", "utc", code=2).said
    assert repo.head("pinsetter/utc/team-b") == theirs


def test_checks_tell_what_failed_before(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    said = home.run("check", "utc", "--", PYTHON, "-c", "import sys; sys.exit(3)", code=1).said
    assert said.count("fails, as before") == 2
    home.run("apply", "utc", "--checked")
    assert len(repo.branches()) == 3


def test_the_code_without_any_shard_is_checked_once(home: Home, repo: Repo, tmp_path: Path) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    noting = f"open({str(tmp_path / 'ran')!r}, 'a').write('x')"
    home.run("check", "utc", "--", PYTHON, "-c", noting)
    assert (tmp_path / "ran").read_text() == "xxx"  # and with each of two


def test_a_shard_that_fails_is_not_applied_if_it_is_asked(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    old_only = "import sys; sys.exit('utcnow' not in open('b/y.py').read())"
    said = home.run("check", "utc", "--", PYTHON, "-c", old_only, code=1).said
    assert "fails, and passed before" in said
    assert "passes" in said
    assert "its last check fails" in home.run("apply", "utc", "--checked", code=2).said
    assert repo.branches() == ["main", "pinsetter/utc/org.team-a"]
    assert home.shards()["team-b"]["check"]["after"] == 1


def test_what_was_not_checked_as_it_is_now(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    assert "not checked as it is now" in home.run("apply", "utc", "--checked", code=2).said
    home.run("check", "utc", "--", PYTHON, "-c", "")
    repo.commit({"b/y.py": "# A line.\n" + OLD})
    home.run("scan", "utc")
    assert "not checked as it is now" in home.run("apply", "utc", "--checked", code=2).said


def test_a_check_has_a_clean_tree_and_an_end(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    first = "import os, sys; sys.exit(os.path.exists('left')); "
    leaving = "import os, sys; was = os.path.exists('left'); open('left', 'w'); sys.exit(was)"
    home.run("check", "utc", "--", PYTHON, "-c", leaving)
    home.run("check", "utc", "--", PYTHON, "-c", first)
    slow = home.run(
        "check", "utc", "--timeout", "0.5", "--", PYTHON, "-c",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])",
        code=1,
    )  # fmt: skip
    assert "did not end in 0.5 seconds" in slow.said
    assert "no-such" in home.run("check", "utc", "--", "./no-such", code=1).said


def test_patches_apply(home: Home, repo: Repo, tmp_path: Path) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc", "--patch", tmp_path / "patches")
    (patch,) = (tmp_path / "patches").iterdir()
    repo.git("am", "-q", str(patch))
    assert (repo.folder / "b/y.py").read_text() == NEW


def test_nothing_is_pushed_without_being_asked(home: Home, repo: Repo, tmp_path: Path) -> None:
    remote = Repo(tmp_path / "remote.git")
    remote.folder.mkdir()
    remote.git("init", "-q", "--bare")
    repo.git("remote", "add", "origin", str(remote.folder))
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc")
    assert remote.branches() == []
    home.run("apply", "utc", "--push")
    assert remote.branches() == ["pinsetter/utc/team-b"]
    assert remote.head("pinsetter/utc/team-b") == repo.head("pinsetter/utc/team-b")


def test_what_others_pushed_is_not_pushed_over(home: Home, repo: Repo, tmp_path: Path) -> None:
    remote = Repo(tmp_path / "remote.git")
    remote.folder.mkdir()
    remote.git("init", "-q", "--bare")
    repo.git("remote", "add", "origin", str(remote.folder))
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    home.run("apply", "utc", "--push")
    repo.git("clone", "-q", str(remote.folder), str(tmp_path / "theirs"))
    theirs = Repo(tmp_path / "theirs")
    theirs.git("checkout", "-q", "pinsetter/utc/team-b")
    theirs.git("config", "user.name", "Second")
    theirs.git("config", "user.email", "second@example.org")
    pushed = theirs.commit({"b/more.py": PLAIN}, "More")
    theirs.git("push", "-q")
    repo.commit({"c.py": "x = 3\n"})
    home.run("scan", "utc")
    assert "somebody pushed there" in home.run("apply", "utc", "--push", code=2).said
    assert remote.head("pinsetter/utc/team-b") == pushed


def test_a_request_is_opened_once_with_what_is_installed(
    home: Home, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = Repo(tmp_path / "remote.git")
    remote.folder.mkdir()
    remote.git("init", "-q", "--bare")
    repo.git("remote", "add", "origin", str(remote.folder))
    tools = tmp_path / "tools"
    tools.mkdir()
    gh = tools / "gh"
    # Answers as gh does at first, for want of the service.
    gh.write_text(
        "#!/bin/sh\n"
        f'echo "$@" >> {tmp_path}/asked\n'
        f'if [ ! -e {tmp_path}/once ]; then touch {tmp_path}/once; echo "secondary rate limit" >&2;'
        " exit 1; fi\necho https://example.org/pull/7\n"
    )
    gh.chmod(0o755)
    env = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    monkeypatch.setattr(publishing, "_PAUSE", 0.01)
    home.start(repo)
    home.run("decide", "utc", "accept", "--rule", "naive-utcnow")
    asked = ("--push", "--request", "--draft", "--label", "codemod")
    home.run("apply", "utc", "--owner", "@org/team-a", *asked, env=env)
    home.run("apply", "utc", "--owner", "@org/team-a", *asked, env=env)
    calls = (tmp_path / "asked").read_text().count("pr create")
    assert calls == 2  # the first met the limit
    told = (tmp_path / "asked").read_text()
    assert "--head pinsetter/utc/org.team-a --base main" in told
    assert "--reviewer org/team-a --label codemod --draft" in told
    assert home.shards()["org.team-a"]["request"] == "https://example.org/pull/7"


def test_guard(home: Home, repo: Repo) -> None:
    home.start(repo)
    base = repo.head()
    repo.commit({"c.py": "x = 3\n", "a/x.py": f"# A line.\n{OLD}", "b/z.py": NEW})
    assert home.run("guard", "utc", repo.folder, "--since", base).said == ""
    repo.git("mv", "b/y.py", "b/w.py")
    repo.commit({})
    assert home.run("guard", "utc", repo.folder, "--since", base).said == ""
    repo.commit({"new.py": OLD})
    said = home.run("guard", "utc", repo.folder, "--since", base, code=1).said
    assert f"{repo.folder}/new.py:5: naive-utcnow" in said
    elsewhere = Home(home.folder.with_name("elsewhere"))
    given = ("guard", "utc", repo.folder, "--since", base, "--pack", "utcnow")
    assert "new.py:5" in elsewhere.run(*given, code=1).said
    assert "no revision" in home.run("guard", "utc", repo.folder, "--since", "v9", code=2).said


def test_a_comment_takes_a_hunk_out_and_back(home: Home, repo: Repo) -> None:
    home.start(repo)
    hidden = OLD.replace("utcnow()", "utcnow()  # pinsetter: ignore[naive-utcnow]")
    repo.commit({"b/y.py": hidden})
    home.run("scan", "utc")
    assert home.counts() == {"open": 1, "suppressed": 1}
    repo.commit({"b/y.py": OLD})
    home.run("scan", "utc")
    assert home.counts() == {"open": 2}


def test_a_file_that_breaks_keeps_its_hunks(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    repo.commit({"b/y.py": OLD + "def broken(:\n"})
    said = home.run("scan", "utc", code=2).said
    assert f"{repo.folder}/b/y.py:6" in said
    assert home.counts() == {"open": 1, "accepted": 1}
    home.run("scan", "utc", code=2)  # it is not forgotten that it was not understood
    home.run("decide", "utc", "reject", "--owner", "@org/team-a")
    assert "not all of it was understood" in home.run("status", "utc", "--exit-code", code=2).said
    home.run("decide", "utc", "reopen", "--owner", "@org/team-a")
    repo.commit({"b/y.py": OLD})
    assert "nothing new" in home.run("scan", "utc").said
    assert home.counts() == {"open": 1, "accepted": 1}


def test_a_file_that_moves_keeps_its_decisions(home: Home, repo: Repo) -> None:
    home.start(repo)
    home.run("decide", "utc", "accept", "--owner", "@team-b")
    repo.git("mv", "b/y.py", "b/other.py")
    repo.commit({})
    assert "nothing new" in home.run("scan", "utc").said
    assert home.counts() == {"open": 1, "accepted": 1}
    home.run("apply", "utc")
    assert repo.show("pinsetter/utc/team-b", "b/other.py") == NEW


def test_programs_are_not_split(home: Home, tmp_path: Path) -> None:
    demo = Path(__file__).parents[2] / "fixtures" / "demo"
    files = {
        str(path.relative_to(demo)): path.read_text()
        for path in demo.rglob("*.py")
    }  # fmt: skip
    owners = "".join(f"/{name} @owner{number}\n" for number, name in enumerate(files))
    repo = Repo.of(tmp_path / "repo", {**files, "CODEOWNERS": owners})
    home.run("start", "hvd", "--pack", "tf2_gradient_tape", repo.folder, "--size", "1")
    assert len(home.shards("hvd")) == 1


def test_several_repositories(home: Home, tmp_path: Path) -> None:
    one = Repo.of(tmp_path / "one" / "app", {"x.py": OLD})
    two = Repo.of(tmp_path / "two" / "app", {"x.py": OLD})
    listing = tmp_path / "list.txt"
    listing.write_text("# All of them.\none/app\n\ntwo/app\n")
    home.run("start", "utc", "--pack", "utcnow", "--repositories", listing)
    names = [each["name"] for each in home.status()["repositories"]]
    assert names == ["app", "app-2"]
    home.run("decide", "utc", "accept", "--shard", "app-2:no-owner")
    home.run("apply", "utc")
    assert (len(one.branches()), len(two.branches())) == (1, 2)


def test_by_folder_and_size(home: Home, tmp_path: Path) -> None:
    files = {f"{folder}/f{n}.py": OLD for folder in "ab" for n in range(5)}
    repo = Repo.of(tmp_path / "repo", files)
    home.start(repo, "--by", "folder", "--size", "2")
    counts = {name: shard["counts"]["open"] for name, shard in home.shards().items()}
    assert counts == {"a": 2, "a-2": 2, "a-3": 1, "b": 2, "b-2": 2, "b-3": 1}


def test_a_review_in_the_terminal(home: Home, repo: Repo) -> None:
    home.start(repo)
    env = {**os.environ, "PINSETTER_CAMPAIGNS": str(home.folder), "TERM": "xterm"}
    arguments = ["campaign", "review", "utc", "--by", "hunk"]

    def reviewing(keys: str) -> None:
        child = pexpect.spawn(
            str(BIN / "pinsetter"), arguments, env=env, encoding="utf-8", timeout=30,
            dimensions=(40, 100),
        )  # fmt: skip
        for key in keys:
            child.expect(r"Apply this hunk")
            child.expect(r"\? ")
            child.send(key)
        child.expect("campaign apply utc")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0

    reviewing("yq")
    assert home.counts() == {"open": 1, "accepted": 1}
    reviewing("n")
    assert home.counts() == {"accepted": 1, "refused": 1}
    home.run("apply", "utc")
    assert repo.branches() == ["main", "pinsetter/utc/org.team-a"]


def test_a_review_whose_input_ends(home: Home, repo: Repo) -> None:
    home.start(repo)
    env = {"PINSETTER_CAMPAIGNS": str(home.folder)}
    done = run("campaign", "review", "utc", command=[str(BIN / "pinsetter")], env=env)
    assert done.code == 1
    assert home.counts() == {"open": 2}


def test_what_is_edited_in_a_review_is_applied(home: Home, repo: Repo, tmp_path: Path) -> None:
    home.start(repo)
    editor = tmp_path / "editor"
    editing = "open(file, 'w').write(text.replace('tzinfo=None', 'tzinfo=None, fold=0'))"
    lines = ("import sys", "file = sys.argv[-1]", "text = open(file).read()", editing)
    editor.write_text("\n".join([f"#!{PYTHON}", *lines, ""]))
    editor.chmod(0o755)
    env = {**os.environ, "PINSETTER_CAMPAIGNS": str(home.folder), "EDITOR": str(editor)}
    child = pexpect.spawn(
        str(BIN / "pinsetter"), ["campaign", "review", "utc", "--owner", "@team-b", "--by", "hunk"],
        env={**env, "TERM": "xterm"}, encoding="utf-8", timeout=30, dimensions=(40, 100),
    )  # fmt: skip
    for key in "ey":
        child.expect(r"Apply this hunk")
        child.expect(r"\? ")
        child.send(key)
    child.expect(pexpect.EOF)
    assert home.counts() == {"open": 1, "accepted": 1}
    home.run("apply", "utc")
    assert "tzinfo=None, fold=0" in repo.show("pinsetter/utc/team-b", "b/y.py")
    repo.commit({"c.py": "x = 2\n"})
    home.run("scan", "utc")
    home.run("apply", "utc")  # what a person wrote is not forgotten
    assert "tzinfo=None, fold=0" in repo.show("pinsetter/utc/team-b", "b/y.py")


def test_files_get_other_owners(home: Home, tmp_path: Path) -> None:
    """What is on no branch yet goes with them, and keeps its decisions."""
    repo = Repo.of(tmp_path / "repo", {"a/x.py": OLD, "b/y.py": OLD, "c/z.py": OLD,
                                       "CODEOWNERS": "/a/ @one\n/b/ @one\n/c/ @two\n"})  # fmt: skip
    home.start(repo)
    home.run("decide", "utc", "accept", "--shard", "one")
    repo.commit({"CODEOWNERS": "/a/ @one\n/b/ @three\n/c/ @two\n"})
    assert "1 in another shard" in home.run("scan", "utc").said
    shards = home.shards()
    assert {name: shards[name]["counts"]["accepted"] for name in ("one", "two", "three")} == {
        "one": 1, "two": 0, "three": 1,
    }  # fmt: skip
    home.run("apply", "utc", "--owner", "@three")
    assert repo.show("pinsetter/utc/three", "b/y.py") == NEW
    # Somebody reviews that branch: it stays whole.
    repo.commit({"CODEOWNERS": "/a/ @one\n/b/ @four\n/c/ @two\n"})
    assert "nothing new" in home.run("scan", "utc").said
    assert home.shards()["three"]["counts"]["accepted"] == 1
