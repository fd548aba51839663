"""asked_first: what conditions ask first of a capture, as far as a word tells it."""

from __future__ import annotations

from typing import Any

import pytest

from pinsetter.patterns.applying.asked_first import Asked, asked_first


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([{"means": ["$f", "a.b", "c"]}], Asked("f", (("a.b", "c"),))),
        ([{"means": ["$f", "a"]}, {"not": {"means": ["$f", "b"]}}], Asked("f", (("a",),))),
        ([{"method": ["$...f", "fit", "run"]}], Asked("f", (), frozenset({"fit", "run"}))),
        ([{"all": [{"means": ["$f", "a"]}, {"method": ["$g", "b"]}]}], Asked("f", (("a",),))),
        (
            [{"any": [{"means": ["$f", "a"]}, {"all": [{"method": ["$f", "b"]}, {"x": 1}]}]}],
            Asked("f", (("a",),), frozenset({"b"})),
        ),
        (
            [{"any": [{"means": ["$f", "a"]}, {"any": [{"means": ["$f", "b"]}]}]}],
            Asked("f", (("a",), ("b",))),
        ),
        ([{"is_class": "$f"}], Asked("f", classes=True)),
        ([{"is_class": ["$f", "a"]}, {"means": ["$f", "a"]}], Asked("f", classes=True)),
        (
            [{"any": [{"means": ["$f", "a"]}, {"is_class": ["$f", "b"]}]}],
            Asked("f", (("a",),), classes=True),
        ),
    ],
)
def test_a_word_tells_it(conditions: list[dict[str, Any]], expected: Asked) -> None:
    assert asked_first(conditions) == expected


@pytest.mark.parametrize(
    "conditions",
    [
        [],
        [{"isa": ["$f", "a"]}],
        [{"not": {"is_class": "$f"}}],
        [{"not": {"means": ["$f", "a"]}}],
        [{"isa": ["$f", "a"]}, {"means": ["$f", "a"]}],
        [{"means": ["$f", "a"], "method": ["$f", "b"]}],
        [{"any": [{"means": ["$f", "a"]}, {"isa": ["$f", "b"]}]}],
        [{"any": [{"means": ["$f", "a"]}, {"is_class": ["$g", "b"]}]}],
        [{"any": [{"means": ["$f", "a"]}, {"means": ["$g", "b"]}]}],
        [{"all": [{"not": {"means": ["$f", "a"]}}, {"means": ["$f", "a"]}]}],
        [{"all": []}],
        [{"any": []}],
    ],
)
def test_no_word_tells_it(conditions: list[dict[str, Any]]) -> None:
    assert asked_first(conditions) is None


@pytest.mark.parametrize("name", ["all", "any"])
def test_of_a_file_alone_choices_are_not_asked_at_once(name: str) -> None:
    assert asked_first([{name: [{"means": ["$f", "a"]}]}], only_means=True) is None
    assert asked_first([{"method": ["$f", "a"]}], only_means=True) is None
    assert asked_first([{"is_class": "$f"}], only_means=True) is None
    assert asked_first([{"means": ["$f", "a"]}], only_means=True) == Asked("f", (("a",),))
