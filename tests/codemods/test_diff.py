"""Diffs say what the edits do: a patch of a file gives the edited file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinsetter.codemods.engine.hunks.diff import file_diff, hunk_lines
from pinsetter.patterns.edits.edit import Edit, apply


def patched(text: str, lines: list[str]) -> str:
    """What a patch program makes of the text, strictly."""
    old = text.split("\n")
    old = [line + "\n" for line in old[:-1]] + ([old[-1]] if old[-1] else [])
    new: list[str] = []
    at = 0
    for index, line in enumerate(lines[2:], 2):
        mark, body = line[:1], line[1:]
        if line.startswith("@@"):
            start, _, length = line.split()[1][1:].partition(",")
            first = int(start) - (length != "0")
            new += old[at:first]
            at = first
        elif mark != "\\":
            last = index + 1 < len(lines) and lines[index + 1].startswith("\\")
            whole = body if last else body + "\n"
            if mark in " -":
                assert old[at] == whole
                at += 1
            if mark in " +":
                new.append(whole)
    return "".join(new + old[at:])


NO_END = ["\\ No newline at end of file"]


def test_no_edits_give_no_parts() -> None:
    assert file_diff("a.py", "x\n", []) == ["--- a/a.py", "+++ b/a.py"]


def test_an_edit_that_changes_nothing_gives_no_parts() -> None:
    assert file_diff("a.py", "x\n", [Edit(0, 1, "x")])[2:] == []


@pytest.mark.parametrize(
    ("text", "edits", "parts"),
    [
        ("a\nb\n", [Edit(2, 2, "x\n")], ["@@ -1,2 +1,3 @@", " a", "+x", " b"]),
        ("", [Edit(0, 0, "x\n")], ["@@ -0,0 +1 @@", "+x"]),
        ("a", [Edit(1, 1, "\nb")], ["-a", "\\ No newline at end of file", "+a", "+b", *NO_END]),
        ("a\r\nb\r\n", [Edit(0, 1, "x")], ["@@ -1,2 +1,2 @@", "-a\r", "+x\r", " b\r"]),
        ("a\n", [Edit(0, 2, "")], ["@@ -1 +0,0 @@", "-a"]),
    ],
)
def test_parts(text: str, edits: list[Edit], parts: list[str]) -> None:
    lines = hunk_lines("a.py", text, edits)
    assert [line for line in lines if line in parts] == parts


def test_distant_edits_make_separate_parts() -> None:
    text = "".join(f"{n}\n" for n in range(30))
    lines = file_diff("a.py", text, [Edit(0, 1, "x"), Edit(len(text) - 3, len(text) - 1, "y")])
    assert [line for line in lines if line.startswith("@@")] == [
        "@@ -1,4 +1,4 @@",
        "@@ -27,4 +27,4 @@",
    ]


def test_only_line_feeds_end_lines() -> None:
    text = "a = '\x0c\u2028\x85'\nb\n"
    lines = file_diff("a.py", text, [Edit(len(text) - 2, len(text) - 1, "c")])
    assert lines[3:] == [" a = '\x0c\u2028\x85'", "-b", "+c"]


@given(
    st.text(st.sampled_from("ab\n\r"), max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8), st.text("xy\n", max_size=5))),
)
def test_a_patch_does_what_the_edits_do(text: str, raw: list[tuple[int, int, str]]) -> None:
    edits: list[Edit] = []
    for start, length, new in raw:
        start = min(start, len(text))
        edit = Edit(start, min(start + length, len(text)), new)
        if not any(edit.contradicts(other) for other in edits):
            edits.append(edit)
    assert patched(text, file_diff("a.py", text, edits)) == apply(text, edits)
