"""SIGKILL at any instant: every file is the old or the new one, and the next start knows."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from commands import BIN, TRAIN, run
from prepared import (
    NEW,
    OLD,
    at_call,
    begin,
    changes,
    invoke,
    journal,
    killed_at,
    located,
    make_tree,
    needs_fork,
    temporaries,
)

from pinsetter.codemods.engine.commands.recover import recover
from pinsetter.codemods.engine.journal.interruption import settle
from pinsetter.codemods.engine.journal.replace_files import carry_out
from pinsetter.codemods.engine.journal.take_back import undo
from pinsetter.codemods.engine.journal.write_accepted import admission
from pinsetter.codemods.engine.state.runs import RunState

pytestmark = needs_fork
FILES = 50
KILLS = 50
LITTLE = 0.0005


@contextlib.contextmanager
def fast_folder() -> Iterator[Path]:
    """A folder in memory, where there is one: what SIGKILL leaves does not depend on the disk."""
    memory = Path("/dev/shm")
    base = memory if memory.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="pinsetter-test-", dir=base)).resolve()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_STATE_HOME", str(folder / "state"))
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_files(folder: Path, paths: list[Path]) -> None:
    with journal(folder) as runs:
        carry_out(runs, begin(runs, changes(paths)))


def finish(folder: Path, command: str) -> None:
    """What ``pinsetter recover`` and ``pinsetter undo`` do with an interrupted run."""
    with journal(folder) as runs:
        found = settle(runs)
        if found is None or not found.is_open:
            return
        carried = recover(runs, found) if command == "recover" else undo(runs, found.run)
        assert not carried.failures
        assert carried.stopped is None


def new_files(paths: list[Path]) -> int:
    """How many files are new; each is either that or old."""
    found = [path.read_bytes() for path in paths]
    assert set(found) <= {OLD, NEW}, "torn"
    return found.count(NEW)


@dataclass(frozen=True)
class Killer:
    """Kills at instants that are spread over all that a run of this many calls does."""

    chance: random.Random
    calls: int

    def __call__(self, action: Callable[[], None]) -> bool:
        """Whether it was killed: half of the time between two calls, else perhaps inside one."""
        delay = None if self.chance.random() < 0.5 else self.chance.uniform(0, LITTLE)
        return killed_at(self.chance.randrange(1, self.calls), action, delay)


@pytest.mark.parametrize("seed", range(6 if "PINSETTER_KILLS" in os.environ else 2))
def test_writing_is_killed(seed: int) -> None:
    chance = random.Random(seed)
    halves = killed = started = 0
    with fast_folder() as base:
        tree = base / "first"
        tree.mkdir()
        paths = make_tree(tree, FILES)
        kill = Killer(chance, at_call(0, lambda: None, partial(write_files, tree, paths)))
        while killed < KILLS:
            started += 1
            assert started < 4 * KILLS, "done too often before it was killed"
            tree = base / str(started)
            tree.mkdir()
            paths = make_tree(tree, FILES)
            killed += kill(partial(write_files, tree, paths))
            halves += next_start(tree, paths, kill)
            shutil.rmtree(tree)
    assert halves >= KILLS // 10, "killed too early or too late to tell"


def next_start(tree: Path, paths: list[Path], kill: Killer) -> bool:
    """Start after a crash, and end what it left; returns whether it left a half."""
    written = new_files(paths)
    half = 0 < written < FILES
    with admission(located(tree)) as (problem, notes):
        assert (problem is not None) == half
        text = str(problem or "".join(map(str, notes)))
        if half or text:
            assert f"was interrupted: {written} of {FILES} files written" in text
    assert new_files(paths) == written
    assert temporaries(tree) == []
    while new_files(paths) not in (0, FILES):
        # These may be killed, too, and either may follow.
        action = partial(finish, tree, kill.chance.choice(["recover", "undo"]))
        if kill.chance.random() < 0.7:
            kill(action)
        else:
            action()
    with journal(tree) as runs:
        found = settle(runs)
        assert found is None or not found.is_open
        assert all(run.state is not RunState.WRITING for run in runs.all())
    assert temporaries(tree) == []
    return half


@pytest.mark.parametrize("kill", range(5))
def test_the_real_command_is_killed(tmp_path: Path, kill: int) -> None:
    wanted = random.Random(kill).randrange(1, 11)
    paths = [tmp_path / f"train{number:02}.py" for number in range(12)]
    for path in paths:
        path.write_text(TRAIN)
    before = [path.stat().st_ino for path in paths]
    command = [BIN / "pinsetter", "run", "tf2_gradient_tape", "--write", tmp_path]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        replaced = sum(path.stat().st_ino != old for path, old in zip(paths, before, strict=True))
        if replaced >= wanted:
            break
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    texts = [path.read_text() for path in paths]
    written = len(texts) - texts.count(TRAIN)
    assert written >= wanted
    new = next(text for text in texts if text != TRAIN)
    assert set(texts) <= {TRAIN, new}, "torn"
    name = "undo" if kill % 2 else "recover"
    result = run(name, tmp_path, command=[str(BIN / "pinsetter")])
    assert result.code == 0, result.said
    assert temporaries(tmp_path) == []
    expected = TRAIN if name == "undo" else new
    assert {path.read_text() for path in paths} == {expected}
    assert invoke("recover", tmp_path).err == "no run was interrupted\n"
