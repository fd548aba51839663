"""Line ends: a program is rewritten alike with any of them, and without one at its end."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import TRAIN, fixtures, plan_of
from test_diff import patched

from pinsetter.codemods.engine.files.new_content import write
from pinsetter.codemods.engine.hunks.diff import file_diff, hunk_lines
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.patterns.edits.edit import Edit, apply

Convert = Callable[[str], str]
CONVERSIONS: dict[str, Convert] = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cr": lambda text: text.replace("\n", "\r"),
    "no end": lambda text: text.rstrip("\n"),
    "crlf, no end": lambda text: text.rstrip("\n").replace("\n", "\r\n"),
    "cr, no end": lambda text: text.rstrip("\n").replace("\n", "\r"),
}

ENDING = {
    "in a function": "def step(x):\n    with tf.GradientTape() as tape:\n        loss = model(x)\n"
    "    optimizer.apply_gradients(\n        zip(tape.gradient(loss, model.weights),\n"
    "            model.weights))",
    "in a nested block": "for x in data:\n    if x:\n        print(x)",
    "in a loop on one line": "for x in data: optimizer.apply_gradients(x); print(x)",
    "in a case": "match x:\n    case 1:\n        pass\n    case _: print(x)",
    "in except*": "try:\n    pass\nexcept* ValueError as e:\n    print(e)",
    "in a string of several lines": 'print("""one\n  two\n""",\n      x)',
    "with a comment": "print(x)  # said\n# the end",
    "with an import": "import tensorflow as tf",
}


def edits_of(plan: Plan, path: Path) -> list[Edit]:
    return [edit for hunk in plan.hunks if hunk.module.path == path for edit in hunk.edits]


def rewrite(folder: Path) -> tuple[Plan, dict[str, str]]:
    """The plan for a folder, and what accepting all of it made of the files."""
    plan = plan_of(folder)
    for module in plan.by_module():
        assert write(module, edits_of(plan, module.path)) is None
    return plan, texts(folder)


def texts(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_bytes().decode("utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


def converted(folder: Path, target: Path, convert: Convert) -> Path:
    if (folder / "requirements.txt").is_file():
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "requirements.txt", target)
    for name, text in texts(folder).items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(convert(text).encode("utf-8"))
    return target


def program(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "main.py").write_bytes(text.encode("utf-8"))
    return folder


def same_hunks(left: Plan, right: Plan) -> bool:
    def told(plan: Plan) -> list[tuple[str, int]]:
        return sorted((hunk.rule, hunk.line) for hunk in plan.hunks)

    return told(left) == told(right)


def without_end(files: dict[str, str]) -> dict[str, str]:
    """Lines that were put behind the last may have an end or not."""
    return {name: text.rstrip("\r\n") for name, text in files.items()}


@pytest.mark.parametrize("fixture", fixtures(2), ids=lambda path: path.name)
def test_a_fixture_is_rewritten_alike(tmp_path: Path, fixture: Path) -> None:
    source = shutil.copytree(fixture, tmp_path / "source")
    targets = {
        name: converted(source, tmp_path / name, CONVERSIONS[name])
        for name in ("cr", "crlf, no end")
    }
    expected, wanted = rewrite(source)
    assert expected.hunks
    for name, target in targets.items():
        plan, found = rewrite(target)
        assert same_hunks(expected, plan)
        assert without_end(found) == without_end(
            {file: CONVERSIONS[name](text) for file, text in wanted.items()}
        )
        assert plan_of(target).hunks == []


@pytest.mark.parametrize("convert", list(CONVERSIONS.values())[3:], ids=list(CONVERSIONS)[3:])
@pytest.mark.parametrize("ending", ENDING.values(), ids=ENDING)
def test_whatever_a_program_ends_with(tmp_path: Path, ending: str, convert: Convert) -> None:
    text = f"{TRAIN}\n\ndata = tf.data.Dataset.range(9)\n{ending}\n"
    expected, wanted = rewrite(program(tmp_path / "source", text))
    plan, found = rewrite(program(tmp_path / "target", convert(text)))
    assert same_hunks(expected, plan)
    assert without_end(found) == without_end({"main.py": convert(wanted["main.py"])})
    assert plan_of(tmp_path / "target").hunks == []


@pytest.mark.parametrize("convert", CONVERSIONS.values(), ids=CONVERSIONS)
def test_diffs_have_the_line_numbers_of_an_editor(tmp_path: Path, convert: Convert) -> None:
    expected = plan_of(program(tmp_path / "source", TRAIN))
    plan = plan_of(program(tmp_path / "target", convert(TRAIN)))
    for hunk, other in zip(expected.hunks, plan.hunks, strict=True):
        mine = [line for line in hunk.lines[2:] if not line.startswith("\\")]
        theirs = [line.rstrip("\r") for line in other.lines[2:] if not line.startswith("\\")]
        assert theirs == mine
        assert not any("\r" in line.rstrip("\r") for line in other.lines)


@pytest.mark.parametrize("convert", CONVERSIONS.values(), ids=CONVERSIONS)
def test_a_patch_gives_the_file(tmp_path: Path, convert: Convert) -> None:
    text = convert(TRAIN)
    path = program(tmp_path / "target", text) / "main.py"
    edits = edits_of(plan_of(path.parent), path)
    assert patched(text, file_diff("main.py", text, edits)) == apply(text, edits)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_hunk_shows_lines_not_files(end: str) -> None:
    lines = [str(number) for number in range(30)]
    text = end.join(lines) + end
    at = text.index(f"{end}15") + len(end)
    shown = hunk_lines("a.py", text, [Edit(at, at, f"new{end}")])
    assert shown[2] == "@@ -13,6 +13,7 @@"
    assert [line.rstrip("\r") for line in shown[3:]] == [
        " 12", " 13", " 14", "+new", " 15", " 16", " 17",
    ]  # fmt: skip
    assert not re.search(r"\r(?!$)", "\n".join(shown), re.MULTILINE)
