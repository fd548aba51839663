"""Files that are read while the program is being loaded."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import FRONT_ENDS, TRAIN, run

from pinsetter.analyzer.files.import_groups import Components
from pinsetter.analyzer.roles.speaking_first import components_of
from pinsetter.codemods.engine.cli import _is_read_ahead
from pinsetter.codemods.engine.stream.forked import CAN_FORK, Forked
from pinsetter.codemods.engine.stream.read_ahead import Ahead
from pinsetter.codemods.engine.workers.forking import Channel


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"a.py": "import keras, b\n", "b.py": "x = 1\n", "c.py": ""}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def groups(components: Components) -> list[list[str]]:
    parts = [*components.speaking(), *components.others()]
    return [[path.name for path in part.files] for part in parts]


def test_it_is_what_reading_at_once_gives(folder: Path) -> None:
    ahead = Ahead([folder])
    (folder / "late.py").write_text("import c\n")
    found = groups(ahead.components())
    assert found[0] == ["a.py", "b.py"]
    assert groups(components_of([folder])) == [["a.py", "b.py"], ["c.py", "late.py"]]


@pytest.mark.skipif(not CAN_FORK, reason="nothing is read ahead")
def test_another_process_may_wait_for_it(folder: Path) -> None:
    ahead = Ahead([folder])

    def make(_: object) -> Iterator[list[list[str]]]:
        yield groups(ahead.components())

    assert list(Forked(make)) == [[["a.py", "b.py"], ["c.py"]]]


@pytest.mark.skipif(not CAN_FORK, reason="nothing is read ahead")
@pytest.mark.parametrize("forked", [False, True])
def test_if_it_is_killed_the_files_are_read_again(forked: bool, folder: Path) -> None:
    ahead = Ahead([folder])
    assert ahead._forked is not None
    assert ahead._forked._process.pid is not None
    os.kill(ahead._forked._process.pid, signal.SIGKILL)

    def make(_: object) -> Iterator[list[list[str]]]:
        yield groups(ahead.components())

    found = next(iter(Forked(make) if forked else make(None)))
    assert found == [["a.py", "b.py"], ["c.py"]]


@pytest.mark.skipif(not CAN_FORK, reason="nothing is read ahead")
def test_no_memory_to_tell_that_there_is_none(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def nothing_left(channel: Channel, item: object) -> None:
        raise MemoryError

    def make(_: object) -> Iterator[int]:
        yield 1

    monkeypatch.setattr(Channel, "send", nothing_left)
    with pytest.raises(MemoryError, match="not enough memory"):
        next(iter(Forked(make)))
    assert capfd.readouterr() == ("", "")


def test_a_mistake_on_the_command_line_is_said_meanwhile(folder: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    command = [*FRONT_ENDS["pinsetter"], str(folder), "--skip", "no-such-rule"]
    child = pexpect.spawn(command[0], command[1:], encoding="utf-8", timeout=30)
    child.expect("There is no rule 'no-such-rule'")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 3


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_diff_has_what_was_read_ahead_or_not(jobs: str, folder: Path) -> None:
    (folder / "train.py").write_text(TRAIN)
    result = run(folder, "--diff", "--jobs", jobs)
    assert "hvd.init()" in result.said


@pytest.mark.parametrize(
    ("flags", "jobs", "read"),
    [(("diff",), 2, True), (("check",), 2, True), (("diff",), 1, False), (("write",), 2, False),
     (("diff", "write"), 2, False), (("require_clean",), 2, False), ((), 2, False)],
)  # fmt: skip
def test_when_files_are_read_ahead(flags: tuple[str, ...], jobs: int, read: bool) -> None:
    given = dict.fromkeys(("write", "diff", "check", "require_clean"), False)
    assert _is_read_ahead({**given, **dict.fromkeys(flags, True), "jobs": jobs}) is read
