"""The review in terminals of every kind, and without one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from reviewing import END, ESCAPES, INTERRUPT, SCRIPT, Review, command, plain, prepare

pytest.importorskip("pexpect")
if sys.platform == "win32":
    pytest.skip("pseudo-terminals need POSIX", allow_module_level=True)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return prepare(tmp_path)


def piped(script: Path, answers: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command(script), input=answers, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr
    return done


def test_after_a_stop_the_question_is_shown_again(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        # At once: the signal comes before, or while, it begins to wait.
        for _ in range(20):
            for stop in (signal.SIGSTOP, signal.SIGCONT):
                os.kill(review.child.pid, stop)
                time.sleep(0.01)
            assert review.seen() == ""
        assert "#2 " in review.key("y")
        review.end("q")


def test_a_pipe_gives_one_answer_a_line(lines: Path) -> None:
    done = piped(lines, "y\nn\nr\nj\n")
    assert done.returncode == 1, "the rest is undecided"
    assert "\x1b" not in done.stdout + done.stderr
    assert "[y,n,q,a,d,?]? y\n" in done.stdout, "each answer ends its line"
    assert "1 accepted, 1 rejected, 6 not decided" in done.stderr
    assert lines.read_text() == "open_log()\n" + SCRIPT


def test_no_input_at_all_decides_nothing(lines: Path) -> None:
    done = piped(lines, "")
    assert done.returncode == 1
    assert lines.read_text() == SCRIPT


def test_a_pipe_may_decide_everything(lines: Path) -> None:
    assert piped(lines, "a\n", FORCE_COLOR="").returncode == 0


@pytest.mark.parametrize("answers", [["y", "i", END], ["e", "g", END]])
def test_the_end_of_input_keeps_what_was_accepted(lines: Path, answers: list[str]) -> None:
    with Review(lines, {"VISUAL": "true", "EDITOR": "true"}) as review:
        for answer in answers[:-1]:
            review.seen(r"\? ")
            review.send(answer)
        review.seen(r"\? ")
        assert review.end(answers[-1])[0] == 1
    assert lines.read_text() == ("open_log()\n" if "y" in answers else "") + SCRIPT


def test_an_interrupt_of_any_question_writes_nothing(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        review.key("y")
        review.key("i", r"ignored here\? ")
        assert review.end(INTERRUPT)[0] == 130
    assert lines.read_text() == SCRIPT


def test_colours_and_marks(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        review.key("y")
        assert "\x1b[33mWarning: The name is the same for all." in (review.key("J") and review.raw)
        marked = [part for part in review.raw.split("\n") if "check(" in ESCAPES.sub("", part)]
        assert any("\x1b[1;4;" in line for line in marked), "words that changed are underlined"
        review.end("q")


@pytest.mark.parametrize(
    "environment", [{"TERM": "dumb"}, {"NO_COLOR": "1"}], ids=["dumb", "no colour"]
)
def test_terminals_without_colours(lines: Path, environment: dict[str, str]) -> None:
    with Review(lines, environment) as review:
        review.seen()
        for answer in ("?", "r", "J", "J", "+", "g renew", "s", "y"):
            review.key(answer)
        assert review.end("q")[0] == 0
        if environment.get("TERM") == "dumb":
            assert "\x1b" not in review.raw
        colours = [
            code
            for codes in review.raw.split("\x1b[")[1:]
            for code in codes.partition("m")[0].split(";")
            if code[:1] in ("3", "4") and len(code) > 1
        ]
        assert colours == []
    assert lines.read_text() == SCRIPT.replace("old(1)", "new(1)")


def test_a_narrow_window_that_is_resized(lines: Path) -> None:
    with Review(lines, size=(10, 20)) as review:
        shown = review.seen()
        assert "  The log is opened\n  once, before" in shown, "broken between words"
        for answer in ("?", "r", "J", "J", "g renew"):
            review.key(answer)
        review.child.setwinsize(50, 120)
        assert "#4 " in review.seen(), "it is shown again at once"
        assert "  What is old may be revised instead.\n" in review.key("J")
        review.child.setwinsize(5, 1)
        review.seen()
        review.key("-")
        review.key("J")
        review.child.setwinsize(50, 200)
        review.seen()
        review.key("g 1")
        assert "    The log is opened once, before anything is checked.\n" in review.key("r")
        assert "#2 " in plain(review.key("y"))
        assert review.end("q")[0] == 0


def test_a_resize_while_it_asks(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        review.child.setwinsize(20, 40)
        assert "#1 " in review.seen(), "it is shown as the window is now"
        assert "#2 " in review.key("y")
        assert review.end("q")[0] == 0
    assert lines.read_text() == "open_log()\n" + SCRIPT


def test_source_cannot_steer_the_terminal(tmp_path: Path) -> None:
    text = "step('\x1b]0;title\x07 \x1b[2J \u202e')\n"
    lines = prepare(tmp_path, text)
    with Review(lines) as review:
        review.key("g step") if "start-log" in review.seen() else None
        shown = review.raw
        assert r"\x1b]0;title\x07 \x1b[2J \u202e" in ESCAPES.sub("", shown)
        review.key("r")
        assert "\x1b[2J" not in review.raw
        assert "\x1b]0;" not in review.raw
        review.end("q")
