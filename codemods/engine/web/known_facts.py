"""known_facts: what the analyzer knows of a line, and what that follows from, for a page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# In seconds.
_PATIENCE = 60


def facts_of(repository: Path, commit: str | None, path: str, line: int) -> str:
    """What ``pinsetter facts`` says of a line of a file as it was scanned; or why it says nothing.
    It runs in a process of its own, with its own bounds: no file keeps the pages waiting."""
    if commit is None or not repository.is_dir():
        return "The repository that was scanned is not on this machine."
    place = f"{repository / path}:{line}"
    command = [sys.executable, "-m", "pinsetter", "facts", f"--at={commit}", place]
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return f"Nothing was found out in {_PATIENCE} seconds."
    said = done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
    return said.replace(f"{repository}/", "").strip() or "Nothing is known of this line."
