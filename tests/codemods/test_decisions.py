"""Decisions keep their laws, whatever is answered, taken back, split, edited or comes late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.files.source import Source, decode
from pinsetter.analyzer.names.module import Module, analyse
from pinsetter.codemods.engine.decide.decisions import Change, Decisions
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.patterns.edits.edit import Edit, apply

TEXT = "".join(f"line_{number} = {number}\n" for number in range(12))


def module(text: str = TEXT) -> Module:
    source = decode(Path("lines.py"), text.encode())
    assert isinstance(source, Source)
    found = analyse(source, "lines")
    assert isinstance(found, Module)
    return found


MODULE = module()


def hunk(
    number: int, requires: Sequence[int] = (), without: Sequence[int] = (), follows: bool = False
) -> Hunk:
    start = 5 * number
    return Hunk(
        id=str(number),
        rule=f"rule-{number % 3}",
        title="Title",
        why="Because.",
        module=MODULE,
        line=number + 1,
        edits=(Edit(start, start, f"# {number}\n"),),
        requires=frozenset(map(str, requires)),
        follows=follows,
        alternatives=frozenset(map(str, without)),
    )


def is_closed(decisions: Decisions) -> bool:
    plan = decisions.plan
    taken = [h for h in plan.hunks if decisions.verdict(h)]
    required = all(decisions.verdict(r) for h in taken for r in plan.required_by(h))
    apart = not any(decisions.verdict(o) for h in taken for o in plan.alternatives_of(h))
    ids = {h.id for h in plan.hunks}
    written = {h.id for h in decisions.accepted}
    return required and apart and all(h.requires & ids <= written for h in decisions.accepted)


def state(decisions: Decisions) -> tuple[object, ...]:
    hunks = [(h.id, h.edits, h.alternatives) for h in decisions.plan.hunks]
    alternatives = [[o.id for o in decisions.plan.alternatives_of(h)] for h in decisions.plan.hunks]
    required = [[o.id for o in decisions.plan.required_by(h)] for h in decisions.plan.hunks]
    return (decisions.verdicts, hunks, alternatives, required)


def halves(one: Hunk, plan: Plan | None = None) -> list[Hunk]:
    others = frozenset(h.id for h in plan.alternatives_of(one)) if plan is not None else frozenset()
    return [replace(one, id=f"{one.id}.{n}", part_of=one.id, alternatives=others) for n in (1, 2)]


def test_undoing_nothing_does_nothing() -> None:
    decisions = Decisions(Plan([hunk(0)]))
    assert decisions.undo() is None
    assert decisions.verdicts == {}


def test_an_answer_that_changes_nothing_is_no_answer() -> None:
    told: list[Change] = []
    decisions = Decisions(Plan([hunk(0)]), told.append)
    decisions.reject(decisions.plan.hunks[0])
    decisions.reject(decisions.plan.hunks[0])
    assert len(told) == len(decisions.answers) == 1


def test_two_alternatives_are_never_accepted_both() -> None:
    plan = Plan([hunk(0), hunk(1, without=[0]), hunk(2, requires=[1])])
    decisions = Decisions(plan)
    decisions.accept(plan.hunks[2])
    assert [h.id for h in decisions.accepted] == ["1", "2"]
    assert decisions.accept(plan.hunks[0]) == [], "it was rejected with the first answer"
    assert [h.id for h in decisions.rejected] == ["0"]
    decisions.answer([plan.hunks[0]], True)
    assert [h.id for h in decisions.accepted] == ["0"]
    assert decisions.displaced == [(plan.hunks[1], plan.hunks[0])]


def test_of_alternatives_that_are_accepted_together_the_first_is() -> None:
    plan = Plan([hunk(0), hunk(1, without=[0]), hunk(2)])
    decisions = Decisions(plan)
    decisions.answer(plan.hunks, True)
    assert [h.id for h in decisions.accepted] == ["0", "2"]


def test_what_needs_two_alternatives_cannot_be_accepted() -> None:
    plan = Plan([hunk(0), hunk(1, without=[0]), hunk(2, requires=[0, 1])])
    decisions = Decisions(plan)
    assert "exclude each other" in decisions.consequence(plan.hunks[2], True).obstacle
    decisions.answer([plan.hunks[2]], True)
    assert decisions.accepted == []


def test_a_person_may_change_their_mind() -> None:
    plan = Plan([hunk(0), hunk(1, requires=[0])])
    decisions = Decisions(plan)
    decisions.reject(plan.hunks[0])
    assert [h.id for h in decisions.consequence(plan.hunks[1], True).accepted] == ["0"]
    decisions.answer([plan.hunks[1]], True)
    assert len(decisions.accepted) == 2


def test_what_a_codemod_rejects_stays_rejected() -> None:
    plan = Plan([hunk(0), hunk(1, requires=[0])])
    decisions = Decisions(plan)
    decisions.reject(plan.hunks[0], final=True)
    assert decisions.undo() is None
    assert decisions.consequence(plan.hunks[1], True).obstacle
    decisions.answer([plan.hunks[1]], True)
    decisions.split(plan.hunks[0], halves(plan.hunks[0]))
    decisions.answer([plan.hunks[0]], True)
    assert decisions.accepted == []


def test_what_requires_a_split_hunk_requires_all_parts() -> None:
    plan = Plan([hunk(0), hunk(1, requires=[0])])
    decisions = Decisions(plan)
    decisions.split(plan.hunks[0], halves(plan.hunks[0]))
    assert [h.id for h in plan.hunks] == ["0.1", "0.2", "1"]
    assert [h.id for h in plan.required_by(plan.hunks[2])] == ["0.1", "0.2"]
    decisions.reject(plan.hunks[1])
    assert [h.id for h in decisions.rejected] == ["0.2", "1"]
    decisions.extend([hunk(3, requires=[0])])
    assert [h.id for h in decisions.rejected] == ["0.2", "1", "3"]


def test_an_accepted_hunk_is_asked_about_again_when_its_text_changes() -> None:
    plan = Plan([hunk(0), hunk(1, requires=[0])])
    decisions = Decisions(plan)
    decisions.accept(plan.hunks[1])
    decisions.edit(plan.hunks[0], replace(plan.hunks[0], edited=True))
    assert decisions.verdicts == {}
    assert plan.hunks[0].edited


def test_ignoring_rejects_and_writes_the_comment() -> None:
    plan = Plan([hunk(0), hunk(1, requires=[0])])
    decisions = Decisions(plan)
    comment = replace(plan.hunks[0], id="0.ignore", alternatives=frozenset({"0"}))
    decisions.ignore(plan.hunks[0], comment)
    assert [h.id for h in decisions.accepted] == ["0.ignore"]
    assert [h.id for h in decisions.rejected] == ["0", "1"]
    assert is_closed(decisions)


def test_what_comes_late_follows_the_answers() -> None:
    plan = Plan([hunk(0, requires=[5]), hunk(1), hunk(2)])
    decisions = Decisions(plan)
    decisions.answer([plan.hunks[0]], True)
    decisions.answer([plan.hunks[1]], False)
    change = decisions.extend([hunk(5), hunk(6, requires=[1]), hunk(7)])
    assert change.verdicts == {"5": (None, True), "6": (None, False)}
    assert decisions.take_arrivals() == [change]
    assert decisions.take_arrivals() == []
    decisions.undo()
    assert decisions.verdicts == {"0": True, "5": True}, "6 may be accepted again"
    decisions.undo()
    assert decisions.verdicts == {}


def test_what_came_late_and_is_rejected_for_good_stays_so() -> None:
    plan = Plan([hunk(0)])
    decisions = Decisions(plan)
    decisions.answer([plan.hunks[0]], False)
    decisions.extend([hunk(1, requires=[0])])
    decisions.reject(plan.hunks[1], final=True)
    decisions.undo()
    assert decisions.verdicts == {"1": False}


def test_every_change_is_told_at_once() -> None:
    told: list[Change] = []
    plan = Plan([hunk(0), hunk(1, requires=[0])])
    decisions = Decisions(plan, told.append)
    decisions.accept(plan.hunks[1])
    assert told[-1].verdicts == {"0": (None, True), "1": (None, True)}
    decisions.split(plan.hunks[0], halves(plan.hunks[0]))
    assert [h.id for h in told[-1].added] == ["0.1", "0.2"]
    decisions.undo()
    assert told[-1].kind == "undo"
    assert [h.id for h in told[-1].removed] == ["0.1", "0.2"]
    assert len(told) == 3


def test_saved_verdicts_are_restored_as_far_as_they_fit() -> None:
    plan = Plan([hunk(0), hunk(1, requires=[0]), hunk(2, requires=[3]), hunk(3), hunk(4)])
    told: list[Change] = []
    decisions = Decisions(plan, told.append)
    saved = {"0": True, "1": True, "2": True, "4": False, "unknown": True}
    assert decisions.restore(saved) == 3
    assert decisions.verdicts == {"0": True, "1": True, "4": False}, "3 was not decided"
    assert is_closed(decisions)
    assert told == []
    assert decisions.undo() is None


def test_the_import_of_a_restored_hunk_is_not_shown_with_the_next() -> None:
    plan = Plan([hunk(0, follows=True), hunk(1, [0]), hunk(2, [0])])
    decisions = Decisions(plan)
    assert decisions.restore({"1": True}) == 1
    assert decisions.verdict(plan.hunks[0])
    assert decisions.restore({"2": False}) == 1
    assert [h.id for h in decisions.accepted] == ["0", "1"]


def test_parts_have_their_places_after_a_split() -> None:
    plan = Plan([hunk(0), hunk(1), hunk(2)])
    plan.swap([plan.hunks[1]], halves(plan.hunks[1]))
    assert [h.id for h in plan.hunks] == ["0", "1.1", "1.2", "2"]
    assert [len(slot) for slot in plan.slots] == [1, 2, 1]
    plan.swap([plan.hunks[2]], halves(plan.hunks[2]))
    assert [h.id for h in plan.hunks] == ["0", "1.1", "1.2.1", "1.2.2", "2"]
    plan.extend([hunk(3)])
    assert plan.slot_of(plan.hunks[-1]) == 3


NUMBERS = st.integers(0, 11)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=14)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["accept", "take", "reject", "rest", "split", "edit", "ignore", "undo"]),
        st.integers(0, 30),
    ),
    max_size=30,
)


def step(decisions: Decisions, kind: str, place: int) -> None:
    asked = [h for slot in decisions.plan.slots for h in slot]
    one = asked[place % len(asked)]
    if kind in ("accept", "reject"):
        (decisions.accept if kind == "accept" else decisions.reject)(one)
    elif kind == "take":
        decisions.answer([one], True)
    elif kind == "rest":
        decisions.answer(asked[place % len(asked) :], place % 2 == 0)
    elif one.id.endswith(".ignore"):
        return  # a comment is one edit, and has nothing to ignore
    elif kind == "split":
        decisions.split(one, halves(one, decisions.plan))
    elif kind == "edit":
        other = frozenset({asked[(place + 1) % len(asked)].id}) - {one.id}
        decisions.edit(one, replace(one, edits=(Edit(0, 0, f"# {place}\n"),), alternatives=other))
    elif kind == "ignore" and f"{one.id}.ignore" not in {h.id for h in asked}:
        comment = replace(one, id=f"{one.id}.ignore", alternatives=frozenset({one.id}),
                          requires=frozenset(), part_of="")  # fmt: skip
        decisions.ignore(one, comment)


def hunks(count: int, requires: list[tuple[int, int]], apart: list[tuple[int, int]]) -> list[Hunk]:
    found = []
    for number in range(count):
        required = [b for a, b in requires if a == number != b]
        without = [b for a, b in apart if a == number != b]
        follows = number == 0 and not any(number in pair for pair in apart)
        found.append(hunk(number, required, without, follows))
    return found


@settings(max_examples=300, deadline=None)
@given(PAIRS, st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4), STEPS)
def test_any_answers_keep_the_laws(
    requires: list[tuple[int, int]], apart: list[tuple[int, int]], steps: list[tuple[str, int]]
) -> None:
    told: list[Change] = []
    decisions = Decisions(Plan(hunks(12, requires, apart)), told.append)
    before = [state(decisions)]
    verdicts: dict[str, bool | None] = {}
    for kind, place in steps:
        if kind == "undo":
            undone = decisions.undo()
            assert (undone is None) == (len(before) == 1)
            if undone is not None:
                before.pop()
                assert state(decisions) == before[-1], "undo gives the state before"
        else:
            count = len(decisions.answers)
            step(decisions, kind, place)
            if len(decisions.answers) > count:
                before.append(state(decisions))
            assert state(decisions) == before[-1], "nothing changes without an answer"
        assert is_closed(decisions)
        for change in told:
            for id, (old, new) in change.verdicts.items():
                assert verdicts.get(id) is old
                verdicts[id] = new
        told.clear()
        known = {id: verdict for id, verdict in verdicts.items() if verdict is not None}
        assert known == decisions.verdicts, "who listens knows all verdicts"


@settings(max_examples=200, deadline=None)
@given(PAIRS, st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4), STEPS, st.integers(1, 6))
def test_what_comes_late_keeps_the_laws(
    requires: list[tuple[int, int]],
    apart: list[tuple[int, int]],
    steps: list[tuple[str, int]],
    batch: int,
) -> None:
    waiting = hunks(12, requires, apart)
    decisions = Decisions(Plan())
    decisions.extend([waiting.pop(0), waiting.pop(0)])
    for kind, place in steps:
        slots = [slot[0].id.partition(".")[0] for slot in decisions.plan.slots]
        if place % 4 == 0 and waiting:
            decisions.extend([waiting.pop(0) for _ in range(min(batch, len(waiting)))])
            assert [s[0].id.partition(".")[0] for s in decisions.plan.slots][: len(slots)] == slots
        elif kind == "undo":
            decisions.undo()
        else:
            step(decisions, kind, place)
        assert is_closed(decisions)
    while decisions.undo() is not None:
        assert is_closed(decisions)


@settings(max_examples=100, deadline=None)
@given(PAIRS, st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4))
def test_what_is_told_before_an_answer_is_what_it_does(
    requires: list[tuple[int, int]], apart: list[tuple[int, int]]
) -> None:
    decisions = Decisions(Plan(hunks(12, requires, apart)))
    for one in decisions.plan.hunks[1:]:
        accept = len(one.requires) % 2 == 0
        told = decisions.consequence(one, accept)
        change = decisions.answer([one], accept)
        if told.obstacle:
            assert decisions.verdict(one) is False
            continue
        went = {id: now for id, (_, now) in change.verdicts.items() if id != one.id}
        expected = {h.id: True for h in told.accepted} | {h.id: False for h in told.rejected}
        assert went == expected


@given(PAIRS, st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4), st.permutations(range(12)))
def test_rejecting_all_is_the_identity(
    requires: list[tuple[int, int]], apart: list[tuple[int, int]], order: list[int]
) -> None:
    decisions = Decisions(Plan(hunks(12, requires, apart)))
    for number in order:
        if not decisions.plan.hunks[number].follows:
            decisions.reject(decisions.plan.hunks[number])
    edits = [edit for one in decisions.accepted for edit in one.edits]
    assert apply(TEXT, edits) == TEXT
