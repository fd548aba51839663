"""formatted: what a repository's formatter makes of the lines of edits."""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.edits.edit import Edit, apply

from ..hunks.line_diff import changed_lines

if TYPE_CHECKING:
    from pathlib import Path

    from pinsetter.analyzer.names.module import Module

    from .formatter import Formatter


def formatted(
    module: Module,
    edits: list[Edit],
    path: Path,
    tool: Formatter,
    only_if_clean: bool,
    remarks: list[Problem],
) -> list[Edit]:
    """The edits of a file, whose settings are found around ``path``, with their lines as the tool
    writes them; with ``only_if_clean`` only if it would leave the file as it is. ``remarks`` say
    where it could not."""
    text = module.source.text
    ends = set(LINE_END.findall(text))
    if module.source.notebook is not None:
        return edits  # what these tools read is its JSON
    if len(ends) > 1 or ends == {"\r"}:
        return edits
    if only_if_clean and tool.whole(text, path) != text:
        return edits
    new = apply(text, edits)
    ranges = list(_ranges(text, edits))
    found = tool.whole(new, path)
    touched = _touched(new, ranges)
    if found is not None and _within(new, found, ranges, touched) != found:
        found = tool.lines(new, path, ranges)
        # Not every tool keeps to the lines that it is given: one indents the rest of a block.
        found = _within(new, found, ranges, touched) if found is not None else None
    if found is None or not same_code(new, found):
        what = "gives nothing for it" if found is None else "would make other code of them"
        reason = f"its new lines are not formatted: {tool.tool} {what}"
        remarks.append(Problem(module.path, reason))
        return edits
    return edits if found == new else list(_line_edits(text, found))


def same_code(one: str, other: str) -> bool:
    """Whether two texts are the same program to Python; not where this Python cannot read them."""
    if one == other:
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _ranges(text: str, edits: Sequence[Edit]) -> Iterable[tuple[int, int]]:
    """The changed lines of the new text, first and last, from 1."""
    moved = 0
    for region in changed_lines(text, edits):
        first = text.count("\n", 0, region.start) + 1 + moved
        new, old = len(_lines(region.text)), len(_lines(text[region.start : region.end]))
        moved += new - old
        if new:
            yield first, first + new - 1


def _touched(text: str, ranges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
    """The lines of the ranges, and all of the statements, or heads of blocks, that are on them;
    None where this Python cannot read the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = {line for first, last in ranges for line in range(first, last + 1)}
    for node in nodes:
        body: list[ast.stmt] = getattr(node, "body", [])
        last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        if any(first <= last and node.lineno <= end for first, end in ranges):
            found.update(range(node.lineno, last + 1))
    return frozenset(found)


def _within(
    text: str,
    new: str,
    ranges: Sequence[tuple[int, int]],
    only: frozenset[int] | None,
) -> str:
    """``text`` with what is different in ``new`` on the lines of the ranges, and beside them; of
    what is more than ``only`` some lines, nothing."""
    old_lines, new_lines = _lines(text), _lines(new)
    found: list[str] = []
    for _, a1, a2, b1, b2 in _compared(old_lines, new_lines):
        near = any(a1 <= last and first - 1 <= a2 for first, last in ranges)
        if only is not None and any(
            old_lines[line].strip() and line + 1 not in only for line in range(a1, a2)
        ):
            near = near and old_lines[a1:a2] == new_lines[b1:b2]
        found += new_lines[b1:b2] if near else old_lines[a1:a2]
    return "".join(found)


def _line_edits(text: str, new: str) -> Iterable[Edit]:
    """Edits of whole lines that make one text of another."""
    old_lines, new_lines = _lines(text), _lines(new)
    starts = [0, *accumulate(map(len, old_lines))]
    for tag, a1, a2, b1, b2 in _compared(old_lines, new_lines):
        if tag != "equal":
            yield Edit(starts[a1], starts[a2], "".join(new_lines[b1:b2]))


def _compared(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    return difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def _lines(text: str) -> list[str]:
    """With their ends, of which there is one kind; for ``str.splitlines`` there are more."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
