"""NeededNames: what must be said in files for something to be found there, seen in their bytes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

# What may stand between the tokens of an expression.
_BETWEEN = rb"(?:\s|\\|#[^\r\n]*[\r\n])*"
_DOT = rb"\." + _BETWEEN


class NeededNames:
    """``needed`` are lists of names, with blanks between them, of one of which all must be there;
    ``x|y`` is x or y. ``.x`` is the attribute x, ``x=`` an argument; ``x`` is a name that code may
    mean something of a library by: an attribute, what is imported, a string, or, where names are
    imported without saying them, any. With no ``needed`` at all nothing must be there."""

    def __init__(self, needed: Iterable[str]) -> None:
        self._needed = [[set(each.split("|")) for each in names.split()] for names in needed]
        names = {name for alike in self._needed for each in alike for name in each}
        self._names = [(name, name.strip(".=").encode()) for name in sorted(names)]

    def seen_in(self, data: bytes, imports: bytes) -> frozenset[str]:
        """Those of all names that are in a file; ``imports`` is the text of its imports."""
        return frozenset(
            name
            for name, word in self._names
            if word in data and _is_said(name, word, data, imports)
        )

    def suffice(self, seen: Collection[str]) -> bool:
        """Whether what files have, together, is what must be there."""
        return not self._needed or any(
            all(not each.isdisjoint(seen) for each in names) for names in self._needed
        )


def _is_said(name: str, word: bytes, data: bytes, imports: bytes) -> bool:
    named = rb"\b%b\b" % re.escape(word)
    if name.startswith("."):
        return re.search(_DOT + named, data) is not None
    if name.endswith("="):
        return re.search(named + _BETWEEN + rb"=", data) is not None
    if re.search(rb"(?:%b|[\"'])%b" % (_DOT, named), data) is not None:
        return True
    return re.search(named, data if b"*" in imports else imports) is not None
