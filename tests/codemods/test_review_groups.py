"""Reviews of many hunks in a real terminal: groups, order, what is ahead, and what is asked at the
end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from reviewing import END, INTERRUPT, PROMPT, SCRIPT, Review, prepare

pytest.importorskip("pexpect")
if sys.platform == "win32":
    pytest.skip("pseudo-terminals need POSIX", allow_module_level=True)

BY_FILE = ("--by", "file", "--yes")
BY_RULE = ("--by", "rule", "--yes")
GROUP = r"Apply these \d+ hunks \[y,n,q,a,d,\?\]\? "
ANY = f"(?:{PROMPT}|{GROUP})"
WRITE = r"Write \[y,n,b,v,\?\]\? "
TWICE = r"Do so \[y,n\]\? "


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return prepare(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files with what is equal in both."""
    script = prepare(tmp_path)
    (tmp_path / "more.py").write_text("open_log()\nstep(4)\npair(five, six)\n")
    return script


def test_equal_hunks_are_shown_once_with_their_places(lines: Path) -> None:
    with Review(lines, manner=BY_FILE) as review:
        shown = review.seen()
        assert "8 hunks in 1 file, 3 of them with a warning" in shown
        assert re.search(r"name-steps +Name the steps +3 +1", shown)
        shown = review.key("J", GROUP)
        assert f"#2 {lines}:3 and 1 more  check-pair: Check both sides" in shown
        assert "+pair(check(one), check(two))" in shown
        assert "+    check(three)," in shown
        shown = review.key("J", GROUP)
        assert "and 2 more  name-steps" in shown
        assert "Apply this" not in shown
        shown = review.key("y")
        assert "[3 decided, 5 left]" in shown
        code, shown = review.end("q")
        assert code == 0
        assert "3 accepted, 0 rejected, 5 not decided" in shown
    assert lines.read_text().count("name='step'") == 3


def test_a_group_can_be_decided_one_by_one(lines: Path) -> None:
    with Review(lines, manner=BY_FILE) as review:
        review.seen()
        review.key("g 3", GROUP)
        for key in ("e", "i"):
            assert "These are several hunks; s decides them one by one." in review.key(key, GROUP)
        shown = review.key("s")
        assert "3 hunks, one by one." in shown
        assert "#3 " in shown
        assert "#7 " in review.key("n")
        assert "#8 " in review.key("y")
        review.end("q")
    assert lines.read_text().count("name='step'") == 1


def test_an_undone_group_is_a_group_again(lines: Path) -> None:
    with Review(lines, manner=BY_FILE) as review:
        review.seen()
        review.key("g 3", GROUP)
        review.key("n")
        shown = review.key("u", GROUP)
        assert "and 2 more  name-steps" in shown
        review.end("q")


def test_a_group_of_which_some_are_decided(lines: Path) -> None:
    with Review(lines, manner=BY_FILE) as review:
        review.seen()
        review.key("n", GROUP)
        shown = review.key("g 2", GROUP)
        assert "Rejected before; an answer changes that." in shown
        shown = review.key("y", GROUP)
        assert "Accepted too: start-log (line 1)" in shown
        review.end("q")
    assert "check(one), check(two)" in lines.read_text()


def test_rule_by_rule_over_all_files(folder: Path) -> None:
    with Review(folder, manner=BY_RULE, arguments=[str(folder.parent / "more.py")]) as review:
        review.seen()
        assert f"#10 {folder.parent / 'more.py'}:3  check-pair" in review.key("n")
        shown = review.key("n", GROUP)
        assert "name-steps: Name the steps" in shown
        assert "and 3 more in 2 files" in shown
        assert f"{folder.parent / 'more.py'}:2  step(4)" in shown
        review.key("y")
        review.end("q")
    assert "step(4, name='step')" in (folder.parent / "more.py").read_text()
    assert folder.read_text().count("name='step'") == 3


def test_the_order_can_be_turned(folder: Path) -> None:
    with Review(folder, manner=BY_FILE, arguments=[str(folder.parent / "more.py")]) as review:
        review.seen()
        assert "and 1 more  check-pair" in review.key("J", GROUP)
        shown = review.key("o", GROUP)
        assert "Rule by rule." in shown
        assert "and 2 more in 2 files  check-pair" in shown
        shown = review.key("o", GROUP)
        assert "File by file." in shown
        assert "and 1 more  check-pair" in shown
        review.end("q")


def test_all_that_is_proved_and_all_that_is_left(lines: Path) -> None:
    with Review(lines, manner=BY_FILE) as review:
        review.seen()
        shown = review.key("P", GROUP)
        assert "Accepted 4 hunk(s) for which nothing had to be assumed." in shown
        assert "name-steps" in shown, "it has a warning"
        assert "There is no undecided hunk for which nothing had to be assumed." in (
            review.key("P", GROUP)
        )
        code, shown = review.end("L")
        assert "Accepted 3 hunk(s) that were left." in shown
        assert "7 accepted, 1 rejected" in shown, "renew, and not revise"
        assert code == 0


def test_any_answer_can_be_undone(lines: Path) -> None:
    choose = r"Undo which answer \(its number\)\? "
    with Review(lines) as review:
        review.seen()
        assert "There is no answer to undo." in review.key("U")
        review.key("y")
        review.key("g 4")
        review.key("y")
        review.key("g 6")
        review.key("n")
        shown = review.key("U", choose)
        assert shown.index("3  rejected: check-pair") < shown.index("2  accepted: renew")
        assert "accepted: renew (" in shown
        assert "and 1 more" in shown
        review.send("9")
        review.child.send("\r")
        assert 'There is no answer with the number "9".' in review.seen()
        review.key("U", choose)
        review.send("2")
        review.child.send("\r")
        shown = review.seen()
        assert "Undone." in shown
        assert "#4 " in shown
        assert "Undone too: revise (line 5)" in shown
        assert "1 accepted, 1 rejected, 6 not decided" in review.end("q")[1]
    assert lines.read_text() == "open_log()\n" + SCRIPT


def test_enter_decides_nothing(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        for _ in range(3):
            review.child.send("\r")
        assert "#2 " in review.key("y")
        assert "1 accepted, 0 rejected" in review.end("q")[1]


def test_answers_may_be_lines(lines: Path) -> None:
    with Review(lines, manner=("--by", "hunk", "--yes", "--enter")) as review:
        review.seen()
        assert "Nothing is decided; ? shows how." in review.key("")
        assert 'invalid response "yy"' in review.key("yy")
        assert "#4 " in review.key("g renew")
        review.key("y")
        assert "1 accepted, 1 rejected" in review.end("q")[1]


def test_arrows_move(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        for key, number in (("[B", 2), ("OB", 3), ("[C", 4), ("[A", 3), ("OD", 2)):
            review.child.send(f"\x1b{key}")
            assert f"#{number} " in review.seen()
        review.child.send("\x1b[15~")
        assert 'invalid response "\\x1b[15~"' in review.seen()
        review.child.send("é")
        assert 'invalid response "é"' in review.seen()
        review.end("q")


def many(folder: Path) -> Path:
    return prepare(folder, "\n".join(f"pair(a{n}, b{n})" for n in range(8)) + "\n")


def test_an_answer_for_many_others_is_asked_about_once_more(tmp_path: Path) -> None:
    script = many(tmp_path)
    with Review(script, manner=BY_FILE) as review:
        shown = review.seen(ANY)
        assert "Rejecting it rejects: check-pair x 8" in shown
        shown = review.key("n", TWICE)
        assert "It rejects, too: check-pair x 8" in shown
        shown = review.key("n", PROMPT)
        assert "[0 decided, 9 left]" not in shown, "the same question again"
        review.key("n", TWICE)
        review.send("\r")
        code, shown = review.end("y")
        assert "0 accepted, 9 rejected" in shown
        assert code == 0


def test_a_pipe_is_not_asked_once_more(tmp_path: Path) -> None:
    script = many(tmp_path)
    from reviewing import command

    done = subprocess.run(command(script), input="n\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "9 rejected" in done.stderr


def test_the_end_shows_what_will_be_written_and_asks(lines: Path) -> None:
    with Review(lines, manner=("--by", "hunk")) as review:
        review.seen()
        review.key("y")
        shown = review.key("q", WRITE)
        assert "To be written: 1 file" in shown
        assert re.search(r" \+1 +-0", shown)
        assert "n - write nothing; the answers are kept for --resume" in review.key("?", WRITE)
        assert 'invalid response "x"' in review.key("x", WRITE)
        assert " +open_log()" in review.key("v", WRITE)
        assert "#1 " in review.key("b"), "back to the hunks"
        review.key("q", WRITE)
        assert lines.read_text() == SCRIPT
        code, shown = review.end("y")
        assert code == 0
    assert lines.read_text() == "open_log()\n" + SCRIPT


@pytest.mark.parametrize("last", ["n", END])
def test_what_is_not_to_be_written_is_kept_for_later(lines: Path, last: str) -> None:
    with Review(lines, manner=("--by", "hunk")) as review:
        review.seen()
        review.key("y")
        review.key("q", WRITE)
        code, shown = review.end(last)
        assert code == 0
        assert "0 file(s)" in shown
        assert "--resume goes on with" in shown
    assert lines.read_text() == SCRIPT
    with Review(lines, arguments=["--resume"], manner=("--by", "hunk")) as review:
        assert "[1 decided, 7 left]" in review.seen()
        review.key("q", WRITE)
        review.end("y")
    assert lines.read_text() == "open_log()\n" + SCRIPT


def test_the_end_of_input_is_asked_about_where_there_is_a_terminal(lines: Path) -> None:
    with Review(lines, manner=("--by", "hunk")) as review:
        review.seen()
        review.key("y")
        review.key(END, WRITE)
        assert review.end("y")[0] == 1, "not everything is decided"
    assert lines.read_text() == "open_log()\n" + SCRIPT


def test_an_interrupt_at_the_end_writes_nothing(lines: Path) -> None:
    with Review(lines, manner=("--by", "hunk")) as review:
        review.seen()
        review.key("y")
        review.key("q", WRITE)
        assert review.end(INTERRUPT)[0] == 130
    assert lines.read_text() == SCRIPT


def test_nothing_is_asked_where_nothing_will_be_written(lines: Path) -> None:
    with Review(lines, manner=("--by", "hunk")) as review:
        review.seen()
        review.key("n")
        assert review.end("q")[0] == 0
    assert lines.read_text() == SCRIPT


def test_a_hunk_is_shown_in_the_file_as_it_is_decided_so_far(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        assert "open_log" not in review.key("g 2").partition("Accepting it")[2]
        review.key("K")
        shown = review.key("y")
        assert re.search(r"\n +open_log\(\)\n *1  here = 1\n", shown), "as accepted, with no number"
        assert "\n3 -pair(one, two)\n  +pair(check(one), check(two))\n" in shown
        review.end("q")


def test_the_file_and_the_patch_as_decided(lines: Path) -> None:
    with Review(lines, {"PAGER": "cat"}) as review:
        review.seen()
        assert "Nothing is accepted in" in review.key("p")
        assert "Nothing is accepted so far." in review.key("v")
        review.key("y")
        for key in "pv":
            shown = review.key(key)
            assert f"{lines}\n" in shown
            assert " +open_log()\n" in shown
        shown = review.key("t")
        assert re.search(r"start-log +Start the log +1 +1 +1 +0", shown)
        review.end("q")


def test_a_reason_is_shown_once(lines: Path) -> None:
    with Review(lines) as review:
        review.seen()
        assert "Neither side is checked elsewhere." in review.key("J")
        assert "Neither side is checked elsewhere." not in review.key("g 6")
        assert "Neither side is checked elsewhere." in review.key("r")
        review.end("q")


LONG = "".join(f"    line_{n} = {n}\n" for n in range(60))
SIZES = [(24, 80), (14, 40), (50, 120), (80, 300)]


def long_hunks(tmp_path: Path) -> Path:
    """A script with a long hunk amid long lines, and a long insertion, and the pack for it."""
    (tmp_path / "review.yaml").write_text(
        "pack: review\nsummary: Long.\nrules:\n"
        "  - id: insert-many\n    title: Insert many lines\n    why: There are many.\n"
        "    match: old($x)\n    edit: {replace: $match, with: new($x)}\n"
        "    examples: [{unchanged: other()}]\n"
        "  - id: name\n    title: Name\n    why: Names.\n"
        "    match: f($...args)\n    edit: {append: 'last=("
        + ", ".join("1" * 9 for _ in range(80))
        + ")'}\n    examples: [{unchanged: other()}]\n"
    )
    script = tmp_path / "lines.py"
    script.write_text(
        "if x:\n"
        + LONG
        + "    old(1)\n"
        + LONG
        + "f(\n"
        + LONG.replace(" = ", "=").replace("\n", ",\n")
        + ")\n"
    )
    return script


def height_of(shown: str, width: int) -> int:
    return sum(max(1, -(-len(line) // width)) for line in shown.split("\n")[1:])


@pytest.mark.parametrize("size", SIZES, ids=[f"{w}x{h}" for h, w in SIZES])
def test_a_hunk_fits_on_the_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    with Review(long_hunks(tmp_path), {"PAGER": "cat"}, size=size) as review:
        review.seen()
        rows = [review.key("J"), review.key("K"), review.key("J")]
        for shown in rows:
            assert height_of(shown, size[1]) <= size[0], shown
        assert "more lines (f shows all)" in rows[0] or size[0] >= 50
        assert "more lines (f shows all)" not in review.key("f")
        review.end("q")


def test_it_fits_at_every_width(tmp_path: Path) -> None:
    with Review(long_hunks(tmp_path), size=(24, 39)) as review:
        review.seen()
        review.key("J")
        for width in range(40, 301):
            height = (24, 31, 50, 80)[width % 4]
            review.child.setwinsize(height, width)
            shown = review.seen()
            assert "name" in shown
            assert "last=(" in shown
            assert height_of(shown, width) <= height, (width, height, shown)
        review.end("q")


def test_a_file_that_cannot_be_written_is_said_before_its_first_hunk(lines: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    lines.chmod(0o444)
    with Review(lines) as review:
        shown = review.seen()
        assert shown.index("is read-only") < shown.index("#1 ")
        assert "is read-only" not in review.key("J")
        review.end("q")


def test_uncommitted_changes_are_said_before_the_first_hunk_of_the_file(lines: Path) -> None:
    run = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(lines.parent)]
    subprocess.run([*run, "init", "-q"], check=True)
    subprocess.run([*run, "add", "."], check=True)
    subprocess.run([*run, "commit", "-qm", "one"], check=True)
    lines.write_text(SCRIPT + "\n")
    with Review(lines) as review:
        shown = review.seen()
        said = f"warning: {lines} has uncommitted changes"
        assert shown.index(said) < shown.index("#1 ")
        assert "has uncommitted changes" not in review.key("J")
        review.end("q")


def test_what_is_typed_before_the_first_question_decides_nothing(lines: Path) -> None:
    with Review(lines) as review:
        review.child.send("yyy")
        assert "[0 decided, 8 left]" in review.seen()
        assert "0 accepted" in review.end("q")[1]
    assert lines.read_text() == SCRIPT


def test_an_answer_to_a_group_is_for_all_of_it_whatever_was_rejected_before(folder: Path) -> None:
    other = folder.parent / "more.py"
    other.write_text("pair(five, six)\n")
    with Review(folder, manner=BY_RULE, arguments=[str(other)]) as review:
        review.seen(GROUP)
        assert "Rejected too: check-pair" in review.key("n", GROUP)
        shown = review.key("g 2", GROUP)
        assert "and 2 more in 2 files  check-pair" in shown
        assert "Accepting them accepts: start-log" in shown
        review.key("y", GROUP)
        review.end("q")
    assert "check(three)" in folder.read_text()
    assert "check(five)" in other.read_text()


def test_form_feeds_end_no_line(tmp_path: Path) -> None:
    script = prepare(tmp_path, "\f\n# one\f two\nstep(1)\nx = 1\n" + "y = 1\n" * 30 + "step(2)\n")
    with Review(script, manner=BY_FILE, size=(14, 120)) as review:
        review.seen()
        assert f"{script}:35  step(2)" in review.key("J", GROUP)
        review.end("q")


def test_a_terminal_that_is_closed_is_no_fault(lines: Path) -> None:
    errors = lines.parent / "errors"
    import pexpect

    program = f"{sys.executable} -m pinsetter run {lines.parent / 'review.yaml'} {lines}"
    shell = f"exec {program} 2>{errors}"
    child = pexpect.spawn("bash", ["-c", shell], encoding="utf-8", timeout=30)
    child.expect(ANY)
    child.close(force=False)
    for _ in range(100):
        if not child.isalive():
            break
        time.sleep(0.05)
    assert "internal error" not in errors.read_text()
    assert lines.read_text() == SCRIPT
