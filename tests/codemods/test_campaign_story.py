"""A campaign from its beginning to its end: a monorepo of 40 packages and 12 owners is migrated
over five weeks in which its code goes on changing.

PINSETTER_PICTURES names a folder for pictures of its pages, which docs/campaigns.md shows.
"""

from __future__ import annotations

import base64
import os
import random
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from browser import browser
from campaigning import NEW, OLD, PYTHON, Home, Repo
from test_campaign_pages import serving

from pinsetter.codemods.engine.state import decision

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
PACKAGES = [f"pkg{number:02}" for number in range(40)]
OWNERS = [f"@shop/team-{number}" for number in range(12)]
CODE = "# About {0}.\n" + OLD + "\n\nNUMBER = {1}\nNAME = '{0}'\nMORE = 1\n"


class Clock(datetime):
    """The time that the campaign has."""

    at = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)

    @classmethod
    def now(cls, tz: Any = None) -> Clock:
        # No two answers come at the same instant.
        cls.at += timedelta(milliseconds=1)
        return cls.at  # type: ignore[return-value]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Clock]]:
    monkeypatch.setattr(decision, "datetime", Clock)
    yield Clock
    Clock.at = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)


def file_of(package: str, number: int) -> tuple[str, str]:
    return f"{package}/m{number}.py", CODE.format(package, number)


class Story:
    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        lines = [f"/{name}/ {OWNERS[number % 12]}\n" for number, name in enumerate(PACKAGES)]
        files = dict(file_of(name, number) for name in PACKAGES for number in (1, 2))
        self.repo = Repo.of(folder / "shop", {**files, ".github/CODEOWNERS": "".join(lines)})

    def run(self, *arguments: str, code: int = 0) -> str:
        return self.home.run(*arguments, code=code).said

    def merge(self) -> int:
        """Take over all branches there are, as their owners do; how many."""
        names = [name for name in self.repo.branches() if name != "main"]
        for name in names:
            self.repo.git("merge", "-q", "--no-ff", "--no-edit", name)
            self.repo.git("branch", "-qD", name)
        return len(names)


def test_five_weeks(tmp_path: Path, clock: type[Clock]) -> None:
    story = Story(tmp_path)
    repo, home = story.repo, story.home
    chance = random.Random(7)
    story.run("start", "utc", "--pack", "utcnow", str(repo.folder), "--size", "10")
    assert home.counts() == {"open": 80}
    assert len(home.shards()) == 12
    lefts = [80]
    for week in range(5):
        # A team or more decides; one of them leaves something as it is.
        for owner in OWNERS[week * 3 : week * 3 + 3] if week < 4 else OWNERS:
            story.run("decide", "utc", "accept", "--owner", owner)
        story.run("check", "utc", "--timeout", "60", "--", PYTHON, "-c", "")
        story.run("apply", "utc", "--checked")
        # Meanwhile the code goes on.
        changes: dict[str, str] = {}
        if week < 4:
            name = chance.choice(PACKAGES[3:])
            changes |= dict([file_of(name, 10 + week)])
        package = chance.choice(PACKAGES)
        changes[f"{package}/other{week}.py"] = f"x = {week}\n"
        repo.commit(changes, f"week {week}")
        assert story.merge()
        clock.at += timedelta(days=7)
        story.run("scan", "utc")
        lefts.append(home.status()["left"])
        if week == 1:
            # Somebody brings back what was removed; the guard of their change says so.
            base = repo.head()
            repo.commit(dict([file_of(PACKAGES[0], 1)]), "back")
            said = story.run("guard", "utc", str(repo.folder), "--since", base, code=1)
            assert "1 place(s) are added" in said
            repo.git("reset", "-q", "--hard", base)
        if week == 2:
            guess = home.status()["forecast"]
            assert guess["at"] > "2026-03"
            _take_pictures(home)
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[-1] == 0
    assert story.run("status", "utc", "--exit-code")
    counts = home.counts()
    assert counts == {"merged": 84}
    texts = {path.read_text() for path in repo.folder.rglob("m*.py")}
    assert not any("utcnow" in text for text in texts)
    assert all(NEW.split("\n")[4] in text for text in texts)
    assert repo.git("status", "--porcelain") == ""
    # Each merge took over one commit of the campaign, and nothing twice.
    made = repo.git("log", "--format=%H", "--grep=Pinsetter-Campaign: utc").splitlines()
    hunks = repo.git("log", "--format=%s", "--grep=Pinsetter-Campaign: utc").splitlines()
    assert sum(int(line.split()[1]) for line in hunks) == 84
    assert len(made) == len(hunks)


def _take_pictures(home: Home) -> None:
    folder = os.environ.get("PINSETTER_PICTURES")
    if folder is None:
        return
    with serving(home) as served, browser() as page:
        page.call("Emulation.setDeviceMetricsOverride", width=1100, height=760,
                  deviceScaleFactor=1, mobile=False)  # fmt: skip
        page.visit(served.address)
        for name, path in (("overview", ""), ("review", "hunks?kind=open")):
            page.visit(served.address.partition("?")[0] + path)
            data = page.call("Page.captureScreenshot", format="png")["data"]
            Path(folder, f"campaign-{name}.png").write_bytes(base64.b64decode(data))
