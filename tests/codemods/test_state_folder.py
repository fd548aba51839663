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

from pinsetter.analyzer.files import python_files
from pinsetter.analyzer.problem import Problem
from pinsetter.codemods.engine.state.database import Database, existing_database, open_database
from pinsetter.codemods.engine.state.folder import locate
from pinsetter.codemods.engine.state.names import NAME, VARIABLE
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


def test_undo_and_recover_make_nothing_where_nothing_was_written(tmp_path: Path) -> None:
    for name in ("undo", "recover"):
        result = invoke(name, tmp_path)
        assert result.code == 2
        assert "nothing was ever written here" in result.err
    assert list(tmp_path.iterdir()) == []


def test_it_is_in_the_folder_of_the_paths(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    assert located(tmp_path / "a.py").path == tmp_path / NAME
    assert located(tmp_path).path == tmp_path / NAME


def test_it_is_in_the_folder_that_the_paths_have_in_common(tmp_path: Path) -> None:
    for name in ("a/b", "a/c"):
        (tmp_path / name).mkdir(parents=True)
    found = locate([tmp_path / "a/b", tmp_path / "a/c/missing.py"])
    assert not isinstance(found, Problem)
    assert found.path == tmp_path / "a" / NAME


def test_it_is_in_the_git_work_tree_s_root(tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert located(tmp_path / "src" / "deep").path == tmp_path / NAME


def test_the_nearest_that_is_there_comes_before_git_s_root(tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "src" / NAME).mkdir()
    assert located(tmp_path / "src" / "deep").path == tmp_path / "src" / NAME
    assert located(tmp_path).path == tmp_path / NAME


def test_a_file_of_that_name_is_no_state(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / NAME).touch()
    assert located(tmp_path / "src").path == tmp_path / "src" / NAME


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
    assert located(tree).path == tree / NAME


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


def test_git_does_not_see_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    write_all(tmp_path, make_tree(tmp_path, 1))
    command = ["git", "-C", tmp_path, "status", "--porcelain", "--untracked-files=all"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"?? f00.py\n"


def test_it_is_not_scanned(tmp_path: Path) -> None:
    write_all(tmp_path, make_tree(tmp_path, 1))
    (tmp_path / NAME / "a.py").touch()
    assert [path.name for path in python_files(tmp_path)] == ["f00.py"]


def test_others_cannot_look_into_it(tmp_path: Path) -> None:
    write_all(tmp_path, make_tree(tmp_path, 1))
    assert (tmp_path / NAME).stat().st_mode & 0o077 == 0


def test_the_tree_can_be_moved(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    write_all(tmp_path / "old", make_tree(tmp_path / "old", 2))
    (tmp_path / "old").rename(tmp_path / "new")
    assert invoke("undo", tmp_path / "new").code == 0
    assert (tmp_path / "new" / "f01.py").read_bytes() == OLD


@needs_fork
def test_a_tree_that_cannot_be_written_to_says_so() -> None:
    with open_folder() as folder:

        def attempt() -> None:
            problem = located(folder).make()
            assert problem is not None
            assert "the state folder cannot be made: Permission denied" in problem.reason
            assert "--state DIR" in problem.hint

        as_nobody(attempt)
        assert list(folder.iterdir()) == []


@needs_fork
@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="needs a second user")
def test_another_user_s_state_is_reported() -> None:
    with open_folder() as folder:
        write_all(folder, make_tree(folder, 1))

        def attempt() -> None:
            for problem in (existing_database(located(folder)), open_database(located(folder))):
                assert isinstance(problem, Problem)
                assert "Permission denied" in problem.reason
                assert "--state DIR" in problem.hint

        as_nobody(attempt)


def test_a_file_in_its_place_is_reported(script: Path) -> None:
    (script.parent / NAME).write_text("mine")
    result = invoke(*WRITE, script)
    assert result.code == 2
    assert "the state folder cannot be made" in result.err
    assert script.read_text() == TRAIN
    assert (script.parent / NAME).read_text() == "mine"
    elsewhere = script.parents[1] / "elsewhere"
    assert invoke(*WRITE, script, "--state", elsewhere).code == 0
    assert invoke("undo", "--state", elsewhere).code == 0
    assert script.read_text() == TRAIN


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + b"x" * 99])
def test_a_damaged_database_stops_the_run_and_stays(script: Path, content: bytes) -> None:
    database = script.parent / NAME / "state.sqlite3"
    database.parent.mkdir()
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
    database = script.parent / NAME / "state.sqlite3"
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
