"""Only what changed: since a revision, or staged. Real git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from commands import HUNKS, TRAIN, Result, run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main",
         *arguments], cwd=folder, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two programs, of which one has a module, committed."""
    (tmp_path / "one.py").write_text(TRAIN)
    body, _, loop = TRAIN.partition("\n\nfor number")
    (tmp_path / "steps.py").write_text(body + "\n")
    (tmp_path / "two.py").write_text(
        f"import tensorflow as tf\nfrom steps import step\n\nfor number{loop}"
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    return tmp_path


def checked(tree: Path, *arguments: str) -> Result:
    return run("--check", "--no-cache", ".", *arguments, cwd=tree)


def files_of(found: Result) -> set[str]:
    return {
        line.partition(":")[0] for line in found.out.decode().splitlines() if "proposed" in line
    }


def proposed(tree: Path, *arguments: str) -> set[str]:
    return files_of(checked(tree, "--format", "text", *arguments))


def test_without_changes_nothing_is_proposed(tree: Path) -> None:
    found = checked(tree, "--since", "HEAD")
    assert found.code == 0
    assert "0 proposed" in found.err
    assert "note: no file changed since HEAD" in found.err
    assert checked(tree, "--staged").code == 0
    assert checked(tree).code == 1


def test_a_changed_file_and_its_program(tree: Path) -> None:
    (tree / "steps.py").write_text((tree / "steps.py").read_text() + "\n\nX = 1\n")
    assert proposed(tree, "--since", "HEAD") == {"steps.py", "two.py"}
    assert proposed(tree, "--staged") == set()
    git(tree, "add", "steps.py")
    assert proposed(tree, "--staged") == {"steps.py", "two.py"}
    git(tree, "commit", "-q", "-m", "two")
    assert proposed(tree, "--since", "HEAD") == set()
    assert proposed(tree, "--since", "HEAD~1") == {"steps.py", "two.py"}


def test_a_file_that_git_does_not_know_is_new(tree: Path) -> None:
    (tree / "three.py").write_text(TRAIN)
    found = checked(tree, "--since", "HEAD")
    assert f"{HUNKS} proposed" in found.err
    assert "files      1 seen" in found.err


def test_what_the_other_branch_changed_meanwhile_does_not_count(tree: Path) -> None:
    git(tree, "checkout", "-q", "-b", "mine")
    (tree / "one.py").write_text(TRAIN + "\n# mine\n")
    git(tree, "commit", "-qam", "mine")
    git(tree, "checkout", "-q", "main")
    (tree / "two.py").write_text((tree / "two.py").read_text() + "\n# theirs\n")
    git(tree, "commit", "-qam", "theirs")
    git(tree, "checkout", "-q", "mine")
    assert proposed(tree, "--since", "main") == {"one.py"}


def test_before_the_first_commit_everything_is_new(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(TRAIN)
    git(tmp_path, "init", "-q")
    assert checked(tmp_path, "--staged").code == 0
    git(tmp_path, "add", ".")
    assert proposed(tmp_path, "--staged") == {"one.py"}


@pytest.mark.parametrize(
    ("revision", "said"),
    [("no-such", "there is no revision 'no-such'"), ("--output=x", "is no revision"),
     ("", "is no revision")],
)  # fmt: skip
def test_a_revision_that_is_none(tree: Path, revision: str, said: str) -> None:
    found = checked(tree, f"--since={revision}")
    assert found.code == 2
    assert f"git does not say what changed: {said}" in found.err or said in found.err
    assert not (tree / "x").exists()


@pytest.mark.parametrize("option", [["--since", "HEAD"], ["--staged"]])
def test_outside_of_a_repository(tmp_path: Path, option: list[str]) -> None:
    (tmp_path / "one.py").write_text(TRAIN)
    found = checked(tmp_path, *option)
    assert found.code == 2
    assert f"{option[0]} is about changes that git knows, and it is in no git repo" in found.err


def test_what_git_cannot_compare_counts_as_changed(tree: Path) -> None:
    (tree / ".gitattributes").write_text("*.py filter=odd\n")
    git(tree, "config", "filter.odd.clean", "touch ran; cat")
    (tree / "one.py").write_text(TRAIN + "\n")
    assert "one.py" in proposed(tree, "--since", "HEAD")
    assert not (tree / "ran").exists()


def test_it_holds_for_rules_of_any_code(tree: Path) -> None:
    pack = tree.parent / "any.yaml"
    pack.write_text(
        "pack: any\nsummary: Any.\nrules:\n  - id: renamed\n    title: Rename\n    why: Because.\n"
        "    match: old($x)\n    edit: {replace: $match, with: new($x)}\n"
        "    examples: [{unchanged: other()}]\n"
    )
    for name in ("a.py", "b.py"):
        (tree / name).write_text("old(1)\n")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "two")
    (tree / "a.py").write_text("old(2)\n")
    from commands import BIN

    command = [str(BIN / "pinsetter"), "run", str(pack)]
    found = run("--check", ".", "--format", "text", "--since", "HEAD", command=command, cwd=tree)
    assert files_of(found) == {"a.py"}


def test_links_and_subfolders(tree: Path) -> None:
    (tree / "sub").mkdir()
    (tree / "sub" / "four.py").write_text(TRAIN)
    found = run("--check", "--no-cache", "sub", "--since", "HEAD", cwd=tree)
    assert f"{HUNKS} proposed" in found.err
    found = run("--check", "--no-cache", "../one.py", "--since", "HEAD", cwd=tree / "sub")
    assert found.code == 0
