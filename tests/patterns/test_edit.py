"""Edits: their order at one offset, and what contradicts what."""

import itertools

import pytest

from pinsetter.patterns.edits.edit import AFTER, BEFORE, CLOSE, OPEN, Edit, apply


def wrap(start: int, end: int, before: str, after: str) -> list[Edit]:
    return [
        Edit(start, start, before, OPEN, (start, end)),
        Edit(end, end, after, CLOSE, (start, end)),
    ]


def test_no_edits_change_nothing() -> None:
    assert apply("a\r\nb\x0c", []) == "a\r\nb\x0c"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Edit(0, 2, "x"), Edit(2, 4, "y")),
        (Edit(0, 2, "x"), Edit(0, 2, "x")),
        (Edit(0, 0, "x"), Edit(0, 0, "y")),
        (Edit(0, 2, "x"), Edit(0, 0, "y")),
        (Edit(0, 2, "x"), Edit(2, 2, "y")),
    ],
)
def test_neighbours_do_not_contradict(left: Edit, right: Edit) -> None:
    assert not left.contradicts(right)
    assert not right.contradicts(left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Edit(0, 2, "x"), Edit(1, 3, "y")),
        (Edit(0, 2, "x"), Edit(0, 2, "y")),
        (Edit(0, 4, "x"), Edit(1, 2, "y")),
        (Edit(0, 4, "x"), Edit(1, 1, "y")),
    ],
)
def test_overlaps_contradict(left: Edit, right: Edit) -> None:
    assert left.contradicts(right)
    assert right.contradicts(left)


def test_equal_replacements_are_made_once() -> None:
    assert apply("a; b", [Edit(1, 3, "\n"), Edit(1, 3, "\n")]) == "a\nb"


def test_what_ends_at_a_place_comes_before_what_begins_there() -> None:
    edits = [
        Edit(1, 1, ")", CLOSE, (0, 1)),
        Edit(1, 1, "after ", AFTER, (0, 1)),
        Edit(1, 1, "before ", BEFORE, (1, 2)),
        Edit(1, 1, "(", OPEN, (1, 2)),
    ]
    for order in itertools.permutations(edits):
        assert apply("ab", order) == "a)after before (b"


def test_wraps_nest_whatever_their_order() -> None:
    edits = [*wrap(0, 3, "<", ">"), *wrap(0, 1, "(", ")"), *wrap(2, 3, "[", "]")]
    for order in itertools.permutations(edits):
        assert apply("a+b", order) == "<(a)+[b]>"


def test_rank_breaks_ties() -> None:
    edits = [Edit(0, 0, "b", rank=(2,)), Edit(0, 0, "a", rank=(1,))]
    assert apply("", edits) == "ab"


BLOCK = "def f():\n    with a:\n        b\n        c\n    d\n"


def guard(text: str, code: str, after: str = "") -> list[Edit]:
    """What a layout makes of a statement on lines of its own: a condition, and deeper lines."""
    start = text.index(code)
    end = start + len(code)
    column = start - text.rindex("\n", 0, start) - 1
    head = Edit(
        start, start, "if x:\n" + " " * (column + 4), OPEN, (start, end), (start,), indent="    "
    )
    lines = [i + 1 for i in range(start, end - 1) if text[i] == "\n"]
    return [head, *(Edit(i, i, "    ", OPEN, (i, end)) for i in lines)]


def test_what_is_inserted_in_a_block_moves_with_it() -> None:
    block = guard(BLOCK, "with a:\n        b\n        c\n")
    inner = guard(BLOCK, "b\n")
    at = BLOCK.index("        c")
    lines = Edit(at, at, "        e\n", AFTER, (BLOCK.index("b\n"), at))
    assert apply(BLOCK, [*inner, *block, lines]) == (
        "def f():\n    if x:\n        with a:\n            if x:\n                b\n"
        "            e\n            c\n    d\n"
    )
    assert apply(BLOCK, [*inner, lines]) == (
        "def f():\n    with a:\n        if x:\n            b\n        e\n        c\n    d\n"
    )


def test_what_stands_after_a_block_does_not_move() -> None:
    block = guard(BLOCK, "with a:\n        b\n        c\n")
    at = BLOCK.index("    d")
    after = Edit(at, at, "    e\n", AFTER, (BLOCK.index("with"), at))
    outside = Edit(at, at, "    g\n", AFTER, (0, at))
    result = apply(BLOCK, [*block, outside])
    assert result.endswith("            c\n    g\n    d\n")
    assert apply(BLOCK, [after]).endswith("        c\n    e\n    d\n")


def test_two_conditions_for_one_statement_nest() -> None:
    first, second = guard(BLOCK, "d\n"), guard(BLOCK, "d\n")
    moved = [Edit(e.start, e.end, e.text, e.side, e.outer, (e.start, 1), e.indent) for e in second]
    result = apply(BLOCK, [*first, *moved])
    assert result.endswith("    if x:\n        if x:\n            d\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blocks_move_whatever_ends_their_lines(end: str) -> None:
    text, inserted = BLOCK.replace("\n", end), f"        e{end}{end}        f{end}"
    start, at, after = text.index("with"), text.index("        c"), text.index("    d")
    edits = [
        Edit(start, start, f"if x:{end}        ", OPEN, (start, after), indent="    "),
        Edit(at, at, inserted, AFTER, (text.index("b"), at)),
    ]
    assert apply(text, edits).split(end) == [
        "def f():", "    if x:", "        with a:", "        b", "            e", "",
        "            f", "        c", "    d", "",
    ]  # fmt: skip


def test_what_is_added_to_an_empty_place_is_separated() -> None:
    first = Edit(2, 2, "a=1", rank=(1,), between=", ")
    second = Edit(2, 2, "b=2", rank=(2,), between=", ")
    assert apply("f()", [second]) == "f(b=2)"
    assert apply("f()", [second, first]) == "f(a=1, b=2)"
