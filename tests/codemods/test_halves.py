"""Many files are read by two processes, and what is made of them is what one makes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from pinsetter.analyzer.files import disk
from pinsetter.codemods.engine.workers import halves
from pinsetter.codemods.engine.workers.forking import CAN_FORK
from pinsetter.codemods.engine.workers.halves import in_halves, read_by

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="forks")


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(halves, "_MANY", 4)
    for number in range(7):
        (tmp_path / f"{number}.py").write_text(f"import m{number}\n")
    return [str(tmp_path / f"{number}.py") for number in range(9)]


def made_here(paths: list[str], make: disk.Make) -> list[tuple[str, bytes | None]]:
    return list(disk.one_by_one(disk.LOCAL.read, paths, make))


def test_what_is_made_is_the_same_and_what_is_missing_nothing(paths: list[str]) -> None:
    made = list(
        in_halves(disk.LOCAL.read, iter(paths), lambda path, data: data + path[-4:].encode())
    )
    assert made == made_here(paths, lambda path, data: data + path[-4:].encode())
    assert [answer is None for _, answer in made] == [False] * 7 + [True] * 2


def test_another_process_has_the_second_half(paths: list[str]) -> None:
    made = list(in_halves(disk.LOCAL.read, paths[:6], lambda *_: str(os.getpid()).encode()))
    here = str(os.getpid()).encode()
    assert [answer == here for _, answer in made] == [True] * 3 + [False] * 3


def test_few_files_are_read_here(paths: list[str]) -> None:
    made = in_halves(disk.LOCAL.read, paths[:3], lambda *_: str(os.getpid()).encode())
    assert {answer for _, answer in made} == {str(os.getpid()).encode()}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_is_ended_loses_nothing(paths: list[str], number: int) -> None:
    parent = os.getpid()

    def make(path: str, data: bytes) -> bytes:
        if os.getpid() != parent:
            os.kill(os.getpid(), number)
        return data

    assert list(in_halves(disk.LOCAL.read, paths, make)) == made_here(paths, lambda _, data: data)


def test_what_goes_wrong_is_said_once_and_here(
    paths: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    def make(path: str, data: bytes) -> bytes:
        if path.endswith("6.py"):
            raise ValueError(path)
        return data

    with pytest.raises(ValueError, match=r"6\.py"):
        list(in_halves(disk.LOCAL.read, paths, make))
    assert capfd.readouterr().err == ""


def test_who_asks_no_further_leaves_no_process(paths: list[str]) -> None:
    before = {process.pid for process in multiprocessing.active_children()}
    made = in_halves(disk.LOCAL.read, paths, lambda _, data: data)
    next(made)
    assert {process.pid for process in multiprocessing.active_children()} > before
    made.close()
    assert {process.pid for process in multiprocessing.active_children()} <= before


def test_one_job_is_one_process(
    tmp_path: Path, paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(halves, "in_halves", never)
    assert read_by(1, [tmp_path]).known == {os.path.realpath(path) for path in paths[:7]}
    with disk.using(disk.Local()):  # what is not this machine's is not either
        assert read_by(2, [tmp_path]).known
    with pytest.raises(AssertionError):
        read_by(2, [tmp_path])
