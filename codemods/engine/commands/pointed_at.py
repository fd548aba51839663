"""pointed_at: the places that a run is for, by ``PATH:LINE`` or by what other tools said."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pinsetter.analyzer.messages.problem import Problem

if TYPE_CHECKING:
    from ..propose.chosen_lines import Places

_PLACE = re.compile(r"(.+?):([0-9]+)(?::[0-9]+)?")
# Of tracebacks of Python, of what torch._dynamo.explain prints, and of what says `in user code at
# train.py:12`, as torch's logs.
_IN_LOGS = (
    re.compile(r'File "([^"\r\n]+)", line ([0-9]+)'),
    re.compile(r"<FrameSummary file ([^\r\n]+?), line ([0-9]+) in "),
    re.compile(r"""(?:^|[\s('"])([^\s'"():]+\.py):([0-9]+)""", re.MULTILINE),
)
_MOST = 64 << 20


def pointed_at(
    paths: Sequence[Path], evidence: Sequence[Path]
) -> tuple[tuple[Path, ...], Places | None]:
    """The paths without their lines, and the places; None if there are none. ``evidence`` are
    files in which places of the given paths are named, or, where no path is given, of files below
    the current folder. Raises UsageError."""
    whole: list[Path] = []
    named: set[tuple[Path, int]] = set()
    for path in paths:
        # os.path says of what no system takes for a path that it is not there; Path raises.
        found = _PLACE.fullmatch(str(path)) if not os.path.exists(path) else None
        if found is None:
            whole.append(path)
        elif not os.path.isfile(found[1]):
            raise click.UsageError(f"{path}: there is no file {found[1]}.")
        elif not int(found[2]):
            raise click.UsageError(f"{path}: lines count from 1.")
        else:
            named.add((Path(found[1]), int(found[2])))
    seen: set[tuple[Path, int]] = set()
    for log in evidence:
        here = whole or [*{path for path, _ in named}] or [Path()]
        seen |= {*_below(_places_in(log), here)}
        if not seen:
            listed = ", ".join(map(str, here))
            raise click.UsageError(f"--from {log}: no line of a Python file in {listed} is named.")
    if not named and not seen:
        return (*paths,), None
    from ..propose.chosen_lines import Places  # takes a while; most runs have none

    if evidence and not paths:
        whole = sorted({path for path, _ in seen})
    files = dict.fromkeys([*whole, *(path for path, _ in sorted(named))])
    return tuple(files), Places(_resolved(named), _resolved(seen))


def unfit(places: Places, fitting: Iterable[tuple[Path, int]]) -> Iterator[Problem]:
    """The places that were named, and for which no rule is; of those in evidence only if none
    is, as most lines of a traceback are only on the way."""
    found = {*fitting}
    for path, line in sorted(places.named - found):
        yield Problem(path, "no rule is for what stands here", line)
    if places.seen and not (places.seen | places.named) & found:
        path, line = min(places.seen)
        count = len(places.seen) - 1
        more = f", nor in {count} more place(s) that --from names" if count else ""
        yield Problem(path, f"no rule is for what stands here{more}", line)


def _resolved(places: Iterable[tuple[Path, int]]) -> frozenset[tuple[Path, int]]:
    return frozenset((path.resolve(), line) for path, line in places)


def _places_in(log: Path) -> Iterator[tuple[Path, int]]:
    try:
        if str(log) == "-":
            text = sys.stdin.read()
        else:
            with log.open("rb") as file:
                text = file.read(_MOST).decode("utf-8", "replace")
    except OSError as error:
        raise click.UsageError(f"--from {log}: {error.strerror or error}.") from None
    for pattern in _IN_LOGS:
        for found in pattern.finditer(text):
            yield Path(found[1]), int(found[2])


def _below(places: Iterable[tuple[Path, int]], paths: Sequence[Path]) -> Iterator[tuple[Path, int]]:
    """Those of files that are given, or are below folders that are."""
    given = [path.resolve() for path in paths]
    for path, line in places:
        real = path.resolve()
        if real.is_file() and any(real == one or one in real.parents for one in given):
            yield path, line
