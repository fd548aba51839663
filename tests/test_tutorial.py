"""docs/tutorial.md, as it stands: its files are written, its commands run, and what they print is
what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "tutorial.md").read_text("utf-8")
_PART = re.compile(
    r"<!-- (?P<how>file|append to) (?P<name>\S+) -->\n```\w+\n(?P<text>[\s\S]*?)```\n"
    r"|```console\n(?P<console>[\s\S]*?)```\n"
)


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are a shell's")
def test_the_tutorial(tmp_path: Path) -> None:
    home = tmp_path / "work"
    (home / "project").mkdir(parents=True)
    environment = {
        **os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_STATE_HOME": str(tmp_path / "state"), "NO_COLOR": "1",
    }  # fmt: skip
    commands = 0
    for part in _PART.finditer(PAGE):
        if part["name"]:
            path = home / part["name"]
            before = path.read_text("utf-8") if part["how"] == "append to" else ""
            path.write_text(before + part["text"], "utf-8")
            continue
        for entry in re.split(r"^\$ ", part["console"], flags=re.MULTILINE)[1:]:
            command, _, wanted = entry.partition("\n")
            done = subprocess.run(
                ["/bin/sh", "-c", command], cwd=home, env=environment, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                check=False, timeout=60,
            )  # fmt: skip
            assert done.stdout == wanted, command
            commands += 1
    assert commands >= 8
