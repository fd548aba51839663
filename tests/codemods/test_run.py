"""A run over several files that need each other, when one of them cannot be written."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import tape_pack

from pinsetter.analyzer.module import Module
from pinsetter.analyzer.problem import Problem
from pinsetter.codemods.engine import run as runs
from pinsetter.codemods.engine.planning import Planned
from pinsetter.codemods.engine.query import PackQuery
from pinsetter.codemods.engine.run import ExitCode, Mode, run
from pinsetter.patterns.edit import Edit

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DEMO, tmp_path / "demo"))


def unchanged(demo: Path, *names: str) -> bool:
    return all((demo / name).read_bytes() == (DEMO / name).read_bytes() for name in names)


def test_all_files_are_written(demo: Path) -> None:
    outcome = run([PackQuery(tape_pack(), [])], [demo], Mode.WRITE)
    assert outcome.exit_code is ExitCode.OK
    assert [path.name for path in outcome.written] == ["train.py", "trainer.py"]


def test_a_file_that_changed_keeps_back_what_requires_it(demo: Path) -> None:
    def edit_meanwhile(_: Planned) -> None:
        (demo / "train.py").write_text("# edited\n")

    outcome = run([PackQuery(tape_pack(), [])], [demo], Mode.WRITE, planned=edit_meanwhile)
    assert outcome.exit_code is ExitCode.FAILED
    assert (demo / "train.py").read_text() == "# edited\n"
    assert unchanged(demo, "trainer.py")
    assert {problem.path.name for problem in outcome.failures} == {"train.py", "trainer.py"}


def test_a_file_that_fails_late_keeps_back_what_requires_it(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is noticed only while writing, and not every machine can make one."""

    def full(module: Module, edits: Sequence[Edit]) -> Problem | None:
        return Problem(module.path, "not written: No space left on device")

    monkeypatch.setattr(runs, "write", full)
    outcome = run([PackQuery(tape_pack(), [])], [demo], Mode.WRITE)
    assert outcome.exit_code is ExitCode.FAILED
    assert unchanged(demo, "train.py", "trainer.py")
    assert sum("No space" in problem.reason for problem in outcome.failures) == 1, "tried once"


def test_what_does_not_require_the_file_is_written(demo: Path) -> None:
    def edit_meanwhile(_: Planned) -> None:
        (demo / "trainer.py").write_text("# edited\n")

    outcome = run([PackQuery(tape_pack(), [])], [demo], Mode.WRITE, planned=edit_meanwhile)
    assert outcome.exit_code is ExitCode.FAILED
    assert [path.name for path in outcome.written] == ["train.py"]
