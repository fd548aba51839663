"""Outside of the accepted hunks not one byte differs, what is written parses, and undo restores
all: for training code in any encoding, with any line ends, and any closed choice of hunks."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from commands import tape_pack
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from prepared import invoke, located, temporaries
from test_decisions import is_closed

from pinsetter.analyzer.syntax import parse
from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.journal.destination import Destination
from pinsetter.codemods.engine.journal.write_accepted import write_accepted
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.review.editing import edited, form_of
from pinsetter.codemods.engine.review.ignoring import comment_hunk
from pinsetter.codemods.engine.review.splitting import parts
from pinsetter.codemods.engine.running.mode import Mode
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.codemods.engine.running.run import Outcome
from pinsetter.patterns.edits.blocks import blocks_joined
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.edits.guards import shared

PACK = tape_pack()

# Statements of training programs. {say} is a text, {unit} one step of indentation.
START = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)  # {say}
data = tf.data.Dataset.range(100).batch(4)

def step(x):
{unit}with tf.GradientTape() as tape:
{unit}{unit}loss = tf.reduce_mean(model(x))  # {say}
{unit}gradients = tape.gradient(loss, model.trainable_variables)
{unit}optimizer.apply_gradients(zip(gradients, model.trainable_variables))
{unit}return loss
"""
STATEMENTS = [
    "for number, x in enumerate(data.take(100)):\n{unit}loss = step(x)\n"
    "{unit}print(number, '{say}')\n",
    "for x in data.take(7): step(x); print('{say}', x)\n",
    "checkpoint = tf.train.Checkpoint(model=model)\ncheckpoint.save('{say}')\n",
    "adam = tf.keras.optimizers.Adam(\n{unit}learning_rate=0.1 + 0.2,  # {say}\n)\n",
    "rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)\n",
    "model.summary(); print('{say}', \\\n{unit}1); print()\n",
    "if __name__ == '__main__':\n{unit}print('''{say}\n  {say}\n''', model)\n"
    "{unit}model.save('a')\n",
    "with open('log.txt', 'a') as log: log.write('{say}'); print('started')\n",
    "def other(x):\n{unit}with tf.GradientTape(persistent=True) as t: loss = model(x)\n"
    "{unit}found = zip(t.gradient(loss, model.weights), model.weights)\n"
    "{unit}if x is not None: optimizer.apply_gradients(found)\n"
    "{unit}else: print('{say}')\n",
    "text = '''{say}\n\n   \n'''\n",
    "# {say}\n\x0c\n",
    "\n\n",
    "   # {say}\nx = 1   \n",
    "writer = tf.summary.create_file_writer('{say}')\n",
    "try:\n{unit}step(tf.ones([4, 1]))\nexcept ValueError as error: print(error)\n"
    "finally:\n{unit}model.save_weights('w')\n",
]
FIRST = ["", "'''{say}'''\n", "# {say}\n", "from __future__ import division\n", "\n\n"]
# The cookie, the codec, whether there is a byte-order mark, and what only such files can say. In
# Shift JIS the second byte of "表" is a backslash, in Big5 that of "功".
ENCODINGS = {
    "utf-8": ("", "utf-8", False, ["é", "naïve €", "学習", "\U0001f600", "e\u0301\u2028\x85"]),
    "utf-8-sig": ("", "utf-8", True, ["é", "\ufeff", "\U0001f600"]),
    "utf-8-sig, cookie": ("utf-8", "utf-8", True, ["é", "学習"]),
    "latin-1": ("latin-1", "latin-1", False, ["é", "\xff\xa0\x85", "na\xefve"]),
    "cp1252": ("cp1252", "cp1252", False, ["€", "\u2018é\u2019"]),
    "koi8-r": ("koi8-r", "koi8-r", False, ["шаг", "Ъ"]),
    "shift_jis": ("shift_jis", "shift_jis", False, ["学習", "予定表 "]),
    "big5": ("big5", "big5", False, ["功 ", "訓練"]),
    "ascii": ("ascii", "ascii", False, ["plain"]),
}
NEWLINES = ["\n", "\r\n", "\r"]
SOME = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def programs(draw: st.DrawFn) -> tuple[bytes, str]:
    """The bytes of a training script, and their encoding."""
    name = draw(st.sampled_from(list(ENCODINGS)))
    cookie, codec, mark, said = ENCODINGS[name]
    chosen = draw(st.lists(st.sampled_from(STATEMENTS), max_size=6, unique=True))
    unit = draw(st.sampled_from(["    ", "  ", "\t"]))
    text = "".join([draw(st.sampled_from(FIRST)), START, "\n", *chosen])
    if cookie:
        text = f"# vim: set fileencoding={cookie} :\n{text}"
    said = [word for word in said if draw(st.booleans())] or ["said"]
    words = iter(said * text.count("{say}"))
    text = re.sub(r"\{say\}", lambda _: next(words), text.replace("{unit}", unit))
    newline = draw(st.sampled_from([*NEWLINES, "mixed"]))
    lines = text.split("\n")
    ends = [draw(st.sampled_from(NEWLINES)) if newline == "mixed" else newline for _ in lines[1:]]
    text = "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))
    if not draw(st.booleans()):
        text = text.rstrip("\r\n")
    event(f"{name}, {newline!r}")
    return ("\ufeff" * mark + text).encode(codec), codec


def planned_in(folder: Path, files: list[tuple[bytes, str]]) -> tuple[Outcome, dict[Path, bytes]]:
    """What is proposed for files, which are written into a folder."""
    before = {folder / f"train{number}.py": data for number, (data, _) in enumerate(files)}
    for number, (path, data) in enumerate(before.items()):
        path.write_bytes(data)
        path.chmod((0o644, 0o755)[number % 2])
        compile(data, path.name, "exec")
    planned = make_plan([PackQuery(PACK, [])], [folder])
    assert not planned.problems
    assert not planned.refused
    return Outcome(planned, Decisions(planned.plan), Mode.REVIEW), before


def written(outcome: Outcome, folder: Path) -> None:
    """Write what is accepted, as the end of a review does."""
    write_accepted(outcome, Destination(located(folder), "tape"))
    assert outcome.failures == []
    assert temporaries(folder) == []


def undone(folder: Path, before: dict[Path, bytes], outcome: Outcome) -> None:
    modes = {path: path.stat().st_mode for path in before}
    if outcome.journalled is not None:
        said = invoke("undo", "--run", str(outcome.journalled), folder)
        assert said.code == 0, said
    assert {path: path.read_bytes() for path in before} == before
    assert {path: path.stat().st_mode for path in before} == modes


def without_spaces(text: str) -> Counter[str]:
    return Counter("".join(text.split()))


def only_hunks_differ(before: bytes, after: bytes, codec: str, hunks: list[Hunk]) -> None:
    """The bytes between the edits are all there, in their order, and what else is there are the
    bytes of the edits; new lines end as those of the file do. In a statement with a line that was
    too long and is broken, so are those of the statement, but for spaces, parentheses and commas.
    Does not know how edits are put together, but for what they have in common."""
    text = before.decode(codec)
    given = [edit for hunk in hunks for edit in hunk.edits]
    unbroken = apply(text, [replace(edit, style=None) for edit in given])
    style = next((edit.style for edit in given if edit.style is not None), None)
    broken = unbroken != after.decode(codec)
    edits = blocks_joined(shared(text, given))
    spans: list[list[int]] = []
    for start, end in sorted((edit.start, edit.end) for edit in edits):
        if broken and style is not None:
            starts = style.starts
            start = max((at for at in starts if at <= start), default=0)
            end = min((at for at in starts if at > end), default=len(text))
        if spans and start <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], end)
        else:
            spans.append([start, end])
    cuts = [0, *(offset for span in spans for offset in span), len(text)]
    kept = [text[a:b].encode(codec) for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
    found = re.fullmatch(b"(.*?)".join(map(re.escape, kept)), after, re.DOTALL)
    assert found is not None, (before, after)
    new = without_spaces(after.decode(codec)) - without_spaces(b"".join(kept).decode(codec))
    for edit in edits:
        assert not without_spaces(edit.text) - new
    replaced = "".join(text[start:end] for start, end in spans)
    added = "".join(edit.text + edit.between for edit in edits)
    strange = new - without_spaces(added + replaced)
    assert not (set(strange) - set("(),") if broken else strange)
    ends = set(re.findall(rb"\r\n|\r|\n", before))
    if len(ends) == 1:
        assert set(re.findall(rb"\r\n|\r|\n", after)) == ends


def answer(decisions: Decisions, hunk: Hunk, data: st.DataObject) -> None:
    """Any answer that a person may give to a hunk."""
    plan = decisions.plan
    kind = data.draw(st.sampled_from(["accept"] * 4 + ["reject", "split", "edit", "ignore"]))
    event(kind)
    if kind == "split" and (found := parts(hunk, plan)):
        decisions.split(hunk, found)
        for part in found:
            decisions.answer([part], data.draw(st.booleans()))
    elif kind == "edit" and (changed := rewritten(hunk, plan)) is not None:
        decisions.edit(hunk, changed)
        decisions.answer([changed], data.draw(st.booleans()))
    elif kind == "ignore" and not hunk.is_comment:
        made = comment_hunk(hunk, data.draw(st.sampled_from(["why", "é", "表"])))
        if isinstance(made, Hunk):
            decisions.ignore(hunk, made)
    else:
        decisions.answer([hunk], kind != "reject")


def rewritten(hunk: Hunk, plan: Plan) -> Hunk | None:
    """The hunk with another text, if it can have that."""
    form = form_of(hunk)
    made = edited(form, re.sub(r"(?<!#\|)\bhvd\b", "horovod", form.text), plan)
    return made if isinstance(made, Hunk) else None


@SOME
@given(st.lists(programs(), min_size=1, max_size=2), st.data())
def test_outside_of_a_closed_choice_not_one_byte_differs(
    files: list[tuple[bytes, str]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        outcome, before = planned_in(folder, files)
        decisions = outcome.decisions
        for hunk in data.draw(st.permutations([h for h in decisions.plan.hunks if not h.follows])):
            if decisions.verdict(hunk) is None:
                answer(decisions, hunk, data)
        assert is_closed(decisions)
        written(outcome, folder)
        accepted = decisions.accepted
        for (path, old), (_, codec) in zip(before.items(), files, strict=True):
            new = path.read_bytes()
            parse(new.decode(codec))
            compile(new, path.name, "exec")
            mine = [hunk for hunk in accepted if hunk.module.path == path]
            only_hunks_differ(old, new, codec, mine)
            if not mine:
                assert new == old
        undone(folder, before, outcome)


@settings(SOME, max_examples=12)
@given(st.lists(programs(), min_size=1, max_size=2))
def test_accepting_all_and_undo_is_the_identity(files: list[tuple[bytes, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        outcome, before = planned_in(folder, files)
        hunks = [hunk for hunk in outcome.planned.plan.hunks if not hunk.follows]
        for hunk in hunks:
            outcome.decisions.accept(hunk)
        assert len(outcome.decisions.accepted) >= len(files)
        written(outcome, folder)
        for path, old in before.items():
            compile(path.read_bytes(), path.name, "exec")
            assert path.read_bytes() != old
        undone(folder, before, outcome)


@settings(SOME, max_examples=6)
@given(programs())
def test_rejecting_all_writes_nothing(file: tuple[bytes, str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        outcome, before = planned_in(folder, [file])
        for hunk in outcome.planned.plan.hunks:
            outcome.decisions.answer([hunk], False)
        written(outcome, folder)
        assert outcome.journalled is None
        undone(folder, before, outcome)


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-32"])
def test_what_python_does_not_read_is_not_written(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "train.py"
    data = f"# coding: {codec}\n{START.format(say='é', unit='    ')}".encode(codec)
    path.write_bytes(data)
    said = invoke("run", "tf2_gradient_tape", "--write", path)
    assert path.read_bytes() == data
    assert said.code == 2
    assert "train.py" in said.err
