"""overview: the table of rules that a review is about, with what is decided and left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..console.terminal import echo_table
from ..decide.decisions import Decisions
from ..hunks.hunk import Hunk
from .screen import Screen

_TITLES = ("rule", "what it does", "hunks", "files", "decided", "left")


@dataclass
class _Row:
    title: str
    hunks: int = 0
    decided: int = 0
    files: set[Path] = field(default_factory=set)


def show_overview(decisions: Decisions, screen: Screen, more: bool) -> None:
    """Print the table; nothing if it would be about one hunk. With ``more`` it says that files are
    still being read."""
    asked = [hunk for hunks in decisions.plan.slots for hunk in hunks]
    if len(asked) < 2:
        return
    files = len({hunk.module for hunk in asked})
    some = sum(bool(hunk.warnings) for hunk in asked)
    warned = f", {some} of them with a warning" if some else ""
    reading = " so far; files are still being read" if more else ""
    count = f"{len(asked)} hunks in {files} file{'s' * (files > 1)}"
    screen.prose(f"{count}{warned}{reading}", "bold", indent=0)
    decided = sum(decisions.verdict(hunk) is not None for hunk in asked)
    titles = _TITLES if decided else _TITLES[:4]
    echo_table(titles, (row[: len(titles)] for row in _rows(asked, decisions)))


def _rows(asked: list[Hunk], decisions: Decisions) -> Iterator[tuple[str, ...]]:
    found: dict[str, _Row] = {}
    for hunk in asked:
        row = found.setdefault(hunk.rule, _Row(hunk.title))
        row.hunks += 1
        row.decided += decisions.verdict(hunk) is not None
        row.files.add(hunk.module.path)
    for rule, row in found.items():
        numbers = (row.hunks, len(row.files), row.decided, row.hunks - row.decided)
        yield rule, row.title, *map(str, numbers)
