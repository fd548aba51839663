"""What must hold for every program, whatever is accepted: files and decisions made up by chance."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

from commands import tape_pack
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_diff import patched

from pinsetter.analyzer.syntax import parse
from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.files.new_content import write
from pinsetter.codemods.engine.hunks.diff import file_diff, hunk_lines
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.blocks import blocks_joined
from pinsetter.patterns.edits.edit import Edit, apply
from pinsetter.patterns.edits.guards import shared

PACK = tape_pack()
EXAMPLES = int(os.environ.get("PINSETTER_FUZZ", "30"))

FRAGMENTS = [
    """\
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss
""",
    """\
@tf.function
def traced(x):
    with tf.GradientTape(persistent=True) as tape:
        loss = model(x)  # the loss
    return optimizer.apply_gradients(
        zip(tape.gradient(loss, model.trainable_variables),
            model.trainable_variables),
    )
""",
    """\
def pairs(x):
    with tf.GradientTape() as t: loss = model(x)
    found = zip(t.gradient(loss, model.weights), model.weights)
    if x is not None: optimizer.apply_gradients(found); print("one", 1)
    else: print('''two
  lines''')
""",
    """\
class Trainer:
    \"\"\"Trains.\"\"\"
    def __init__(self, rate=0.1):
        self.optimizer = tf.keras.optimizers.Adam(rate if rate else 0.1, beta_1=0.5)
        self.checkpoint = tf.train.Checkpoint(model=model)

    def step(self, x):
        with tf.GradientTape() as tape:
            loss = model(x)
        grads = tape.gradient(loss, model.weights)
        (self
            .optimizer
            .apply_gradients(list(zip(grads,

                                      model.weights))))
        path = self.checkpoint.save("x")
        return path
""",
    """\
for number, x in enumerate(data.take(100 + 1).batch(4)):
    loss = step(x)
    print(number,
          \"\"\"text
    as it is\"\"\",

          # why
          loss)
""",
    "for x in data:optimizer.apply_gradients(zip(x, model.weights));print(1);"
    "optimizer.apply_gradients(x)\n",
    """\
def both(x):
    with tf.GradientTape() as a, tf.GradientTape() as b:
        loss = model(x)
    for tape in (a, b): optimizer.apply_gradients(zip(a.gradient(loss, x), model.weights))
""",
    'for x in data.take(7): step(x); print("x", x)\n',
    'checkpoint = tf.train.Checkpoint(model=model); checkpoint.save("a")\n',
    "sgd = tf.keras.optimizers.SGD()\nadam = tf.keras.optimizers.Adam(learning_rate=0.1 + 0.2,)\n",
    "rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)\n",
    'if __name__ == "__main__":\n    print("started", \\\n        1); print()\n',
    "model.summary()\n",
    """\
def choose(x, kind):
    match kind:
        case "say" | "tell": print(x)
        case {"data": data} if data: optimizer.apply_gradients(data); print("applied")
        case [first, *rest]:
            with (open("out.txt", "w") as file, open("other.txt") as other):
                print(first,
                      rest, file=file)
""",
    """\
def report(path, x):
    with open(path, "w") as file:
        print("writing", path); print(x)
        for line in x:
            if line: print(line, file=file)
            print(f"{line}",
                  file)
        with open(path + ".json", "w") as other:
            other.write(\'\'\'two
  lines\'\'\')
""",
    """\
with open("log.txt", "a") as log: log.write("started"); print("started")
""",
    'print("é")\n\x0c\n',
    'import numpy as np\nnp.save("a", np.zeros(3)); pass\n',
    "class hvd: pass\n",
    "gpus = hvd_broadcast_done = []\n",
]
HEAD = """\
import tensorflow as tf
model = tf.keras.Sequential()
optimizer = tf.keras.optimizers.SGD(0.1)
data = tf.data.Dataset.range(100)
"""
FIRST = ["", '"""Text."""\n', "#!/usr/bin/env python\n", "from __future__ import division\n"]


@st.composite
def programs(draw: st.DrawFn) -> bytes:
    """The bytes of a training script."""
    parts = draw(st.lists(st.sampled_from(FRAGMENTS), max_size=5, unique=True))
    text = draw(st.sampled_from(FIRST)) + HEAD + "".join(["\n" + FRAGMENTS[0], *parts])
    cookie = draw(st.sampled_from(["", "latin-1", "utf-8"]))
    if cookie and not text.startswith("#!"):
        text = f"# -*- coding: {cookie} -*-\n{text}"
    unit = draw(st.sampled_from(["    ", "  ", "\t"]))
    lines = []
    for line in text.split("\n"):
        depth = (len(line) - len(line.lstrip(" "))) // 4
        lines.append(unit * depth + line[4 * depth :])
    text = draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    encoding = "latin-1" if "coding: latin-1" in text else "utf-8"
    mark = b"\xef\xbb\xbf" if encoding == "utf-8" and draw(st.booleans()) else b""
    return mark + text.encode(encoding)


def planned(path: Path) -> Planned:
    plan = make_plan([PackQuery(PACK, [])], [path])
    assert not plan.problems
    assert not [report for report in plan.reports if "contradicts" in report.text]
    return plan


def as_shown(text: str) -> str:
    """Hunks are read by people, to whom a lone carriage return ends a line, too."""
    return re.sub("\r(?!\n)", "\n", text)


def inserted(edits: list[Edit]) -> int:
    """How many characters the edits add; equal replacements are one."""
    replaced = {(e.start, e.end, e.text) for e in edits if e.start != e.end}
    added = sum(len(e.text) for e in edits if e.start == e.end)
    return added + sum(len(text) - (end - start) for start, end, text in replaced)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=programs(), mode=st.sampled_from([0o644, 0o755, 0o600]), choices=st.data())
def test_any_closed_choice_gives_a_whole_program(
    data: bytes, mode: int, choices: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.py"
        path.write_bytes(data)
        path.chmod(mode)
        compile(data, "train.py", "exec")
        plan = planned(path).plan
        decisions = Decisions(plan)
        for hunk in plan.hunks:
            if not hunk.follows:
                choices.draw(st.sampled_from([decisions.accept, decisions.reject]))(hunk)
        known = {hunk.id for hunk in plan.hunks}
        accepted = {hunk.id for hunk in decisions.accepted}
        assert all(hunk.requires & known <= accepted for hunk in decisions.accepted)

        edits = [edit for hunk in decisions.accepted for edit in hunk.edits]
        module = plan.hunks[0].module
        assert write(module, edits) is None
        assert stat.S_IMODE(path.stat().st_mode) == mode
        result = path.read_bytes()
        if not edits:
            assert result == data
        compile(result, "train.py", "exec")
        text = module.source.text
        expected = apply(text, edits)
        parse(expected)
        assert result == module.source.encode(expected)
        unbroken = apply(text, [replace(edit, style=None) for edit in edits])
        assert len(unbroken) == len(text) + inserted(blocks_joined(shared(text, edits)))
        assert patched(text, file_diff("train.py", text, edits)) == expected


@settings(max_examples=EXAMPLES // 2, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=programs())
def test_a_second_run_proposes_nothing(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.py"
        path.write_bytes(data)
        plan = planned(path).plan
        for hunk in plan.hunks:
            text = hunk.module.source.text
            shown = hunk_lines("train.py", text, hunk.edits)
            assert patched(as_shown(text), shown) == as_shown(apply(text, hunk.edits))
        edits = [edit for hunk in plan.hunks for edit in hunk.edits]
        assert write(plan.hunks[0].module, edits) is None
        compile(path.read_bytes(), "train.py", "exec")
        assert planned(path).plan.hunks == []
