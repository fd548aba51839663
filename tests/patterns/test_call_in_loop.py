"""The one place in a loop from which a step is called, and what things are called there."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from snippets import load_text, pack_data, rewritten

HEAD = "import tensorflow as tf\n"


def marked(code: str) -> str:
    """The code with a mark at the place in the loop, and one before the loop."""
    result = rewritten(
        HEAD + code,
        match="opt($x, $y)",
        where=[{"called_in_loop": {"call": "call", "loop": "loop",
                                   "meaning": {"$x": "first", "$y": "second"}}}],
        edit=[{"insert": "LOOP()", "place": "before", "at": "$loop"},
              {"insert": "MARK($first, $second)", "place": "after", "at": "$call"}],
    )  # fmt: skip
    return result.removeprefix(HEAD)


STEP = "def step(x):\n    opt(m, v)\n"
MODELS = "m = v = 1\n"
TRAINER = """\
class T:
    def __init__(self, m):
        self.m = self.v = m
    def step(self, x):
        opt(self.m, self.v)
"""


@pytest.mark.parametrize(
    "code",
    [
        # In no loop, or in one that is not seen.
        "opt(1, 2)\n",
        f"{MODELS}{STEP}step(1)\n",
        f"{MODELS}{STEP}run(step)\n",
        f"{MODELS}{STEP}",
        f"{MODELS}{STEP}list(map(step, x))\n",
        f"{MODELS}[opt(m, v) for x in y]\n",
        f"{MODELS}f = lambda: opt(m, v)\nfor x in y: f()\n",
        # Called at several places.
        f"{MODELS}{STEP}for x in y: step(x)\nstep(x)\n",
        f"{MODELS}{STEP}for x in y:\n    if x: step(x)\n    else: step(y)\n",
        # A loop that is traced, or on the way.
        f"{MODELS}@tf.function\ndef steps(xs):\n    for x in xs: opt(m, v)\nfor x in y: steps(x)\n",
        f"{MODELS}def steps(xs):\n    for x in xs: step(x)\n{STEP}for x in y: steps(x)\n",
        # Other objects in other turns.
        f"v = 1\n{STEP}for m in y: step(m)\n",
        f"v = 1\n{STEP}for x in y:\n    m = make()\n    step(m)\n",
        "v = 1\ndef step(m):\n    opt(m, v)\nfor x in y: step(x)\n",
        "v = 1\ndef step(m):\n    opt(m, v)\nfor x in y:\n    step(z)\n    z = 1\n",
        "v = 1\nm = make()\nfor x in y:\n    opt(m.part, v)\n    m.part = x\n",
        f"{MODELS}{STEP}def change():\n    global m\n    m = 2\nfor x in y: step(x)\n",
        # Nothing there means the same.
        "v = 1\ndef step(x):\n    m = make(x)\n    opt(m, v)\nfor x in y: step(x)\n",
        "v = 1\ndef step(x):\n    opt(make(x), v)\nfor x in y: step(x)\n",
        "v = 1\ndef step(*m):\n    opt(m, v)\nfor x in y: step(x)\n",
        "v = 1\ndef step(m=5):\n    opt(m, v)\nfor x in y: step()\n",
        "v = 1\ndef step(m):\n    opt(m, v)\nfor x in y: step(make())\n",
        "def step(m):\n    opt(m, v)\n    m = 3\nv = z = 1\nfor x in y: step(z)\n",
        f"{MODELS}{STEP}def train(m):\n    for x in y: step(x)\n",
        # Nothing can follow it.
        f"{MODELS}{STEP}while step(1): pass\n",
        f"{MODELS}{STEP}for x in y: a = step(x) if x else 1\n",
        f"{MODELS}{STEP}def train():\n    for x in y: return step(x)\n",
        f"{MODELS}{STEP}def train():\n    for x in y: yield step(x)\n",
        # A method by another name, which may be of others, or be called by others.
        f"{TRAINER}t = T(1)\nstep = t.step\nt = T(2)\nfor x in y: step(x)\n",
        f"{TRAINER}t = T(1)\nstep = t.step\nstep = T(2).step\nfor x in y: step(x)\n",
        f"{TRAINER}t, u = T(1), T(2)\nstep = t.step\nstep = u.step\nfor x in y: step(x)\n",
        f"{TRAINER}step = T(1).step\nfor x in y: step(x)\n",
        f"{TRAINER}step = T.step\nfor x in y: step(T(1), x)\n",
        f"{TRAINER}t = T(1)\nstep = t.step\nfor x in y: step(x)\nkeep(step)\n",
        f"{TRAINER}t = T(1)\nstep = keep(t.step)\nfor x in y: step(x)\n",
        f"{TRAINER}t = T(1)\nstep = t.step\nfor x in y: step(x)\nt.step(1)\n",
        f"{TRAINER}t = T(1)\nfor z in y:\n    step = t.step\n    for x in z: step(x)\n",
        f"{TRAINER}t = T(1)\nstep = t.step\nfor x in y:\n    step(x)\n    t.m = x\n",
        # Called in a loop itself: once for each of its calls.
        f"{MODELS}{STEP}def train(xs):\n    for x in xs: step(x)\nfor xs in y: train(xs)\n",
    ],
)
def test_no_such_place(code: str) -> None:
    assert marked(code) == code


@pytest.mark.parametrize(
    ("code", "line", "mark"),
    [
        (f"{TRAINER}t = T(1)\nstep = t.step\nfor x in y:\n    step(x)\n", "step(x)", "t.m, t.v"),
        (
            f"{TRAINER}def train(t: T):\n    step = tf.function(t.step)\n    for x in y:\n"
            "        z = step(x)\ntrain(T(1))\n",
            "z = step(x)",
            "t.m, t.v",
        ),
        (f"{MODELS}for x in y: opt(m, v)\n", "opt(m, v)", "m, v"),
        (f"{MODELS}{STEP}for x in y:\n    step(x)\n", "    step(x)", "m, v"),
        (f"{MODELS}@tf.function\n{STEP}while y:\n    z = step(1)\n", "    z = step(1)", "m, v"),
        (
            "def step(m, *, v):\n    opt(m.a, v)\ndef train(p, q):\n"
            "    for e in y:\n        for x in e:\n            z.append(step(p, v=q.r['s']))\n",
            "            z.append(step(p, v=q.r['s']))",
            "p.a, q.r['s']",
        ),
        (
            "def step(m):\n    w = m.weights + [m.more]\n    opt(m, w)\np = 1\n"
            "for x in y:\n    step(p)\n",
            "    step(p)",
            "p, (p.weights + [p.more])",
        ),
        (
            "class T:\n    def __init__(self, m):\n        self.m = self.v = m\n"
            "    @tf.function\n    def step(self, x):\n        opt(self.m, self.v)\n"
            "    def batch(this, x):\n        this.step(x)\n"
            "    def fit(self, y):\n        for x in y:\n            self.batch(x)\nT(1).fit(2)\n",
            "            self.batch(x)",
            "self.m, self.v",
        ),
        (
            "def train(y):\n    m, v = make()\n    def step(x):\n        opt(m, v)\n"
            "    for x in y:\n        if x:\n            step(x)\n",
            "            step(x)",
            "m, v",
        ),
    ],
)
def test_the_place(code: str, line: str, mark: str) -> None:
    made = marked(code)
    assert made.count("LOOP()") == made.count("MARK(") == 1
    before = made[: made.index("MARK(")].rstrip()
    assert before.splitlines()[-1].strip() == line.strip()
    assert f"MARK({mark})\n" in made
    compile(made, "made", "exec")


def test_it_is_behind_the_last_step_of_the_block() -> None:
    code = (
        f"{MODELS}g = tf.keras.optimizers.Adam(1)\nfor x in y:\n    opt(m, v)\n    loss(x)\n"
        "    g.apply_gradients(x)\n    print(x)\n"
    )
    assert marked(code).endswith("    g.apply_gradients(x)\n    MARK(m, v)\n    print(x)\n")
    left = code.replace("    loss(x)\n", "    if x: continue\n")
    assert "    opt(m, v)\n    MARK(m, v)\n" in marked(left)


def eagerly(code: str) -> str:
    """The code with a mark behind the one eager call of what is traced."""
    result = rewritten(
        HEAD + code,
        match="opt($x)",
        where=[{"called_eagerly": {"call": "call", "meaning": {"$x": "there"}}}],
        edit={"insert": "MARK($there)", "place": "after", "at": "$call"},
    )
    return result.removeprefix(HEAD)


TRACED = "@tf.function\ndef step(m):\n    opt(m)\n"


@pytest.mark.parametrize(
    "code",
    [
        "opt(m)\n",
        "def step(m):\n    opt(m)\nstep(a)\n",
        f"{TRACED}",
        f"{TRACED}step(a)\nstep(b)\n",
        f"{TRACED}keep(step)\n",
        f"{TRACED}step(make())\n",
        f"{TRACED}def f(): return step(a)\n",
        f"{TRACED}while step(a): pass\n",
        "@tf.function\ndef step(m):\n    for x in y: opt(m)\nstep(a)\n",
    ],
)
def test_no_eager_call(code: str) -> None:
    assert eagerly(code) == code


@pytest.mark.parametrize(
    ("code", "mark"),
    [
        (f"{TRACED}step(a)\n", "step(a)\nMARK(a)\n"),
        (f"{TRACED}for a in b:\n    c = step(a)\n", "    c = step(a)\n    MARK(a)\n"),
        (f"{TRACED}@tf.function\ndef f(x):\n    return step(x)\nf(a.b)\n", "f(a.b)\nMARK(a.b)\n"),
    ],
)
def test_the_eager_call(code: str, mark: str) -> None:
    assert eagerly(code).endswith(mark)


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ({"call": "c", "loop": "l", "meaning": {"$z": "there"}}, "nothing is called $z here"),
        ({"call": "c", "loop": "l", "meaning": {"$x": "other"}}, "nothing is called $there here"),
        ({"call": "c", "loop": "l", "meaning": {}}, "meaning"),
    ],
)
def test_what_is_wrong_with_a_rule(condition: Any, why: str) -> None:
    rule = {"match": "opt($x)", "where": [{"called_in_loop": condition}],
            "edit": {"insert": "f($there)", "place": "after", "at": "$c"}}  # fmt: skip
    problems = load_text(yaml.safe_dump(pack_data(**rule)))
    assert isinstance(problems, list)
    assert any(why in str(problem) for problem in problems), problems
