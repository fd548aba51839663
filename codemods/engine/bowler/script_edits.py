"""regions: what a Bowler script made of a file's text, as edits of the file as it is.

Bowler's transforms see text with line feeds, without a byte-order mark, and with an end of line
after the last line. The edits keep what the file has instead.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from itertools import pairwise

from pinsetter.analyzer.files.source import BOM, LINE_END, Source
from pinsetter.patterns.edits.edit import Edit

_CONTEXT = 3


@dataclass(frozen=True)
class Region:
    """Changes that stand so close together that Bowler shows them as one hunk: ``lines`` are the
    hunk as Bowler makes it, without its two header lines."""

    edits: tuple[Edit, ...]
    lines: tuple[str, ...]


def universal(source: Source) -> str:
    """The text that Bowler's transforms get."""
    text = LINE_END.sub("\n", source.text.removeprefix(BOM))
    return text if text.endswith("\n") else f"{text}\n"


def regions(source: Source, new: str) -> list[Region]:
    """The changes from ``universal(source)`` to ``new``. Each edit replaces whole lines; a line
    that takes another's place takes its end of line, and others get the file's."""
    before, after = _lines(universal(source)), _lines(new)
    groups = difflib.SequenceMatcher(None, before, after).get_grouped_opcodes(_CONTEXT)
    shown = _shown(before, after)
    spans = _spans(source)
    return [
        Region(tuple(_edit(source, spans, after[j1:j2], i1, i2)
                     for tag, i1, i2, j1, j2 in group if tag != "equal"), tuple(lines))
        for group, lines in zip(groups, shown, strict=True)
    ]  # fmt: skip


def _edit(source: Source, spans: list[tuple[int, str]], new: list[str], i1: int, i2: int) -> Edit:
    """The original's lines from ``i1`` to before ``i2`` become the lines ``new``."""
    text = source.text
    start = spans[i1][0] if i1 < len(spans) else len(text)
    end = spans[i2][0] if i2 < len(spans) else len(text)
    ends = [ended or source.newline for _, ended in spans[i1:i2]]
    ends = [*ends, *[source.newline] * len(new)][: len(new)]
    if i2 == len(spans) and not spans[-1][1] and new:
        ends[-1] = ""  # the file goes on to end without a newline
        if i1 == i2:
            return Edit(start, end, source.newline + _joined(new, ends, ""))
    made = _joined(new, ends, text[:start])
    if made.endswith("\r") and text.startswith("\n", end):
        made = f"{made[:-1]}\n"
    return Edit(start, end, made)


def _joined(lines: list[str], ends: list[str], before: str) -> str:
    """The lines with their ends, behind the text ``before``. A carriage return and the line feed
    of an empty line would be one end."""
    made = ""
    for line, end in zip(lines, ends, strict=True):
        joins = end == "\n" and not line and (made or before).endswith("\r")
        made += line + ("\r\n" if joins else end)
    return made


def _spans(source: Source) -> list[tuple[int, str]]:
    """Where each line of the original begins, and what ends it."""
    first = len(BOM) if source.bom else 0
    found = [(match.end(), match.group()) for match in LINE_END.finditer(source.text)]
    starts = [first, *(end for end, _ in found)]
    spans = list(zip(starts, [ended for _, ended in found], strict=False))
    if starts[-1] < len(source.text) or not found:
        spans.append((starts[-1], ""))
    return spans


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _shown(before: list[str], after: list[str]) -> list[list[str]]:
    lines = list(difflib.unified_diff(before, after, lineterm="", n=_CONTEXT))
    starts = [number for number, line in enumerate(lines) if line.startswith("@@")]
    return [lines[start:end] for start, end in pairwise([*starts, len(lines)])]
