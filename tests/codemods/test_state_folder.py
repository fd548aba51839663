"""Where the state is, and that nothing of it is lost, made without need, or taken for a source."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest
from commands import BIN, HUNKS, PLAIN, TRAIN, run
from prepared import (
    NEW,
    OLD,
    as_nobody,
    invoke,
    journal,
    located,
    make_tree,
    needs_fork,
    open_folder,
    write_all,
)

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.codemods.engine.state import user_folder
from pinsetter.codemods.engine.state.database import Database
from pinsetter.codemods.engine.state.folder import locate
from pinsetter.codemods.engine.state.old_names import IN_TREE, VARIABLE
from pinsetter.codemods.engine.state.opening import existing_database, open_database
from pinsetter.codemods.engine.state.schema import STEPS

PINSETTER = str(BIN / "pinsetter")
WRITE = ["run", "tf2_gradient_tape", "--write"]


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    folder = located(tmp_path)
    assert existing_database(folder) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--diff", "--check", "--write"])
def test_a_run_that_writes_nothing_leaves_nothing(tmp_path: Path, option: str) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    assert invoke("run", "tf2_gradient_tape", option, tmp_path).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["plain.py"]
    assert not located(tmp_path).path.exists()


def test_undo_and_recover_make_nothing_where_nothing_was_written(tmp_path: Path) -> None:
    for name in ("undo", "recover"):
        result = invoke(name, tmp_path)
        assert result.code == 2
        assert "nothing was ever written here" in result.err
    assert list(tmp_path.iterdir()) == []


def test_it_is_in_the_folder_of_the_paths(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    assert located(tmp_path / "a.py").tree == tmp_path
    assert located(tmp_path).tree == tmp_path
    assert located(tmp_path).path.parent == user_folder.folder() / "trees"
    assert located(tmp_path).path.name.startswith(f"{tmp_path.name}-")


def test_it_is_in_the_folder_that_the_paths_have_in_common(tmp_path: Path) -> None:
    for name in ("a/b", "a/c"):
        (tmp_path / name).mkdir(parents=True)
    found = locate([tmp_path / "a/b", tmp_path / "a/c/missing.py"])
    assert not isinstance(found, Problem)
    assert found.tree == tmp_path / "a"


def test_it_is_in_the_git_work_tree_s_root(tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert located(tmp_path / "src" / "deep").tree == tmp_path


def test_the_nearest_that_is_there_comes_before_git_s_root(tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    user_folder.make(user_folder.of_tree(tmp_path / "src"), tmp_path / "src")
    assert located(tmp_path / "src" / "deep").tree == tmp_path / "src"
    assert located(tmp_path).tree == tmp_path


def test_what_is_in_a_tree_does_not_make_it_one(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src" / IN_TREE).mkdir(parents=True)
    (tmp_path / "src" / IN_TREE / "state.sqlite3").touch()
    assert located(tmp_path / "src").tree == tmp_path


def test_the_root_of_the_file_system_is_never_taken() -> None:
    found = locate([Path("/"), Path("/usr")])
    assert isinstance(found, Problem)
    assert "--state DIR" in found.hint


def test_a_told_folder_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, elsewhere = tmp_path / "tree", tmp_path / "elsewhere"
    tree.mkdir()
    assert located(tree, elsewhere).path == elsewhere
    monkeypatch.setenv(VARIABLE, str(elsewhere))
    assert located(tree).path == elsewhere
    assert located(tree).tree == tree
    monkeypatch.setenv(VARIABLE, "")
    assert located(tree).path == user_folder.of_tree(tree)


def test_a_told_folder_knows_its_tree(tmp_path: Path) -> None:
    tree, elsewhere = tmp_path / "tree", tmp_path / "elsewhere"
    (tree / "part").mkdir(parents=True)
    assert located(tree, elsewhere).make() is None
    assert located(tree / "part", elsewhere).tree == tree
    assert located(tmp_path, elsewhere).tree == tree
    shutil.rmtree(tree)
    assert located(tmp_path, elsewhere).tree == tmp_path


def test_a_folder_of_other_files_is_not_taken(tmp_path: Path) -> None:
    """Git would ignore them all."""
    paths = make_tree(tmp_path, 2)
    problem = located(tmp_path, tmp_path).make()
    assert problem is not None
    assert "has other files in it" in problem.reason
    assert "new or empty" in problem.hint
    assert sorted(tmp_path.iterdir()) == paths


def test_a_missing_path_is_reported_as_missing() -> None:
    result = invoke(*WRITE, "/no/such/file.py")
    assert result.code == 2
    assert "no such file or directory" in result.err


@pytest.mark.parametrize("told", [[], ["--state", "state"]])
def test_git_does_not_see_it(
    tmp_path: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "f00.py").write_text(TRAIN)
    assert invoke(*WRITE, tmp_path, *told).code == 0
    command = ["git", "-C", tmp_path, "status", "--porcelain", "--untracked-files=all"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"?? f00.py\n"


def test_others_cannot_look_into_it(tmp_path: Path) -> None:
    write_all(tmp_path, make_tree(tmp_path, 1))
    path = located(tmp_path).path
    for one in (path, path.parent, path.parents[1]):
        assert one.stat().st_mode & 0o077 == 0


def test_the_state_of_a_tree_that_was_moved_is_named_and_can_be_used(tmp_path: Path) -> None:
    old, new = tmp_path / "a" / "models", tmp_path / "b" / "models"
    for tree in (old, new.parent, tmp_path / "b" / "models-2"):
        tree.mkdir(parents=True)
    write_all(old, make_tree(old, 2))
    state = located(old).path
    assert "gone" not in invoke("undo", "--list", old).err
    old.rename(new)
    result = invoke("undo", new)
    assert result.code == 2
    assert f"{state}: there is a state of another models, which is gone" in result.err
    assert f"if it was moved to {new}: --state {state}" in result.err
    assert (new / "f01.py").read_bytes() == NEW
    assert "gone" not in invoke("undo", tmp_path / "b" / "models-2").err
    assert invoke("undo", new, "--state", state).code == 0
    assert (new / "f01.py").read_bytes() == OLD


@needs_fork
def test_a_tree_that_cannot_be_written_to_needs_no_other_folder(tmp_path: Path) -> None:
    """Only what is written to it does."""
    assert located(tmp_path).make() is None
    assert list(tmp_path.iterdir()) == []


def test_without_a_home_a_folder_has_to_be_named(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.delenv("XDG_STATE_HOME")
    result = invoke(*WRITE, script)
    assert result.code == 2
    assert "the state folder cannot be made: Not a directory" in result.err
    assert "set XDG_STATE_HOME to a folder of your own, or give one that is new" in result.err
    assert script.read_text() == TRAIN
    told = ["--state", script.parents[1] / "state"]
    assert invoke(*WRITE, script, *told).code == 0
    result = invoke("undo", *told, script)
    assert result.code == 2
    assert "--trust-state" in result.err
    assert script.read_text() != TRAIN
    assert invoke("undo", *told, "--trust-state", script).code == 0
    assert script.read_text() == TRAIN


@needs_fork
@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="needs a second user")
def test_another_user_s_state_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_folder() as folder:
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        write_all(folder, make_tree(folder, 1))
        (folder / "state").chmod(0o755)
        told = folder / "told"
        told.mkdir()

        def attempt() -> None:
            for one in (located(folder), located(folder, told)):
                for problem in (existing_database(one), open_database(one)):
                    assert isinstance(problem, Problem) or one.told
            problem = open_database(located(folder))
            assert isinstance(problem, Problem)
            assert "belongs to another user" in problem.reason
            assert "XDG_STATE_HOME" in problem.hint
            problem = open_database(located(folder, told))
            assert isinstance(problem, Problem)
            assert "Operation not permitted" in problem.reason

        as_nobody(attempt)


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_state_that_others_can_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    paths = make_tree(tmp_path, 1)
    write_all(tmp_path, paths)
    located(tmp_path).path.chmod(mode)
    result = invoke("undo", tmp_path)
    assert result.code == 2
    assert "can be written to by other users" in result.err
    assert "chmod go-w" in result.err
    assert paths[0].read_bytes() == NEW
    located(tmp_path).path.chmod(0o700)
    assert invoke("undo", tmp_path).code == 0


def test_a_file_in_its_place_is_reported(script: Path) -> None:
    place = located(script.parent).path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("mine")
    result = invoke(*WRITE, script)
    assert result.code == 2
    assert "the state folder cannot be made" in result.err
    assert script.read_text() == TRAIN
    assert place.read_text() == "mine"
    elsewhere = script.parents[1] / "elsewhere"
    assert invoke(*WRITE, script, "--state", elsewhere).code == 0
    assert invoke("undo", "--state", elsewhere).code == 0
    assert script.read_text() == TRAIN


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + b"x" * 99])
def test_a_damaged_database_stops_the_run_and_stays(script: Path, content: bytes) -> None:
    database = located(script.parent).database
    assert located(script.parent).make() is None
    database.write_bytes(content)
    for arguments in (WRITE, ["undo"], ["recover"]):
        result = invoke(*arguments, script)
        assert result.code == 2
        assert "the state is damaged" in result.err
        assert "move it away" in result.err
    assert script.read_text() == TRAIN
    assert database.read_bytes() == content


def test_a_database_that_breaks_further_in_is_reported(script: Path) -> None:
    assert invoke(*WRITE, script).code == 0
    database = located(script.parent).database
    data = bytearray(database.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    database.write_bytes(data)
    result = invoke("undo", script)
    assert result.code == 2
    assert "the state is damaged" in result.err


def test_an_empty_database_is_begun_anew(tmp_path: Path) -> None:
    folder = located(tmp_path)
    assert folder.make() is None
    folder.database.touch()
    database = open_database(folder)
    assert isinstance(database, Database)
    assert database.row("PRAGMA user_version")[0] == len(STEPS)
    database.close()


def test_a_newer_database_is_left(tmp_path: Path) -> None:
    with journal(tmp_path) as runs:
        runs.database.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    found = open_database(located(tmp_path))
    assert isinstance(found, Problem)
    assert "newer Pinsetter" in found.reason
    assert found.hint


def test_another_program_s_database_is_left(tmp_path: Path) -> None:
    folder = located(tmp_path)
    assert folder.make() is None
    with sqlite3.connect(folder.database) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    found = open_database(folder)
    assert isinstance(found, Problem)
    assert "another program's" in found.reason


def test_every_older_database_is_brought_up_to_date(tmp_path: Path) -> None:
    for version in range(len(STEPS)):
        tree = tmp_path / str(version)
        tree.mkdir()
        folder = located(tree)
        assert folder.make() is None
        with sqlite3.connect(folder.database) as connection:
            for statement in [s for step in STEPS[:version] for s in step]:
                connection.execute(statement)
            if version:
                connection.execute(f"PRAGMA application_id = {0x70696E73}")
            connection.execute(f"PRAGMA user_version = {version}")
        connection.close()
        database = open_database(folder)
        assert isinstance(database, Database)
        assert database.row("PRAGMA user_version")[0] == len(STEPS)
        database.close()


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    with journal(tmp_path) as runs:
        with contextlib.suppress(RuntimeError), runs.database.transaction():
            runs.database.execute(
                "INSERT INTO runs (kind, codemod, started, token, state) VALUES ('', '', 0, '', '')"
            )
            raise RuntimeError
        assert runs.database.rows("SELECT 1 FROM runs") == []


def test_commits_are_durable(tmp_path: Path) -> None:
    with journal(tmp_path) as runs:
        assert runs.database.row("PRAGMA synchronous")[0] == 2
        with runs.marking():
            assert runs.database.row("PRAGMA synchronous")[0] == 1
        assert runs.database.row("PRAGMA synchronous")[0] == 2


def test_a_database_in_use_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pinsetter.codemods.engine.state.database._PATIENCE", 0.05)
    with journal(tmp_path) as runs, runs.database.transaction(), journal(tmp_path) as other:
        with pytest.raises(sqlite3.OperationalError) as caught:
            other.database.execute("DELETE FROM runs")
        assert "in use" in other.database.failure(caught.value).reason


def test_names_that_are_no_text_survive(tmp_path: Path) -> None:
    tree = tmp_path / os.fsdecode(b"tr\xe9e")
    tree.mkdir()
    path = tree / os.fsdecode(b"tra\xefn.py")
    path.write_text(TRAIN)
    done = run("--write", tree)
    assert done.code == 0, done.err
    assert f"{HUNKS} accepted" in done.err
    assert path.read_text() != TRAIN
    listed = run("undo", "--list", "--run", "1", tree, command=[PINSETTER])
    assert b"tra\\xefn.py: written" in listed.out
    assert run("undo", tree, command=[PINSETTER]).code == 0
    assert path.read_text() == TRAIN


def test_undo_from_a_folder_above_finds_the_one_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    assert invoke(*WRITE, "one").code == 0
    assert (tmp_path / "one/train.py").read_text() != TRAIN
    assert invoke("undo", "other").code == 2
    assert invoke("undo").code == 0
    assert (tmp_path / "one/train.py").read_text() == TRAIN
    assert invoke(*WRITE, "other").code == 0
    result = invoke("undo")
    assert result.code == 2
    assert "in several folders below: " in result.err
    assert all(str(tmp_path / name) in result.err for name in ("one", "other"))
    assert (tmp_path / "other/train.py").read_text() != TRAIN
    assert invoke("undo", "other").code == 0
    assert (tmp_path / "other/train.py").read_text() == TRAIN
