"""Finding: one violation of a restriction, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

TITLES = {
    "R01": "All import statements are placed at the top of a module",
    "R02": "The tensorflow module is assigned to a variable only by an import",
    "R03": "Members of the tensorflow module are not aliased",
    "R04": "Calls of print introduce no side effects",
    "R05": "A dataset or optimizer is created once, by an assignment, and not aliased",
    "R06": "Variables of a dataset or optimizer are not reassigned to anything else",
    "R07": "A dataset or optimizer is not created conditionally",
    "R08": "apply_gradients is called as a statement or as the right side of an assignment",
    "R09": "Global optimizers are defined before the functions that use them, and not changed",
    "R10": "A checkpoint is created once, by an assignment, and not aliased",
}


class Status(Enum):
    """``lifted`` where the analysis copes with a violation, else ``violated``."""

    LIFTED = "lifted"
    VIOLATED = "violated"


@dataclass(frozen=True)
class Finding:
    """A violation of restriction ``code``; ``line`` and ``column`` count from 1 and 0."""

    code: str
    path: Path
    line: int
    column: int
    status: Status
    message: str
    hint: str

    @property
    def title(self) -> str:
        return TITLES[self.code]

    @property
    def key(self) -> tuple[str, int, int, str, str]:
        """Findings are shown in this order."""
        return str(self.path), self.line, self.column, self.code, self.message

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}:{self.column + 1}"
        return f"{place}: {self.code} {self.status.value}: {self.message}. Hint: {self.hint}."
