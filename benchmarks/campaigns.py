"""What campaigns cost: scanning a generated monorepo again and again, and pages of many hunks.

python benchmarks/campaigns.py repository --files 1000000 --owners 2000 --days 30
python benchmarks/campaigns.py pages --hunks 100000
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.codemods.engine.records import campaigns, hunks
from pinsetter.codemods.engine.records.recorded import Campaign, DecisionRow, Found
from pinsetter.codemods.engine.records.store import opened, parsed

COMMAND = [str(Path(sys.executable).parent / "pinsetter")]
USING = "import datetime\n\n\ndef now():\n    return datetime.datetime.utcnow()\n"
OTHER = "import {0}\n\n\ndef f{1}(x):\n    return x + {1}\n"
PATHS = ("/", "/hunks?kind=open", "/hunks?kind=open&page=2000",
         "/hunks?kind=open&owner=@org/team-7", "/hunks?rule=rule-3&shard=team-3",
         "/hunks?text=mod99", "/hunks?text=utcnow&in_code=1", "/hunks?assumed=1",
         "/hunks?equal_to=5", "/rules", "/burndown.svg", "/events?after=0",
         "/hunks/77")  # fmt: skip


def repository(folder: Path, files: int, owners: int, share: float) -> Path:
    """A repository of one commit; ``share`` of its files has something to be changed."""
    path = folder / "shop"
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True)
    for key in ("user.name", "user.email"):
        subprocess.run(["git", "-C", str(path), "config", key, "bench@example.org"], check=True)
    # Thousands at a time: nobody holds a monorepo in memory.
    _commit(path, chain(_files(files, share), [("CODEOWNERS", _owners(owners))]))
    return path


def _files(count: int, share: float) -> Iterator[tuple[str, str]]:
    chance = random.Random(1)
    for number in range(count):
        name = f"pkg{number % 2000:04}/part{number // 2000 % 20}/m{number}.py"
        text = OTHER.format(chance.choice(["os", "sys", "json", "pathlib"]), number)
        yield name, USING if chance.random() < share else text


def _owners(count: int) -> str:
    return "".join(f"/pkg{number:04}/ @org/team-{number % count}\n" for number in range(2000))


def _commit(path: Path, files: Iterable[tuple[str, str | None]], parent: str = "") -> None:
    """By fast-import: nothing is checked out. A file without text is removed."""
    command = ["git", "-C", str(path), "fast-import", "--quiet", "--force"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        head = "commit refs/heads/main\ncommitter B <b@example.org>"
        process.stdin.write(f"{head} {int(time.time())} +0000\ndata 1\nx\n".encode())
        if parent:
            process.stdin.write(f"from {parent}\n".encode())
        for name, text in files:
            data = (text or "").encode()
            change = f"M 100644 inline {name}\ndata {len(data)}\n".encode() + data
            process.stdin.write((change if text is not None else f"D {name}".encode()) + b"\n")
    assert process.returncode == 0


def timed(*arguments: str, home: Path) -> float:
    """How many seconds a command takes."""
    started = time.monotonic()
    env = {**os.environ, "PINSETTER_CAMPAIGNS": str(home)}
    done = subprocess.run([*COMMAND, *arguments], env=env, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()[-2000:]
    return time.monotonic() - started


def time_repository(files: int, owners: int, share: float, days: int, commits: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        path, home = repository(folder, files, owners, share), folder / "home"
        first = timed("campaign", "start", "bench", "--pack", "utcnow", str(path), home=home)
        print(f"{files:,} files, {owners:,} owners: start {first:.1f} s")
        chance = random.Random(2)
        scans = []
        for day in range(days):
            changed: dict[str, str | None] = {}
            for turn, number in enumerate(chance.sample(range(files), commits)):
                name = f"pkg{number % 2000:04}/part{number // 2000 % 20}/m{number}.py"
                changed[name] = OTHER.format("os", number) + f"\n\nDAY = {day}\n"
                if turn % 10 == 0:  # one of ten comes, one of twenty goes
                    changed[f"pkg{number % 2000:04}/day{day}_{number}.py"] = USING
                    changed[name] = None if turn % 20 == 0 else changed[name]
            _commit(path, changed.items(), "refs/heads/main^0")
            scans.append(timed("campaign", "scan", "bench", home=home))
            print(f"day {day + 1}: {len(changed)} files changed, scan {scans[-1]:.1f} s")
        same = timed("campaign", "scan", "bench", home=home)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"nothing changed: {same:.1f} s; the largest process had {most:.0f} MB")
        if scans:
            print(f"a daily scan: {statistics.median(scans):.1f} s, at most {max(scans):.1f} s")


def fill(home: Path, count: int) -> None:
    """A campaign of many hunks."""
    url = parsed(str(home / "campaigns.db"))
    assert url is not None
    store = opened(url)
    assert not isinstance(store, Problem), store
    settings = {"by": "owner", "size": None, "options": [], "skip": [], "exclude": [],
                "format_with": "none"}  # fmt: skip
    with store.change() as connection:
        id = campaigns.begin(connection, Campaign(0, "bench", "utcnow", settings, 0, "B"))
        made = campaigns.add_repository(connection, id, Path.cwd(), "shop", "main")
        shards = [
            campaigns.add_shard(connection, made, f"team-{n}", [f"@org/team-{n}"], f"b{n}")
            for n in range(200)
        ]
        hunks.put(
            connection, id, made, ((None, shards[n % 200], _hunk(n)) for n in range(count)), 1
        )
        hunks.decide(connection, (
            DecisionRow(n + 1, ("accepted", "rejected")[n % 2], (f"{n:016x}",), "d", (), n, "B")
            for n in range(0, count, 3)
        ))  # fmt: skip
    store.close()


def _hunk(n: int) -> Found:
    diff = (
        "@@ -4,5 +4,5 @@\n \n \n def f():\n-    return datetime.datetime.utcnow()\n"
        "+    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)"
    )
    warnings = ("Assumed: x.",) if n % 50 == 0 else ()
    return Found(
        f"{n:012x}", f"pkg{n % 200}/mod{n // 10}.py".encode(), f"rule-{n % 30}", "The title of it",
        "Why it has to be so.", warnings, n % 300 + 1, diff, f"{n % 997:08x}", f"{n:016x}",
    )  # fmt: skip


def time_pages(count: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        fill(home, count)
        env = {**os.environ, "PINSETTER_CAMPAIGNS": str(home)}
        command = [*COMMAND, "serve", "bench", "--port", "0"]
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        connection = http.client.HTTPConnection(address.netloc)
        try:
            connection.request("GET", f"/?{address.query}")
            answer = connection.getresponse()
            answer.read()
            cookie = {"Cookie": str(answer.getheader("set-cookie")).partition(";")[0]}
            for path in PATHS:
                seconds = []
                for _ in range(rounds):
                    started = time.monotonic()
                    connection.request("GET", path, headers=cookie)
                    connection.getresponse().read()
                    seconds.append(time.monotonic() - started)
                print(f"{statistics.median(seconds) * 1000:6.0f} ms, at most "
                      f"{max(seconds) * 1000:6.0f} ms  {path}")  # fmt: skip
        finally:
            process.kill()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["repository", "pages"])
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--owners", type=int, default=200)
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--commits", type=int, default=200, help="changed files a day")
    parser.add_argument("--hunks", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if given.what == "pages":
        time_pages(given.hunks, given.rounds)
    else:
        time_repository(given.files, given.owners, given.share, given.days, given.commits)


if __name__ == "__main__":
    main()
