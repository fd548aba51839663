"""A repository that names programs wherever git would run one: none of them runs. Real git."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import TRAIN, run

from pinsetter.codemods.engine.git.uncommitted import changes, obstacles, warn
from pinsetter.codemods.engine.resume.live_session import person

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
# What git has a setting for, in .git/config, that is a program.
PROGRAMS = (
    "core.fsmonitor", "core.pager", "pager.status", "pager.config", "pager.rev-parse",
    "core.sshCommand", "core.gitProxy", "core.askPass", "core.editor", "sequence.editor",
    "core.alternateRefsCommand", "diff.external", "diff.odd.command", "diff.odd.textconv",
    "filter.odd.clean", "filter.odd.smudge", "filter.odd.process", "merge.odd.driver",
    "gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "credential.helper",
    "interactive.diffFilter", "uploadpack.packObjectsHook", "remote.origin.uploadpack",
    "remote.origin.vcs",
)  # fmt: skip
HOOKS = ("post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "pre-auto-gc",
         "reference-transaction")  # fmt: skip


@pytest.fixture(autouse=True)
def _plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always",
         *arguments],
        cwd=folder, check=check, capture_output=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.stdout.decode()


def commit(folder: Path) -> None:
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "a", "--allow-empty")


class Bait:
    """A program that notes that it ran, and what for."""

    def __init__(self, folder: Path) -> None:
        self.notes = folder / "ran"
        self.notes.mkdir()
        self.program = folder / "bait"
        self.program.write_text(f'#!/bin/sh\n: > "{self.notes}/$(basename "$0")"\nfor a; do '
                                f': > "{self.notes}/$(basename "$a")"; done\ncat\n')  # fmt: skip
        self.program.chmod(0o755)

    @property
    def ran(self) -> list[str]:
        return sorted(path.name for path in self.notes.iterdir())

    def forget(self) -> None:
        for path in self.notes.iterdir():
            path.unlink()


@pytest.fixture
def bait(tmp_path: Path) -> Bait:
    return Bait(tmp_path)


def baited(folder: Path, bait: Bait) -> None:
    """Have a committed tree name the program everywhere."""
    dot_git = folder / ".git"
    (dot_git / "info").mkdir(exist_ok=True)
    (dot_git / "info" / "attributes").write_text("*.py filter=odd diff=odd merge=odd\n")
    for name in PROGRAMS:
        git(folder, "config", name, f"{bait.program} {name}")
    for name in HOOKS:
        shutil.copy(bait.program, dot_git / "hooks" / name)
    for key, value in {
        "remote.origin.url": f"ext::{bait.program} ext", "remote.origin.promisor": "true",
        "extensions.partialClone": "origin", "core.repositoryFormatVersion": "1",
        "alias.rev-parse": f"!{bait.program} alias", "alias.config": f"!{bait.program} alias",
        "alias.ls-tree": f"!{bait.program} alias", "status.submoduleSummary": "true",
    }.items():  # fmt: skip
        git(folder, "config", key, value)
    included = folder / "included"
    included.write_text(f'[filter "more"]\n\tclean = {bait.program} included\n')
    git(folder, "config", "include.path", str(included))
    bait.forget()  # git config itself asks nothing, but who knows


def changed(tree: Path) -> Path:
    path = tree / "train.py"
    path.write_text(f"{TRAIN}\n")
    return path


def test_the_bait_is_taken_by_git_itself(script: Path, bait: Bait) -> None:
    commit(script.parent)
    baited(script.parent, bait)
    changed(script.parent)
    git(script.parent, "status", check=False)
    git(script.parent, "hash-object", script.name, check=False)
    assert {"core.fsmonitor", "filter.odd.process"} <= set(bait.ran)


def test_nothing_runs_when_git_is_asked(
    script: Path, bait: Bait, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(script.parent)
    baited(script.parent, bait)
    assert changes([script]).unknown == {}  # its bytes are those of the commit
    changed(script.parent)
    warn([script])
    said = capsys.readouterr().err
    assert "warning: git does not say what is committed: what passes the filter 'odd'" in said
    assert "no filter is run" in str(obstacles([script])[0])
    assert person(script.parent)
    assert bait.ran == []


def test_nothing_runs_in_a_run(script: Path, bait: Bait) -> None:
    commit(script.parent)
    baited(script.parent, bait)
    changed(script.parent)
    assert run("--write", ".", cwd=script.parent).code == 0
    assert bait.ran == []


@pytest.mark.parametrize("option", [["--since", "HEAD"], ["--staged"]])
def test_nothing_runs_when_git_is_asked_what_changed(
    script: Path, bait: Bait, option: list[str]
) -> None:
    commit(script.parent)
    changed(script.parent)
    git(script.parent, "add", "train.py")
    baited(script.parent, bait)
    found = run("--check", ".", *option, cwd=script.parent)
    assert found.code == 1, found.said
    assert bait.ran == []


def test_objects_that_are_missing_are_not_fetched(script: Path, bait: Bait) -> None:
    commit(script.parent)
    tree = git(script.parent, "rev-parse", "HEAD^{tree}").strip()
    baited(script.parent, bait)
    (script.parent / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    bait.forget()
    assert list(changes([script]).unknown) == [script]
    assert bait.ran == []


def test_nothing_of_a_submodule_runs(tmp_path: Path, bait: Bait) -> None:
    for name in ("inner", "outer"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(TRAIN)
        commit(tmp_path / name)
    outer = tmp_path / "outer"
    git(outer, "submodule", "--quiet", "add", str(tmp_path / "inner"), "inner")
    commit(outer)
    for name in PROGRAMS:
        git(outer / "inner", "config", name, f"{bait.program} {name}")
    paths = [outer / "train.py", outer / "inner" / "train.py"]
    assert (changes(paths).uncommitted, changes(paths).unknown) == ([], {})
    paths[1].write_text("x = 1\n")
    bait.forget()
    assert changes(paths).uncommitted == [paths[1]]
    assert bait.ran == []


def test_a_person_s_own_filters_do_not_run_either(
    script: Path, bait: Bait, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `python -m nbstripout` would take that module from the tree, if there is one.
    settings, attributes = script.parent.parent / "config", script.parent.parent / "attributes"
    attributes.write_text("*.py filter=mine\n")
    settings.write_text(
        f'[core]\n\tattributesFile = {attributes}\n[filter "mine"]\n\tclean = {bait.program} x\n'
    )
    commit(script.parent)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert (changes([script]).uncommitted, changes([script]).unknown) == ([], {})
    changed(script.parent)
    assert "'mine'" in changes([script]).unknown[script]
    assert bait.ran == []


def autocrlf(tree: Path) -> None:
    git(tree, "config", "core.autocrlf", "true")


def attribute(tree: Path) -> None:
    (tree / ".gitattributes").write_text("*.py text eol=crlf\n")


def own_attribute(tree: Path) -> None:
    (tree / ".git" / "info").mkdir(exist_ok=True)
    (tree / ".git" / "info" / "attributes").write_text("*.py text=auto\n")


@pytest.mark.parametrize("converted", [autocrlf, attribute, own_attribute])
def test_line_ends_that_git_converts_are_no_change(
    script: Path, converted: Callable[[Path], None]
) -> None:
    commit(script.parent)
    script.write_bytes(TRAIN.replace("\n", "\r\n").encode())
    assert changes([script]).uncommitted == [script]
    converted(script.parent)
    found = changes([script])
    assert (found.uncommitted, found.unknown) == ([], {})


def test_a_committed_carriage_return_is_no_change(script: Path) -> None:
    script.write_bytes(TRAIN.replace("\n", "\r\n").encode())
    commit(script.parent)
    git(script.parent, "config", "core.autocrlf", "true")
    found = changes([script])
    assert (found.uncommitted, found.unknown) == ([], {})


def test_what_an_index_hides_is_seen(script: Path) -> None:
    commit(script.parent)
    git(script.parent, "update-index", "--assume-unchanged", script.name)
    changed(script.parent)
    assert changes([script]).uncommitted == [script]


def test_what_git_ignores_is_not_known_to_it(script: Path) -> None:
    (script.parent / ".gitignore").write_text("train.py\n")
    commit(script.parent)
    assert changes([script]).uncommitted == [script]


def test_a_repository_with_its_files_elsewhere_says_nothing(script: Path, tmp_path: Path) -> None:
    commit(script.parent)
    git(script.parent, "config", "core.worktree", str(tmp_path))
    assert "is not where" in changes([script]).unknown[script]


def test_a_folder_that_is_no_repository_is_not_taken_for_the_one_around_it(script: Path) -> None:
    commit(script.parent)
    inner = script.parent / "inner"
    (inner / ".git").mkdir(parents=True)
    (inner / "a.py").touch()
    assert "is not where" in changes([inner / "a.py"]).unknown[inner / "a.py"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs another owner")
def test_a_repository_of_somebody_else_says_nothing(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(script.parent)
    for path in (script.parent, script.parent / ".git"):
        os.chown(path, 12345, 12345)
    assert "dubious ownership" in changes([script]).unknown[script]
    settings = script.parent.parent / "config"
    settings.write_text(f"[safe]\n\tdirectory = {script.parent}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert changes([script]).unknown == {}


def test_worktrees_and_new_hashes_are_compared_too(tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    git(first, "init", "-q", "--object-format=sha256")
    (first / "a.py").touch()
    commit(first)
    git(first, "worktree", "add", "-q", str(tmp_path / "second"))
    path = tmp_path / "second" / "a.py"
    assert (changes([path]).uncommitted, changes([path]).unknown) == ([], {})
    path.write_bytes(b"x = 1\r\n")
    assert changes([path]).uncommitted == [path]


def test_git_is_not_taken_from_the_tree(
    script: Path, bait: Bait, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(script.parent)
    shutil.copy(bait.program, script.parent / "git")
    monkeypatch.chdir(script.parent)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    assert changes([script]).unknown == {}
    assert bait.ran == []
