"""What a review asks, and in which order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reviewing import SCRIPT, plan_of, prepare, the
from test_decisions import MODULE, hunk, module

from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.review.agenda import Agenda, Order
from pinsetter.patterns.edits.edit import Edit

OTHER = module()


def equal(number: int, rule: str = "same", where: object = MODULE) -> Hunk:
    made = replace(hunk(number), rule=rule, edits=(Edit(5 * number, 5 * number, "# new\n"),))
    return replace(made, module=where)


def asked(agenda: Agenda) -> list[str]:
    return [" ".join(h.id for h in step.hunks) for step in agenda.steps]


def of(*hunks: Hunk, order: Order = Order.FILE) -> tuple[Agenda, Decisions]:
    decisions = Decisions(Plan(hunks))
    return Agenda(decisions, order), decisions


def test_no_hunks_are_no_steps() -> None:
    agenda, _ = of()
    assert agenda.steps == []
    assert agenda.step is None
    assert list(agenda.after()) == []
    assert list(agenda.before()) == []


def test_hunks_that_are_not_equal_are_no_group() -> None:
    alike = equal(0)
    others = [
        replace(equal(1), rule="other"),
        replace(equal(2), why="Another reason."),
        replace(equal(3), title="Another title"),
        replace(equal(4), warnings=("Assumed: something.",)),
        replace(equal(5), alternatives=frozenset({"9"})),
        replace(equal(6), edited=True),
        replace(equal(7), part_of="70"),
        replace(equal(8), edits=(Edit(40, 40, "# newer\n"),)),
        hunk(9),
        replace(equal(10), module=OTHER),
    ]
    agenda, _ = of(alike, *others)
    assert len(agenda.steps) == 11
    agenda, _ = of(alike, equal(1), order=Order.HUNK)
    assert asked(agenda) == ["0", "1"]


def test_equal_hunks_of_a_file_are_one_step() -> None:
    agenda, _ = of(equal(0), hunk(1), equal(2), hunk(3), equal(4))
    assert asked(agenda) == ["0 2 4", "1", "3"]


def test_by_rule_they_are_of_all_files_and_the_rules_one_after_another() -> None:
    hunks = [hunk(0), equal(1), hunk(2), hunk(3), replace(equal(4), module=OTHER)]
    agenda, _ = of(*hunks, order=Order.RULE)
    assert asked(agenda) == ["0", "3", "1 4", "2"]


def test_what_a_step_is_answered_for_gets_no_more() -> None:
    agenda, decisions = of(equal(0), equal(1))
    agenda.answered(agenda.steps[0])
    decisions.extend([equal(2), equal(3)])
    assert asked(agenda) == ["0 1", "2 3"]
    agenda.ask_again(decisions.plan.hunks)
    assert asked(agenda) == ["0 1 2 3"]


def test_a_step_that_was_not_answered_gets_what_comes() -> None:
    agenda, decisions = of(equal(0), hunk(1))
    decisions.extend([equal(2)])
    assert asked(agenda) == ["0 2", "1"]
    assert agenda.step is agenda.steps[0]


def test_a_group_can_be_taken_apart() -> None:
    agenda, _ = of(equal(0), hunk(1), equal(2))
    agenda.take_apart(agenda.steps[0])
    assert asked(agenda) == ["0", "2", "1"], "one after another"
    agenda.plan.extend([equal(4), equal(5)])
    assert asked(agenda) == ["0", "2", "4 5", "1"]


def test_behind_the_last_step_is_where_the_next_comes() -> None:
    agenda, decisions = of(hunk(0))
    agenda.move_behind()
    assert agenda.step is None
    assert [step.first.id for step in agenda.before()] == ["0"]
    decisions.extend([hunk(1)])
    assert [step.first.id for step in agenda.after()] == ["1"]
    empty, decisions = of()
    empty.move_behind()
    decisions.extend([hunk(1)])
    assert [step.first.id for step in empty.after()] == ["1"]


def test_numbers_are_those_of_the_hunks(tmp_path: Path) -> None:
    decisions = Decisions(plan_of(prepare(tmp_path, SCRIPT)))
    agenda = Agenda(decisions, Order.FILE)
    steps = the(decisions.plan, "name-steps", 0), the(decisions.plan, "name-steps", 1)
    assert agenda.step_of(steps[0]) is agenda.step_of(steps[1]), "strings hold code, too"
    for number in ("3", "#3", "7"):
        assert agenda.numbered(number) is agenda.step_of(steps[0])
    for number in ("0", "99", "x", "1.2", "3.9"):
        assert agenda.numbered(number) is None


def test_words_are_those_of_any_hunk_of_a_step() -> None:
    agenda, _ = of(hunk(0), equal(1), replace(equal(2), module=OTHER), order=Order.RULE)
    assert agenda.search("SAME") is agenda.steps[1]
    assert agenda.search("no such word") is None
