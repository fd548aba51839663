"""The digest by which a hunk is known again."""

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.files.source import LINE_END, Source
from pinsetter.analyzer.names.module import Module, analyse
from pinsetter.codemods.engine.hunks import fingerprint as digests
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.patterns.edits.edit import Edit, apply


def numbered(lines: list[int], at: int) -> Hunk:
    """A hunk that changes one line of a file of numbers."""
    path = Path("numbers.py")
    text = "".join(f"{line}\n" for line in lines)
    module = analyse(Source(path, text.encode(), text, "utf-8", "\n"), "numbers")
    assert isinstance(module, Module)
    start = len("".join(f"{line}\n" for line in lines[:at]))
    return Hunk("id", "rule", "", "", module, at + 1, (Edit(start, start + 1, "9"),))


digits = st.lists(st.integers(0, 8), max_size=6)


@given(st.lists(st.integers(0, 8), min_size=7, max_size=7), digits, digits, digits, digits)
@settings(max_examples=60, deadline=None)
def test_the_digest_is_about_the_lines_that_are_shown(
    shown: list[int], above: list[int], below: list[int], over: list[int], under: list[int]
) -> None:
    digest = numbered([*above, *shown, *below], len(above) + 3).surroundings
    assert numbered([*over, *shown, *under], len(over) + 3).surroundings == digest
    for place in range(7):
        near = [*shown[:place], shown[place] + 10, *shown[place + 1 :]]
        assert numbered([*above, *near, *below], len(above) + 3).surroundings != digest


text = st.text("a \r\n", max_size=12)


@given(text, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), text), max_size=4))
@example("a\r\nb", [(2, 0, "x")])
@example("a\r", [(2, 0, "\n")])
@example("a\nb", [(1, 1, "")])
@settings(max_examples=400, deadline=None)
def test_only_the_lines_around_an_edit_are_split_again(
    text: str, steps: list[tuple[int, int, str]]
) -> None:
    edits, at = [], 0
    for skip, length, new in steps:
        start, end = at + skip, at + skip + length
        if end > len(text):
            break
        edits.append(Edit(start, end, new))
        at = end + 1
    assert digests._changed(text, edits) == LINE_END.split(apply(text, edits))
