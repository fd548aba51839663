"""Mode: what a run does with the hunks that it finds."""

from __future__ import annotations

from enum import Enum


class Mode(Enum):
    REVIEW = "review"
    WRITE = "write"
    DIFF = "diff"
    CHECK = "check"


WRITING = frozenset({Mode.REVIEW, Mode.WRITE})
