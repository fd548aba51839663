"""What a diff looks like in a terminal: every character of it, with marks where lines differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from pinsetter.analyzer.messages.visible import visible
from pinsetter.codemods.engine.review.marks import styled

HEAD = ["--- a.py", "+++ a.py", "@@ -1,3 +1,3 @@"]


def marked(text: Text) -> list[str]:
    return [text.plain[s.start : s.end] for s in text.spans if str(s.style) == "bold underline"]


def marks(*lines: str) -> list[list[str]]:
    return [marked(text) for text in styled([*HEAD, *lines])[3:]]


@pytest.mark.parametrize(
    "lines",
    [
        [" a = 1"],
        ["+a = 1"],
        ["-a = 1"],
        ["-a = 1", " b", "+a = 2"],
        ["-import os", "+print(numbers, 3)"],
        ["-print(1)", "+    print(1)"],
        [f"-x = {'y, ' * 200}", f"+x = {'z, ' * 200}"],
    ],
    ids=["context", "added", "removed", "apart", "unlike", "indented", "long"],
)
def test_no_marks(lines: list[str]) -> None:
    assert all(found == [] for found in marks(*lines))


def test_words_that_changed_are_marked() -> None:
    old, new = marks("-rate = SGD(0.1)", "+rate = SGD(0.1 * size())")
    assert old == []
    assert "".join(new) == " * size()"


def test_the_line_that_is_alike_is_marked() -> None:
    assert marks("-print(1)", "+if first:", "+    print(one)") == [["1"], [], ["one"]]


def test_no_diff_is_no_trouble() -> None:
    assert styled([]) == []
    assert [text.plain for text in styled(HEAD)] == HEAD


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\tb é 漢", "a\tb é 漢"), ("\x1b[31m", r"\x1b[31m"), ("\x7f\x85", r"\x7f\x85"),
     ("\x0c\n", r"\x0c\n"), ("\u202e\u2066\u2028", r"\u202e\u2066\u2028"),
     ("\u200b\ufeff\U000e0041", r"\u200b\ufeff\U000e0041"), ("\udcff\ud800", r"\xff\ud800")],
)  # fmt: skip
def test_nothing_is_hidden(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.lists(st.tuples(st.sampled_from(" +-\\"), st.text(max_size=30)), max_size=12))
def test_every_character_is_shown(lines: list[tuple[str, str]]) -> None:
    diff = [*HEAD, *(mark + text.replace("\n", "") for mark, text in lines)]
    assert [t.plain for t in styled(diff)] == [visible(line.rstrip("\r")) for line in diff]
