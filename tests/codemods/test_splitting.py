"""Splitting: the parts of a hunk make sense without each other; else it has none."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from commands import TRAIN, plan_of
from hypothesis import given
from hypothesis import strategies as st
from test_decisions import module

from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.hunks.validity import why_invalid
from pinsetter.codemods.engine.review.splitting import parts
from pinsetter.patterns.edits.edit import AFTER, CLOSE, OPEN, Edit
from pinsetter.patterns.edits.guards import Guard, Shared

TEXT = """\
first = call(one, two)
if first:
    second = call(three)
third = call(four)
"""
MODULE = module(TEXT)


def at(code: str, edit: str, side: int = AFTER, before: bool = True) -> Edit:
    offset = TEXT.index(code) + (0 if before else len(code))
    return Edit(offset, offset, edit, side)


def wrap(code: str) -> list[Edit]:
    start = TEXT.index(code)
    outer = (start, start + len(code))
    return [Edit(start, start, "wrap(", OPEN, outer),
            Edit(outer[1], outer[1], ")", CLOSE, outer)]  # fmt: skip


def one(*edits: Edit) -> Hunk:
    return Hunk("a", "rule", "Title", "Why.", MODULE, 1, edits)


GUARD = Guard("new()", (TEXT.index("second"), TEXT.index("third") - 1), True)
SHARED = Shared(GUARD, joined="    ", lifted=" and new()")


@pytest.mark.parametrize(
    "edits",
    [
        [at("third", "new = 1\n")],
        [replace(at("first:", "", before=False), shared=SHARED),
         replace(at("second", "if new():\n        "), shared=SHARED)],
        wrap("one"),
        [*wrap("one, two"), *wrap("one")],
        [at("third", "new = 1\n"), at("four", "new, ")],
        [at("third", "def new():\n    pass\n\n\n"), at("four", "new(), ")],
        [at("third", "import new\n"), at("four", "new.x(), ")],
        [at("one", "("), at("two", ")", before=False)],
        [at("third = ", "x = ("), at("call(four)", ")", before=False)],
    ],
    ids=["one edit", "a guard", "a wrap", "one inside another", "a name and its use", "a function",
         "an import", "parentheses on one line", "parentheses"],
)  # fmt: skip
def test_what_belongs_together_is_not_split(edits: list[Edit]) -> None:
    hunk = one(*edits)
    assert parts(hunk, Plan([hunk])) == []


def test_no_rule_of_the_bundled_packs_comes_apart_there(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    plan = plan_of(script)
    assert all(parts(hunk, plan) == [] for hunk in plan.hunks)


def test_independent_wraps_are_parts() -> None:
    hunk = one(*wrap("one"), *wrap("three"), *wrap("four"))
    plan = Plan([hunk])
    found = parts(hunk, plan)
    assert [part.id for part in found] == ["a.1", "a.2", "a.3"]
    assert [part.line for part in found] == [1, 3, 4]
    assert {part.part_of for part in found} == {"a"}
    assert sorted((e.start, e.text) for part in found for e in part.edits) == sorted(
        (e.start, e.text) for e in hunk.edits
    )
    assert [p.id for p in parts(hunk, plan)] == [p.id for p in found]


def test_a_part_that_only_parses_with_another_joins_it() -> None:
    hunk = one(at("one", "("), at("two", ")", before=False), *wrap("four"))
    found = parts(hunk, Plan([hunk]))
    assert [len(part.edits) for part in found] == [2, 2]


def test_parts_require_what_the_whole_requires_and_imports_that_they_use() -> None:
    start = replace(one(at("first", "import a.b as b\n")), id="b", follows=True)
    other = replace(one(at("first", "start()\n")), id="c")
    hunk = replace(one(at("one", "b.x(), "), at("four", "y, ")), requires=frozenset("bc"))
    first, second = parts(hunk, Plan([start, other, hunk]))
    assert first.requires == {"b", "c"}
    assert second.requires == {"c"}


def test_only_the_part_that_contradicts_has_the_alternative() -> None:
    place = TEXT.index("four")
    hunk = one(*wrap("one"), Edit(place, place + 4, "five"))
    other = replace(one(Edit(place, place + 4, "six")), id="b", alternatives=frozenset("a"))
    plan = Plan([other, hunk])
    found = parts(hunk, plan)
    assert [part.alternatives for part in found] == [frozenset(), {"b"}]
    plan.swap([hunk], found)
    assert [h.id for h in plan.alternatives_of(other)] == ["a.2"]


PIECES = ["one", "two", "three", "four", "first:", "second", "third", "if"]


@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(
    ["(", ")", "new, ", "new = 1\n", "x", "\n", "# x\n", "[", "]"]), st.booleans()),
    min_size=2, max_size=5, unique=True))  # fmt: skip
def test_every_choice_of_two_parts_parses(raw: list[tuple[str, str, bool]]) -> None:
    hunk = one(*(at(code, text, before=before) for code, text, before in raw))
    if why_invalid(hunk.module, hunk.edits):
        return
    found = parts(hunk, Plan([hunk]))
    for chosen in (*((part,) for part in found), *itertools.combinations(found, 2)):
        assert not why_invalid(hunk.module, [edit for part in chosen for edit in part.edits])
