"""Files that were sent: what counts is there, and what does not is nowhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.disk import NotSentError, Sent
from pinsetter.analyzer.files.import_path import ImportTarget, real_path, root_of
from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.files.source import Source, read
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.programs.requirements import requirement_files, requirements

BASE = Sent({"/repo/a.py", "/repo/lib/b.py", "/repo/.git", "/other/c.py"})
SENT = Sent(
    (),
    {"/repo/a.py": b"import lib.b\n", "/repo/setup.py": b"'six==1.16'\r\n"},
    {"a.py": "/repo/a.py"},
    {"/repo/a.py"},
    BASE,
)


@pytest.mark.parametrize("path", ["/repo/z.py", "/repo/lib", "/repo/lib/a.py", "/a.py", "b.py", ""])
def test_what_is_not_there(path: str) -> None:
    with disk.using(SENT):
        assert not disk.is_file(path)
        assert isinstance(read(Path(path)), Problem)


@pytest.mark.parametrize("path", ["/repo/a.py", "a.py", "/repo/setup.py", "/repo/lib/b.py"])
def test_what_is_there(path: str) -> None:
    with disk.using(SENT):
        assert disk.is_file(path)
        assert disk.exists(path)
        assert not disk.is_folder(path)


def test_folders() -> None:
    with disk.using(SENT):
        assert disk.is_folder("/repo/lib")
        assert not disk.is_folder("/repo/docs")
        assert disk.exists("/repo/lib")
        assert set(disk.names_in("/repo")) == {"a.py", "lib", ".git", "setup.py"}
        assert set(disk.names_in("/repo/lib")) == {"b.py"}
        assert not disk.names_in("/nowhere")
        assert root_of(Path("/repo/lib/b.py")) == Path("/repo")


def test_content() -> None:
    with disk.using(SENT):
        found = read(Path("a.py"))
        assert isinstance(found, Source)
        assert found.data == b"import lib.b\n"
        assert real_path(Path("a.py")) == Path("/repo/a.py")
        assert disk.is_writable("a.py")
        assert not disk.is_writable("/repo/setup.py")
        assert requirement_files(Path("/repo")) == [Path("/repo/setup.py")]
        ((found_version),) = requirements(Path("a.py"), ["six"])
        assert str(found_version.versions) == "==1.16"


def test_what_counts_and_was_not_sent_is_no_error_of_the_analysis() -> None:
    with disk.using(SENT):
        for path in ("/repo/lib/b.py", "/other/c.py"):
            with pytest.raises(NotSentError):
                read(Path(path))
    assert not issubclass(NotSentError, Exception)


def test_a_project_of_files_that_are_on_no_disk(tmp_path: Path) -> None:
    texts = {"a.py": b"from b import x\n", "b.py": b"x = 1\n"}
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
    listing = Listing([tmp_path])
    shutil.rmtree(tmp_path)
    sent = Sent((), {str(tmp_path / name): data for name, data in texts.items()})
    with disk.using(sent):
        project = Project(listing.files, None, listing)
        assert [module.name for module in project.own] == ["a", "b"]
        found = project.find(project.own[0], ImportTarget("b"))
    assert isinstance(found, Module)
    assert found.path == tmp_path / "b.py"


def test_afterwards_it_is_this_machine_again(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    with disk.using(SENT):
        assert not disk.is_file(tmp_path / "a.py")
    assert disk.is_file(tmp_path / "a.py")
    assert disk.read_text(tmp_path / "a.py") == "x = 1\n"
