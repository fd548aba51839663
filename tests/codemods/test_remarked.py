"""A remark in front of each statement changes nothing of what is proposed and noted."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from commands import all_packs, fixtures

from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery

# An `if` right behind a plain statement: only there a remark is kept with it.
ENDS = """\
import tensorflow as tf
from data import x, y, other_x, other_y
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)
best = 9.0
for epoch in range(9):
    for at in range(99):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x[at]) - y[at]) ** 2)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        )
    reached = float(tf.reduce_mean((model(other_x) - other_y) ** 2))
    if reached > best:
        break
    best = reached
"""


def remarked(text: str) -> str:
    lines = text.split("\n")
    begun = {
        min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))])
        for node in ast.walk(ast.parse(text))
        for block in ("body", "orelse", "finalbody")
        if isinstance(statements := getattr(node, block, None), list)
        for statement in statements
    }
    found = []
    for number, line in enumerate(lines, 1):
        code = line.lstrip()
        if number in begun and not code.startswith("elif"):
            found.append(f"{line[: len(line) - len(code)]}# A remark")
        found.append(line)
    return "\n".join(found)


def proposed(folder: Path) -> Counter[tuple[str, str, str]]:
    planned = make_plan([PackQuery(pack, []) for pack in all_packs()], [folder])
    hunks = (("hunk", one.module.path.name, one.rule) for one in planned.plan.hunks)
    notes = (("note", one.module.path.name, one.rule.id) for one in planned.reports)
    refused = (("refused", one.path.name, one.reason) for one in planned.refused)
    return Counter([*hunks, *notes, *refused])


def test_a_remark_hides_no_end_of_a_loop(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(remarked(ENDS))
    assert proposed(tmp_path)["hunk", "train.py", "end-steps-alike"] == 1


@pytest.mark.parametrize("program", fixtures(3), ids=lambda path: path.name)
def test_remarks_change_nothing(program: Path, tmp_path: Path) -> None:
    plain, with_remarks = tmp_path / "plain", tmp_path / "with_remarks"
    files = [path for path in program.rglob("*") if path.suffix in (".py", ".txt")]
    for path in files:
        text = path.read_text()
        for folder in (plain, with_remarks):
            copy = folder / path.relative_to(program)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(
                remarked(text) if folder is with_remarks and copy.suffix == ".py" else text
            )
    assert proposed(with_remarks) == proposed(plain)
