"""Editing: what comes back from the editor is a hunk on the same lines, or is said to be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reviewing import plan_of, prepare, the
from test_decisions import module

from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.line_diff import changed_lines
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.review.editing import edited, form_of
from pinsetter.patterns.edits.edit import OPEN, Edit, apply
from pinsetter.patterns.edits.guards import Guard, Shared


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_of(prepare(tmp_path))


def result(hunk: Hunk, plan: Plan, old: str, new: str) -> Hunk | str | None:
    form = form_of(hunk)
    assert old in form.text
    return edited(form, form.text.replace(old, new), plan)


def text_with(hunk: Hunk) -> str:
    return apply(hunk.module.source.text, hunk.edits)


@pytest.mark.parametrize("change", [lambda t: t, lambda t: "", lambda t: "\n\n", lambda t: t[:-1],
                                    lambda t: t.replace("\n", "\r\n")])  # fmt: skip
def test_what_is_not_changed_stays(plan: Plan, change: object) -> None:
    for hunk in plan.hunks:
        form = form_of(hunk)
        assert callable(change)
        assert edited(form, change(form.text), plan) is None


def test_the_form_has_only_the_lines_that_change(plan: Plan) -> None:
    lines = form_of(the(plan, "check-pair", 1)).text.splitlines()
    assert [line for line in lines if not line.startswith("#|")] == [
        "    check(three),",
        "    check(four),",
    ]


def test_lines_that_look_like_marks_are_code() -> None:
    found = module("#| line 1:\nx = 1\n")
    hunk = Hunk("a", "r", "T", "W.", found, 1, (Edit(0, 0, "#| line\n"), Edit(15, 16, "2")))
    form = form_of(hunk)
    assert form.mark == "#||"
    made = edited(form, form.text.replace("#| line\n", "#| mine\n"), Plan([hunk]))
    assert isinstance(made, Hunk)
    assert text_with(made) == "#| mine\n#| line 1:\nx = 2\n"


def test_the_new_text_is_written(plan: Plan) -> None:
    made = result(the(plan, "start-log"), plan, "open_log()", "import log\nlog.open()")
    assert isinstance(made, Hunk)
    assert made.edited
    assert made.id == the(plan, "start-log").id
    assert text_with(made).startswith("import log\nlog.open()\nhere = 1\n")


def test_other_regions_keep_their_edits() -> None:
    found = module("a = 1\nb = 2\nc = 3\n")
    first, second = Edit(4, 5, "x", rank=(7,)), Edit(16, 17, "z")
    hunk = Hunk("a", "r", "T", "W.", found, 1, (first, second))
    made = result(hunk, Plan([hunk]), "c = z", "c = zzz")
    assert isinstance(made, Hunk)
    assert made.edits[0] is first
    assert made.edits[1].text == "zzz"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("open_log()", "open_log((", "would not parse"),
        ("open_log()", "  open_log()", "would not parse"),
        ("#| line 1:", "", "the line `#| line 1:` is missing"),
        ("#| line 1:", "x = 1\n#| line 1:", "there is code above the line `#| line 1:`"),
    ],
)
def test_what_is_wrong_is_said(plan: Plan, old: str, new: str, said: str) -> None:
    made = result(the(plan, "start-log"), plan, old, new)
    assert isinstance(made, str)
    assert said in made


def test_text_that_the_file_cannot_have_is_refused() -> None:
    found = module("# coding: latin-1\nx = 1\n")
    hunk = Hunk("a", "r", "T", "W.", found, 2, (Edit(22, 23, "2"),))
    made = result(hunk, Plan([hunk]), "x = 2", "x = '\u20ac'")
    assert isinstance(made, str)
    assert "latin-1" in made or "iso-8859" in made.lower()


def test_line_ends_stay_those_of_the_file(tmp_path: Path) -> None:
    script = prepare(tmp_path)
    script.write_bytes(script.read_bytes().replace(b"\n", b"\r\n"))
    plan = plan_of(script)
    made = result(the(plan, "check-pair", 1), plan, "check(three),", "check(three),\n    extra,")
    assert isinstance(made, Hunk)
    assert "check(three),\r\n    extra,\r\n" in text_with(made)
    assert "\n" not in text_with(made).replace("\r\n", "")


def test_a_last_line_without_end_stays_one() -> None:
    found = module("x = 1")
    hunk = Hunk("a", "r", "T", "W.", found, 1, (Edit(4, 5, "2"),))
    made = result(hunk, Plan([hunk]), "x = 2", "x = 3")
    assert isinstance(made, Hunk)
    assert text_with(made) == "x = 3"


def test_what_it_contradicts_now_is_an_alternative(plan: Plan) -> None:
    hunk = the(plan, "name-steps", 2)
    place = hunk.module.source.text.index("step(3)")
    other = Hunk("o", "other", "T", "W.", hunk.module, 13, (Edit(place, place + 4, "go"),))
    plan.extend([other])
    assert plan.alternatives_of(hunk) == []
    made = result(hunk, plan, "step(3, name='step')", "walk(3)")
    assert isinstance(made, Hunk)
    assert made.alternatives == {"o"}


def test_what_it_requires_cannot_be_contradicted(plan: Plan) -> None:
    hunk = the(plan, "check-pair")
    place = hunk.module.source.text.index("pair(one")
    other = Hunk("o", "other", "T", "W.", hunk.module, 3, (Edit(place, place + 4, "couple"),))
    needing = Hunk("n", "needing", "T", "W.", hunk.module, 3, hunk.edits, requires=frozenset("o"))
    plan.extend([other, needing])
    made = result(needing, plan, "pair(check(one), check(two))", "triple(one)")
    assert isinstance(made, str)
    assert "it changes what other (line 3) changes, which it requires" in made


LINES = st.lists(st.text(st.sampled_from("ab \t"), max_size=4), max_size=6)


@given(LINES, st.integers(0, 5), st.integers(0, 5), LINES)
def test_changed_lines_are_all_that_changes(
    old: list[str], start: int, length: int, new: list[str]
) -> None:
    text = "".join(f"{line}\n" for line in old)
    lines = text.splitlines(keepends=True)
    offset = len("".join(lines[:start]))
    end = len("".join(lines[: start + length]))
    edit = Edit(offset, end, "".join(f"{line}\n" for line in new))
    regions = changed_lines(text, [edit])
    made = [Edit(region.start, region.end, region.text) for region in regions]
    assert apply(text, made) == apply(text, [edit])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f(a=1, a=2)", "keyword argument repeated"),
        ("return 1", "'return' outside function"),
        ("f(", "is never closed"),
    ],
)
def test_what_would_not_compile_is_not_taken(text: str, said: str) -> None:
    found = module("x = 1\ny = 2\n")
    hunk = Hunk("a", "r", "T", "W.", found, 1, (Edit(0, 5, "x = 3"),))
    form = form_of(hunk)
    wrong = edited(form, form.text.replace("x = 3", text), Plan([hunk]))
    assert isinstance(wrong, str)
    assert wrong.startswith("the file would not parse: ")
    assert said in wrong


def test_ends_of_lines_stay_as_they_are_in_the_file() -> None:
    found = module("a = 1\r\nb = 2\rc = 3\n")
    hunk = Hunk("a", "r", "T", "W.", found, 1, (Edit(4, 5, "x"), Edit(11, 12, "y")))
    made = result(hunk, Plan([hunk]), "x\nb = y", "xyz\nb = z")
    assert isinstance(made, Hunk)
    assert text_with(made).endswith("b = z\rc = 3\n")


def test_what_a_person_writes_for_a_guard_is_not_shared() -> None:
    found = module("one('''\n\n\n\n\n''',\n    2)\ntwo()\n")
    last, end, two = (found.source.text.index(code) for code in ("    2", "\ntwo", "two"))
    first = Guard("here()", (0, end), join=True)
    second = Guard("here()", (two, two + 5), join=True, previous=first.span)

    def head(guard: Guard, number: int) -> Edit:
        at, made = guard.span[0], Shared(guard, joined="    ")
        return Edit(at, at, "if here():\n    ", OPEN, guard.span, (number,), "    ", shared=made)

    further = Edit(last, last, "    ", OPEN, (last, end), (1,), shared=head(first, 1).shared)
    one = Hunk("a", "r", "T", "W.", found, 1, (head(first, 1), further))
    other = Hunk("b", "r", "T", "W.", found, 8, (head(second, 2),))
    together = apply(found.source.text, [*one.edits, *other.edits])
    assert together.endswith("        2)\n    two()\n")
    made = result(one, Plan([one, other]), "here()", "there()")
    assert isinstance(made, Hunk)
    together = apply(found.source.text, [*made.edits, *other.edits])
    assert together.startswith("if there():\n    one(")
    assert together.endswith("        2)\nif here():\n    two()\n")
