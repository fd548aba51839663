"""Sessions keep hunks that were split, edited or suppressed by a comment as they were made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from reviewing import SCRIPT
from sessions import (
    RESUME,
    Run,
    begin,
    edit_file,
    opened,
    saved,
    script_in,
)

from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.journal.take_back import undo
from pinsetter.codemods.engine.review.ignoring import comment_hunk
from pinsetter.codemods.engine.review.splitting import parts
from pinsetter.codemods.engine.state.decision import Verdict
from pinsetter.patterns.edits.edit import apply


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return script_in(tmp_path / "tree")


def test_a_split_hunk_stays_split(lines: Path) -> None:
    run = begin(lines)
    hunk = run.the("check-pair", 1)
    pieces = parts(hunk, run.plan)
    run.decisions.split(hunk, pieces)
    run.decisions.answer([pieces[1]], False)
    (decision,) = saved(lines)
    assert decision.verdict is Verdict.SPLIT
    assert [piece.verdict for piece in decision.pieces] == [None, False]
    again = begin(lines, RESUME)
    assert again.verdicts == run.verdicts
    for mine, theirs in zip(pieces, again.plan.slots[again.plan.slot_of(hunk_of(again, pieces[0]))],
                            strict=True):  # fmt: skip
        assert content(mine) == content(theirs)
    again.decisions.answer([hunk_of(again, pieces[0])], True)
    last = begin(lines, RESUME)
    assert last.verdicts == again.verdicts
    before = [h.id for h in last.asked]
    last.decisions.undo()
    assert [h.id for h in last.asked] == before


def test_taking_back_a_split_forgets_it(lines: Path) -> None:
    run = begin(lines)
    hunk = run.the("check-pair")
    run.decisions.split(hunk, parts(hunk, run.plan))
    run.decisions.undo()
    assert saved(lines) == []


def test_what_is_left_of_a_split_hunk_is_known_after_the_rest_was_written(lines: Path) -> None:
    run = begin(lines)
    hunk = run.the("check-pair", 1)
    pieces = parts(hunk, run.plan)
    run.decisions.split(hunk, pieces)
    run.decisions.answer([pieces[0]], True)
    run.decisions.answer([pieces[1]], False)
    run.write()
    assert "check(" in lines.read_text()
    rest = [d for d in saved(lines, applied=False) if d.rule == "check-pair"]
    assert [decision.verdict for decision in rest] == [Verdict.REJECTED]
    with opened(lines) as runs:
        last = runs.last_written([])
        assert last is not None
        undo(runs, last)
    assert lines.read_text() == SCRIPT
    again = begin(lines, RESUME)
    assert again.gone == [], "of the rest nothing is to be known while the whole is there"
    assert again.again == {}
    slot = again.plan.slots[again.plan.slot_of(pieces[0])]
    assert [again.decisions.verdict(hunk) for hunk in slot] == [True, False]


def test_an_edited_hunk_keeps_its_text(lines: Path) -> None:
    run = begin(lines)
    hunk = run.the("renew")
    mine = replace(hunk, edits=(replace(hunk.edits[0], text="newest(1, 2)"),), edited=True)
    run.decisions.edit(hunk, mine)
    assert [d.verdict for d in saved(lines)] == [Verdict.OPEN]
    run.decisions.answer([mine], True)
    lines.write_text("# First.\n" + SCRIPT)
    again = begin(lines, RESUME)
    (restored,) = [h for h in again.asked if h.edited]
    assert again.decisions.verdict(restored) is True
    assert restored.id == hunk.id
    text = restored.module.source.text
    assert apply(text, restored.edits) == text.replace("old(1)", "newest(1, 2)")
    again.write()
    assert "newest(1, 2)\n" in lines.read_text()


def test_an_edit_of_lines_that_changed_is_asked_again(lines: Path) -> None:
    run = begin(lines)
    hunk = run.the("name-steps", 2)
    edit = replace(hunk.edits[0], start=0, end=6, text="import")
    mine = replace(hunk, edits=(edit, *hunk.edits), edited=True)
    run.decisions.edit(hunk, mine)
    run.decisions.answer([mine], True)
    edit_file(lines, "here = 1\n", "here = 1\n# Second.\n")
    again = begin(lines, RESUME)
    assert "changed by hand" in again.session.restoring.again[hunk.id]
    assert again.decisions.accepted == []


def test_an_ignored_hunk_stays_ignored(lines: Path) -> None:
    run = begin(lines)
    hunk = run.the("name-steps")
    comment = comment_hunk(hunk, "it has a name")
    assert isinstance(comment, Hunk)
    run.decisions.ignore(hunk, comment)
    assert [d.verdict for d in saved(lines)] == [Verdict.IGNORED]
    again = begin(lines, RESUME)
    assert again.verdicts == run.verdicts
    again.write()
    assert "# pinsetter: ignore[name-steps] it has a name\n" in lines.read_text()
    last = begin(lines, RESUME)
    assert last.gone == [], "it was done"


def content(hunk: Hunk) -> tuple[object, ...]:
    return (hunk.id, hunk.edits, hunk.part_of, hunk.requires, hunk.alternatives, hunk.line)


def hunk_of(run: Run, hunk: Hunk) -> Hunk:
    """The hunk of another run's."""
    found = run.plan.get(hunk.id)
    assert found is not None
    return found
