"""last_resort: a signal ends a command with its own exit code, however early or late it comes."""

from __future__ import annotations

import errno
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from reviewing import plan_of, prepare

from pinsetter.codemods.engine import cli
from pinsetter.codemods.engine.console import last_resort, signals
from pinsetter.codemods.engine.console.exit_code import ExitCode
from pinsetter.codemods.engine.console.last_resort import finish
from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.git import git_process
from pinsetter.codemods.engine.review import End, review

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no such signals")


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    monkeypatch.setattr(signals, "_received", None)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def stop(*_: object) -> None:
    """As if SIGTERM came now."""
    signal.raise_signal(signal.SIGTERM)


def code_of_end() -> object:
    with pytest.raises(SystemExit) as ended:
        finish(lambda: ExitCode.OK)
    return ended.value.code


def test_nothing_comes() -> None:
    assert code_of_end() == ExitCode.OK


def test_it_comes_as_soon_as_somebody_listens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listen = last_resort.listen
    monkeypatch.setattr(last_resort, "listen", lambda: (listen(), stop()))
    assert code_of_end() == ExitCode.TERMINATED
    assert capsys.readouterr().err == "Interrupted.\n"


def test_it_comes_when_nothing_is_left_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def listen_no_more() -> None:
        told.append("once more" if told else "first")
        if len(told) == 1:
            stop()
        signals.listen_no_more()

    monkeypatch.setattr(last_resort, "listen_no_more", listen_no_more)
    assert code_of_end() == ExitCode.TERMINATED
    assert told == ["first", "once more"]


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes while a program is started, and closing a pipe twice fails."""

    def run(*_: object, **__: object) -> None:
        try:
            stop()
        finally:
            raise OSError(errno.EBADF, "Bad file descriptor")

    signals.listen()
    monkeypatch.setattr(subprocess, "run", run)


@pytest.mark.usefixtures("lost")
def test_another_error_does_not_take_its_place() -> None:
    with pytest.raises(signals.Stopped):
        git_process.call(["git"], {})


@pytest.mark.usefixtures("lost")
def test_nobody_is_asked_after_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answers = ["q", "e"]
    monkeypatch.setattr("builtins.input", lambda _: answers.pop())
    plan = plan_of(prepare(tmp_path))
    assert review(plan, Decisions(plan)) is End.ABANDONED
    assert answers == ["q"]


def test_nobody_listens_before_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be raised went nowhere."""
    seen: list[object] = []

    def look(*_: object) -> None:
        seen.append(signal.getsignal(signal.SIGTERM))

    for name in ("prepare_streams", "_print_anything", "collect_less"):
        monkeypatch.setattr(cli, name, look)
    monkeypatch.setattr(cli, "obeyed", lambda *_: ExitCode.OK)
    with pytest.raises(SystemExit):
        cli.main()
    assert len(seen) == 3
    assert set(seen) == {signal.SIG_DFL}
