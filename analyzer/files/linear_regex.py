"""regular: regular expressions whose search takes time in proportion to the text.

Python's own try every way to divide a text among what may repeat; RE2 knows no backreferences and
no looking around instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import re2

# A byte that is no text, as Python has it in a file name; RE2 takes text alone.
_BYTES = {0xDC80 + n: 0xF780 + n for n in range(128)}
_REMEMBERED = 1024


class Found(Protocol):
    """A match, as Python's own."""

    def groupdict(self) -> Mapping[str, str | None]: ...

    def groups(self) -> Sequence[str | None]: ...


class Regular:
    """A compiled expression."""

    def __init__(self, pattern: str) -> None:
        """Raises ValueError with the reason if it is none, or too large."""
        options = re2.Options()
        options.log_errors = False
        self.pattern = pattern
        try:
            self._compiled = re2.compile(pattern.translate(_BYTES), options)
        except (re2.error, UnicodeEncodeError) as error:
            said = error.args[0] if error.args else error
            reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
            raise ValueError(reason) from None

    def search(self, text: str) -> Found | None:
        found: Found | None = self._compiled.search(text.translate(_BYTES))
        return found

    def replaced(self, text: str, by: str) -> str:
        r"""The text with everything that it fits replaced, where ``\1`` is what its first group
        fits; for what ``check_spelling`` has nothing against."""
        new: str = self._compiled.sub(by, text)
        return new

    def check_spelling(self, by: str) -> None:
        r"""Raise ValueError for what cannot stand instead of what it fits: ``\2`` without a second
        group, a backslash that stands for nothing."""
        for escaped in re.findall(r"\\(.?)", by, re.DOTALL):
            if escaped != "\\" and not escaped.isdecimal():
                raise ValueError(f"a backslash before {escaped!r}; write two for one of its own")
            if escaped.isdecimal() and int(escaped) > self._compiled.groups:
                raise ValueError(f"there is no group {escaped}")

    def fits(self, text: str) -> bool:
        """Whether it fits the text as a whole."""
        return self.groups(text) is not None

    def groups(self, text: str) -> Sequence[str | None] | None:
        """What its groups fit, if it fits the text as a whole."""
        found: Found | None = self._compiled.fullmatch(text.translate(_BYTES))
        return None if found is None else found.groups()


@lru_cache(maxsize=_REMEMBERED)
def regular(pattern: str) -> Regular:
    """The same expression as before, where it is asked for again. Raises ValueError."""
    return Regular(pattern)
