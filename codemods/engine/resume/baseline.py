"""baseline: what is proposed today as decisions against it: a check then fails for more only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.packs.packs_digest import packs_digest

from ..files.replace_file import explained, replace
from ..state.decision import SavedDecision, Verdict, now, stored
from ..state.exchange import Exported, dump
from ..state.sessions import Subject
from .live_session import person

if TYPE_CHECKING:
    from pinsetter.patterns.packs.pack import Pack

    from ..hunks.hunk import Hunk
    from ..state.folder import StateFolder


def write_baseline(
    file: Path,
    folder: StateFolder,
    codemod: str,
    paths: Sequence[Path],
    packs: Sequence[Pack],
    options: tuple[str, ...],
    hunks: Iterable[Hunk],
) -> int | Problem:
    """Write a file of decisions that rejects every hunk; how many these are, or why the file is as
    it was."""
    subject = Subject(
        codemod.replace("_", "-"), tuple(sorted({stored(folder, path) for path in paths})), options
    )
    digest, time, by = packs_digest(packs), now(), person(folder.tree)
    decisions = tuple(
        SavedDecision(
            hunk.id, hunk.rule, stored(folder, hunk.module.path), hunk.line, Verdict.REJECTED,
            (hunk.surroundings,), subject.codemod, digest, time, by,
        )
        for hunk in hunks if not hunk.follows
    )  # fmt: skip
    try:
        replace(file.resolve(), dump(Exported(subject, decisions)))
    except OSError as error:
        return Problem(file, f"not written: {explained(error)}")
    return len(decisions)
