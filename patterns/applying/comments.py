"""keep_comments: the comments inside what edits replace stay in the file, or are named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pinsetter.analyzer.syntax.tree import COMPOUND, LN, leaves, line_statement

from ..edits.edit import Edit
from ..edits.fragment import Span
from ..edits.indentation import Layout
from ..matching.match import Match

_COMMENT = re.compile(r"#[^\r\n]*")


def keep_comments(edits: list[Edit], match: Match, layout: Layout) -> tuple[list[Edit], list[str]]:
    """The edits with those that put comments, which they would drop, above the statement; and
    what is to be said of comments for which that is no place."""
    replaced = ((*_whole(e), e.kept) for e in edits if e.end > e.start)
    spans = [one for one in replaced if "#" in layout.text[one[0] : one[1]]]
    if not spans:
        return edits, []
    statement = match.statement
    silent = [(e.start, layout.tree.line_end(e.end)) for e in edits if e.silent]
    dropped: list[str] = []
    named: list[str] = []
    for place, comment in _comments(statement, layout):
        if any(a <= place < b and not _in(place, kept) for a, b, kept in spans):
            (named if any(a <= place < b for a, b in silent) else dropped).append(comment)
    said = [f"The comment {comment!r} is left out." for comment in named]
    last = layout.tree.end(statement)
    gone = [
        comment
        for place, comment in _comments(line_statement(statement), layout)
        if place >= last and any(a < last and place < b for a, b, _ in spans)
    ]
    if statement.type in COMPOUND:
        beyond = (layout.text[last : e.end] for e in edits if e.end > last and not e.text)
        gone += (comment.rstrip() for text in beyond for comment in _COMMENT.findall(text))
    if gone or (dropped and any(not edit.text and edit.end > last for edit in edits)):
        lost = (*dropped, *gone)
        return edits, said + [f"The comment {comment!r} is left out." for comment in lost]
    if not dropped:
        return edits, said
    if statement.type in COMPOUND or not layout.owns_its_lines(statement):
        return edits, said + [f"The comment {comment!r} is left out." for comment in dropped]
    rank = edits[0].rank
    return [*edits, *layout.before(statement, dropped, rank)], said


def _whole(edit: Edit) -> Span:
    """What an edit takes away, with the comma that may go along."""
    span = edit.start, edit.end
    return span if edit.removed is None else edit.removed.with_comma([span])


def _in(place: int, spans: tuple[Span, ...]) -> bool:
    return any(start <= place < end for start, end in spans)


def _comments(statement: LN, layout: Layout) -> Iterator[tuple[int, str]]:
    """The comments in a statement, and where they stand."""
    for leaf in leaves(statement):
        if "#" in leaf.prefix and leaf in layout.tree:
            start = layout.tree.start(leaf) - len(leaf.prefix)
            for found in _COMMENT.finditer(leaf.prefix):
                yield start + found.start(), found[0].rstrip()
