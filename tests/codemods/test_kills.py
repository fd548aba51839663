"""Runs, undo and recover ended at random instants, by signals and for want of memory: every file is
the old or the new one, and what is left can be brought to an end.

PINSETTER_KILLS says how many runs are to be ended (`make kills`: 600). All goes through the
commands: where the state lies does not matter.
"""

from __future__ import annotations

import collections
import io
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from prepared import forked, needs_fork, temporaries
from test_crash import fast_folder
from wrong_rules import pack_of

from pinsetter.codemods.engine.cli import main

pytestmark = needs_fork
WANTED = int(os.environ.get("PINSETTER_KILLS", "15"))
RULE = {"match": "how()", "edit": {"append": "x=1"}, "example": ("how()\n", "how(x=1)\n")}
OLD = "how()\n" + "# A line.\n" * 100
NEW = OLD.replace("how()", "how(x=1)")
FILES = 25
MEGABYTE = 1 << 20
PATIENCE = 30.0
CODES = {"SIGTERM": 143, "SIGHUP": 129}
SIGNALS = ["SIGKILL", *CODES]
NOTHING = ("nothing was ever written", "there is no run that wrote")


@dataclass
class Ended:
    """What became of a command: its exit code, negative for a signal, and what it said."""

    code: int
    said: str
    seconds: float


@dataclass
class Trial:
    """A tree, and what is done to it."""

    base: Path
    chance: random.Random
    seconds: dict[str, float]
    killed: collections.Counter[str] = field(default_factory=collections.Counter)

    def make(self) -> None:
        self.tree = self.base / "tree"
        self.tree.mkdir()
        for number in range(FILES):
            (self.tree / f"f{number:02}.py").write_text(OLD)

    def command(self, name: str) -> list[str]:
        if name == "write":
            return ["run", str(self.base / "wrong.yaml"), str(self.tree), "--write"]
        return [name, str(self.tree)]

    def run(self, name: str, how: str = "", after: float = 0.0, writing: bool = False) -> Ended:
        """A command, ended by a signal some seconds after its begin, or after it began to write, or
        for want of memory."""
        output = self.base / "output"

        def child() -> None:
            descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for number in (1, 2):
                os.dup2(descriptor, number)
            sys.stdin = io.StringIO()
            sys.stdout, sys.stderr = (
                io.TextIOWrapper(os.fdopen(number, "wb", closefd=False), line_buffering=True)
                for number in (1, 2)
            )
            sys.argv[1:] = self.command(name)
            if how == "memory":
                import resource  # Windows has none

                used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
                most = used + int(after * MEGABYTE)
                resource.setrlimit(resource.RLIMIT_AS, (most, most))
            try:
                main()
            except SystemExit as end:
                os._exit(int(end.code or 0))

        begun = time.monotonic()
        before = self.tree.stat().st_mtime_ns
        pid = forked(child)
        if how in SIGNALS:
            while writing and self.tree.stat().st_mtime_ns == before and not _has_ended(pid):
                time.sleep(0.0005)
            time.sleep(after)
            os.kill(pid, getattr(signal, how))
        if how == "memory":
            # CPython itself may loop where it cannot even make room for the line of an error.
            while not _has_ended(pid) and time.monotonic() - begun < PATIENCE:
                time.sleep(0.005)
            if not _has_ended(pid):
                os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        return Ended(code, output.read_text(), time.monotonic() - begun)

    def ended(self, name: str) -> bool:
        """Have a command ended at some instant; whether it was, and not done before."""
        how = self.chance.choice([*SIGNALS, *(["memory"] if os.path.exists("/proc") else [])])
        if how == "memory":
            after = self.chance.uniform(0, 6)
        else:
            after = self.chance.uniform(0, 1.1 * self.seconds[name])
        # Most of the time goes into what comes before.
        writing = self.chance.random() < 0.6
        if writing and how != "memory":
            after *= 0.1
        done = self.run(name, how, after, writing)
        assert "Traceback" not in done.said, done
        assert "Exception ignored" not in done.said, done
        if how == "SIGKILL":
            hit = done.code == -signal.SIGKILL
        elif how == "memory":
            # The system itself ends a process whose stack cannot grow any more.
            beyond = done.code in (-signal.SIGSEGV, -signal.SIGKILL)
            hit = "memory" in done.said or beyond
            self.killed["interpreter"] += beyond
            assert done.code == 2 or beyond or not hit, done
        else:
            # It may hit before the command listens, and when it has nothing more to do.
            hit = done.code in (CODES[how], -getattr(signal, how))
        assert hit or done.code in (0, 2), (how, after, done)
        self.killed[f"{name} {how}"] += hit
        self.whole()
        return hit

    def whole(self) -> set[str]:
        """What is in the files; each is the old or the new one."""
        found = {path.read_text() for path in self.tree.glob("*.py")}
        assert found <= {OLD, NEW}, "torn"
        assert len(list(self.tree.glob("*.py"))) == FILES
        return found

    def brought_to_an_end(self) -> None:
        """Whatever happened, one of the two is enough; where a run and its undo were interrupted,
        one after the other: what is still half is told."""
        for _ in range(20):
            name = self.chance.choice(["recover", "undo"])
            done = self.run(name)
            if len(self.whole()) == 1:
                break
            assert done.code == 2, done
            assert "was interrupted: " in done.said, done
        # It may have been ended before there was anything in the journal.
        nothing = any(words in done.said for words in NOTHING) and self.whole() == {OLD}
        assert done.code == 0 or (done.code == 2 and nothing), done
        assert len(self.whole()) == 1, done
        assert temporaries(self.tree) == []
        assert self.run("write").code == 0, "and runs are admitted again"
        assert self.whole() == {NEW}


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with fast_folder() as folder:
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        pack_of(folder, RULE)
        yield folder


def test_whenever_it_ends(base: Path) -> None:
    killed: collections.Counter[str] = collections.Counter()
    trial = Trial(base, random.Random(WANTED), {}, killed)
    trial.make()
    for name in ("write", "undo", "write"):  # the first loads what all others have loaded
        done = trial.run(name)
        assert done.code == 0, done
        trial.seconds[name] = done.seconds
    trial.seconds["recover"] = trial.seconds["undo"]
    halves = number = 0
    while killed.total() - killed["interpreter"] < WANTED:
        number += 1
        assert number < 4 * WANTED + 20, "done too often before it was ended"
        shutil.rmtree(trial.tree)
        shutil.rmtree(base / "state", ignore_errors=True)
        trial.make()
        if number % 3 == 0:
            assert trial.run("write").code == 0
            trial.ended("undo")
        else:
            trial.ended("write")
        halves += len(trial.whole()) == 2
        while trial.chance.random() < 0.7:
            trial.ended(trial.chance.choice(["recover", "undo"]))
        trial.brought_to_an_end()
        told = f"{killed.total()} ended in {number} trials, {halves} with halves: {dict(killed)}"
        print(told, flush=True)
