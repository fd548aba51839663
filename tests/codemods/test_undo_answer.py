"""An answer that is undone, whichever it is, leaves what would be had it never been given."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_decisions import hunk, is_closed

from pinsetter.codemods.engine.decide.decisions import Change, Decisions
from pinsetter.codemods.engine.hunks.plan import Plan

HUNKS = [hunk(0), hunk(1, requires=[0]), hunk(2, requires=[1]), hunk(3, without=[4]), hunk(4),
         hunk(5, requires=[3]), hunk(6)]  # fmt: skip


def test_there_is_none() -> None:
    with pytest.raises(IndexError):
        Decisions(Plan(HUNKS)).undo_answer(0)


def test_later_answers_hold() -> None:
    decisions = Decisions(Plan(HUNKS))
    decisions.answer([HUNKS[6]], True)
    decisions.answer([HUNKS[0]], True)
    told: list[Change] = []
    decisions.changed = told.append
    change = decisions.undo_answer(0)
    assert decisions.verdicts == {"0": True}
    assert told == [change]
    assert change.kind == "undo"
    assert change.verdicts == {"6": (True, None)}
    assert [one.hunks for one in decisions.answers] == [(HUNKS[0],)]


def test_what_later_answers_take_along_stays() -> None:
    decisions = Decisions(Plan(HUNKS))
    decisions.answer([HUNKS[0]], True)
    decisions.answer([HUNKS[2]], True)
    decisions.undo_answer(0)
    assert decisions.verdicts == {"0": True, "1": True, "2": True}


def test_a_split_that_is_undone_takes_the_answers_to_its_parts_along() -> None:
    decisions = Decisions(Plan(HUNKS))
    parts = [replace(HUNKS[6], id=f"6.{n}", part_of="6") for n in (1, 2)]
    decisions.split(HUNKS[6], parts)
    decisions.answer([parts[0]], True)
    decisions.answer([HUNKS[0]], True)
    decisions.undo_answer(0)
    assert decisions.plan.slots[6] == [HUNKS[6]]
    assert decisions.verdicts == {"0": True}
    assert len(decisions.answers) == 2, "the others keep their order"


def test_an_edit_is_made_again() -> None:
    decisions = Decisions(Plan(HUNKS))
    edited = replace(HUNKS[6], edited=True)
    decisions.answer([HUNKS[0]], True)
    decisions.edit(HUNKS[6], edited)
    decisions.answer([edited], True)
    decisions.undo_answer(0)
    assert decisions.plan.slots[6] == [edited]
    assert decisions.verdicts == {"6": True}


def test_an_answer_to_several_is_given_again_to_all_of_them() -> None:
    hunks = [hunk(0), hunk(1, requires=[0]), hunk(2), hunk(3, requires=[2]), hunk(4)]
    decisions = Decisions(Plan(hunks))
    for number in (4, 0, 2):
        decisions.answer([hunks[number]], False)
    decisions.answer([hunks[1], hunks[3]], True, asked=2)
    decisions.undo_answer(0)
    assert decisions.verdicts == dict.fromkeys(("0", "1", "2", "3"), True)


def test_an_answer_does_not_overrule_itself() -> None:
    hunks = [hunk(0), hunk(1, requires=[0]), hunk(2, without=[0]), hunk(3, requires=[2])]
    decisions = Decisions(Plan(hunks))
    decisions.answer([hunks[1], hunks[3]], True, asked=2)
    assert decisions.verdicts == {"0": True, "1": True, "2": False, "3": False}


ANSWERS = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=8)


def given_answers(answers: list[tuple[int, bool]]) -> Decisions:
    decisions = Decisions(Plan(HUNKS))
    for number, accept in answers:
        decisions.answer([HUNKS[number]], accept, lasting=True)
    return decisions


@settings(max_examples=300, deadline=None)
@given(ANSWERS, st.integers(0, 7))
def test_it_is_as_if_it_had_never_been_given(answers: list[tuple[int, bool]], number: int) -> None:
    number %= len(answers)
    decisions = given_answers(answers)
    before = decisions.verdicts
    change = decisions.undo_answer(number)
    without = given_answers([*answers[:number], *answers[number + 1 :]])
    assert decisions.verdicts == without.verdicts
    assert is_closed(decisions)
    for id, (old, new) in change.verdicts.items():
        assert (before.get(id), decisions.verdicts.get(id)) == (old, new)
    while decisions.undo() is not None:
        assert is_closed(decisions)
    assert decisions.verdicts == {}
