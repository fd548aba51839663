"""What the tests of this folder share: a program, its plan, and the real commands."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from warm import may_be_warm, run_warm

from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack

REPOSITORY = Path(__file__).parents[2]
FIXTURES = REPOSITORY / "fixtures"
SCRIPT = REPOSITORY / "codemods" / "tf2_gradient_tape.py"
BIN = Path(sys.executable).parent
FRONT_ENDS = {
    "pinsetter": [str(BIN / "pinsetter"), "run", "tf2_gradient_tape"],
    "bowler": [str(BIN / "bowler"), "run", str(SCRIPT), "--"],
}

TRAIN = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)


def step(x):  # pip install tensorflow==2.15
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for number in range(3):
    loss = step(tf.ones([4, 1]))
    print(number)
"""
# A graph beside a tape: no pack is for both.
MIXED = f"""\
{TRAIN}
step = tf.compat.v1.train.AdamOptimizer(0.1).minimize(loss)
with tf.compat.v1.Session() as session:
    session.run(step)
"""
HUNKS = 7
# A program that trains by what it loads, and a test of that.
LIBRARY = """\
import tensorflow as tf
optimizer = tf.keras.optimizers.SGD(0.1)
def train(w, data):
    for x in data:
        with tf.GradientTape() as tape:
            loss = w * x
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
    print(w)
"""
MAIN = """\
import tensorflow as tf
import library
library.train(tf.Variable(1.0), [1.0])
"""
TRIES = """\
import tensorflow as tf
import library
class Tests(tf.test.TestCase):
    def test_it(self):
        w = tf.Variable(1.0)
        library.train(w, [1.0])
        print(w)
"""
PLAIN = 'import os\n\nprint("no training here")\n'
BROKEN = "import tensorflow as tf\n\ndef broken(:\n"


@dataclass(frozen=True)
class Result:
    """What a command left: exit code and what it said."""

    code: int
    out: bytes
    err: str

    @property
    def said(self) -> str:
        return self.out.decode("utf-8", "replace") + self.err


def run(
    *arguments: str | Path,
    command: Sequence[str] = FRONT_ENDS["pinsetter"],
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> Result:
    """Run a real command, in a process of its own; it must never end in a traceback."""
    called = [*command, *map(str, arguments)]
    if may_be_warm(called, env or {}):
        done = run_warm(called, cwd, env or {}, timeout=60)
    else:
        done = subprocess.run(
            called,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    result = Result(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
    assert "Traceback" not in result.said, result.said
    return result


def obeying_modes(command: Sequence[str] = FRONT_ENDS["pinsetter"]) -> list[str]:
    """A command, run so that modes of files hold for it, even for root."""
    if os.geteuid() != 0:
        return [*command]
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everything")
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner", "--", *command]


def tape_pack() -> Pack:
    path = pack_files.find("tf2-gradient-tape")
    assert path is not None
    pack = packs.load(path)
    assert isinstance(pack, Pack)
    return pack


@cache
def all_packs() -> tuple[Pack, ...]:
    found = packs.load_all(pack_files.find("distribute") or Path())
    assert isinstance(found, tuple)
    return found


def plan_of(path: Path) -> Plan:
    """What is proposed by the packs of all training APIs."""
    return make_plan([PackQuery(pack, []) for pack in all_packs()], [path]).plan


def fixtures(first: int) -> list[Path]:
    """Programs of the fixtures: all of them where ``PINSETTER_FIXTURES`` is set, else each fourth
    from the ``first``, and the one of several modules. Tests begin with different ones."""
    found = sorted(path for path in (FIXTURES / "programs").iterdir() if path.is_dir())
    return [FIXTURES / "demo", *(found if "PINSETTER_FIXTURES" in os.environ else found[first::4])]


def hunk_of(plan: Plan, rule: str) -> Hunk:
    return next(hunk for hunk in plan.hunks if hunk.rule == rule)


def children(pid: int) -> list[int]:
    """Of all its threads, and theirs."""
    direct: list[str] = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            direct += thread.read_text().split()
    return [each for child in map(int, direct) for each in (child, *children(child))]
