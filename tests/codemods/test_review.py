"""A review in a real terminal: Bowler's keys, and what they do to the file."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import FRONT_ENDS, HUNKS, TRAIN

pexpect = pytest.importorskip("pexpect")
if sys.platform == "win32":
    pytest.skip("pseudo-terminals need POSIX", allow_module_level=True)

each_front_end = pytest.mark.parametrize("command", FRONT_ENDS.values(), ids=FRONT_ENDS)
PROMPT = r"Apply this hunk \[y,n,q,a,d,\?\]\? "
TWICE = r"Do so \[y,n\]\? "
CLOSING = r"write nothing of it \[w,b,n,\?\]\? "
END = "\x04"
INTERRUPT = "\x03"


def review(script: Path, keys: Sequence[str], command: Sequence[str]) -> tuple[int, str]:
    """Answer one prompt with each key; the exit code and all that was shown."""
    child = pexpect.spawn(
        command[0], [*command[1:], str(script), "--by", "hunk", "--yes"], encoding="utf-8",
        timeout=30, dimensions=(50, 200),
    )  # fmt: skip
    shown = ""
    for key in keys:
        child.expect([PROMPT, CLOSING, TWICE])
        shown += child.before
        child.send(key)
    child.expect(pexpect.EOF)
    shown += child.before
    child.close()
    assert child.signalstatus is None
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).replace("\r", "")
    assert "Traceback" not in plain, plain
    return int(child.exitstatus), plain


def test_the_order_of_the_hunks(script: Path) -> None:
    code, shown = review(script, ["d"], FRONT_ENDS["pinsetter"])
    assert code == 0
    assert f"#1 {script}:" in shown
    assert "initialise-horovod: Start Horovod" in shown
    assert "hvd.init() makes this process one of the workers." in shown
    assert "+hvd.init()" in shown


@pytest.mark.parametrize(
    ("front_end", "keys"),
    [
        ("bowler", ["d"]),
        ("bowler", [END]),
        ("bowler", [INTERRUPT]),
        ("pinsetter", ["n", "y"]),
        ("pinsetter", ["\rq"]),
        ("pinsetter", ["q"]),
        ("pinsetter", [END]),
        ("pinsetter", [INTERRUPT]),
        ("pinsetter", ["?", "x", "d"]),
    ],
)
def test_nothing_accepted_leaves_every_byte(script: Path, front_end: str, keys: list[str]) -> None:
    before = script.stat()
    code, _ = review(script, keys, FRONT_ENDS[front_end])
    assert code == {INTERRUPT: 130, END: 1}.get(keys[-1], 0)
    assert script.read_bytes() == TRAIN.encode()
    assert script.stat().st_mtime_ns == before.st_mtime_ns


@each_front_end
def test_accepting_all(script: Path, command: list[str]) -> None:
    code, shown = review(script, ["a"], command)
    assert code == 0
    assert f"{HUNKS} proposed, {HUNKS} accepted, 0 rejected" in shown
    assert "hvd.init()" in script.read_text()


@each_front_end
def test_one_by_one(script: Path, command: list[str]) -> None:
    code, shown = review(script, ["y", "n", "y", "q"], command)
    assert code == 0
    assert "accepted" in shown
    text = script.read_text()
    assert "hvd.init()" in text
    assert "gpus" not in text
    compile(text, "train.py", "exec")


def test_answers_may_be_capital_letters(script: Path) -> None:
    review(script, ["Y", "Q", "W"], FRONT_ENDS["pinsetter"])
    assert "hvd.init()" in script.read_text()


def test_enter_is_no_answer(script: Path) -> None:
    code, shown = review(script, ["y", "\rq", "w"], FRONT_ENDS["pinsetter"])
    assert code == 0
    assert "1 accepted, 0 rejected" in shown
    assert "gpus" not in script.read_text()


def test_help_and_invalid_answers_ask_again(script: Path) -> None:
    code, shown = review(script, ["?", "z", "d"], FRONT_ENDS["pinsetter"])
    assert code == 0
    assert "y - apply this hunk" in shown
    assert 'invalid response "z"' in shown


@each_front_end
def test_end_of_input_writes_no_half_of_a_program(script: Path, command: list[str]) -> None:
    code, shown = review(script, ["y", END], command)
    assert code == 2
    assert "train.py: not written: average-gradients (" in shown
    assert "is not accepted. Its gradients would not be averaged." in shown
    assert script.read_text() == TRAIN


@each_front_end
def test_an_interrupt_writes_nothing(script: Path, command: list[str]) -> None:
    code, shown = review(script, ["y", "y", INTERRUPT], command)
    assert code == 130
    assert "interrupted" in shown
    assert script.read_bytes() == TRAIN.encode()


def test_quitting_keeps_what_was_accepted(script: Path) -> None:
    review(script, ["y", "q", "w"], FRONT_ENDS["pinsetter"])
    text = script.read_text()
    assert "hvd.init()" in text
    assert "DistributedGradientTape" not in text


@pytest.mark.parametrize("way", [["q"], ["n", "d"]])
def test_a_program_that_lacks_something_essential_is_asked_about(
    script: Path, way: list[str]
) -> None:
    code, shown = review(script, ["y", *way, "?", "x", "n"], FRONT_ENDS["pinsetter"])
    assert code == 0, "a person wants it so"
    assert "train.py would be written without what is essential for it:" in shown
    assert "average-gradients (" in shown
    assert "Its workers would not start from the same values." in shown
    assert "w - write what is accepted, without that" in shown
    assert 'invalid response "x"' in shown
    assert "not written: average-gradients" in shown
    assert script.read_text() == TRAIN


def test_one_may_go_back_to_what_is_missing(script: Path) -> None:
    code, shown = review(script, ["y", "d", "b", "y"], FRONT_ENDS["pinsetter"])
    assert code == 0
    assert "average-gradients: Average the gradients over all workers" in shown
    assert "Rejected before; an answer changes that." in shown
    text = script.read_text()
    assert "DistributedGradientTape" in text
    assert "broadcast_variables" in text


def test_no_question_where_all_of_it_is_rejected_or_nothing_essential(script: Path) -> None:
    _, shown = review(script, ["d"], FRONT_ENDS["pinsetter"])
    assert "essential" not in shown
    _, shown = review(script, ["y", "n", "a"], FRONT_ENDS["pinsetter"])
    assert "essential" not in shown
    assert "DistributedGradientTape" in script.read_text()


def test_the_reviewer_is_told_what_depends_on_a_hunk(script: Path) -> None:
    _, shown = review(script, ["n", "y"], FRONT_ENDS["pinsetter"])
    assert "Rejecting it rejects: pin-gpu (line 2)" in shown
    assert "Rejected too: pin-gpu (line 2)" in shown
    assert f"0 accepted, {HUNKS} rejected" in shown


def test_the_reviewer_is_told_what_a_hunk_requires(script: Path) -> None:
    text = TRAIN.replace("import tensorflow as tf", "import tensorflow as tf\nprint(1)")
    script.write_text(text)
    _, shown = review(script, ["y", "y", "n", "y", "q"], FRONT_ENDS["pinsetter"])
    assert "Accepting it accepts: average-gradients (line" in shown
    assert "Requires what is accepted: initialise-horovod (line" in shown
    assert "+import horovod.tensorflow as hvd" in shown, "an import is shown with its first user"
    assert "Accepted too: " in shown


def test_an_empty_line_says_nothing_of_what_is_essential(script: Path) -> None:
    command = [*FRONT_ENDS["pinsetter"], str(script), "--by", "hunk", "--yes", "--enter"]
    child = pexpect.spawn(command[0], command[1:], encoding="utf-8", timeout=30)
    for line in ("y", "q"):
        child.expect(PROMPT)
        child.sendline(line)
    child.expect(CLOSING)
    child.sendline("")
    child.expect("Nothing is decided")
    child.expect(CLOSING)
    child.sendline("w")
    child.expect(pexpect.EOF)
    child.close()
    assert "hvd.init()" in script.read_text()


WRITE = r"Write \[y,n,b,v,\?\]\? "


def test_what_failed_is_said_once_before_the_first_hunk(script: Path) -> None:
    (script.parent / "broken.py").write_text("import tensorflow as tf\ndef broken(:\n")
    command = [*FRONT_ENDS["pinsetter"], str(script.parent), "--by", "hunk"]
    child = pexpect.spawn(command[0], command[1:], encoding="utf-8", timeout=30)
    child.expect("#1 ")
    assert child.before.count("cannot be parsed") == 1
    child.expect(PROMPT)
    child.send("q")
    child.expect(pexpect.EOF)
    assert "cannot be parsed" not in child.before
    child.close()
    assert child.exitstatus == 2


def test_the_end_shows_no_program_that_will_not_be_written(script: Path) -> None:
    other = script.parent / "other.py"
    other.write_text(TRAIN)
    command = [*FRONT_ENDS["pinsetter"], str(other), str(script), "--by", "hunk"]
    child = pexpect.spawn(
        command[0], command[1:], encoding="utf-8", timeout=30, dimensions=(50, 200)
    )
    child.expect(rf"#1 {other}")
    child.expect(PROMPT)
    child.send("a")
    child.expect(rf"#8 {script}")
    for key in "yq":
        child.expect(PROMPT)
        child.send(key)
    child.expect(CLOSING)
    child.send("n")
    child.expect(WRITE)
    assert "To be written: 1 file" in child.before
    assert "other.py" in child.before
    child.send("y")
    child.expect(pexpect.EOF)
    child.close()
    assert script.read_text() == TRAIN
    assert "hvd.init()" in other.read_text()
