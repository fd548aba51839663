"""What was decided stays known when what was written is taken back, or written after a crash."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import BIN, FRONT_ENDS, TRAIN, Result, run
from reviewing import PROMPT, SCRIPT, Review, prepare

TOOL = [str(BIN / "pinsetter")]
FILES = 8


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    pytest.importorskip("pexpect")
    folder = tmp_path / "tree"
    folder.mkdir()
    return prepare(folder)


def tool(*arguments: str | Path) -> Result:
    return run(*arguments, command=TOOL)


def reviewed(path: Path, *answers: str) -> int:
    """Answer in a real review; returns its exit code."""
    with Review(path) as review:
        review.seen()
        for answer in answers[:-1]:
            review.key(answer)
        code, _ = review.end(answers[-1])
    return code


def written(path: Path) -> int:
    """How many decisions the list of them calls written."""
    return tool("decisions", "list", "--tree", path if path.is_dir() else path.parent).said.count(
        ", written"
    )


def resumed(script: Path, *options: str) -> Result:
    return tool("run", script.parent / "review.yaml", script, "--resume", *options)


def test_without_decisions_undo_says_nothing_of_them(script: Path) -> None:
    assert run("--write", script).code == 0
    result = tool("undo", script)
    assert result.code == 0
    assert "--resume" not in result.said
    assert script.read_text() == TRAIN


def test_after_undo_resume_applies_what_was_accepted(lines: Path) -> None:
    assert reviewed(lines, "y", "n", "y", "q") == 0
    after = lines.read_bytes()
    assert written(lines) == 2
    result = tool("undo", lines)
    assert result.code == 0
    assert "2 decision(s) are kept; --resume applies them again" in result.err
    assert lines.read_text() == SCRIPT
    assert written(lines) == 0
    result = resumed(lines, "--write")
    assert result.code == 0
    assert "note: " not in result.said
    assert lines.read_bytes() == after
    assert written(lines) == 2


def test_after_undo_a_resumed_review_asks_only_what_was_open(lines: Path) -> None:
    assert reviewed(lines, "y", "n", "y", "q") == 0
    after = lines.read_bytes()
    assert tool("undo", lines).code == 0
    with Review(lines, arguments=["--resume"]) as review:
        assert "#4 " in review.seen()
        code, shown = review.end("q")
    assert code == 0
    assert "3 from before" in shown
    assert lines.read_bytes() == after


def test_a_review_that_was_finished_is_applied_again_without_asking(lines: Path) -> None:
    assert reviewed(lines, "y", "n", "a") == 0
    after = lines.read_bytes()
    assert tool("undo", lines).code == 0
    result = resumed(lines)
    assert result.code == 0
    assert "Apply this hunk" not in result.said
    assert lines.read_bytes() == after


def test_an_undo_that_is_taken_back_applies_them_again(lines: Path) -> None:
    assert reviewed(lines, "y", "n", "y", "q") == 0
    after = lines.read_bytes()
    assert tool("undo", lines).code == 0
    assert tool("undo", "--run", "2", lines).code == 0
    assert lines.read_bytes() == after
    assert written(lines) == 2
    assert resumed(lines, "--write").code == 0
    assert lines.read_bytes() == after


def test_what_is_not_undone_stays_applied(lines: Path) -> None:
    assert reviewed(lines, "y", "n", "y", "q") == 0
    lines.write_text(lines.read_text() + "# mine\n")
    after = lines.read_bytes()
    result = tool("undo", lines)
    assert result.code == 2, "it was edited"
    assert written(lines) == 2
    assert "note: " not in resumed(lines, "--write").said
    assert lines.read_bytes() == after


@dataclass(frozen=True)
class Half:
    """A tree of files in which everything was accepted, and only some of it is written."""

    folder: Path
    paths: Sequence[Path]

    @property
    def texts(self) -> list[str]:
        return [path.read_text() for path in self.paths]


@contextmanager
def answering(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A real review of a folder in which every hunk is accepted."""
    import pexpect

    child = pexpect.spawn(shlex.join([*FRONT_ENDS["pinsetter"], str(folder), "--yes"]), timeout=30)
    child.delaybeforesend = None
    for _ in range(FILES):
        child.expect(PROMPT)
        child.send("a")
    try:
        yield child
    finally:
        child.close(force=True)


@pytest.fixture
def half(tmp_path: Path) -> Half:
    """Killed by SIGKILL when the first files of the run were replaced."""
    pytest.importorskip("pexpect")
    paths = [tmp_path / f"train{number}.py" for number in range(FILES)]
    for path in paths:
        path.write_text(TRAIN)
    for _ in range(5):
        before = paths[1].stat().st_ino
        with answering(tmp_path) as review:
            while paths[1].stat().st_ino == before and review.isalive():
                time.sleep(0.0002)
            os.kill(review.pid, signal.SIGKILL)
            review.wait()
        found = Half(tmp_path, paths)
        if TRAIN in found.texts:
            return found
        assert tool("undo", tmp_path).code == 0, "it was faster; once more"
    pytest.fail("it always writes everything before it can be killed")


def test_after_recover_everything_is_applied(half: Half) -> None:
    assert tool("recover", half.folder).code == 0
    texts = half.texts
    assert len(set(texts)) == 1
    listed = tool("decisions", "list", "--tree", half.folder).said
    assert listed.count("accepted, written") == listed.count("accepted") > FILES
    result = run("--resume", "--write", half.folder)
    assert result.code == 0
    assert "note: " not in result.said
    assert half.texts == texts


def test_after_undoing_half_a_run_everything_is_decided(half: Half) -> None:
    assert tool("undo", half.folder).code == 0
    assert set(half.texts) == {TRAIN}
    assert written(half.folder) == 0
    assert run("--resume", "--write", half.folder).code == 0
    assert len(set(half.texts)) == 1
    assert TRAIN not in half.texts
