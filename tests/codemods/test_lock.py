"""Two runs that may write to one tree exclude each other, and nothing else does."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import TRAIN
from prepared import forked, interrupted, invoke, located, make_tree, needs_fork

from pinsetter.codemods.engine.state import lock
from pinsetter.codemods.engine.state.lock import exclusive, holder

pytestmark = needs_fork
WRITE = ["run", "tf2_gradient_tape", "--write"]


def holding(tree: Path) -> int:
    """A process that holds the tree's lock until it is killed."""
    ready, done = os.pipe()

    def hold() -> None:
        with exclusive(located(tree)) as problem:
            assert problem is None
            os.write(done, b".")
            time.sleep(60)

    pid = forked(hold)
    assert os.read(ready, 1) == b"."
    os.close(ready)
    os.close(done)
    return pid


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def without_flock(monkeypatch: pytest.MonkeyPatch) -> None:
    """As NFS has it for folders."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    real = lock.fcntl

    class Fcntl:
        LOCK_EX, LOCK_NB = real.LOCK_EX, real.LOCK_NB
        flock = staticmethod(refuse)

    monkeypatch.setattr(lock, "fcntl", Fcntl)


def with_flock(_: pytest.MonkeyPatch) -> None:
    """As other file systems."""


each_kind = pytest.mark.parametrize("kind", [with_flock, without_flock])


def test_a_free_tree_can_be_locked_again_and_again(tmp_path: Path) -> None:
    for _ in range(3):
        with exclusive(located(tmp_path)) as problem:
            assert problem is None
    assert list(tmp_path.iterdir()) == []
    assert holder(located(tmp_path)) is None


def test_other_trees_are_free(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with exclusive(located(tmp_path / "one")), exclusive(located(tmp_path / "other")) as problem:
        assert problem is None


@each_kind
def test_a_held_tree_says_who_holds_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: Callable[[pytest.MonkeyPatch], None],
) -> None:
    kind(monkeypatch)
    pid = holding(tmp_path)
    try:
        with exclusive(located(tmp_path)) as problem:
            assert problem is not None
            assert f"process {pid}, since 20" in problem.reason
            assert "--diff and --check" in problem.hint
    finally:
        kill(pid)


@each_kind
def test_the_lock_of_a_killed_process_is_free(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: Callable[[pytest.MonkeyPatch], None],
) -> None:
    kind(monkeypatch)
    kill(holding(tmp_path))
    with exclusive(located(tmp_path)) as problem:
        assert problem is None
        found = holder(located(tmp_path))
        assert found is not None
        assert found.pid == os.getpid()


def test_different_state_folders_have_one_lock(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    pid = holding(tree)
    try:
        with exclusive(located(tree, tmp_path / "elsewhere")) as problem:
            assert problem is not None
    finally:
        kill(pid)


def test_the_second_run_changes_nothing(script: Path) -> None:
    pid = holding(script.parent)
    try:
        for arguments in (WRITE, ["run", "tf2_gradient_tape"]):
            result = invoke(*arguments, script)
            assert result.code == 2
            assert f"another run may write to this tree: process {pid}, since " in result.err
            assert "0 seen" not in result.err, "nothing was looked at"
            assert result.out == ""
        assert script.read_text() == TRAIN
        assert not located(script.parent).path.exists()
    finally:
        kill(pid)
    assert invoke(*WRITE, script).code == 0


@pytest.mark.parametrize(("option", "code"), [("--diff", 0), ("--check", 1)])
def test_looking_needs_no_lock(script: Path, option: str, code: int) -> None:
    pid = holding(script.parent)
    try:
        assert invoke("run", "tf2_gradient_tape", option, script).code == code
    finally:
        kill(pid)


def test_undo_and_recover_need_it_and_a_list_does_not(tmp_path: Path) -> None:
    interrupted(tmp_path, make_tree(tmp_path, 3), 1)
    pid = holding(tmp_path)
    try:
        for name in ("undo", "recover"):
            result = invoke(name, tmp_path)
            assert result.code == 2
            assert "another run may write" in result.err
        listed = invoke("undo", "--list", tmp_path)
        assert listed.code == 0
        assert "being written" in listed.out
    finally:
        kill(pid)
    assert "interrupted" in invoke("undo", "--list", tmp_path).out
