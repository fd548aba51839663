"""The lines of a hunk as they fit on a screen."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pinsetter.codemods.engine.hunks.line_diff import Line, Part
from pinsetter.codemods.engine.review.rows import Row, fits, folded, rows

WIDE = 200


def part(marks: str, first: int = 1) -> Part:
    """Lines with these marks; old ones are numbered from ``first`` on."""
    lines, number = [], first - 1
    for at, mark in enumerate(marks):
        number += mark != "+"
        lines.append(Line(mark, f"line {at}", 0 if mark == "+" else number, True))
    return Part(tuple(lines), first, first)


def shown(found: list[Row]) -> list[str]:
    return [row.text.plain for row in found]


def test_what_fits_is_shown_with_the_numbers_of_the_file() -> None:
    found = rows([part("  -+ ", 9)])
    assert shown(found) == [" 9  line 0", "10  line 1", "11 -line 2", "   +line 3", "12  line 4"]
    assert folded(found, WIDE, 5) == found
    assert fits([part("  -+ ", 9)], WIDE, 5)
    assert not fits([part("  -+ ", 9)], WIDE, 4)
    assert not fits([part("  -+ ", 9)], 6, 5), "lines are wrapped"


def test_two_parts_have_dots_between_them() -> None:
    assert shown(rows([part("+"), part("-", 7)])) == ["  +line 0", "⋮", "7 -line 0"]


def test_lines_around_go_first_and_dots_say_where() -> None:
    found = shown(folded(rows([part("   +      +   ")]), WIDE, 7))
    assert found == [
        " 3  line 2", "   +line 3", " 4  line 4", "⋮", " 9  line 9", "   +line 10", "10  line 11"
    ]  # fmt: skip


def test_the_middle_of_long_insertions_goes_then() -> None:
    found = shown(folded(rows([part(" " + "+" * 40 + " ")]), WIDE, 10))
    assert len(found) == 10
    assert found[0].endswith("line 0")
    assert found[-2].endswith("+line 40"), "its end is shown"
    assert "more lines (f shows all)" in found[-3]
    assert int(found[-3].split()[1]) + sum("+" in line for line in found) == 40


@settings(max_examples=200, deadline=None)
@given(st.text(" +-", min_size=1, max_size=60), st.integers(1, 80))
def test_no_kind_of_change_is_left_out(marks: str, height: int) -> None:
    found = rows([part(marks)])
    kept = folded(found, WIDE, height)
    for mark in "+-":
        assert any(row.mark == mark for row in kept) == (mark in marks)
    texts = shown(found)
    at = 0
    for text in (text for text in shown(kept) if text in texts):
        at = texts.index(text, at) + 1
    if len(found) <= height:
        assert kept == found or set("+-").isdisjoint(marks)
