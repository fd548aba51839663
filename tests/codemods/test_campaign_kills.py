"""Campaigns ended by `kill -9` at random instants of start, scan, check and apply: the next command
goes on, nothing is applied twice, and the end is what it is without.

PINSETTER_KILLS says how many are to be ended (`make kills`: 720, a third of them here).
"""

from __future__ import annotations

import io
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest
from campaigning import NEW, OLD, Repo
from prepared import forked, needs_fork

from pinsetter.codemods.engine.cli import main
from pinsetter.codemods.engine.commands import campaign_command

pytestmark = [
    needs_fork,
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]
WANTED = int(os.environ.get("PINSETTER_KILLS", "24")) // 3
assert campaign_command.campaign_group is not None  # imported before the processes are made
FILES = {f"f{number}.py": OLD for number in range(4)}
STEPS = (
    ("start", "utc", "--pack", "utcnow", "--size", "2", "--jobs", "1"),
    ("decide", "utc", "accept", "--rule", "naive-utcnow"),
    ("check", "utc", "--jobs", "1", "--", "true"),
    ("apply", "utc", "--jobs", "1"),
)


def command(home: Path, *arguments: str, kill_after: float | None = None) -> tuple[int, str]:
    """A command in a process of its own, killed after some seconds: its exit code, and what it
    said."""
    output = home.with_name("output")

    def child() -> None:
        os.environ["PINSETTER_CAMPAIGNS"] = str(home)
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for number in (1, 2):
            os.dup2(descriptor, number)
        sys.stdin = io.StringIO()
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(os.fdopen(number, "wb", closefd=False), line_buffering=True)
            for number in (1, 2)
        )
        sys.argv[1:] = ["campaign", *arguments]
        try:
            main()
        except SystemExit as end:
            os._exit(int(end.code or 0))

    pid = forked(child)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    said = output.read_text() if output.exists() else ""
    assert "Traceback" not in said, said
    return os.waitstatus_to_exitcode(status), said


def brought_to_an_end(home: Path, step: tuple[str, ...], repo: Repo) -> None:
    """What a person does who finds that a command was killed."""
    more = (str(repo.folder),) if step[0] == "start" else ()
    code, said = command(home, *step, *more)
    if code == 2 and "there is a campaign" in said:
        code, said = command(home, "scan", "utc", "--jobs", "1")
    assert code == 0, said


@pytest.mark.parametrize("number", range(WANTED))
def test_killed_at_any_instant(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    home = tmp_path / "home"
    repo = Repo.of(tmp_path / "repo", FILES)
    killed = chance.choice(STEPS)
    for step in STEPS:
        if step is killed:
            more = (str(repo.folder),) if step[0] == "start" else ()
            for _ in range(chance.randint(1, 3)):
                code, said = command(home, *step, *more, kill_after=chance.uniform(0, 0.6))
                assert code in (-signal.SIGKILL, 0, 2), said
        brought_to_an_end(home, step, repo)
    code, said = command(home, "apply", "utc", "--jobs", "1")
    assert code == 0
    assert said.count("is already at") == 2, said
    assert repo.branches() == ["main", "pinsetter/utc/no-owner", "pinsetter/utc/no-owner-2"]
    for branch, names in (("no-owner", ("f0.py", "f1.py")), ("no-owner-2", ("f2.py", "f3.py"))):
        name = f"pinsetter/utc/{branch}"
        assert repo.git("diff", "--name-only", "main", name).split() == [*names]
        assert {repo.show(name, file) for file in names} == {NEW}
        assert repo.git("rev-list", "--count", f"main..{name}") == "1"
    assert repo.git("status", "--porcelain") == ""
    repo.git("fsck", "--strict")
    with sqlite3.connect(home / "campaigns.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM hunk").fetchone() == (4,)
        told = database.execute("SELECT count(*) FROM event WHERE kind = 'applied'").fetchone()
    assert told == (2,)
