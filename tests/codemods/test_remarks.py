"""Notes: what is said of several places is said once, with each of them."""

from __future__ import annotations

from pathlib import Path

from commands import BIN, run

PACK = """\
pack: notes
summary: Notes, and nothing else.
rules:
  - id: old-way
    title: The old way
    why: There is another.
    match: old()
    report: Say otherwise.
    examples: [unchanged: other()]
  - id: old-way-of
    title: The old way of something
    why: There is another.
    match: old($x)
    report: Say $x otherwise.
    examples: [unchanged: other()]
"""


def said(folder: Path, **files: str) -> list[str]:
    (folder / "notes.yaml").write_text(PACK)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    done = run("notes.yaml", ".", "--diff", command=[str(BIN / "pinsetter"), "run"], cwd=folder)
    lines = done.err.splitlines()
    return [line for line in lines if ": note: " in line or line.startswith("  also ")]


def test_one_place_is_one_line(tmp_path: Path) -> None:
    assert said(tmp_path, a="old()\n") == ["a.py:1: note: old-way: Say otherwise."]


def test_different_notes_are_different_lines(tmp_path: Path) -> None:
    assert said(tmp_path, a="old()\nold(1)\nold(2)\n") == [
        "a.py:1: note: old-way: Say otherwise.",
        "a.py:2: note: old-way-of: Say 1 otherwise.",
        "a.py:3: note: old-way-of: Say 2 otherwise.",
    ]


def test_equal_notes_of_a_file_are_one(tmp_path: Path) -> None:
    assert said(tmp_path, a="old()\nold(1)\n\nold()\n") == [
        "a.py:1: note: old-way: Say otherwise.",
        "  also a.py:4",
        "a.py:2: note: old-way-of: Say 1 otherwise.",
    ]


def test_equal_notes_of_files_that_are_done_together_are_one(tmp_path: Path) -> None:
    found = said(tmp_path, a="import b\nold()\n", b="old()\nold()\n")
    assert found[0].endswith(": note: old-way: Say otherwise.")
    places = {line.removeprefix("  also ").removesuffix(": note: old-way: Say otherwise.")
              for line in found}  # fmt: skip
    assert places == {"a.py:2", "b.py:1", "b.py:2"}
    assert len(found) == 3
