"""said_beside: the files that have a name which a rule gives another, and are not of the run."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.needed_text import NeededText, WordSearch

if TYPE_CHECKING:
    from pinsetter.analyzer.files.listing import Listing
    from pinsetter.patterns.packs.pack import Rule


def said_beside(rules: Iterable[Rule], listing: Listing) -> list[str]:
    """The files of the repository that are not of the run and have the name that one of the rules
    gives another, if it may be one of the repository's own."""
    if not listing.is_partial:
        return []
    own = (rule.renamed for rule in rules if rule.renamed)
    return list(_said_beside(frozenset(own), listing))


# It is asked for each part of a run, and reads all these files.
@lru_cache(maxsize=8)
def _said_beside(names: frozenset[str], listing: Listing) -> tuple[str, ...]:
    own = [name for name in names if _is_own(name, listing)]
    return tuple(saying(own, listing.beside))


def saying(names: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Those of the files that have the last part of one of the names."""
    search = WordSearch(NeededText(frozenset([n.rpartition(".")[2].encode()])) for n in names)
    return [path for path in sorted(paths) if search.found_in(read_if_there(path))]


def _is_own(name: str, listing: Listing) -> bool:
    """A name without a dot is a module's, whose file has another place now."""
    parts = name.split(".")
    homes = [".".join(parts[:length]) for length in range(1, len(parts))]
    folders = {str(Path(path).parent) for path in listing.shown}
    located = (listing.layout.locate(folder, home) for folder in folders for home in homes)
    return not homes or any(located)


def read_if_there(path: str) -> bytes:
    try:
        return disk.read(path)
    except OSError:
        return b""
