"""Uncommitted changes: said before files are written, and a refusal where that is asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import BIN, FRONT_ENDS, TRAIN, run

from pinsetter.codemods.engine.git.uncommitted import changes, obstacles, warn

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
WARNING = "warning: 1 file to be written has uncommitted changes: "


@pytest.fixture(autouse=True)
def _plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                   cwd=folder, check=True, capture_output=True)  # fmt: skip


def commit(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "a", "--allow-empty")


def test_a_clean_file_is_nothing_to_speak_of(script: Path) -> None:
    commit(script.parent)
    found = changes([script])
    assert (found.uncommitted, found.unknown) == ([], {})
    assert obstacles([script]) == []


def test_a_bowler_script_says_it_too(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("def old(): pass\n")
    commit(tree)
    codemod = tmp_path / "renaming.py"
    codemod.write_text(
        "import sys\nfrom bowler import Query\n\ndef main():\n"
        "    Query(sys.argv[1:]).select_function('old').rename('new').write()\n"
    )
    for text, said in [("x = 1\n", True), ("", False)]:
        (tree / "a.py").write_text(f"def old(): pass\n{text}")
        if not text:
            commit(tree)
        result = run(tree, command=[str(BIN / "bowler"), "run", str(codemod), "--"])
        assert result.code == 0
        assert (WARNING in result.said) is said, result.said
        assert "def new()" in (tree / "a.py").read_text()


def test_other_files_changes_do_not_matter(script: Path) -> None:
    commit(script.parent)
    (script.parent / "other.py").write_text("x = 1\n")
    assert changes([script]).uncommitted == []


def test_files_in_no_repository_are_nobody_s_concern(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert changes([script]).unknown == {script: ""}
    warn([script])
    assert capsys.readouterr().err == ""
    assert "it is in no git repository" in str(obstacles([script])[0])


def test_without_git_there_is_nothing_to_ask(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(script.parent)
    script.write_text("x = 1\n")
    monkeypatch.setenv("PATH", str(script.parent))
    warn([script])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("how", ["changed", "staged", "new", "renamed"])
def test_what_is_not_committed(script: Path, how: str) -> None:
    path = script
    if how == "new":
        script.rename(script.parent / "kept.py")
    commit(script.parent)
    if how in ("changed", "staged"):
        script.write_text("x = 1\n")
    if how == "new":
        path.write_text("x = 1\n")
    if how == "renamed":
        path = script.parent / "b.py"
        git(script.parent, "mv", script.name, path.name)
    if how == "staged":
        git(script.parent, "add", "-A")
    assert changes([path]).uncommitted == [path]


@pytest.mark.parametrize(
    "name", ["*.py", ":(top)x.py", "a b.py", "-x.py", "\u00e4\n.py", "new/deep/x.py"]
)
def test_names_are_no_patterns(tmp_path: Path, name: str) -> None:
    (tmp_path / "kept.py").touch()
    commit(tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    assert changes([tmp_path / "kept.py", path]).uncommitted == [path]


def test_each_repository_is_asked_about_its_own_files(tmp_path: Path) -> None:
    for name in ("one", "two", "two/in"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").touch()
    for name in ("two/in", "two", "one"):
        commit(tmp_path / name)
    paths = [tmp_path / name / "a.py" for name in ("one", "two", "two/in")]
    assert changes(paths).uncommitted == []
    for path in paths:
        path.write_text("x = 1\n")
    assert set(changes(paths).uncommitted) == set(paths)


def test_a_link_is_asked_about_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.py").touch()
    commit(tmp_path / "a")
    (tmp_path / "b.py").symlink_to("a/a.py")
    assert changes([tmp_path / "b.py"]).uncommitted == []
    (tmp_path / "a" / "a.py").write_text("x = 1\n")
    assert changes([tmp_path / "b.py"]).uncommitted == [tmp_path / "b.py"]


def test_a_hook_s_environment_does_not_mislead(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(script.parent)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "none"))
    assert changes([script]).unknown == {}


def test_what_git_says_against_it_is_said(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(script.parent)
    (script.parent / ".git" / "HEAD").write_text("nonsense")
    warn([script])
    assert "warning: git does not say what is committed: " in capsys.readouterr().err
    assert "--require-clean, but" in str(obstacles([script])[0])


# ---------------------------------------------------------------- commands


def test_a_clean_run_says_nothing(script: Path) -> None:
    commit(script.parent)
    result = run("--write", "--require-clean", script)
    assert result.code == 0
    assert "uncommitted" not in result.err
    assert "hvd.init()" in script.read_text()


@pytest.mark.parametrize("mode", ["--check", "--diff"])
def test_what_writes_nothing_says_nothing(script: Path, mode: str) -> None:
    commit(script.parent)
    script.write_text(f"{TRAIN}\n")
    assert "uncommitted" not in run(mode, script).err
    result = run(mode, "--require-clean", script)
    assert result.code == 3
    assert f"--require-clean has no meaning with {mode}" in result.err


def test_a_dirty_run_warns_and_goes_on(script: Path) -> None:
    commit(script.parent)
    script.write_text(f"{TRAIN}\n")
    result = run("--write", script)
    assert result.code == 0
    assert f"{WARNING}{script} (commit" in result.err
    assert "hvd.init()" in script.read_text()


def test_a_second_run_finds_no_change_to_warn_about(script: Path) -> None:
    commit(script.parent)
    run("--write", script)
    assert "uncommitted" not in run("--write", script).err


def test_a_dirty_run_may_be_forbidden(script: Path) -> None:
    commit(script.parent)
    script.write_text(f"{TRAIN}\n")
    result = run("--write", "--require-clean", script)
    assert result.code == 2
    assert f"{script}: not written: it has uncommitted changes (commit or stash them)" in result.err
    assert script.read_text() == f"{TRAIN}\n"


def test_a_review_is_warned_before_the_first_hunk_and_before_writing(script: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    commit(script.parent)
    script.write_text(f"{TRAIN}\n")
    command = [*FRONT_ENDS["pinsetter"], str(script), "--yes"]
    child = pexpect.spawn(
        command[0], command[1:], encoding="utf-8", timeout=30, dimensions=(50, 300)
    )
    child.expect(r"\?\]\? ")
    assert child.before.count(f"{script} has uncommitted changes") == 1
    child.send("a")
    child.expect(pexpect.EOF)
    assert child.before.count(WARNING) == 1
    child.close()
    assert child.exitstatus == 0


def test_a_forbidden_review_asks_nothing(script: Path) -> None:
    commit(script.parent)
    script.write_text(f"{TRAIN}\n")
    result = run("--require-clean", script)
    assert result.code == 2
    assert b"Apply" not in result.out
