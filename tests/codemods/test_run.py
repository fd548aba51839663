"""A run over several files that need each other, when one of them cannot be written."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import tape_pack

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.codemods.engine.console.exit_code import ExitCode
from pinsetter.codemods.engine.files import replace_file
from pinsetter.codemods.engine.files.below import OpenFolder
from pinsetter.codemods.engine.files.replace_file import Failure, Written
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.journal import replace_files
from pinsetter.codemods.engine.running.mode import Mode
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.codemods.engine.running.run import RunRequest, run

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DEMO, tmp_path / "demo"))


def unchanged(demo: Path, *names: str) -> bool:
    return all((demo / name).read_bytes() == (DEMO / name).read_bytes() for name in names)


def test_all_files_are_written(demo: Path) -> None:
    outcome = run(RunRequest([PackQuery(tape_pack(), [])], [demo], Mode.WRITE))
    assert outcome.exit_code is ExitCode.OK
    assert [path.name for path in outcome.written] == ["train.py", "trainer.py"]


def test_a_file_that_changed_keeps_back_what_requires_it(demo: Path) -> None:
    def edit_meanwhile(_: Planned) -> None:
        (demo / "train.py").write_text("# edited\n")

    outcome = run(
        RunRequest([PackQuery(tape_pack(), [])], [demo], Mode.WRITE, planned=edit_meanwhile)
    )
    assert outcome.exit_code is ExitCode.FAILED
    assert (demo / "train.py").read_text() == "# edited\n"
    assert unchanged(demo, "trainer.py")
    assert {problem.path.name for problem in outcome.failures} == {"train.py", "trainer.py"}


def test_a_file_that_fails_late_keeps_back_what_requires_it(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that must not be changed (chattr) is noticed only while writing."""

    def refuse(path: Path, *_: object) -> Failure:
        return Failure(Problem(path, "not written: Operation not permitted"))

    monkeypatch.setattr(replace_files, "put", refuse)
    outcome = run(RunRequest([PackQuery(tape_pack(), [])], [demo], Mode.WRITE))
    assert outcome.exit_code is ExitCode.FAILED
    assert unchanged(demo, "train.py", "trainer.py")
    assert sum("not permitted" in problem.reason for problem in outcome.failures) == 1, "tried once"
    assert any("they require hunks of" in problem.reason for problem in outcome.failures)
    assert not outcome.decisions.accepted


def test_a_full_disk_stops_the_run(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every machine can make one."""

    real = replace_file._replace

    def full(folder: OpenFolder, name: str, *arguments: Any) -> bool:
        if name.endswith(".py"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(folder, name, *arguments)

    monkeypatch.setattr(replace_file, "_replace", full)
    outcome = run(RunRequest([PackQuery(tape_pack(), [])], [demo], Mode.WRITE))
    assert outcome.exit_code is ExitCode.FAILED
    assert unchanged(demo, "train.py", "trainer.py")
    assert sum("No space" in problem.reason for problem in outcome.failures) == 1, "tried once"
    assert any("nothing was changed" in problem.reason for problem in outcome.failures)


def test_a_file_that_is_essential_keeps_back_its_program(demo: Path) -> None:
    def edit_meanwhile(_: Planned) -> None:
        (demo / "trainer.py").write_text("# edited\n")

    outcome = run(
        RunRequest([PackQuery(tape_pack(), [])], [demo], Mode.WRITE, planned=edit_meanwhile)
    )
    assert outcome.exit_code is ExitCode.FAILED
    assert outcome.written == []
    assert unchanged(demo, "train.py")
    (said,) = [problem for problem in outcome.failures if problem.path.name == "train.py"]
    assert "average-gradients (" in said.reason
    assert "Its gradients would not be averaged." in said.reason


def test_an_essential_file_that_fails_late_takes_its_program_back(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = replace_file.put

    def refuse(path: Path, *rest: Any) -> Written | Failure:
        if path.name == "trainer.py":
            return Failure(Problem(path, "not written: Operation not permitted"))
        return put(path, *rest)

    monkeypatch.setattr(replace_files, "put", refuse)
    outcome = run(RunRequest([PackQuery(tape_pack(), [])], [demo], Mode.WRITE))
    assert outcome.exit_code is ExitCode.FAILED
    assert outcome.written == []
    assert unchanged(demo, "train.py", "trainer.py")


def test_what_does_not_require_the_file_is_written(demo: Path) -> None:
    (demo / "data.py").write_text(f"{(demo / 'data.py').read_text()}\ndef f(): print(CLASSES)\n")

    def edit_meanwhile(_: Planned) -> None:
        (demo / "data.py").write_text("# edited\n")

    outcome = run(
        RunRequest([PackQuery(tape_pack(), [])], [demo], Mode.WRITE, planned=edit_meanwhile)
    )
    assert outcome.exit_code is ExitCode.FAILED
    assert [path.name for path in outcome.written] == ["train.py", "trainer.py"]
