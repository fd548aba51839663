"""The README, as a stranger has it: a fresh environment, its commands in its order, on a program.

The Python of the tests; more with PINSETTER_PYTHONS="python3.10 python3.12 …" (`make pythons`).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals need POSIX", allow_module_level=True)

import pexpect

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PYTHONS = os.environ.get("PINSETTER_PYTHONS", sys.executable).split()
# What asks questions: it is left at once, and nothing is written.
ASKS = re.compile(r"pinsetter run \S+ \S+( --by rule| --resume)?$|bowler run \S+ \S+$")


def commands() -> list[str]:
    """The indented commands of the README, without comments."""
    lines = re.findall(r"^    ((?:pip|pinsetter|bowler) .*)$", README, re.MULTILINE)
    return [line.partition(" #")[0].strip() for line in lines]


@pytest.fixture(scope="module", params=PYTHONS)
def installed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program in ``repo``, the scripts of the README's clone, and an environment
    into which that was installed."""
    folder = tmp_path_factory.mktemp("readme")
    source = folder / "source"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("analyzer", "patterns", "codemods", "staging", "src"):
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("setup.py", "setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    subprocess.run([request.param, "-m", "venv", folder / "venv"], check=True)
    got = subprocess.run(
        [folder / "venv/bin/pip", "install", "--quiet", "."], cwd=source, text=True,
        capture_output=True, check=False, timeout=600,
    )  # fmt: skip
    assert got.returncode == 0, got.stderr[-2000:]
    shutil.copytree(ROOT / "fixtures/demo", folder / "clone/repo")
    shutil.copytree(source / "codemods", folder / "clone/codemods", ignore=ignored)
    return folder


def test_its_commands(installed: Path) -> None:
    """Each does what it says, and exits with what docs/commands.md tells."""
    clone = installed / "clone"
    before = {path: path.read_bytes() for path in (clone / "repo").rglob("*.py")}
    path = f"{installed / 'venv/bin'}{os.pathsep}{os.environ['PATH']}"
    # What is set up for the tests must not help.
    known = {key: value for key, value in os.environ.items() if not key.startswith("PINSETTER")}
    environment = {**known, "PATH": path, "XDG_CACHE_HOME": str(installed / "cache"),
                   "XDG_STATE_HOME": str(installed / "state")}  # fmt: skip
    found = commands()
    assert found[0] == "pip install ."
    assert len(found) >= 13
    for command in found[1:]:
        if ASKS.fullmatch(command):
            child = pexpect.spawn(
                "/bin/sh", ["-c", command], cwd=str(clone), env=environment, encoding="utf-8",
                dimensions=(40, 120), timeout=60,
            )  # fmt: skip
            # After --write, before undo, there is nothing to ask.
            if child.expect([re.escape("?]? "), pexpect.EOF]) == 0:
                child.send("q")
                child.expect(pexpect.EOF)
            child.close()
            assert child.exitstatus == 0, (command, child.before)
            continue
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=clone, env=environment, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        allowed = (0, 1) if {"--check", "restrictions"} & {*shlex.split(command)} else (0,)
        assert done.returncode in allowed, (command, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, command
        assert done.stdout or done.stderr, command
        now = {path: path.read_bytes() for path in before}
        if "--write" in command:
            assert now != before
        elif command == "pinsetter undo":
            assert now == before


def test_its_page_in_an_index_has_no_dead_links(installed: Path) -> None:
    (metadata,) = (installed / "venv").rglob("pinsetter-*.dist-info/METADATA")
    text = metadata.read_text("utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert "docs/commands.md" in text
    assert links
    assert all(link.startswith("https://") for link in links)
