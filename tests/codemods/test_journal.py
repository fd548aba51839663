"""The journal: what a run intends is on disk before its first file, and what it left is told."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from pathlib import Path

import pytest
from commands import TRAIN
from prepared import (
    NEW,
    OLD,
    begin,
    changes,
    interrupted,
    invoke,
    journal,
    located,
    make_tree,
    temporaries,
    write_all,
)

from pinsetter.codemods.engine.files import replace_file
from pinsetter.codemods.engine.journal import replace_files
from pinsetter.codemods.engine.journal.interruption import settle
from pinsetter.codemods.engine.journal.replace_files import carry_out
from pinsetter.codemods.engine.state.runs import Entry, FileState, Kind, RunState

WRITE = ["run", "tf2_gradient_tape", "--write"]


def contents(paths: list[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths]


def test_a_whole_run_leaves_nothing_to_be_said(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 3)
    run, carried = write_all(tmp_path, paths)
    assert contents(paths) == [NEW] * 3
    assert (run.state, run.written, run.undone) == (RunState.DONE, 3, 0)
    assert not carried.failures
    assert temporaries(tmp_path) == []
    with journal(tmp_path) as runs:
        assert settle(runs) is None
    assert invoke("recover", tmp_path).err == "no run was interrupted\n"


def test_all_is_on_disk_before_the_first_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = make_tree(tmp_path, 3)
    seen = []

    def look(*arguments: object) -> replace_file.Written | replace_file.Failure:
        with journal(tmp_path) as other:
            run = other.interrupted()
            assert run is not None
            seen.append([other.change(entry) for entry in other.entries(run)])
        return real(*arguments)  # type: ignore[arg-type]

    real = replace_files.put
    monkeypatch.setattr(replace_files, "put", look)
    write_all(tmp_path, paths)
    assert seen[0] == changes(paths)


def test_a_journal_that_cannot_be_written_stops_everything(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("pinsetter.codemods.engine.state.runs.Runs.begin", full)
    result = invoke(*WRITE, script)
    assert result.code == 2
    assert "the state cannot be saved: the disk is full" in result.err
    assert script.read_text() == TRAIN


def test_an_interrupted_run_that_wrote_nothing_is_only_told(script: Path) -> None:
    before = script.read_bytes()
    with journal(script.parent) as runs:
        begin(runs, changes([script], old=before))
    result = invoke(*WRITE, script)
    assert result.code == 0
    assert "was interrupted: 0 of 1 file written; nothing was changed" in result.err
    assert "was interrupted" not in invoke(*WRITE, script).err


def test_an_interrupted_run_that_wrote_everything_is_only_told(tmp_path: Path) -> None:
    run = interrupted(tmp_path, make_tree(tmp_path, 3), 3)
    result = invoke("recover", tmp_path)
    assert result.code == 0
    assert "3 of 3 files written; nothing is left to be done" in result.err
    assert invoke("undo", tmp_path).code == 0
    with journal(tmp_path) as runs:
        found = runs.get(run.id)
        assert found is not None
        assert (found.state, found.written, found.undone) == (RunState.DONE, 3, 3)


@pytest.mark.parametrize("review", [False, True])
def test_a_half_written_run_stops_the_next(script: Path, review: bool) -> None:
    paths = make_tree(script.parent, 50)
    interrupted(script.parent, paths, 23)
    for _ in range(2):
        result = invoke(*WRITE[: 2 if review else 3], script)
        assert result.code == 2
        assert "run of demo of 20" in result.err
        assert "was interrupted: 23 of 50 files written" in result.err
        assert "`pinsetter undo " in result.err
        assert "takes it back, `pinsetter recover " in result.err
        assert script.read_text() == TRAIN
    assert contents(paths) == [NEW] * 23 + [OLD] * 27


@pytest.mark.parametrize("option", ["--diff", "--check"])
def test_a_half_written_run_does_not_hinder_looking(script: Path, option: str) -> None:
    interrupted(script.parent, make_tree(script.parent, 2), 1)
    assert invoke("run", "tf2_gradient_tape", option, script).code in (0, 1)


def test_recover_writes_the_rest(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 5)
    run = interrupted(tmp_path, paths, 2)
    result = invoke("recover", tmp_path)
    assert result.code == 0, result.err
    assert result.out.count("written ") == 3
    assert contents(paths) == [NEW] * 5
    with journal(tmp_path) as runs:
        found = runs.get(run.id)
        assert found is not None
        assert (found.state, found.written) == (RunState.DONE, 5)


def test_undo_takes_back_what_was_written(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 5)
    interrupted(tmp_path, paths, 2)
    result = invoke("undo", tmp_path)
    assert result.code == 0, result.err
    assert contents(paths) == [OLD] * 5
    assert "interrupted, given up" not in result.out
    assert invoke("recover", tmp_path).err == "no run was interrupted\n"


@pytest.mark.parametrize(("command", "rest"), [("recover", NEW), ("undo", OLD)])
@pytest.mark.parametrize("which", [0, 3])
def test_a_file_that_changed_since_is_named_and_left(
    tmp_path: Path, command: str, rest: bytes, which: int
) -> None:
    paths = make_tree(tmp_path, 5)
    interrupted(tmp_path, paths, 2)
    paths[which].write_bytes(b"edited = 3\n")
    result = invoke(command, tmp_path)
    assert result.code == 2
    assert f"f0{which}.py: left as it is: it changed after the run was interrupted" in result.err
    expected = [rest] * 5
    expected[which] = b"edited = 3\n"
    assert contents(paths) == expected
    assert invoke("recover", tmp_path).err == "no run was interrupted\n"


def test_recover_leaves_what_requires_a_changed_file(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 5)
    interrupted(tmp_path, paths, 1, needs={3: {2}, 4: {3}})
    paths[2].write_bytes(b"edited = 3\n")
    result = invoke("recover", tmp_path)
    assert result.code == 2
    assert contents(paths) == [NEW, NEW, b"edited = 3\n", OLD, OLD]
    assert result.err.count("not written: it requires what is in ") == 2


def test_recover_takes_back_what_requires_a_changed_file(tmp_path: Path) -> None:
    """Half of a program is worse than none."""
    paths = make_tree(tmp_path, 5)
    every = {number: set(range(4)) - {number} for number in range(4)}
    interrupted(tmp_path, paths, 2, needs=every)
    paths[2].write_bytes(b"edited = 3\n")
    result = invoke("recover", tmp_path)
    assert result.code == 2
    assert contents(paths) == [OLD, OLD, b"edited = 3\n", OLD, NEW]
    assert result.err.count("taken back: it requires what is in ") == 2
    assert result.err.count("not written: it requires what is in ") == 1
    assert invoke("recover", tmp_path).err == "no run was interrupted\n"
    assert invoke("undo", tmp_path).code == 0
    assert contents(paths) == [OLD, OLD, b"edited = 3\n", OLD, OLD]


def test_a_run_taken_back_by_hand_is_over(tmp_path: Path) -> None:
    """As by ``git checkout``, which also removes nothing of the state."""
    paths = make_tree(tmp_path, 3)
    run = interrupted(tmp_path, paths, 2)
    with journal(tmp_path) as runs:
        for entry in runs.entries(run)[:2]:
            runs.mark(entry, FileState.WRITTEN)
    make_tree(tmp_path, 3)
    result = invoke("recover", tmp_path)
    assert "0 of 3 files written; nothing was changed" in result.err
    assert contents(paths) == [OLD] * 3


def test_temporary_files_are_removed_and_no_others(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 3)
    run = interrupted(tmp_path, paths, 1)
    with journal(tmp_path) as runs:
        left = tmp_path / replace_files.temporary_of(run, runs.entries(run)[1])
    left.write_bytes(b"half")
    other = tmp_path / ".pinsetter-other.tmp"
    other.write_bytes(b"mine")
    assert invoke("recover", tmp_path).code == 0
    assert not left.exists()
    assert other.exists()


def test_temporary_files_are_no_sources(tmp_path: Path) -> None:
    name = replace_file.temporary_name("x")
    assert name.startswith(".")
    assert not name.endswith(".py")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
def test_a_full_disk_in_the_middle_can_be_recovered_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    paths = make_tree(tmp_path, 5)
    real = os.replace

    def limited(one: str, other: str, **where: int) -> None:
        if other == paths[3].name:
            raise OSError(number, os.strerror(number))
        real(one, other, **where)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", limited)
        run, carried = write_all(tmp_path, paths)
    assert carried.stopped is not None
    assert carried.stopped.path.name == "f03.py"
    assert run.state is RunState.WRITING
    assert contents(paths) == [NEW] * 3 + [OLD] * 2
    assert temporaries(tmp_path) == []
    assert invoke("recover", tmp_path).code == 0
    assert contents(paths) == [NEW] * 5


def test_ctrl_c_in_the_middle_can_be_recovered_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = make_tree(tmp_path, 5)
    real = os.replace

    def interrupt(one: str, other: str, **where: int) -> None:
        real(one, other, **where)
        if other == paths[2].name:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        run, carried = write_all(tmp_path, paths)
    assert carried.interrupted
    assert run.state is RunState.WRITING
    assert contents(paths) == [NEW] * 3 + [OLD] * 2
    assert invoke("undo", tmp_path).code == 0
    assert contents(paths) == [OLD] * 5


def test_ctrl_c_in_a_run_says_what_was_done(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = script.with_name("other.py")
    other.write_text(TRAIN)
    real = os.replace

    def interrupt(one: str, two: str, **where: int) -> None:
        real(one, two, **where)
        if two.endswith(".py"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        result = invoke(*WRITE, script.parent)
    assert result.code == 130
    assert "was interrupted: 1 of 2 files written" in result.err
    assert re.search(r"^written +1 file\(s\): interrupted$", result.err, re.MULTILINE)
    assert "recover" in result.err
    assert invoke("undo", script.parent).code == 0
    assert {script.read_text(), other.read_text()} == {TRAIN}


def test_a_mark_that_fails_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = make_tree(tmp_path, 5)

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("pinsetter.codemods.engine.state.runs.Runs.mark", full)
        _, carried = write_all(tmp_path, paths)
    assert carried.stopped is not None
    assert "the disk is full" in carried.stopped.reason
    assert contents(paths) == [NEW] + [OLD] * 4
    assert invoke("recover", tmp_path).code == 0
    assert contents(paths) == [NEW] * 5


def test_a_file_that_cannot_be_written_keeps_back_what_requires_it(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 5)
    paths[1].write_bytes(b"edited = 3\n")
    run, carried = write_all(tmp_path, paths, {3: {1}, 4: {3}})
    assert run.state is RunState.DONE
    assert contents(paths) == [NEW, b"edited = 3\n", NEW, OLD, OLD]
    assert [problem.path.name for problem in carried.failures] == ["f01.py", "f03.py", "f04.py"]


def test_what_can_still_be_written_is_written(tmp_path: Path) -> None:
    """Of a file that requires another by some of its hunks, the others."""
    paths = make_tree(tmp_path, 4)
    paths[1].write_bytes(b"edited = 3\n")
    levels = []

    def revise(failed: Entry, _: object) -> dict[int, bytes | None]:
        assert failed.position == 1
        levels.append(runs.database.row("PRAGMA synchronous")[0])
        return {2: b"other = 4\n", 3: None}

    with journal(tmp_path) as runs:
        carried = carry_out(runs, begin(runs, changes(paths)), revise)
        assert runs.database.row("PRAGMA synchronous")[0] == 2
    assert levels == [1]
    assert contents(paths) == [NEW, b"edited = 3\n", b"other = 4\n", OLD]
    assert len(carried.written) == 2
    files = invoke("undo", "--list", "--run", "1", tmp_path).out.splitlines()
    assert "f01.py: left: the file changed since it was read" in files[1]
    assert "f03.py: left: it requires files that were not written" in files[3]
    assert invoke("undo", tmp_path).code == 0
    assert contents(paths) == [OLD, b"edited = 3\n", OLD, OLD]


def test_files_that_require_each_other_are_taken_back(tmp_path: Path) -> None:
    """The first is written before the second, which fails."""
    paths = make_tree(tmp_path, 3)
    paths[1].write_bytes(b"edited = 3\n")
    run, carried = write_all(tmp_path, paths, {0: {1}, 1: {0}})
    assert contents(paths) == [OLD, b"edited = 3\n", NEW]
    assert [entry.path.name for entry in carried.written] == ["f02.py"]
    assert run.written == 1


def test_an_undo_that_was_interrupted_can_be_finished_or_taken_back(tmp_path: Path) -> None:
    for command, rest in (("recover", OLD), ("undo", NEW)):
        tree = tmp_path / command
        tree.mkdir()
        paths = make_tree(tree, 4)
        run, _ = write_all(tree, paths)
        with journal(tree) as runs:
            undo = changes(list(reversed(paths)), old=NEW, new=OLD)
            runs.begin(Kind.UNDO, "demo", undo, run)
            paths[3].write_bytes(OLD)
        result = invoke(*WRITE, tree)
        assert result.code == 2
        assert "the undo of run 1 of 20" in result.err
        assert "was interrupted: 1 of 4 files written" in result.err
        assert "restores the rest" in result.err
        assert invoke(command, tree).code == 0
        assert contents(paths) == [rest] * 4
        with journal(tree) as runs:
            found = runs.get(run.id)
            assert found is not None
            assert found.undone == (4 if rest == OLD else 0)


def test_an_undo_killed_before_its_first_file_leaves_the_choice(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 4)
    run = interrupted(tmp_path, paths, 2)
    with journal(tmp_path) as runs:
        runs.begin(Kind.UNDO, "demo", changes(paths[:2], old=NEW, new=OLD), run)
        found = settle(runs)
        assert found is not None
        assert found.run.id == run.id
        assert found.is_open
    assert invoke("recover", tmp_path).code == 0
    assert contents(paths) == [NEW] * 4


def test_a_half_undo_of_a_half_run_that_is_taken_back_leaves_the_choice(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 4)
    run = interrupted(tmp_path, paths, 2)
    with journal(tmp_path) as runs:
        runs.begin(Kind.UNDO, "demo", changes(paths[:2], old=NEW, new=OLD), run)
    paths[0].write_bytes(OLD)
    half = invoke("undo", tmp_path)
    assert half.code == 2
    assert "was interrupted: 2 of 4 files written" in half.err
    assert contents(paths) == [NEW, NEW, OLD, OLD]
    result = invoke("undo", tmp_path)
    assert "the run of demo" in result.err
    assert "was interrupted: 2 of 4 files written" in result.err
    assert contents(paths) == [OLD] * 4
    assert invoke("recover", tmp_path).err == "no run was interrupted\n"


def test_half_a_run_is_undone_as_a_whole(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 4)
    interrupted(tmp_path, paths, 2)
    result = invoke("undo", paths[0])
    assert result.code == 2
    assert "can be undone only as a whole" in result.err
    assert contents(paths) == [NEW, NEW, OLD, OLD]


def test_other_runs_wait_for_the_interrupted_one(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 4)
    write_all(tmp_path, paths[:2])
    interrupted(tmp_path, paths[2:], 1)
    result = invoke("undo", "--run", "1", tmp_path)
    assert result.code == 2
    assert "has to be undone, or recovered, before others" in result.err
    assert contents(paths) == [NEW, NEW, NEW, OLD]


def test_equal_files_are_no_changes(script: Path) -> None:
    """Nothing proposed, nothing in the journal."""
    assert invoke(*WRITE, script).code == 0
    assert invoke(*WRITE, script).code == 0
    with journal(script.parent) as runs:
        assert len(runs.all()) == 1
    assert located(script.parent).path.is_dir()
