"""pieces: what stands in the place of a proposed hunk, as it is saved, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.patterns.edits.edit import Edit

from ..hunks.hunk import Hunk
from .decision import Piece, PieceEdit, SavedDecision, Verdict

# How the id of the comment that suppresses a hunk ends.
COMMENT = ".ignore"
# What a decision's id has after that of a split hunk, some of whose parts were written, if it is
# about the others: they are a hunk of their own then.
REST = ".rest"


def base_id(id: str) -> str:
    """The id of the proposed hunk that a part, or a comment in its place, belongs to."""
    return id.partition(".")[0]


def taken_apart(
    base: Hunk, slot: Sequence[Hunk], verdicts: Mapping[str, bool]
) -> tuple[Verdict, tuple[Piece, ...]] | None:
    """The verdict on a proposed hunk and its pieces, from the hunks that stand in its place; None
    if there is nothing to be saved."""
    if len(slot) == 1 and slot[0] is base:
        verdict = verdicts.get(base.id)
        return None if verdict is None else (_VERDICTS[verdict], ())
    pieces = tuple(_piece(base, hunk, verdicts.get(hunk.id)) for hunk in slot)
    if any(piece.suffix == COMMENT and piece.verdict for piece in pieces):
        return Verdict.IGNORED, pieces
    if len(slot) == 1 and slot[0].id == base.id:
        said = pieces[0].verdict
        return Verdict.OPEN if said is None else _VERDICTS[said], pieces
    return Verdict.SPLIT, pieces


def put_together(base: Hunk, pieces: Sequence[Piece]) -> list[Hunk] | None:
    """The hunks of which pieces were saved; None if the file has not the lines that they change."""
    found = []
    for piece in pieces:
        edits = [_edit(base, edit) for edit in piece.edits]
        known = [edit for edit in edits if edit is not None]
        if len(known) < len(edits) or not known:
            return None
        plain = not piece.edited and piece.part_of is None and not piece.suffix
        found.append(base if plain else replace(
            base,
            id=base.id + piece.suffix,
            rule=piece.rule or base.rule,
            title=piece.title or base.title,
            why=piece.why or base.why,
            line=base.module.tree.line(known[0].start) if piece.suffix else base.line,
            edits=tuple(known),
            warnings=piece.warnings,
            requires=_ids(base, piece.requires),
            alternatives=_ids(base, piece.alternatives),
            application=None if piece.suffix.endswith(COMMENT) else base.application,
            part_of="" if piece.part_of is None else base.id + piece.part_of,
            edited=piece.edited,
        ))  # fmt: skip
    return found


def without_text(decision: SavedDecision) -> SavedDecision:
    """A decision by which nothing is written that no rule proposed: what was accepted of such text
    is open, and to be asked about."""
    pieces = tuple(
        replace(piece, verdict=None) if piece.verdict and _has_text(piece) else piece
        for piece in decision.pieces
    )
    if pieces == decision.pieces:
        return decision
    split = decision.verdict is Verdict.SPLIT
    return replace(decision, verdict=Verdict.SPLIT if split else Verdict.OPEN, pieces=pieces)


def _has_text(piece: Piece) -> bool:
    return any(edit.lines is not None for edit in piece.edits)


_VERDICTS = {True: Verdict.ACCEPTED, False: Verdict.REJECTED}


def _piece(base: Hunk, hunk: Hunk, verdict: bool | None) -> Piece:
    return Piece(
        suffix=hunk.id.removeprefix(base.id),
        verdict=verdict,
        edits=tuple(_piece_edit(base, edit) for edit in hunk.edits),
        requires=_endings(base, hunk.requires),
        alternatives=_endings(base, hunk.alternatives),
        part_of=hunk.part_of.removeprefix(base.id) if hunk.part_of else None,
        edited=hunk.edited,
        rule=hunk.rule if hunk.rule != base.rule else "",
        title=hunk.title if hunk.title != base.title else "",
        why=hunk.why if hunk.why != base.why else "",
        warnings=hunk.warnings,
    )  # fmt: skip


def _endings(base: Hunk, ids: Iterable[str]) -> tuple[str, ...]:
    """Ids, of which those of the hunk's own pieces are to hold under another id, too."""
    ends = (id[len(base.id) :] or "." if base_id(id) == base.id else id for id in ids)
    return tuple(sorted(ends))


def _ids(base: Hunk, endings: Iterable[str]) -> frozenset[str]:
    return frozenset(base.id + end.rstrip(".") if end[:1] == "." else end for end in endings)


def _piece_edit(base: Hunk, edit: Edit) -> PieceEdit:
    if edit in base.edits:
        return PieceEdit(base.edits.index(edit))
    starts = [other.start for other in base.edits]
    anchor = min(range(len(starts)), key=lambda number: abs(starts[number] - edit.start))
    start = starts[anchor]
    return PieceEdit(
        anchor,
        _lines(base, edit.start, edit.end),
        edit.start - start,
        edit.end - edit.start,
        edit.text,
        edit.side,
        (edit.outer[0] - start, edit.outer[1] - start),
        edit.rank,
        edit.indent,
        edit.between,
    )


def _edit(base: Hunk, saved: PieceEdit) -> Edit | None:
    if saved.anchor >= len(base.edits):
        return None
    at = base.edits[saved.anchor].start
    if saved.lines is None:
        return base.edits[saved.anchor]
    start, size = at + saved.start, len(base.module.source.text)
    end = start + saved.length
    if not 0 <= start <= end <= size or _lines(base, start, end) != saved.lines:
        return None
    outer = (at + saved.outer[0], at + saved.outer[1])
    return Edit(
        start, end, saved.text, saved.side, outer, saved.rank, saved.indent, saved.between
    )  # fmt: skip


def _lines(base: Hunk, start: int, end: int) -> str:
    text = base.module.source.text
    first = base.module.tree.line_start(start)
    last = LINE_END.search(text, end)
    return text[first : last.end() if last else len(text)]
