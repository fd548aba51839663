"""A file is the old one or the new one, whole; when in doubt, the old one."""

import os
from pathlib import Path

import pytest

from pinsetter.analyzer.module import Module
from pinsetter.analyzer.project import Project
from pinsetter.codemods.engine import write as writing
from pinsetter.codemods.engine.write import write
from pinsetter.patterns.edit import Edit

CHANGE = [Edit(0, 1, "y")]


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
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    problem = write(module, CHANGE)
    assert problem is not None
    assert "read-only" in problem.reason
    assert module.path.read_bytes() == b"x = 1\n"


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_failure_midway_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    module = module_at(tmp_path / "a.py")
    monkeypatch.setattr(writing.os, step, fail)
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
