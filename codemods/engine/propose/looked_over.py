"""looked_over: files that can be in no program that a pack is for, read but not analysed.

Their bytes say so; whether they are Python is not asked of most. It is asked of those that their
bytes do not settle, and of this Python's own parser first, which is quick; what that refuses, for
it is of another version or none at all, is for ours to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.files import source as sources
from pinsetter.analyzer.files.bounds import USUAL, Bounds, TooLarge
from pinsetter.analyzer.files.import_path import real_path
from pinsetter.analyzer.files.source import BOM, Source
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.reading.parsed_names import parsed

from ..hunks.proposed import ParsedFile, Planned

if TYPE_CHECKING:
    from pinsetter.analyzer.files.import_groups import Part
    from pinsetter.analyzer.files.listing import Listing


def looked_over(
    part: Part, loaded: Callable[[Path], None] | None, listing: Listing, bounds: Bounds
) -> Planned:
    """The files with what is wrong with them, and no hunks."""
    planned = Planned(files=list(part.files))
    for file in planned.files:
        if loaded is not None:
            loaded(file)
        if file not in part.unsettled:
            planned.unreached.append(file)
            continue
        from ..watchdog.attempt import attempt  # with all that it may have to do with

        # One by one: together they may take as long as they are many.
        found = attempt(partial(_understood, file, listing, bounds), file, bounds)
        if isinstance(found, TooLarge):
            planned.notes.append(found)  # what was generated as data is in many repositories
        elif isinstance(found, Problem):
            planned.problems.append(found)
        else:
            planned.parsed.append(ParsedFile.of(found))
            planned.unreached.append(found.path)
    return planned


def _understood(
    file: Path, listing: Listing, bounds: Bounds, broken: Mapping[Path, Problem]
) -> Source | Problem:
    if (known := broken.get(real_path(file))) is not None:
        return known
    source = sources.read(Path(listing.called(str(file))), bounds)
    if isinstance(source, Problem) or _is_python(source, bounds):
        return source
    from pinsetter.analyzer.names.module import analyse  # few files come here

    module = analyse(source, file.stem, bounds)
    return module if isinstance(module, Problem) else source


def _is_python(source: Source, bounds: Bounds) -> bool:
    """Whether this Python takes it, which does not count levels as a bound on them does."""
    usual = bounds.nesting >= USUAL.nesting
    return usual and parsed(source.text.removeprefix(BOM)) is not None
