"""Problem: an expected failure, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Problem:
    """Why a file (or a place in it) could not be handled, and what to do about it.

    ``line`` and ``column`` count from 1 and 0; 0 for ``line`` means the file as a whole.
    """

    path: Path
    reason: str
    line: int = 0
    column: int = 0
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}: {self.reason}{hint}"
