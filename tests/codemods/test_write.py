"""A file is the old one or the new one, whole; when in doubt, the old one."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import TRAIN
from prepared import as_nobody, invoke, needs_fork, open_folder

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.files import replace_file
from pinsetter.codemods.engine.files.new_content import write
from pinsetter.codemods.engine.files.replace_file import Failure, Written, put, target_of
from pinsetter.patterns.edits.edit import Edit

CHANGE = [Edit(0, 1, "y")]
WRITE = ["run", "tf2_gradient_tape", "--write"]


def module_at(path: Path, data: bytes = b"x = 1\n") -> Module:
    path.write_bytes(data)
    return Project([path]).given[0]


def left(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


def test_a_result_that_does_not_parse_is_not_written(tmp_path: Path) -> None:
    module = module_at(tmp_path / "a.py")
    problem = write(module, [Edit(0, 1, "(")])
    assert problem is not None
    assert "would not parse" in problem.reason
    assert problem.line == 1
    assert problem.hint
    assert module.path.read_bytes() == b"x = 1\n"


def test_a_file_that_changed_is_not_written(tmp_path: Path) -> None:
    module = module_at(tmp_path / "a.py")
    module.path.write_bytes(b"x = 2\n")
    problem = write(module, CHANGE)
    assert problem is not None
    assert "changed since it was read" in problem.reason
    assert problem.hint
    assert module.path.read_bytes() == b"x = 2\n"


def test_a_file_replaced_by_an_equal_one_is_written(tmp_path: Path) -> None:
    module = module_at(tmp_path / "a.py")
    other = tmp_path / "other"
    other.write_bytes(b"x = 1\n")
    other.replace(module.path)
    assert write(module, CHANGE) is None
    assert module.path.read_bytes() == b"y = 1\n"


def test_a_file_that_is_gone_is_not_made(tmp_path: Path) -> None:
    module = module_at(tmp_path / "a.py")
    module.path.unlink()
    problem = write(module, CHANGE)
    assert problem is not None
    assert "not written" in problem.reason
    assert left(module.path) == []


def test_a_folder_in_the_file_s_place_is_left(tmp_path: Path) -> None:
    module = module_at(tmp_path / "a.py")
    module.path.unlink()
    module.path.mkdir()
    assert write(module, CHANGE) is not None
    assert module.path.is_dir()


def test_what_the_encoding_cannot_hold_is_not_written(tmp_path: Path) -> None:
    data = b"# -*- coding: latin-1 -*-\nx = '\xe9'\n"
    module = module_at(tmp_path / "a.py", data)
    problem = write(module, [Edit(len(data) - 3, len(data) - 2, "\u20ac")])
    assert problem is not None
    assert "iso-8859-1" in problem.reason
    assert module.path.read_bytes() == data


def test_a_read_only_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_at(tmp_path / "a.py")
    monkeypatch.setattr(os, "access", lambda path, mode, **_: False)
    problem = write(module, CHANGE)
    assert problem is not None
    assert "read-only" in problem.reason
    assert module.path.read_bytes() == b"x = 1\n"


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_failure_midway_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    module = module_at(tmp_path / "a.py")
    monkeypatch.setattr(replace_file.os, step, fail)
    problem = write(module, CHANGE)
    assert problem is not None
    assert "No space left" in problem.reason
    assert module.path.read_bytes() == b"x = 1\n"
    assert left(module.path) == ["a.py"]


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\r\nz = 2\r\n",
        b"x = 1\nz = 2\r\n",
        b"x = 1",
        b"x = 1\n\x0c\nz = 2\n",
    ],
)
def test_other_bytes_stay(tmp_path: Path, data: bytes) -> None:
    module = module_at(tmp_path / "a.py", data)
    assert write(module, CHANGE) is None
    assert module.path.read_bytes() == b"y" + data[1:]


def test_a_byte_order_mark_stays(tmp_path: Path) -> None:
    module = module_at(tmp_path / "a.py", b"\xef\xbb\xbfx = 1\n")
    assert write(module, [Edit(1, 2, "y")]) is None
    assert module.path.read_bytes() == b"\xef\xbb\xbfy = 1\n"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    module = module_at(tmp_path / "a.py")
    module.path.chmod(mode)
    assert write(module, CHANGE) is None
    assert module.path.stat().st_mode & 0o777 == mode
    assert left(module.path) == ["a.py"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target.py"
    module_at(target)
    link = tmp_path / "link.py"
    link.symlink_to(target)
    assert write(Project([link]).given[0], CHANGE) is None
    assert link.is_symlink()
    assert target.read_bytes() == b"y = 1\n"


def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(TRAIN)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "train.py").symlink_to(outside)
    for path in (tree, tree / "train.py"):
        result = invoke(*WRITE, path)
        assert result.code == 2
        assert "train.py: not written: it is a link out of the reviewed tree, to " in result.err
        assert "give that file's own path" in result.err
    assert outside.read_text() == TRAIN
    assert (tree / "train.py").is_symlink()
    assert invoke(*WRITE, outside).code == 0


def test_a_link_within_the_tree_is_followed_and_undone(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "train.py").write_text(TRAIN)
    (tmp_path / "train.py").symlink_to("real/train.py")
    assert invoke(*WRITE, tmp_path).code == 0
    assert (tmp_path / "train.py").is_symlink()
    assert (tmp_path / "real" / "train.py").read_text() != TRAIN
    assert invoke("undo", tmp_path / "train.py").code == 0
    assert (tmp_path / "train.py").is_symlink()
    assert (tmp_path / "real" / "train.py").read_text() == TRAIN


def test_a_linked_tree_is_a_tree(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "train.py").write_text(TRAIN)
    (tmp_path / "link").symlink_to("real")
    assert invoke(*WRITE, tmp_path / "link").code == 0
    assert invoke("undo", tmp_path / "real").code == 0
    assert (tmp_path / "real" / "train.py").read_text() == TRAIN


def test_links_in_a_circle_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("b.py")
    (tmp_path / "b.py").symlink_to("a.py")
    problem = target_of(tmp_path / "a.py")
    assert isinstance(problem, Problem)
    assert "circle" in problem.reason


def test_a_hard_link_is_noticed(script: Path) -> None:
    other = script.with_name("other.txt")
    other.hardlink_to(script)
    result = invoke(*WRITE, script)
    assert result.code == 0
    assert "train.py: the file had hard links; its other name keeps the old text" in result.err
    assert other.read_text() == TRAIN
    assert script.read_text() != TRAIN


def test_a_hard_link_whose_names_are_both_written_keeps_no_old_text(script: Path) -> None:
    other = script.with_name("other.py")
    other.hardlink_to(script)
    result = invoke(*WRITE, script.parent)
    assert result.code == 0
    assert "old text" not in result.err
    assert result.err.count("now they are two") == 1
    assert other.read_text() == script.read_text() != TRAIN


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="needs extended attributes")
def test_extended_attributes_stay(tmp_path: Path) -> None:
    module = module_at(tmp_path / "a.py")
    try:
        os.setxattr(module.path, "user.reviewed", b"yes")
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")
    assert write(module, CHANGE) is None
    assert os.getxattr(module.path, "user.reviewed") == b"yes"


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("mode", [0o640, 0o755])
def test_the_owner_stays(tmp_path: Path, mode: int) -> None:
    module = module_at(tmp_path / "a.py")
    os.chown(module.path, 12345, 54321)
    module.path.chmod(mode)
    assert write(module, CHANGE) is None
    found = module.path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (12345, 54321, mode)


@pytest.mark.skipif(os.name != "posix", reason="needs such rights")
@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6711])
def test_the_rights_of_an_owner_do_not_go_over_to_a_new_text(tmp_path: Path, mode: int) -> None:
    module = module_at(tmp_path / "a.py")
    module.path.chmod(mode)
    done = put(module.path, module.path, b"x = 1\n", b"y = 1\n")
    assert isinstance(done, Written)
    assert "ran with its owner's rights" in done.warnings[0].reason
    assert module.path.stat().st_mode & 0o7777 == mode & 0o777


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give files away")
@needs_fork
def test_an_owner_that_cannot_be_kept_is_named() -> None:
    with open_folder() as folder:
        module = module_at(folder / "a.py")
        os.chown(module.path, 12345, 54321)
        module.path.chmod(0o666)
        folder.chmod(0o777)

        def attempt() -> None:
            done = put(module.path, module.path, b"x = 1\n", b"y = 1\n")
            assert isinstance(done, Written)
            assert "its owner 12345:54321 could not be kept" in done.warnings[0].reason

        as_nobody(attempt)
        assert module.path.read_bytes() == b"y = 1\n"


@needs_fork
def test_without_rights_nothing_is_changed() -> None:
    with open_folder() as folder:
        module = module_at(folder / "a.py")
        module.path.chmod(0o444)

        def attempt(expected: str) -> None:
            problem = write(module, CHANGE)
            assert problem is not None
            assert expected in problem.reason

        if os.getuid() == 0:
            os.chown(folder, 65534, 65534)
            os.chown(module.path, 65534, 65534)
        as_nobody(lambda: attempt("the file is read-only"))
        module.path.chmod(0o644)
        folder.chmod(0o555)
        as_nobody(lambda: attempt("its folder is read-only"))
        folder.chmod(0o755)
        assert module.path.read_bytes() == b"x = 1\n"
        assert left(module.path) == ["a.py"]


def test_a_file_that_the_system_protects_is_left_and_others_are_written(tmp_path: Path) -> None:
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text(TRAIN)
    chattr = shutil.which("chattr")
    if not chattr or subprocess.run([chattr, "+i", tmp_path / "one.py"], check=False).returncode:
        pytest.skip("chattr does not work here")
    try:
        result = invoke(*WRITE, tmp_path)
        assert result.code == 2
        assert "one.py: not written: " in result.err
        assert "written    1 file(s)" in result.err
        assert (tmp_path / "one.py").read_text() == TRAIN
        assert (tmp_path / "other.py").read_text() != TRAIN
        assert left(tmp_path / "one.py") == ["one.py", "other.py"]
    finally:
        subprocess.run([chattr, "-i", tmp_path / "one.py"], check=True)


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    if not mount or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        names = [f"{number}.py" for number in range(6)]
        for name in names:
            (disk / name).write_text(TRAIN)
        filler = disk / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as stream:
            while True:
                stream.write(b"x" * 1024)
        result = invoke(*WRITE, disk, "--state", tmp_path / "state")
        assert result.code == 2
        assert "No space left on the disk" in result.err
        assert "was interrupted: 0 of 6 files written; nothing was changed" in result.err
        assert {(disk / name).read_text() for name in names} == {TRAIN}
        assert left(filler) == [*names, "filler"]
        result = invoke(*WRITE, disk)
        assert result.code == 2
        assert {(disk / name).read_text() for name in names} == {TRAIN}
        filler.unlink()
        assert invoke(*WRITE, disk, "--state", tmp_path / "state").code == 0
        assert TRAIN not in {(disk / name).read_text() for name in names}


def test_an_editor_that_saves_meanwhile_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = module_at(tmp_path / "a.py")
    real = os.fsync

    def save(descriptor: int) -> None:
        real(descriptor)
        module.path.write_bytes(b"x = 2\n")

    monkeypatch.setattr(os, "fsync", save)
    problem = write(module, CHANGE)
    assert problem is not None
    assert "changed since it was read" in problem.reason
    assert module.path.read_bytes() == b"x = 2\n"
    assert left(module.path) == ["a.py"]


def test_a_file_removed_meanwhile_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = module_at(tmp_path / "a.py")
    real = os.fsync

    def remove(descriptor: int) -> None:
        real(descriptor)
        module.path.unlink(missing_ok=True)

    monkeypatch.setattr(os, "fsync", remove)
    problem = write(module, CHANGE)
    assert problem is not None
    assert "it is gone" in problem.reason
    assert left(module.path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_in_the_file_s_place_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    os.mkfifo(path)
    done = put(path, path, b"x = 1\n", b"y = 1\n")
    assert isinstance(done, Failure)
    assert "no regular file" in done.problem.reason


def test_a_link_in_the_file_s_place_is_not_replaced(tmp_path: Path) -> None:
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    other.write_bytes(b"x = 1\n")
    path.symlink_to(other)
    done = put(path, path, b"x = 1\n", b"y = 1\n")
    assert isinstance(done, Failure)
    assert path.is_symlink()
    assert other.read_bytes() == b"x = 1\n"


def test_a_name_as_long_as_can_be_is_written(tmp_path: Path) -> None:
    module = module_at(tmp_path / ("a" * 252 + ".py"))
    assert write(module, CHANGE) is None
    assert module.path.read_bytes() == b"y = 1\n"
