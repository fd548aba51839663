"""LiveMatches: what the rules of a pack match in a folder, while the pack is written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from pinsetter.patterns.packs.pack import Pack

from ..console.own_process import own_command

SECONDS = 60
_OWN_PYTHON = "Matches are not shown: the pack has Python of its own, which an editor does not run."


@dataclass(frozen=True)
class LiveMatch:
    """Code that a rule would rewrite, or reports; lines and columns count from 0."""

    rule: str
    says: str
    uri: str
    start: tuple[int, int]
    end: tuple[int, int]


class LiveMatches:
    """The matches in one folder, of one pack at a time, as the files are on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None

    async def of(self, pack: Pack) -> list[LiveMatch] | str | None:
        """The matches, or why they are not known; None if others were asked for meanwhile, or it
        was stopped."""
        self.stop()
        if any(rule.python for rule in pack.rules):
            return _OWN_PYTHON
        arguments = ["run", str(pack.path), str(self._folder), "--check", "--format", "json"]
        process = self._process = await asyncio.create_subprocess_exec(
            *own_command(arguments), cwd=self._folder, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            told, _ = await asyncio.wait_for(process.communicate(), SECONDS)
        except asyncio.TimeoutError:
            self.stop()
            return f"Matches are not shown: {self._folder} takes longer than {SECONDS} s."
        if process is not self._process:
            return None
        self._process = None
        try:
            return [*_matches(json.loads(told))]
        except ValueError:
            return f"Matches are not shown: the run ended with {process.returncode}."

    def stop(self) -> None:
        """End a run that is not done."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()


def _matches(report: Mapping[str, Any]) -> Iterator[LiveMatch]:
    folder = report["folder_uri"]
    for hunk in report["hunks"]:
        new = " … ".join(change["new"].strip() for change in hunk["changes"])
        says = f"{hunk['title']}: {new or 'deleted'}"
        start, end = _place(hunk["start"]), _place(hunk["end"])
        yield LiveMatch(hunk["rule"], says, urljoin(folder, hunk["uri"]), start, end)
    for note in report["notes"]:
        if note.get("rule") and note.get("line"):
            line = note["line"] - 1
            uri = urljoin(folder, note["uri"])
            yield LiveMatch(note["rule"], note["text"], uri, (line, 0), (line + 1, 0))


def _place(place: Mapping[str, int]) -> tuple[int, int]:
    return place["line"] - 1, place["column"] - 1
