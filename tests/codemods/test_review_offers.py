"""What would do instead of many hunks is offered at the first of them, and done on request."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from reviewing import Review

pytest.importorskip("pexpect")
if sys.platform == "win32":
    pytest.skip("pseudo-terminals need POSIX", allow_module_level=True)

PACK = """\
pack: review
summary: A condition for each print, or one statement.
applies_to: {training_api: keras}
options: {quiet: One statement for all.}
rules:
  - id: fit-once
    title: Fit once
    why: It has to end.
    match: model.fit($x, $y)
    edit: {replace: $match, with: "model.fit($x, $y, 1)"}
    examples: [{unchanged: other()}]
  - id: print-first
    title: Print first only
    why: All of them would print.
    match: print($...args)
    edit: {guard: first(), join: true}
    unless: quiet
    many: {above: 5, say: $count prints; `--option quiet` is one statement., option: quiet}
    examples: [{unchanged: other()}]
  - id: silence
    title: Silence all but the first
    why: All of them would print.
    query: file_input< any* >
    edit: {insert: silence(), place: start}
    done: [{present: {code: silence(), in: module}}]
    option: quiet
    examples: [{unchanged: silence()}]
"""
HEAD = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
"""
FIT = "model.fit(x, y)\n"
OFFER = "Or instead: 6 prints; `--option quiet` is one statement. O begins again with that."
SURE = r"Begin again with --option quiet, and with what is decided \[y,n\]\? "


def prepared(folder: Path, prints: int) -> Path:
    (folder / "review.yaml").write_text(PACK)
    script = folder / "lines.py"
    said = "".join(f"print({number})\nx = y = {number}\n" for number in range(prints))
    script.write_text(f"{HEAD}{said}{FIT}")
    return script


def test_it_is_offered_at_the_first_of_many(tmp_path: Path) -> None:
    with Review(prepared(tmp_path, 6)) as review:
        shown = review.seen()
        assert "print-first" in shown
        assert OFFER in shown
        assert "Or instead" not in review.key("J")
        assert OFFER in review.key("K")
        review.end("q")


def test_it_is_not_offered_for_a_few(tmp_path: Path) -> None:
    with Review(prepared(tmp_path, 5)) as review:
        assert "Or instead" not in review.seen()
        assert "No option is offered here." in review.key("O")
        review.end("q")


def test_the_review_begins_again_with_it(tmp_path: Path) -> None:
    script = prepared(tmp_path, 6)
    before = script.read_text()
    with Review(script, manner=("--by", "file", "--yes")) as review:
        review.seen(r"Apply these 6 hunks \[y,n,q,a,d,\?\]\? ")
        shown = review.key("J")
        assert "fit-once: Fit once" in shown
        review.key("y", r"Apply these 6 hunks \[y,n,q,a,d,\?\]\? ")
        review.key("O", SURE)
        assert script.read_text() == before, "nothing is written yet"
        shown = review.key("y")
        assert "It was run with no options, this is with --option quiet." in shown
        assert "1 hunk was decided" in shown
        assert "silence: Silence all but the first" in shown
        assert "[1 decided, 1 left]" in shown
        code, shown = review.end("y")
        assert code == 0
        assert "2 proposed, 2 accepted" in shown
    text = script.read_text()
    assert "silence()" in text
    assert text.endswith("model.fit(x, y, 1)\n")
    assert "first()" not in text


def test_it_is_taken_at_any_hunk_and_not_by_mistake(tmp_path: Path) -> None:
    script = prepared(tmp_path, 6)
    with Review(script, manner=("--by", "hunk", "--yes", "--enter")) as review:
        review.seen()
        review.key("J")
        shown = review.key("O", SURE)
        review.child.sendline("n")
        shown = review.seen()
        assert "#2 " not in shown, "it is still there"
        review.key("O", SURE)
        review.child.sendline("y")
        shown = review.seen()
        assert "Going on" not in shown, "nothing was decided"
        assert "silence" in shown
        review.end("q")
    assert "silence" not in script.read_text()
