"""Every key of the review, in a real terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from reviewing import HUNKS, SCRIPT, Review, editor, prepare

pytest.importorskip("pexpect")
if sys.platform == "win32":
    pytest.skip("pseudo-terminals need POSIX", allow_module_level=True)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return prepare(tmp_path)


def test_moving_about_decides_nothing(lines: Path) -> None:
    with Review(lines) as review:
        assert "#1 " in review.seen()
        assert "#2 " in review.key("J")
        assert "#3 " in review.key("j")
        assert "#2 " in review.key("k")
        assert "#1 " in review.key("K")
        assert "There is no hunk before this one." in review.key("K")
        assert "There is no undecided hunk before this one." in review.key("k")
        assert "#8 " in review.key("g 8")
        assert "There is no undecided hunk after this one." in review.key("j")
        assert "There is no hunk after this one." in review.key("J")
        assert "#4 " in review.key("g renew")
        assert "#5 " in review.key("/REVISED(")
        review.key("g", r"Go to which hunk \(number, or word of rule, file or code\)\? ")
        assert "#6 " in review.key("check-pair")
        assert "#2 " in review.key("/check-pair"), "the search goes around"
        assert "There is no hunk with number 99; there are 8." in review.key("g 99")
        assert 'There is no hunk with "nowhere" in its' in review.key("/nowhere")
        assert 'There is no hunk with "nowhere!" in its' in review.key("/nowhere!")
        review.key("g", r"Go to which hunk .*\? ")
        assert "[" not in review.key("").replace("[y", "")
        assert 'invalid response "x"' in review.key("x")
        shown = review.key("+")
        assert "#2 " in shown
        assert "\n9  )\n" in shown
        shown = review.key("-")
        assert "\n6  pair(\n" in shown
        assert "\n7  " not in shown
        shown = review.key("-")
        assert "3 -pair(one, two)\n  +pair(check(one), check(two))\n" in shown
        assert "\n4  " not in shown
        assert "There are no more lines to leave out." in review.key("-")
        shown = review.key("r")
        assert f"rule check-pair  {lines.parent / 'review.yaml'}:12" in shown
        assert "pair($left, $right)" in shown
        assert "[start-log]" in shown
        assert "$left = one  (line 3)" in shown
        assert "Nothing had to be assumed." in shown
        shown = review.key("?")
        for key in "ynqadADPLjJkKgsoeuUirtfpvw+-?":
            assert f"\n{key} - " in f"\n{shown}"
        assert "There is no answer to undo." in review.key("u")
        assert "Nothing is ignored without a reason." in (
            review.key("i", "Why is check-pair to be ignored here\\? ") and review.key("")
        )
        review.key("w")
        assert review.end("q")[0] == 0
    assert lines.read_text() == SCRIPT


def test_undo_goes_back_answer_by_answer(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        assert "Rejected too: check-pair (line 3), check-pair (line 6)" in review.key("n")
        shown = review.key("u")
        assert "Undone too: check-pair (line 3), check-pair (line 6)" in shown
        assert "#1 " in shown
        review.key("y")
        review.key("y")
        review.key("A")
        assert "#3 " in review.key("u")
        assert "#2 " in review.key("u")
        assert "#1 " in review.key("u")
        assert "There is no answer to undo." in review.key("u")
        assert "0 accepted, 0 rejected" in review.end("q")[1]
    assert lines.read_text() == SCRIPT


def test_a_rule_everywhere(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        assert "Accepting it accepts: start-log (line 1)" in review.key("J")
        shown = review.key("A")
        assert "Accepted too: start-log (line 1)" in shown
        assert "Accepted 2 hunk(s) of check-pair." in shown
        assert "#3 " in shown
        shown = review.key("D")
        assert "Rejected 3 hunk(s) of name-steps." in shown
        assert "#4 " in shown
        assert "3 accepted, 3 rejected, 2 not decided" in review.end("q")[1]
    expected = SCRIPT.replace("one, two", "check(one), check(two)")
    expected = expected.replace("three,", "check(three),").replace("four,", "check(four),")
    assert lines.read_text() == "open_log()\n" + expected


def test_of_two_alternatives_one_is_taken(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        shown = review.key("g renew")
        assert "Or instead: revise (line 5): Use revised" in shown
        assert "Accepting it rejects: revise (line 5)" in shown
        shown = review.key("y")
        assert "Rejected too: revise (line 5)" in shown
        assert "#6 " in shown
        shown = review.key("g revise")
        assert "Rejected before; an answer changes that." in shown
        assert "Or instead: renew (line 5): Use new (accepted)" in shown
        assert "-old(1)\n" in shown
        assert "+revised(1)\n" in shown
        assert "Accepting it rejects: renew (line 5)" in shown
        assert "Rejected too: renew (line 5)" in review.key("y")
        review.key("u")
        review.key("u")
        assert "Rejected too: revise (line 5)" in review.key("a"), "of all, the first"
        review.end("q")
    assert "\nnew(1)\n" in lines.read_text()


def test_parts_are_decided_one_by_one(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        assert "It cannot be split" in review.key("s")
        review.key("y")
        shown = review.key("s")
        assert "Split into 2 hunks." in shown
        assert "#2.1 " in shown
        assert "+pair(check(one), two)" in shown
        shown = review.key("n")
        assert "#2.2 " in shown
        assert "+pair(one, check(two))" in shown
        assert "#3 " in review.key("y")
        assert "#2.2 " in review.key("g 2.2")
        review.key("u")
        review.key("u")
        assert "#2 " in review.key("u"), "the split is undone, too"
        review.key("s")
        assert "#2.2 " in review.key("y")
        assert "2 accepted, 0 rejected, 7 not decided" in review.end("q")[1]
    assert lines.read_text() == "open_log()\n" + SCRIPT.replace("one, two", "check(one), two")


def test_what_is_edited_is_written(lines: Path) -> None:
    change = "text = text.replace('log()', 'log(1)  # mine').replace('new(', 'newer(')"
    with Review(lines, editor(lines.parent, change)) as review:
        review.seen()
        shown = review.key("e")
        assert "start-log: Start the log (edited)" in shown
        assert "+open_log(1)  # mine" in shown
        assert "#1 " in review.key("u"), "an edit is undone like an answer"
        review.key("e")
        review.key("y")
        assert "The hunk stays as it was." in review.key("e"), "nothing to replace there"
        review.key("g renew")
        review.key("e")
        assert "Rejected too: revise (line 5)" in review.key("y")
        review.end("q")
    assert lines.read_text() == "open_log(1)  # mine\n" + SCRIPT.replace("old(1)", "newer(1)")


def test_an_edit_that_is_none_leaves_the_hunk(lines: Path) -> None:
    turns = """\
import os
count = __file__ + ".count"
turn = os.path.getsize(count) if os.path.exists(count) else 0
open(count, "a").write("x")
if turn == 0:
    sys.exit(0)
if turn == 1:
    text = ""
if turn == 2:
    text = text.replace("open_log()", "")
if turn == 3:
    sys.exit(3)
"""
    with Review(lines, editor(lines.parent, turns)) as review:
        review.seen()
        assert "The hunk stays as it was." in review.key("e"), "nothing is saved"
        assert "The hunk stays as it was." in review.key("e"), "all is removed"
        assert "The hunk stays as it was." in review.key("e"), "the code is removed"
        assert "ended with" in review.key("e"), "the editor fails"
        assert "There is no answer to undo." in review.key("u")
        review.key("y")
        review.end("q")
    assert lines.read_text() == "open_log()\n" + SCRIPT


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os; os.unlink(path); os._exit(0)", "The editor left nothing to read: No such"),
        ("import os; os.unlink(path); os.mkdir(path); os._exit(0)", "left nothing to read: Is a"),
        ("open(path, 'wb').write(b'caf\\xe9'); import os; os._exit(0)", "is no text in utf-8"),
    ],
    ids=["gone", "folder", "latin-1"],
)
def test_an_editor_may_leave_anything(lines: Path, code: str, said: str) -> None:
    with Review(lines, editor(lines.parent, code)) as review:
        review.seen()
        assert said in review.key("e")
        review.key("y")
        assert review.end("q")[0] == 0
    assert lines.read_text() == "open_log()\n" + SCRIPT


def test_a_command_that_names_no_editor(lines: Path) -> None:
    with Review(lines, {"VISUAL": "vi 'abc"}) as review:
        review.seen()
        assert "The hunk stays as it was" in review.key("e")
        assert review.end("q")[0] == 0


def test_a_reason_cannot_move_the_cursor(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        assert "there are control characters in the reason" in review.key("i wrong\x16\x1b[D")
        assert "[1/" not in review.key("w")
        review.end("q")
    assert lines.read_text() == SCRIPT


def test_an_edit_that_does_not_parse_is_asked_for_again(lines: Path) -> None:
    again = r"Edit again \(no leaves the hunk as it was\) \[y,n\]\? "
    change = "text = text.replace('open_log((', 'open_log(').replace('_log()', '_log((')"
    with Review(lines, editor(lines.parent, change)) as review:
        review.seen()
        assert "Not taken: the file would not parse" in review.key("e", again)
        assert "open_log()" in (lines.parent / "shown.txt").read_text()
        review.key("y", again)
        assert "open_log((" in (lines.parent / "shown.txt").read_text(), "what was written is kept"
        assert "[1" not in review.key("n")
        review.end("q")
    assert lines.read_text() == SCRIPT


def test_ignoring_writes_a_comment_that_the_next_run_knows(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        review.key("y")
        assert "Rejected; a comment on line 3 says so." in review.key("i these are checked")
        review.key("g 7")
        review.key("i", r"Why is name-steps to be ignored here\? ")
        assert "#8 " in review.key("it has one")
        code, shown = review.end("q")
        assert code == 0
        assert f"{HUNKS} proposed, 1 accepted, 2 rejected" in shown
    text = lines.read_text()
    assert "pair(one, two)  # pinsetter: ignore[check-pair] these are checked\n" in text
    assert "# pinsetter: ignore[name-steps] it has one\n" in text
    compile(text, "lines.py", "exec")
    with Review(lines) as review:
        shown = review.seen()
        assert "[0 decided, 5 left]" in shown, "open_log() is there, and two places are ignored"
        review.end("d")
    assert lines.read_text() == text


def test_a_line_can_be_edited(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        arrows = "\x1b[D" * len("it is")
        assert "ignore[start-log] so it is" in review.key(f"i it is{arrows}so ")
        review.end("q")
