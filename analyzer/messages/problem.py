"""Problem: an expected failure, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .visible import visible

# How much of a line is shown.
_WIDTH = 100


@dataclass(frozen=True)
class Problem:
    """Why a file (or a place in it) could not be handled, and what to do about it.

    ``line`` and ``column`` count from 1 and 0; 0 for ``line`` means the file as a whole. ``text``
    is the line as it stands in the file, to be shown with a caret under the column, or "".
    """

    path: Path
    reason: str
    line: int = 0
    column: int = 0
    hint: str = ""
    text: str = ""

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """What to print, line by line. A name may hold line ends of its own."""
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        hint = f" ({self.hint})" if self.hint else ""
        if not self.text:
            return (f"{place}: {self.reason}{hint}",)
        return (f"{place}:{self.column + 1}: {self.reason}{hint}", *self._excerpt())

    def _excerpt(self) -> tuple[str, str]:
        # A caret far to the right of a long line would be wrapped away from what it points to.
        start = max(0, self.column - _WIDTH // 2)
        shown = visible(self.text[start : start + _WIDTH])
        before = visible(self.text[start : self.column])
        blanks = "".join(char if char == "\t" else " " for char in before)
        return f"    {shown}", f"    {blanks}^"
