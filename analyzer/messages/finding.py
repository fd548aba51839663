"""Finding: one violation of a restriction, as a value; a domain says which there are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Status(Enum):
    """``lifted`` where the analysis copes with a violation, else ``violated``."""

    LIFTED = "lifted"
    VIOLATED = "violated"


@dataclass(frozen=True)
class Finding:
    """A violation of restriction ``code``; ``line`` and ``column`` count from 1 and 0."""

    code: str
    title: str
    path: Path
    line: int
    column: int
    status: Status
    message: str
    hint: str

    @property
    def key(self) -> tuple[str, int, int, str, str]:
        """Findings are shown in this order."""
        return str(self.path), self.line, self.column, self.code, self.message

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}:{self.column + 1}"
        return f"{place}: {self.code} {self.status.value}: {self.message}. Hint: {self.hint}."
