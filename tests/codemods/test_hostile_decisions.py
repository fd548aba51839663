"""A file of decisions from anywhere chooses of what is proposed, and does nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prepared import Said, invoke
from reviewing import SCRIPT
from sessions import RESUME, begin, script_in

from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.review.ignoring import comment_hunk
from pinsetter.codemods.engine.review.splitting import parts
from pinsetter.codemods.engine.state.sessions import SessionState

BAD = "import os; os.system('boo')  #"


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return script_in(tmp_path / "tree")


@pytest.fixture
def file(lines: Path, tmp_path: Path) -> Path:
    """Decisions in which one hunk was edited by hand, one split, and one ignored."""
    run = begin(lines)
    run.accept("start-log")
    pair = run.the("check-pair")
    pieces = parts(pair, run.plan)
    run.decisions.split(pair, pieces)
    run.decisions.answer(pieces[:1], True)
    steps = run.the("name-steps")
    edited = replace(steps, edits=(replace(steps.edits[0], text=", name='mine'"),), edited=True)
    run.decisions.edit(steps, edited)
    run.decisions.answer([edited], True)
    last = run.the("name-steps", 2)
    comment = comment_hunk(last, "it has one")
    assert isinstance(comment, Hunk)
    run.decisions.ignore(last, comment)
    run.session.end(SessionState.QUIT)
    run.session.close()
    path = tmp_path / "approved.json"
    assert invoke("decisions", "export", path, "--tree", lines.parent).code == 0
    return path


def apply(lines: Path, file: Path, *options: str) -> Said:
    pack = lines.parent / "review.yaml"
    return invoke("run", pack, lines, "--decisions", file, *options)


def piece_of(data: Any, rule: str) -> Any:
    found = [one for one in data["decisions"] if one["rule"] == rule and one.get("pieces")]
    return found[-1]["pieces"]


def test_what_was_proposed_is_written_and_what_was_edited_is_named(lines: Path, file: Path) -> None:
    result = apply(lines, file, "--write")
    assert result.code == 2
    assert re.search(r"approved\.json:\d+: the hunk \w+ \(name-steps, lines\.py:4\)", result.err)
    assert "has text that was changed by hand; it is not taken over" in result.err
    assert "pinsetter decisions import" in result.err
    assert "--trust-edits" in result.err
    text = lines.read_text()
    assert "mine" not in text
    assert "open_log()" in text
    assert "pair(check(one), two)" in text
    assert "step(3)  # pinsetter: ignore[name-steps] it has one" in text


def test_with_a_word_it_is_taken_over(lines: Path, file: Path) -> None:
    result = apply(lines, file, "--write", "--trust-edits")
    assert result.code == 0, result.err
    assert "step(1, name='mine')" in lines.read_text()


def test_a_check_counts_it_as_not_decided(lines: Path, file: Path) -> None:
    assert apply(lines, file, "--check").code == 1
    assert "changed by hand" in apply(lines, file, "--check").err


@pytest.mark.parametrize("rule", ["check-pair", "name-steps"])
@pytest.mark.parametrize("text", [BAD, f"\n{BAD}", f"# pinsetter: ignore[name-steps]\n{BAD}"])
def test_no_piece_brings_code_along(lines: Path, file: Path, rule: str, text: str) -> None:
    """As a part of a split hunk, or as the comment for an ignored one, and not called edited."""
    data = json.loads(file.read_text())
    piece = piece_of(data, rule)[-1]
    edit = {"anchor": 0, "lines": "pair(one, two)\n", "start": 0, "length": 0, "text": text}
    piece.update(verdict=True, edits=[edit])
    piece.pop("edited", None)
    if rule == "name-steps":
        edit["lines"] = "step(3)\n"
        piece["why"] = f"name-steps is to leave this place alone: {text}"
    file.write_text(json.dumps(data))
    assert apply(lines, file, "--write").code == 2
    assert "boo" not in lines.read_text()


@pytest.mark.parametrize("trusted", [True, False])
def test_an_import_leaves_it_to_the_review(lines: Path, file: Path, trusted: bool) -> None:
    other = script_in(lines.parents[1] / "other" / "tree")
    word = ["--trust-edits"] if trusted else []
    result = invoke("decisions", "import", file, "--tree", other.parent, *word)
    assert result.code == 0
    assert ("have text that was changed by hand; --resume asks about them" in result.err) != trusted
    run = begin(other, RESUME)
    mine = [hunk for hunk in run.asked if "mine" in hunk.edits[0].text]
    assert len(mine) == 1
    assert run.decisions.verdict(mine[0]) is (True if trusted else None)
    assert run.decisions.verdict(run.the("start-log")) is True
    run.session.close()


def test_importing_what_is_here_already_keeps_what_was_accepted(lines: Path, file: Path) -> None:
    result = invoke("decisions", "import", file, "--tree", lines.parent)
    assert "changed by hand" not in result.err
    run = begin(lines, RESUME)
    mine = next(hunk for hunk in run.asked if "mine" in hunk.edits[0].text)
    assert run.decisions.verdict(mine) is True
    run.session.close()


def test_the_word_is_for_a_file(lines: Path) -> None:
    result = invoke("run", lines.parent / "review.yaml", lines, "--write", "--trust-edits")
    assert "--trust-edits needs --decisions FILE" in result.err


def set_line(value: str) -> tuple[str, str]:
    return '"line": 1,', f'"line": {value},'


MISTAKES: dict[str, tuple[tuple[str, str], str]] = {
    "a number of 5,000 digits": (set_line("9" * 5000), ".line: a number of 5000 characters"),
    "a number beyond a database": (set_line(str(10**30)), ".line: a number of 31 characters"),
    "a number beyond a double": (set_line(str(2**60)), ".line: a number of 19 characters"),
    "a number too large": (set_line(str(2**53)), "9007199254740992 is greater than the maximum"),
    "a whole fraction": (set_line("1.0"), ".line: 1.0 is not of type 'integer'"),
    "an exponent": (set_line("1e999"), ".line: 1e999 is not of type 'integer'"),
    "no number": (set_line("NaN"), ".line: NaN is not of type 'integer'"),
    "half of a character": (('"pack": "review"', '"pack": "\\ud800"'), "half of a character"),
    "nested": (set_line("[" * 100_000 + "]" * 100_000), "nested too deeply"),
    "nested and not closed": (set_line('{"a":' * 5000), "nested too deeply"),
    "the first year": (('"decided": "2', '"decided": "1'), "no time between 1970 and 9998"),
}


@pytest.mark.parametrize(("change", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_with_its_line(
    lines: Path, file: Path, change: tuple[str, str], said: str
) -> None:
    before = file.read_text()
    line = before[: before.index(change[0])].count("\n") + 1
    file.write_text(before.replace(*change, 1))
    imported = invoke("decisions", "import", file, "--tree", lines.parent)
    for result in (apply(lines, file, "--write"), imported):
        assert result.code == 2
        assert f"{file}:{line}:" in result.err
        assert said in result.err
        assert len(result.err) < 1000
    assert lines.read_text() == SCRIPT
