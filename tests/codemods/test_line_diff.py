"""What a hunk changes in a file as it is decided so far, line by line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from pinsetter.codemods.engine.hunks.line_diff import Part, changed_lines, line_diff
from pinsetter.patterns.edits.edit import Edit, apply


def patched(text: str, parts: Sequence[Part]) -> list[str]:
    """The lines that the parts make of those of a text, whose old lines are checked."""
    lines = text.splitlines()
    made: list[str] = []
    at = 0
    for part in parts:
        old = [line for line in part.lines if line.mark != "+"]
        first = part.old - 1
        made += lines[at:first]
        assert lines[first : first + len(old)] == [line.text for line in old]
        assert len(made) == part.new - 1
        made += [line.text for line in part.lines if line.mark != "-"]
        at = first + len(old)
    return made + lines[at:]


def diff_upon(text: str, made: Sequence[Edit], edits: Sequence[Edit], context: int) -> list[Part]:
    return line_diff(text, edits, context, made)


def shown(parts: Sequence[Part]) -> list[str]:
    return [f"{line.number or ''}{line.mark}{line.text}" for part in parts for line in part.lines]


TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"


def test_nothing_changes() -> None:
    assert diff_upon(TEXT, [Edit(0, 3, "1")], [], 3) == []
    assert diff_upon("", [], [], 3) == []


def test_what_is_made_already_does_not_count() -> None:
    again = Edit(0, 3, "1")
    assert diff_upon(TEXT, [again], [again], 3) == []


def test_lines_that_are_accepted_stand_around_without_numbers() -> None:
    made = [Edit(4, 4, "new\n")]
    found = diff_upon(TEXT, made, [Edit(8, 13, "3")], 2)
    assert shown(found) == [" new", "2 two", "3-three", "+3", "4 four", "5 five"]
    assert found[0].head == "@@ -2,5 +2,5 @@"


def test_a_line_that_an_accepted_hunk_changed_keeps_its_number() -> None:
    found = diff_upon(TEXT, [Edit(4, 7, "zwei")], [Edit(0, 3, "eins")], 1)
    assert shown(found) == ["1-one", "+eins", "2 zwei"]


def test_a_line_that_is_indented_keeps_its_number() -> None:
    made = [Edit(4, 4, "if x:\n    ")]
    found = diff_upon(TEXT, made, [Edit(8, 13, "3")], 2)
    assert shown(found)[:2] == [" if x:", "2     two"]


def test_what_both_change_in_one_line_is_shown_upon_the_first() -> None:
    text = "f(one, two)\n"
    found = diff_upon(text, [Edit(2, 5, "1")], [Edit(7, 10, "2")], 3)
    assert shown(found) == ["1-f(1, two)", "+f(1, 2)"]


def test_the_end_of_a_file_without_a_line_end() -> None:
    found = diff_upon("one\ntwo", [], [Edit(7, 7, "\nthree")], 3)
    assert patched("one\ntwo", found) == ["one", "two", "three"]


def test_many_changes_of_a_long_file_take_no_time_of_their_squares() -> None:
    text = "x = 1\n" * 40_000
    edits = [Edit(24 * n, 24 * n + 1, "y") for n in range(10_000)]
    steps = 0

    def counted(*_: object) -> None:
        nonlocal steps
        steps += 1

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        diff_upon(text, edits[::2], edits[1::2], 3)
        changed_lines(text, edits)
    finally:
        sys.setprofile(before)
    assert steps < 20_000_000


EDITS = st.lists(
    st.tuples(
        st.integers(0, 60), st.integers(0, 12), st.sampled_from(["", "x", "y\n", "\nz", "a\nb\n"])
    ),
    max_size=6,
)


@settings(max_examples=300, deadline=None)
@given(st.text("ab\n", max_size=60), EDITS, st.lists(st.booleans(), min_size=6, max_size=6),
       st.integers(0, 4))  # fmt: skip
def test_the_diff_leads_from_what_is_decided_to_what_it_would_be(
    text: str, given: list[tuple[int, int, str]], chosen: list[bool], context: int
) -> None:
    edits: list[Edit] = []
    at = 0
    for gap, size, new in given:
        start = min(at + gap % 7, len(text))
        end = min(start + size, len(text))
        edits.append(Edit(start, end, new))
        at = end + 1
        if at > len(text):
            break
    made = [edit for edit, is_made in zip(edits, chosen, strict=False) if is_made]
    rest = [edit for edit, is_made in zip(edits, chosen, strict=False) if not is_made]
    found = diff_upon(text, made, rest, context)
    before, after = apply(text, made), apply(text, [*made, *rest])
    assert patched(before, found) == after.splitlines()
    assert patched(text, line_diff(text, edits, context)) == apply(text, edits).splitlines()
    lines = text.splitlines()
    for line in (line for part in found for line in part.lines if line.number and not made):
        assert lines[line.number - 1] == line.text
