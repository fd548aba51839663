"""``pinsetter restrictions``: the real command, and what its verdicts promise of the rewriting."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from commands import BIN, TRAIN, Result, run, tape_pack

from pinsetter.analyzer.domains.tensorflow.restrictions import check
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.running import run as runs
from pinsetter.codemods.engine.running.mode import Mode
from pinsetter.codemods.engine.running.pack_query import PackQuery

CHECK = [str(BIN / "pinsetter"), "restrictions"]
STEP = """\
w = tf.Variable(1.0)
def train(x):
    with tf.GradientTape() as tape:
        loss = x * w
    opt.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
train(tf.ones(1))
"""
TF = "import tensorflow as tf\n"
SGD = f"{TF}opt = tf.optimizers.SGD(0.1)\n"
PAIRS = "zip(tape.gradient(loss, [w]), [w])"
SCALED = "tf.optimizers.SGD(0.1 * hvd.size())"
BROADCAST = "if opt not in hvd_broadcast_done:"
LOOP = "for x in ds.take(50):\n    train(x)\n"
DIVIDED = "ds.take(50 // hvd.size())"


# Notes that these texts have whatever they say.
_OF_ANY = {"keras-version", "steps-not-seen", "same-samples"}


@dataclass(frozen=True)
class Rewritten:
    """A text after the pack, and all that the run said of it."""

    text: str
    said: str


def rewritten(path: Path) -> Rewritten:
    outcome = runs.run(runs.RunRequest([PackQuery(tape_pack(), [])], [path], Mode.WRITE))
    planned = outcome.planned
    warnings = [warning for hunk in planned.plan.hunks for warning in hunk.warnings]
    reports = [r.text for r in planned.reports if r.rule.id not in _OF_ANY]
    refusals = [problem.reason for problem in [*planned.refused, *planned.problems]]
    return Rewritten(path.read_text(), "\n".join([*warnings, *reports, *refusals]))


def statuses(path: Path) -> set[tuple[str, str]]:
    return {(f.code, f.status.value) for f in check(Facts(Project([path])))}


LIFTED = [
    ("R01", f"import os\nos.environ['A'] = '1'\n{SGD}{STEP}", [SCALED, BROADCAST]),
    ("R01", "def main():\n    import tensorflow as tf\n    opt = tf.optimizers.SGD(0.1)\n"
     + textwrap.indent(STEP, "    ") + "main()\n", [SCALED, BROADCAST]),
    ("R01", f"try:\n    import tensorflow.compat.v2 as tf\nexcept ImportError:\n    {SGD[:24]}"
     f"opt = tf.optimizers.SGD(0.1)\n{STEP}", [SCALED, BROADCAST]),
    ("R01", f"import typing\nif typing.TYPE_CHECKING:\n    import os\n{SGD}{STEP}",
     [SCALED, BROADCAST]),
    ("R02", f"import tensorflow\ntf = tensorflow\nopt = tf.optimizers.SGD(0.1)\n{STEP}",
     [SCALED, BROADCAST, "hvd.DistributedGradientTape(tf.GradientTape())"]),
    ("R02", f"{SGD}class A:\n    def __init__(self):\n        self.tf = tf\n"
     "        self.opt = self.tf.optimizers.SGD(0.1)\n" + STEP, [f"self.{SCALED}", BROADCAST]),
    ("R03", f"{TF}SGD = tf.optimizers.SGD\nopt = SGD(0.1)\n{STEP}",
     ["opt = SGD(0.1 * hvd.size())", BROADCAST]),
    ("R03", f"{TF}keras = tf.keras\noptimizers = keras.optimizers\nopt = optimizers.Adam()\n{STEP}",
     ["optimizers.Adam(learning_rate=0.001 * hvd.size())", BROADCAST]),
    ("R03", f"{TF}O = tf.optimizers.SGD if x else tf.optimizers.Adam\nopt = O(learning_rate=1)\n"
     + STEP, ["O(learning_rate=1 * hvd.size())", BROADCAST]),
    ("R03", f"{TF}O = tf.optimizers.SGD if x else tf.optimizers.Adam\nopt = O(0.1)\n{STEP}",
     ["O(0.1 * hvd.size())", BROADCAST]),
    ("R03", SGD + STEP.replace("tf.GradientTape()", "Tape()") + "Tape = tf.GradientTape\n",
     ["hvd.DistributedGradientTape(Tape())", BROADCAST]),
    ("R04", f"{SGD}import numpy as np\n{STEP}print(np.save('x', 1))\n",
     ["if hvd.rank() == 0:\n    print(np.save('x', 1))"]),
    ("R05", f"{TF}first = tf.optimizers.SGD(0.1)\nopt = first\n{STEP}", [SCALED, BROADCAST]),
    ("R05", f"{TF}def make():\n    return tf.optimizers.SGD(0.1)\nopt = make()\n{STEP}",
     [f"return {SCALED}", BROADCAST]),
    ("R05", f"{TF}opts = {{'g': tf.optimizers.SGD(0.1)}}\n" + STEP.replace("opt.", "opts['g']."),
     [SCALED, "if opts['g'] not in hvd_broadcast_done:"]),
    ("R05", SGD + STEP.replace("train(x)", "train(x, o)").replace("opt.", "o.")
     .replace("ones(1)", "ones(1), opt"), [SCALED, "if o not in hvd_broadcast_done:"]),
    ("R05", f"{TF}for i in range(200):\n    opt = tf.optimizers.SGD(0.1)\n"
     + textwrap.indent(STEP, "    "), [SCALED, BROADCAST]),
    ("R05", f"{TF}for i in range(200):\n    opt = tf.optimizers.SGD(0.1)\n"
     + textwrap.indent(STEP.replace("def train", "@tf.function\ndef train"), "    "),
     [SCALED, BROADCAST]),
    ("R05", f"{SGD}a = tf.data.Dataset.range(99)\nds = a\n{STEP}{LOOP}", [SCALED, DIVIDED]),
    ("R05", f"{SGD}{STEP}for x in tf.data.Dataset.range(99).take(50):\n    train(x)\n",
     ["range(99).take(50 // hvd.size())"]),
    ("R05", f"{SGD}{STEP}def f(ds: tf.data.Dataset):\n" + textwrap.indent(LOOP, "    ")
     + "f(tf.data.Dataset.range(99))\n", [DIVIDED]),
    ("R06", f"{SGD}opt = wrap(opt)\n{STEP}", [SCALED, BROADCAST]),
    ("R06", f"{SGD}{STEP}ds = tf.data.Dataset.range(99)\n{LOOP}ds = None\n",
     [SCALED, BROADCAST, "ds.take(50 // hvd.size())"]),
    ("R07", f"{TF}if x:\n    opt = tf.optimizers.SGD(0.1)\nelse:\n    opt = tf.optimizers.Adam()\n"
     + STEP, [SCALED, "tf.optimizers.Adam(learning_rate=0.001 * hvd.size())", BROADCAST]),
    ("R07", f"{TF}opt = None\nif x:\n    opt = tf.optimizers.SGD(0.1)\n{STEP}",
     [SCALED, BROADCAST]),
    ("R07", f"{SGD}{STEP}if x:\n    ds = tf.data.Dataset.range(99)\nelse:\n"
     f"    ds = tf.data.TFRecordDataset('x')\n{LOOP}", [DIVIDED]),
    ("R08", SGD + STEP.replace("opt.apply", "return opt.apply"),
     ["result = opt.apply_gradients", f"    {BROADCAST}", "return result"]),
    ("R08", SGD + STEP.replace("opt.apply", "assert opt.apply"), [BROADCAST]),
    ("R09", STEP.join([TF, ""]).replace("train(tf", "opt = tf.optimizers.SGD(0.1)\ntrain(tf"),
     [SCALED, BROADCAST]),
    ("R09", f"{SGD}{STEP}opt = tf.optimizers.Adam(0.1)\ntrain(1)\n",
     [SCALED, "tf.optimizers.Adam(0.1 * hvd.size())", BROADCAST]),
    ("R10", f"{SGD}{STEP}a = tf.train.Checkpoint()\nb = a\nb.save('x')\n",
     ["if hvd.rank() == 0:\n    b.save('x')"]),
    ("R10", f"{SGD}{STEP}tf.train.Checkpoint().save('x')\n",
     ["if hvd.rank() == 0:\n    tf.train.Checkpoint().save('x')"]),
    ("R05", f"{SGD}{STEP}def f(ds):\n" + textwrap.indent(LOOP, "    ")
     + "f(tf.data.Dataset.range(99))\n", [SCALED, BROADCAST]),
    ("R10", f"{SGD}{STEP}c = [tf.train.Checkpoint()]\nc[0].save('x')\n",
     ["if hvd.rank() == 0:\n    c[0].save('x')"]),
]  # fmt: skip

# The values are followed through a run of the program, though not everyone will see what they are.
HANDLED = [
    ("R02", f"try:\n    {TF}except E:\n    tf = None\nopt = tf.optimizers.SGD(0.1)\n{STEP}",
     [SCALED, BROADCAST]),
    ("R02", f"{SGD}{STEP}def f(lib):\n    return lib.optimizers.SGD(0.1)\nf(tf)\n",
     [SCALED, BROADCAST]),
    ("R03", f"{TF}def f(cls):\n    return cls(0.1)\nopt = f(tf.optimizers.SGD)\n{STEP}",
     ["cls(0.1 * hvd.size())", BROADCAST]),
    ("R03", f"{TF}opts = {{'sgd': tf.optimizers.SGD}}\nopt = opts['sgd'](0.1)\n{STEP}",
     ["opts['sgd'](0.1 * hvd.size())", BROADCAST]),
    ("R03", f"{TF}opt = getattr(tf.optimizers, 'SGD')(0.1)\n{STEP}",
     ["'SGD')(0.1 * hvd.size())", BROADCAST]),
]  # fmt: skip

REMAINS = [
    ("R01", f"print('a')\n{SGD}{STEP}", "runs before what the pack is about is imported"),
    ("R01", f"if x:\n    {TF}else:\n    import tensorflow.compat.v1 as tf\n"
     f"opt = tf.optimizers.SGD(0.1)\n{STEP}", "Not rewritten: tf.optimizers.SGD(0.1)"),
    ("R03", f"{TF}O = tf.optimizers.SGD if x else tf.optimizers.Adam\nopt = O()\n{STEP}",
     "Not rewritten: O()"),
    ("R05", f"{SGD}{STEP}tf.optimizers.SGD(0.1).apply_gradients([])\n", "refused"),
    ("R05", f"{SGD}{STEP}make().apply_gradients([])\n", "refused"),
    ("R06", f"{SGD}{STEP}ds = tf.data.Dataset.range(99)\nds = wrap(ds)\n{LOOP}",
     "Assumed: ds is a dataset"),
    ("R07", f"{SGD}{STEP}ds = tf.data.Dataset.range(99) if x else mine()\n{LOOP}",
     "Assumed: ds is a dataset"),
    ("R08", SGD + STEP.replace(f"opt.apply_gradients({PAIRS})",
                               f"(lambda: opt.apply_gradients({PAIRS}))()"), "refused"),
    ("R08", SGD + STEP.replace("opt.apply", "n = 3 if x else opt.apply"), "refused"),
    ("R08", SGD + STEP.replace("opt.apply", "x and opt.apply"), "refused"),
    ("R08", SGD + STEP.replace("opt.apply", "n = 0 < x < opt.apply"), "refused"),
    ("R08", SGD + STEP.replace("opt.apply_gradients(", "tf.optimizers.SGD.apply_gradients(opt, "),
     "refused"),
]  # fmt: skip

STAYS = [
    ("R02", f"import importlib\ntf = importlib.import_module('tensorflow')\n{SGD[24:]}{STEP}",
     "opt = tf.optimizers.SGD(0.1)\n"),
    ("R04", f"{SGD}{STEP}print(items.pop())\n", "\nprint(items.pop())\n"),
    ("R05", f"{TF}opt = tf.optimizers.get('sgd')\n{STEP}", "opt = tf.optimizers.get('sgd')\n"),
    ("R08", SGD + STEP.replace("opt.apply_gradients(", "step(") + "step = opt.apply_gradients\n",
     f"    step({PAIRS})\n"),
    ("R10", f"{SGD}{STEP}save = tf.train.Checkpoint().save\nsave('x')\n", "\nsave('x')\n"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text", "lines"), LIFTED)
def test_what_is_lifted_is_rewritten_as_if_it_were_not_there(
    tmp_path: Path, code: str, text: str, lines: list[str]
) -> None:
    path = tmp_path / "train.py"
    path.write_text(text)
    found = statuses(path)
    assert (code, "lifted") in found
    assert "violated" not in {status for _, status in found}
    after = rewritten(path)
    assert after.said == ""
    for line in lines:
        assert line in after.text


@pytest.mark.parametrize(("code", "text", "lines"), HANDLED)
def test_what_remains_may_be_rewritten_all_the_same(
    tmp_path: Path, code: str, text: str, lines: list[str]
) -> None:
    path = tmp_path / "train.py"
    path.write_text(text)
    assert (code, "violated") in statuses(path)
    after = rewritten(path)
    assert after.said == ""
    for line in lines:
        assert line in after.text


@pytest.mark.parametrize(("code", "text", "said"), REMAINS)
def test_what_remains_is_refused_or_assumed(
    tmp_path: Path, code: str, text: str, said: str
) -> None:
    path = tmp_path / "train.py"
    path.write_text(text)
    assert (code, "violated") in statuses(path)
    assert said in rewritten(path).said


@pytest.mark.parametrize(("code", "text", "line"), STAYS)
def test_what_remains_is_left_as_it_is(tmp_path: Path, code: str, text: str, line: str) -> None:
    path = tmp_path / "train.py"
    path.write_text(text)
    assert (code, "violated") in statuses(path)
    assert line in rewritten(path).text


def checked(*arguments: str | Path, cwd: Path | None = None) -> Result:
    return run(*arguments, command=CHECK, cwd=cwd)


def data(*arguments: str | Path) -> Any:
    return json.loads(checked(*arguments, "--json").out)


def test_nothing_to_say(script: Path) -> None:
    result = checked(script)
    assert (result.code, result.out, result.err) == (0, b"0 violations, 0 lifted, in 1 file\n", "")


def test_an_empty_folder(tmp_path: Path) -> None:
    assert checked(tmp_path).out == b"0 violations, 0 lifted, in 0 files\n"


def test_what_is_lifted_is_no_failure(script: Path) -> None:
    script.write_text(TRAIN + "other = optimizer\n")
    result = checked(script)
    assert result.code == 0
    assert result.said.splitlines()[-1] == "0 violations, 1 lifted, in 1 file"
    assert f"{script}:18:1: R05 lifted: other is another name of the optimizer" in result.said


def test_a_violation_is_exit_code_1(script: Path) -> None:
    script.write_text(TRAIN + "    print(items.pop())\n")
    result = checked("train.py", cwd=script.parent)
    assert result.code == 1
    assert result.said.splitlines() == [
        "train.py:18:5: R04 violated: `items.pop()` in print() may do more than give its value, so "
        "that every worker must run it, and each of them prints. Hint: Assign `items.pop()` to a "
        "name before, and print the name.",
        "1 violation, 0 lifted, in 1 file",
    ]


def test_json_says_the_same(script: Path) -> None:
    script.write_text(TRAIN + "    print(items.pop())\n")
    found = data(script)
    assert found["problems"] == []
    (finding,) = found["restrictions"]
    assert list(finding) == [
        "code", "title", "path", "line", "column", "status", "message", "hint",
    ]  # fmt: skip
    assert (finding["code"], finding["path"]) == ("R04", str(script))
    assert (finding["line"], finding["column"], finding["status"]) == (18, 5, "violated")


def test_a_file_that_is_not_understood_is_exit_code_2(script: Path) -> None:
    (script.parent / "broken.py").write_text("x = (\n")
    (script.parent / "latin.py").write_bytes(b"x = '\xe9'\n")
    script.write_text(TRAIN + "    print(items.pop())\n")
    result = checked(script.parent)
    assert result.code == 2
    assert "broken.py:1:5: cannot be parsed: '(' is never closed" in result.err
    assert "latin.py" in result.err
    assert "R04 violated" in result.said, "what is understood is checked all the same"
    problems = data(script.parent)["problems"]
    assert [Path(problem["path"]).name for problem in problems] == ["broken.py", "latin.py"]
    assert (problems[0]["line"], problems[0]["column"]) == (1, 5)
    assert "never closed" in problems[0]["reason"]


def test_wrong_usage(tmp_path: Path) -> None:
    for arguments in ([], [tmp_path / "nowhere"], ["--wrong", tmp_path]):
        result = checked(*arguments)
        assert result.code == 3
        assert result.out == b""


def test_code_that_is_nested_deeply(script: Path) -> None:
    script.write_text(TRAIN + f"print({'(' * 90}1{')' * 90})\nx = {'-' * 500}1\n")
    assert checked(script).code == 0
