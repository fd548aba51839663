"""undo: what a run wrote goes, what somebody did since stays."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from commands import BIN, REPOSITORY, TRAIN, run
from hypothesis import given, settings
from hypothesis import strategies as st
from prepared import NEW, OLD, invoke, journal, make_tree, write_all

from pinsetter.codemods.engine.journal.replace_files import carry_out
from pinsetter.codemods.engine.journal.take_back import undo
from pinsetter.codemods.engine.state.runs import FileChange, Kind

WRITE = ["run", "tf2_gradient_tape", "--write"]
EDITED = NEW.replace(b"new", b"edited", 1)


def contents(paths: list[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths]


@pytest.fixture
def written(tmp_path: Path) -> list[Path]:
    paths = make_tree(tmp_path, 4)
    write_all(tmp_path, paths)
    return paths


def test_a_second_undo_does_nothing(written: list[Path]) -> None:
    folder = written[0].parent
    assert invoke("undo", folder).code == 0
    for _ in range(2):
        result = invoke("undo", folder)
        assert result.code == 0
        assert "nothing to undo" in result.err
        assert "is undone already" in result.err
        assert contents(written) == [OLD] * 4


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are text there")
def test_a_name_that_is_no_text_is_shown_with_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.py")
    path.write_text(TRAIN)
    assert run("--write", tmp_path).code == 0
    undone = run(tmp_path, command=[str(BIN / "pinsetter"), "undo"])
    assert "caf\\xe9.py" in undone.said
    assert "udce9" not in undone.said
    assert path.read_text() == TRAIN


def test_a_second_undo_does_not_go_on_to_the_run_before(tmp_path: Path) -> None:
    one, other = make_tree(tmp_path, 2)
    write_all(tmp_path, [one])
    write_all(tmp_path, [other])
    for _ in range(2):
        result = invoke("undo", tmp_path)
    assert result.code == 0
    assert "--run 1 undoes the one before" in result.err
    assert contents([one, other]) == [NEW, OLD]
    assert invoke("undo", "--run", "1", tmp_path).code == 0
    assert contents([one, other]) == [OLD, OLD]


def test_a_file_that_was_edited_stays(written: list[Path]) -> None:
    written[2].write_bytes(NEW[:40] + b"edited = 3\n" + NEW[40:])
    result = invoke("undo", written[0].parent)
    assert result.code == 2
    assert "f02.py:6: not restored: it was edited after the run of demo of 20" in result.err
    assert contents(written)[:2] == [OLD, OLD]
    assert b"edited = 3" in written[2].read_bytes()
    assert "3 of 4 undone" in invoke("undo", "--list", written[0].parent).out


def test_when_the_edit_is_gone_the_rest_can_be_undone(written: list[Path]) -> None:
    written[2].write_bytes(EDITED)
    assert invoke("undo", written[0].parent).code == 2
    written[2].write_bytes(NEW)
    assert invoke("undo", written[0].parent).code == 0
    assert contents(written) == [OLD] * 4


def test_a_file_that_a_later_run_wrote_stays(written: list[Path]) -> None:
    write_all(written[0].parent, written[:1], old=NEW, new=EDITED)
    result = invoke("undo", "--run", "1", written[0].parent)
    assert result.code == 2
    assert "f00.py:1: not restored: a later run wrote to it" in result.err
    assert "undo that before: --run 2" in result.err
    assert contents(written) == [EDITED, OLD, OLD, OLD]
    assert invoke("undo", "--run", "2", written[0].parent).code == 0
    assert invoke("undo", "--run", "1", written[0].parent).code == 0
    assert contents(written) == [OLD] * 4


def test_a_file_that_was_removed_is_not_made(written: list[Path]) -> None:
    written[1].unlink()
    result = invoke("undo", written[0].parent)
    assert result.code == 2
    assert "f01.py: not restored: it was removed after the run of demo" in result.err
    assert not written[1].exists()
    assert written[0].read_bytes() == OLD


def test_a_file_that_is_a_folder_or_a_link_now_stays(written: list[Path]) -> None:
    written[1].unlink()
    written[1].mkdir()
    written[2].rename(written[2].with_name("moved.py"))
    written[2].symlink_to("moved.py")
    result = invoke("undo", written[0].parent)
    assert result.code == 2
    assert "f01.py: not restored: it is a folder now" in result.err
    assert "f02.py: not restored: it is a link now" in result.err
    assert written[2].is_symlink()
    assert written[2].read_bytes() == NEW


def test_a_file_that_has_its_old_text_already_is_named(written: list[Path]) -> None:
    written[1].write_bytes(OLD)
    result = invoke("undo", written[0].parent)
    assert result.code == 0
    assert "f01.py: not restored: it has its old text already" in result.err
    assert contents(written) == [OLD] * 4


def test_only_the_given_files_are_restored(written: list[Path]) -> None:
    assert invoke("undo", written[1], written[3]).code == 0
    assert contents(written) == [NEW, OLD, NEW, OLD]
    result = invoke("undo", written[1])
    assert result.code == 0
    assert "nothing to undo" in result.err
    assert invoke("undo", written[0].parent).code == 0
    assert contents(written) == [OLD] * 4


def test_a_folder_means_what_is_below(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one, other = (make_tree(tmp_path / name, 2) for name in ("one", "other"))
    write_all(tmp_path, [*one, *other])
    assert invoke("undo", tmp_path / "one").code == 0
    assert contents([*one, *other]) == [OLD, OLD, NEW, NEW]


def test_a_file_that_no_run_wrote_is_named(written: list[Path]) -> None:
    other = written[0].with_name("other.py")
    other.write_bytes(b"mine = 1\n")
    result = invoke("undo", other)
    assert result.code == 2
    assert "no run that wrote to this" in result.err
    result = invoke("undo", other, written[0])
    assert result.code == 2
    assert "other.py: not restored: the run of demo" in result.err
    assert "did not write to it" in result.err
    assert contents(written) == [OLD, NEW, NEW, NEW]
    assert other.read_bytes() == b"mine = 1\n"


def test_given_files_mean_the_last_run_that_wrote_them(tmp_path: Path) -> None:
    one, other = make_tree(tmp_path, 2)
    write_all(tmp_path, [one])
    write_all(tmp_path, [other])
    assert invoke("undo", one).code == 0
    assert contents([one, other]) == [OLD, NEW]


def test_an_unknown_run_is_named(written: list[Path]) -> None:
    result = invoke("undo", "--run", "7", written[0].parent)
    assert result.code == 2
    assert "there is no run 7" in result.err
    assert "--list" in result.err
    assert invoke("undo", "--list", "--run", "7", written[0].parent).code == 2


def test_what_a_file_that_stays_requires_stays(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 4)
    write_all(tmp_path, paths, {1: {0}, 2: {1}})
    paths[2].write_bytes(EDITED)
    result = invoke("undo", tmp_path)
    assert result.code == 2
    assert "f01.py: not restored: f02.py, which stays, requires" in result.err.replace(
        f"{tmp_path}{os.sep}", "")  # fmt: skip
    assert contents(paths) == [NEW, NEW, EDITED, OLD]


def test_given_files_that_others_require_stay(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 2)
    write_all(tmp_path, paths, {1: {0}})
    result = invoke("undo", paths[0])
    assert result.code == 2
    assert "restore both" in result.err
    assert contents(paths) == [NEW, NEW]
    assert invoke("undo", *paths).code == 0
    assert contents(paths) == [OLD, OLD]


def test_an_undo_can_be_taken_back_on_purpose(written: list[Path]) -> None:
    folder = written[0].parent
    for number, expected in ((1, OLD), (2, NEW), (3, OLD), (4, NEW)):
        assert invoke("undo", "--run", str(number), folder).code == 0
        assert contents(written) == [expected] * 4
    with journal(folder) as runs:
        assert [(run.id, run.undone) for run in runs.all()] == [
            (5, 0), (4, 4), (3, 0), (2, 4), (1, 0)]  # fmt: skip
    assert invoke("undo", folder).code == 0
    assert contents(written) == [OLD] * 4


def test_the_mode_stays(written: list[Path]) -> None:
    written[0].chmod(0o750)
    assert invoke("undo", written[0].parent).code == 0
    assert written[0].stat().st_mode & 0o777 == 0o750


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give files away")
def test_the_owner_stays(written: list[Path]) -> None:
    os.chown(written[0], 12345, 54321)
    assert invoke("undo", written[0].parent).code == 0
    found = written[0].stat()
    assert (found.st_uid, found.st_gid) == (12345, 54321)
    assert written[0].read_bytes() == OLD


def test_the_list_says_what_became_of_the_runs(written: list[Path]) -> None:
    folder = written[0].parent
    head, first = invoke("undo", "--list", folder).out.splitlines()
    assert head.split() == ["run", "when", "codemod", "files", "state"]
    assert first.split()[0] == "1"
    assert first.split()[3:] == ["demo", "4", "done"]
    assert contents(written) == [NEW] * 4
    assert invoke("undo", folder).code == 0
    second, first = invoke("undo", "--list", folder).out.splitlines()[1:]
    assert "undo of run 1" in second
    assert first.split()[-1] == "undone"
    files = invoke("undo", "--list", "--run", "1", folder).out.splitlines()
    assert len(files) == 4
    assert all(line.endswith(".py: undone by run 2") for line in files)


def test_programs_get_the_list_as_json(written: list[Path]) -> None:
    folder = written[0].parent
    assert invoke("undo", written[0]).code == 0
    undoing, first = json.loads(invoke("undo", "--list", "--json", folder).out)
    assert (undoing["kind"], undoing["undoes"], undoing["files"]) == ("undo", 1, 1)
    assert (first["kind"], first["written"], first["undone"]) == ("write", 4, 1)
    assert first["state"] == "1 of 4 undone"
    files = json.loads(invoke("undo", "--list", "--json", "--run", "1", folder).out)
    assert [file["undone_by"] for file in files] == [2, None, None, None]
    result = invoke("undo", "--json", folder)
    assert result.code == 2
    assert contents(written) == [OLD, NEW, NEW, NEW]


def test_a_real_run_is_restored_byte_for_byte(script: Path) -> None:
    for data in (TRAIN.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + TRAIN.encode()):
        script.write_bytes(data)
        assert invoke(*WRITE, script).code == 0
        assert script.read_bytes() != data
        assert invoke("undo", script).code == 0
        assert script.read_bytes() == data


def test_a_run_after_an_undo_proposes_it_all_again(script: Path) -> None:
    assert invoke(*WRITE, script).code == 0
    after = script.read_bytes()
    assert invoke("undo", script).code == 0
    assert invoke(*WRITE, script).code == 0
    assert script.read_bytes() == after
    assert invoke("undo", script).code == 0
    assert script.read_text() == TRAIN


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.binary(max_size=50), st.binary(max_size=50)), min_size=1, max_size=4),
    st.lists(st.integers(0, 3), max_size=3),
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3))),
)
def test_undo_restores_what_it_may_and_nothing_else(
    files: list[tuple[bytes, bytes]], edited: list[int], pairs: set[tuple[int, int]]
) -> None:
    """A file is restored unless it, or one that requires it, was edited since."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        paths = [folder / f"{number}.py" for number in range(len(files))]
        needs = {(a, b) for a, b in pairs if b < a < len(files)}
        planned = []
        for number, (path, (old, new)) in enumerate(zip(paths, files, strict=True)):
            path.write_bytes(old)
            required = frozenset(b for a, b in needs if a == number)
            planned.append(FileChange(path, old, new + b"#new", 0o644, required))
        with journal(folder) as runs:
            run = runs.begin(Kind.WRITE, "demo", planned)
            assert not carry_out(runs, run).failures
            staying = {number for number in edited if number < len(files)}
            for number in staying:
                paths[number].write_bytes(files[number][1] + b"#edited")
            carried = undo(runs, run)
            while more := {b for a, b in needs if a in staying} - staying:
                staying |= more
            for number, (path, (old, new)) in enumerate(zip(paths, files, strict=True)):
                wanted = old if number not in staying else new + b"#new"
                if number in edited:
                    wanted = new + b"#edited"
                assert path.read_bytes() == wanted
            assert len(carried.written) == len(files) - len(staying)
            assert bool(carried.failures) == bool(staying)


def test_a_file_of_a_program_is_not_undone_alone(tmp_path: Path) -> None:
    """The others would train as several workers, and it as one."""
    shutil.copytree(REPOSITORY / "fixtures" / "demo", tmp_path / "demo")
    tree = tmp_path / "demo"
    before = {path: path.read_bytes() for path in tree.rglob("*.py")}
    assert invoke("run", "distribute", "--write", tree).code == 0
    after = {path: path.read_bytes() for path in before}
    for name in ("train.py", "trainer.py"):
        assert after[tree / name] != before[tree / name]
        result = invoke("undo", tree / name)
        assert result.code == 2
        assert "which stays, requires what is in it" in result.err
    assert {path: path.read_bytes() for path in before} == after
    assert invoke("undo", tree).code == 0
    assert {path: path.read_bytes() for path in before} == before
