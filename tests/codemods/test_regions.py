"""Regions: what a script made of a file's text becomes edits that keep all other bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.files.source import BOM, LINE_END, Source, decode
from pinsetter.codemods.engine.bowler.script_edits import regions, universal
from pinsetter.patterns.edits.edit import Edit, apply


def source_of(text: str) -> Source:
    found = decode(Path("a.py"), text.encode("utf-8"))
    assert isinstance(found, Source)
    return found


def edits(source: Source, new: str) -> list[Edit]:
    return [edit for region in regions(source, new) for edit in region.edits]


@pytest.mark.parametrize(
    "text",
    ["", "\n", "a", "a\n", "a\r\nb\rc\n", f"{BOM}a\r\n", BOM, "a\x0cb\n", "a\u2028b\n", "\r"],
)
def test_nothing_changed_nothing_edited(text: str) -> None:
    source = source_of(text)
    assert regions(source, universal(source)) == []
    assert apply(text, edits(source, universal(source))) == text


@pytest.mark.parametrize(
    ("text", "new", "wanted"),
    [
        ("a\nb\n", "a\nx\n", "a\nx\n"),
        ("a\nb", "a\nx\n", "a\nx"),
        ("a\nb", "x\nb\n", "x\nb"),
        ("a\r\nb\r\n", "a\nx\ny\n", "a\r\nx\r\ny\r\n"),
        ("a\rb\r", "x\nb\n", "x\rb\r"),
        ("a\nb\r\nc\r\n", "x\ny\nz\n", "x\ny\r\nz\r\n"),
        (f"{BOM}a\nb\n", "x\na\nb\n", f"{BOM}x\na\nb\n"),
        (f"{BOM}a\r\n", "x\n", f"{BOM}x\r\n"),
        ("a", "a\nb\n", "a\nb"),
        ("a\r\nb", "a\nb\nc\nd\n", "a\r\nb\r\nc\r\nd"),
        ("a\r\nb", "a\nx\ny\n", "a\r\nx\r\ny"),
        ("a\nb\n", "a\n", "a\n"),
        ("a\nb", "a\n", "a\n"),
        ("", "a\n", "a"),
        ("\n", "a\n", "a\n"),
        ("a\x0cb\nc\n", "a\x0cb\nx\n", "a\x0cb\nx\n"),
    ],
)
def test_what_takes_a_line_s_place_ends_as_it_did(text: str, new: str, wanted: str) -> None:
    assert apply(text, edits(source_of(text), new)) == wanted


def test_changes_that_stand_together_are_one_region() -> None:
    text = "".join(f"line {n}\n" for n in range(30))
    new = text.replace("line 3\n", "x\n").replace("line 6\n", "y\n").replace("line 20\n", "z\n")
    found = regions(source_of(text), new)
    assert [len(region.edits) for region in found] == [2, 1]
    assert found[1].lines[0] == "@@ -18,7 +18,7 @@"
    assert "-line 20" in found[1].lines
    assert "+z" in found[1].lines


LINES = st.lists(st.sampled_from(["a", "b", "", "@@ c", "\x0c"]), max_size=6)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@settings(deadline=None)
@given(LINES, st.lists(ENDS, min_size=6, max_size=6), st.booleans(), st.booleans(), LINES)
def test_the_edits_make_the_new_text(
    lines: list[str], ends: list[str], bom: bool, ended: bool, wanted: list[str]
) -> None:
    text = "".join(line + end for line, end in zip(lines, ends, strict=False))
    if text and not ended and not lines[-1].endswith("\r"):
        text = text.removesuffix(ends[len(lines) - 1])
    source = source_of(BOM * bom + text)
    new = "".join(f"{line}\n" for line in wanted) or "\n"
    result = apply(source.text, edits(source, new))
    # "a" and an empty line that nothing ends are "a" with an end of line.
    assert LINE_END.sub("\n", result.removeprefix(BOM)).rstrip("\n") == new.rstrip("\n")
    assert result.startswith(BOM) == bom


@settings(deadline=None)
@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=30), st.integers(0, 29), ENDS)
def test_lines_outside_the_edits_keep_their_bytes(lines: list[str], at: int, end: str) -> None:
    at %= len(lines)
    text = "".join(f"{line}{end}" for line in lines)
    source = source_of(text)
    changed = [*lines[:at], "new", *lines[at + 1 :]]
    result = apply(text, edits(source, "".join(f"{line}\n" for line in changed)))
    assert result == "".join(f"{line}{end}" for line in changed)
