"""own_answers: what a page asks this program in a process of its own.

It has its own bounds: no file, however it is made, keeps the other pages waiting.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..console.own_process import own_command

# In seconds; of a large repository all imports are looked at.
_PATIENCE = 600


def facts_of(repository: Path, commit: str | None, path: str, line: int) -> str:
    """What ``pinsetter facts`` says of a line of a file as it was scanned, or why that is
    nothing."""
    if commit is None or not repository.is_dir():
        return "The repository that was scanned is not on this machine."
    done = _ended(["facts", f"--at={commit}", f"{repository / path}:{line}"], {}, b"")
    if done is None:
        return f"Nothing was found out in {_PATIENCE} seconds."
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    return said.replace(f"{repository}/", "").strip() or "Nothing is known of this line."


@dataclass(frozen=True)
class Pieces:
    """``pinsetter campaign edit`` and ``split`` for one hunk of a campaign, where these are:
    ``environment`` says so."""

    campaign: str
    environment: Mapping[str, str] = field(repr=False)

    def asked(
        self, command: str, repository: str, hunk: str, options: Sequence[str] = (), text: str = ""
    ) -> dict[str, Any]:
        """What a command says. Raises ValueError with what is wrong."""
        arguments = ["campaign", command, self.campaign, hunk, f"--repository={repository}"]
        done = _ended([*arguments, "--json", *options], self.environment, text.encode())
        if done is None:
            raise ValueError(f"it took more than {_PATIENCE} seconds")
        try:
            found: dict[str, Any] = json.loads(done.stdout)
        except ValueError:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise ValueError(said[-1] if said else "it says nothing") from None
        return found


def _ended(
    arguments: Sequence[str], environment: Mapping[str, str], told: bytes
) -> subprocess.CompletedProcess[bytes] | None:
    try:
        return subprocess.run(
            own_command(arguments), input=told, capture_output=True, timeout=_PATIENCE,
            env={**os.environ, **environment}, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
