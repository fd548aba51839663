"""Neighbours under one condition are one hunk in a review, in a real terminal; ``s`` splits it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from reviewing import PROMPT, Review, command, plan_of

from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.review.agenda import Agenda, Order

pytest.importorskip("pexpect")
if sys.platform == "win32":
    pytest.skip("pseudo-terminals need POSIX", allow_module_level=True)

PACK = """\
pack: review
summary: Neighbours under one condition.
rules:
  - id: print-first
    title: Print first only
    why: All of them would print.
    match: print($...args)
    edit: {guard: first(), join: true}
    examples: [{unchanged: other()}]
  - id: log-first
    title: Log first only
    why: All of them would log.
    match: log($...args)
    edit: {guard: first(), join: true}
    warn: [{say: Nobody else logs.}]
    requires: [begin]
    examples: [{unchanged: other()}]
  - id: log-twice
    title: Log twice, first only
    why: Twice is too often.
    match: log($x, $x)
    edit: {guard: first(), join: true}
    examples: [{unchanged: other()}]
  - id: note-first
    title: Note first only
    why: Each is noted for itself.
    match: note($...args)
    edit: {guard: first()}
    examples: [{unchanged: other()}]
  - id: begin
    title: Begin
    why: It has to begin.
    match: begin($x)
    edit: {replace: $match, with: start()}
    done: [{present: {code: "start()", in: module}}]
    examples: [{unchanged: other()}]
  - id: rename
    title: Use new
    why: What is old goes.
    match: old($x)
    edit: {replace: $match, with: new($x)}
    examples: [{unchanged: other()}]
"""
SCRIPT = """\
start()
print(1)
print(old(2))
log(3)
here = 4
print(5)
note(6)
note(7)
"""
# By their numbers: print 1 and 2, log 3, old, print 5, note 6 and 7.
GROUP = r"Apply these \d+ hunks \[y,n,q,a,d,\?\]\? "
ANY = f"(?:{PROMPT}|{GROUP})"
JOINT = "3 neighbours with the same condition; s decides them one by one."
JOINED = """\
start()
if first():
    print(1)
    print(old(2))
    log(3)
"""
REST = SCRIPT.partition("log(3)\n")[2]


def prepared(folder: Path, text: str = SCRIPT) -> Path:
    (folder / "review.yaml").write_text(PACK)
    script = folder / "lines.py"
    script.write_text(text)
    return script


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return prepared(tmp_path)


def test_they_are_shown_and_decided_as_one(lines: Path) -> None:
    with Review(lines) as review:
        shown = review.seen(GROUP)
        assert (
            f"#1 {lines}:2 and 2 more  print-first: Print first only  [0 decided, 7 left]" in shown
        )
        assert "    and log-first: Log first only" in shown
        assert JOINT in shown
        for said in ("All of them would print.", "All of them would log.", "Nobody else logs."):
            assert said in shown
        for line in ("-log(3)", "+if first():", "+    print(old(2))", "+    log(3)"):
            assert line in shown
        assert shown.count("if first():") == 1
        shown = review.key("y")
        assert "#3 " in shown
        assert "[3 decided, 4 left]" in shown
        code, shown = review.end("q")
        assert code == 0
        assert "3 accepted, 0 rejected, 4 not decided" in shown
    assert lines.read_text() == JOINED + REST


def test_what_is_rejected_is_rejected_as_one(lines: Path) -> None:
    with Review(lines) as review:
        review.seen(GROUP)
        assert "[3 decided, 4 left]" in review.key("n")
        assert "0 accepted, 3 rejected, 4 not decided" in review.end("q")[1]
    assert lines.read_text() == SCRIPT


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("yny", "if first():\n    print(1)\nprint(old(2))\nif first():\n    log(3)\n"),
        ("yyn", "if first():\n    print(1)\n    print(old(2))\nlog(3)\n"),
        ("nyy", "print(1)\nif first():\n    print(old(2))\n    log(3)\n"),
        ("yyy", JOINED.partition("\n")[2]),
        ("nnn", "print(1)\nprint(old(2))\nlog(3)\n"),
    ],
)
def test_split_they_are_asked_one_by_one(lines: Path, keys: str, text: str) -> None:
    with Review(lines) as review:
        review.seen(GROUP)
        shown = review.key("s")
        assert "3 hunks, one by one." in shown
        assert f"#1 {lines}:2  print-first" in shown
        assert "the same condition" not in shown
        assert "#2 " in review.key(keys[0])
        review.key("g 4")
        shown = review.key(keys[2])
        review.key("g 2")
        shown = review.key(keys[1])
        assert "[3 decided, 4 left]" in shown
        review.end("q")
    assert lines.read_text() == f"start()\n{text}{REST}"


def test_an_answer_is_undone_as_one(lines: Path) -> None:
    with Review(lines) as review:
        review.seen(GROUP)
        review.key("y")
        shown = review.key("u", GROUP)
        assert "Undone." in shown
        assert JOINT in shown
        assert "[0 decided, 7 left]" in shown
        review.key("s")
        review.key("y")
        shown = review.key("u")
        assert f"#1 {lines}:2  print-first" in shown
        assert "[0 decided, 7 left]" in shown
        review.key("n")
        review.key("y")
        review.end("q")
    assert lines.read_text() == (
        f"start()\nprint(1)\nif first():\n    print(old(2))\nlog(3)\n{REST}"
    )


def test_what_is_left_of_one_goes_on_later(lines: Path) -> None:
    with Review(lines, manner=("--by", "hunk")) as review:
        review.seen(GROUP)
        review.key("s")
        review.key("y")
        review.key("q", r"Write \[y,n,b,v,\?\]\? ")
        review.end("n")
    with Review(lines, arguments=["--resume"]) as review:
        shown = review.seen(GROUP)
        assert f"#2 {lines}:3 and 1 more" in shown
        assert "1 of these are decided; an answer is for the others." in shown
        assert "2 neighbours with the same condition" in shown
        assert "+    log(3)" in shown
        assert "+if first():" not in shown, "that is accepted"
        review.key("y")
        review.end("q")
    assert lines.read_text() == JOINED + REST


def test_what_cannot_be_accepted_is_no_part_of_it(tmp_path: Path) -> None:
    script = prepared(tmp_path, "begin(0)\nprint(1)\nlog(2)\nprint(3)\nprint(4)\n")
    with Review(script) as review:
        review.seen()
        shown = review.key("n", GROUP)
        assert "Rejected too: log-first" in shown
        assert "1 of these are decided; an answer is for the others." in shown
        assert f"#2 {script}:2 and 2 more" in shown
        assert "log-first: Log" not in shown
        assert shown.count("if first():") == 2
        assert "4 accepted" not in review.end("y")[1]
    assert script.read_text() == (
        "begin(0)\nif first():\n    print(1)\nlog(2)\nif first():\n    print(3)\n    print(4)\n"
    )


def test_what_one_of_them_requires_goes_along(tmp_path: Path) -> None:
    script = prepared(tmp_path, "begin(0)\nprint(1)\nlog(2)\n")
    with Review(script) as review:
        review.seen()
        shown = review.key("J", GROUP)
        assert "Accepting them accepts: begin (line 1)" in shown
        assert "3 accepted" in review.end("y")[1]
    assert script.read_text() == "start()\nif first():\n    print(1)\n    log(2)\n"


def test_an_answer_for_the_rule_is_for_all_rules_of_it(lines: Path) -> None:
    with Review(lines) as review:
        review.seen(GROUP)
        shown = review.key("A")
        assert "Accepted 4 hunk(s) of print-first and log-first." in shown
        assert "#3 " in shown
        review.end("q")
    assert lines.read_text().count("if first():") == 2


def test_one_hunk_of_it_has_no_answer_of_its_own(lines: Path) -> None:
    with Review(lines) as review:
        review.seen(GROUP)
        for key in ("e", "i"):
            assert "These are several hunks; s decides them one by one." in review.key(key, GROUP)
        shown = review.key("r", GROUP)
        assert shown.index("rule print-first") < shown.index("rule log-first")
        assert "#1 " in review.key("g 4", GROUP), "it is about that, too"
        review.end("q")


def test_in_a_group_they_are_one_hunk(tmp_path: Path) -> None:
    script = prepared(
        tmp_path, "print(1)\nprint(2)\nx = start()\nprint(4)\nlog(5)\nx = 6\nprint(7)\n"
    )
    with Review(script, manner=("--by", "file", "--yes")) as review:
        shown = review.seen(GROUP)
        assert f"#1 {script}:1 and 2 more" in shown
        assert "the same condition" not in shown
        assert shown.count("if first():") == 2
        shown = review.key("s", GROUP)
        assert "3 hunks, one by one; those under one condition together." in shown
        assert "2 neighbours with the same condition" in shown
        assert "#1 " in review.key("s")
        review.key("g 5")
        shown = review.key("J", GROUP)
        assert f"#3 {script}:4 and 1 more" in shown
        review.key("y")
        review.end("q")
    assert script.read_text() == (
        "print(1)\nprint(2)\nx = start()\nif first():\n    print(4)\n    log(5)\nx = 6\nprint(7)\n"
    )


def test_a_long_one_is_folded(tmp_path: Path) -> None:
    script = prepared(tmp_path, "".join(f"print({number})\n" for number in range(60)))
    with Review(script, {"PAGER": "cat"}, size=(24, 100)) as review:
        shown = review.seen(GROUP)
        assert "more lines (f shows all)" in shown
        assert "+    print(59)" in shown
        assert f"{script}:2" not in shown
        review.end("y")
    assert script.read_text().count("if first():") == 1


def test_a_pipe_is_asked_about_them_as_one(lines: Path) -> None:
    done = subprocess.run(
        command(lines), input="y\ny\n", capture_output=True, text=True, check=False
    )
    assert "4 accepted, 0 rejected, 3 not decided" in done.stderr
    assert lines.read_text() == JOINED.replace("old(2)", "new(2)") + REST


def units(script: Path, order: Order = Order.HUNK) -> list[str]:
    decisions = Decisions(plan_of(script))
    agenda = Agenda(decisions, order)
    return [" ".join(agenda.label(hunk) for hunk in step.hunks) for step in agenda.steps]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("print(1)\nother()\nprint(2)\n", ["#1", "#2"]),
        ("note(1)\nnote(2)\n", ["#1", "#2"]),
        ("print(1)\nnote(2)\nprint(3)\n", ["#1", "#2", "#3"]),
        ("print(1)\nif x:\n    print(2)\n    log(3)\nprint(4)\n", ["#1", "#2 #3", "#4"]),
        ("print(1)\n# why\n\nprint(2)\n", ["#1 #2"]),
        ("print(1)\nwith x:\n    print(2)\nprint(3)\n", ["#1", "#2", "#3"]),
        ("print(1)\nprint(old(2))\nprint(3)\n", ["#1 #2 #4", "#3"]),
        ("log(1, 1)\nlog(2)\n", ["#1 #2 #3"]),
        ("print(1); print(2)\n", ["#1", "#2"]),
    ],
)
def test_which_stand_under_one_condition(tmp_path: Path, text: str, steps: list[str]) -> None:
    assert units(prepared(tmp_path, f"start()\n{text}")) == steps
